// Judged sets and their questions. Who may not review gets "not_found", as for any other thing that
// is not there.
import { useQuery } from "@tanstack/react-query";
import { address, call, done, service } from "../../api/client";
import type { Judgement, QuestionIn } from "../../api/types";
import { useChange } from "../client";

const ALL = ["judged"]; // the list of sets, and each of them: every change shows in both

const inSet = (name: string) => ({ path: { name } });
const inQuestion = (name: string, id: string) => ({ path: { name, question_id: id } });

export const useJudgedSets = () => useQuery({ queryKey: ALL, queryFn: () => call(service.GET("/judged")) });

export const useJudgedSet = (name: string) =>
  useQuery({
    queryKey: [...ALL, name],
    queryFn: () => call(service.GET("/judged/{name}", { params: inSet(name) })),
  });

export const useDeleteSet = () =>
  useChange((name: string) => done(service.DELETE("/judged/{name}", { params: inSet(name) })), ALL);

interface Judging {
  set: string;
  answerId: string;
  body: Judgement;
}

export const useJudge = () =>
  useChange(
    ({ set, answerId, body }: Judging) =>
      call(
        service.PUT("/judged/{name}/answers/{answer_id}", {
          params: { path: { name: set, answer_id: answerId } },
          body,
        }),
      ),
    ALL,
  );

export const useWriteQuestion = (set: string, id: string) =>
  useChange(
    (body: QuestionIn) =>
      call(service.PUT("/judged/{name}/questions/{question_id}", { params: inQuestion(set, id), body })),
    ALL,
  );

export const useDeleteQuestion = (set: string, id: string) =>
  useChange(() => done(service.DELETE("/judged/{name}/questions/{question_id}", { params: inQuestion(set, id) })), ALL);

/** Say what would happen; nothing is put in. */
export const checkCsv = (set: string, csv: string) => sendCsv(set, csv, true);

interface Csv {
  set: string;
  csv: string;
}

export const useImport = () => useChange(({ set, csv }: Csv) => sendCsv(set, csv, false), ALL);

const sendCsv = (set: string, csv: string, check: boolean) =>
  call(service.POST("/judged/{name}/csv", { params: inSet(set), body: { csv, check } }));

export const csvUrl = (set: string): string => address("/judged/{name}/csv", inSet(set));
