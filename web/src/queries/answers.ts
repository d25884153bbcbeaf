// A stored answer.
import { call, service } from "../api/client";
import type { Answer } from "../api/types";

export const getAnswer = (id: string): Promise<Answer> =>
  call(service.GET("/answers/{answer_id}", { params: { path: { answer_id: id } } }));
