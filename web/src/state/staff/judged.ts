// A judged question as a form has it, and the questions of a set as a list shows them. Pure.
import type { Judged, JudgedSet, QuestionIn, Verdict } from "../../api/types";
import { known } from "../../text/known";
import { VERDICTS } from "../conversation/judgement";
import { GROUPS, type Group } from "../scope";

export const SPLITS = ["validate", "test"] as const;
type Split = (typeof SPLITS)[number];
export const SET_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,79}$/; // as the service takes it

export interface Place {
  key: number; // of the row in the form
  document: string;
  page: string; // as typed
  span: string;
}

export interface Form {
  question: string;
  language: "nl" | "en" | "";
  function: string;
  department: string;
  group: Group | "";
  conversation: string;
  split: Split | ""; // empty: by the question's words
  found: Verdict | "";
  note: string;
  places: Place[];
  noAnswer: boolean;
}

export interface Listed {
  judged: Judged;
  open: boolean; // nobody has said yet where the answer stands
}

export const EMPTY: Form = {
  ...{ question: "", language: "", function: "", department: "", group: "", conversation: "", split: "", found: "" },
  ...{ note: "", places: [], noAnswer: false },
};

let made = 0;
export const newPlace = (document = "", page = "", span = ""): Place => ({ key: ++made, document, page, span });

export function formOf({ judged, open }: Listed): Form {
  const { question, department, conversation, split, note, places } = judged;
  return {
    ...{ question, function: judged.function, department, conversation, split, note },
    language: known(["nl", "en"], judged.language) ?? "",
    group: known(GROUPS, judged.group) ?? "",
    found: known(VERDICTS, judged.found) ?? "",
    places: places.map((place) => newPlace(place.document, place.page === null ? "" : String(place.page), place.span)),
    noAnswer: !open && places.length === 0,
  };
}

/**
 * As the service takes it: a row without a document says nothing; a page that is no number is left
 * out.
 */
export function toSend(form: Form): QuestionIn {
  const places = form.places
    .filter((place) => place.document.trim() !== "")
    .map(({ document, page, span }) => ({
      document: document.trim(),
      page: /^\d+$/.test(page.trim()) ? Number(page) : null,
      span: span.trim(),
    }));
  const { language, conversation, note } = form;
  return {
    ...{ language, conversation, note: note.trim(), question: form.question.trim() },
    ...{ function: form.function.trim(), department: form.department.trim() },
    group: form.group || null,
    split: form.split || null,
    found: form.found || null,
    places: form.noAnswer ? [] : places,
    no_answer: form.noAnswer,
  };
}

/** Whether somebody said where the answer stands, or that it stands nowhere. */
export const isPlaced = (form: Form): boolean =>
  form.noAnswer || form.places.some((place) => place.document.trim() !== "");

/** A document holds the answer or none does: saying one takes the other back. */
export function withPlaces(form: Form, places: Place[]): Form {
  return { ...form, places, noAnswer: form.noAnswer && places.length === 0 };
}

export function withoutAnswer(form: Form, noAnswer: boolean): Form {
  return { ...form, noAnswer, places: noAnswer ? [] : form.places };
}

export const isSame = (form: Form, other: Form): boolean =>
  JSON.stringify(toSend(form)) === JSON.stringify(toSend(other));

/** The open ones first: they wait for somebody. */
export const listOf = (set: JudgedSet): Listed[] => [
  ...set.open.map((judged) => ({ judged, open: true })),
  ...set.questions.map((judged) => ({ judged, open: false })),
];

export const WHICH = ["all", ...SPLITS, "open", "none"] as const;
export type Which = (typeof WHICH)[number];

/** By words of the question, its documents or its note, in any order; and by what is asked for. */
export function matching(listed: readonly Listed[], words: string, which: Which): Listed[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return listed.filter(({ judged, open }) => {
    const none = !open && judged.places.length === 0;
    if (which === "open" ? !open : which === "none" ? !none : which !== "all" && judged.split !== which) return false;
    const said = [judged.question, judged.note, judged.id, judged.department, judged.function]
      .concat(judged.places.map((place) => place.document))
      .join(" ")
      .toLowerCase();
    return wanted.every((word) => said.includes(word));
  });
}

/** A file's text: UTF-8, else as older spreadsheets on Windows write it. */
export function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** A set's name from a file's: "Ronde 1 (spoed).csv" -> "Ronde 1 spoed". */
export const nameFrom = (file: string): string =>
  file
    .replace(/\.[^.]*$/, "")
    .normalize("NFD")
    .replace(/[^A-Za-z0-9 ._-]/g, "")
    .replace(/^[^A-Za-z0-9]+/, "")
    .trim()
    .slice(0, 80);
