// Every failure of a request is an ApiError with a stable code, whatever went wrong and whoever said so.
import type { Wrong } from "./types";

/** `offline`: no connection. `stream_broken`: the answer stopped half-way. Else the code of the server's problem document. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 0,
    readonly rows: readonly Wrong[] = [], // what is wrong, place by place, where the service says so
  ) {
    super(message);
  }
}

/** Return the error itself, or `internal` for one that nobody named. */
export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError("internal", String(error));

/** Read a refusal. `body` is a problem document, or whatever a server between here and the service sent instead. */
export function refusal(body: unknown, { status, statusText }: Response): ApiError {
  const { code, detail, errors } = isRecord(body) ? body : {};
  const rows = Array.isArray(errors) ? errors.filter(isRecord).map(wrongOf) : [];
  return new ApiError(text(code) ?? "internal", text(detail) ?? statusText, status, rows);
}

function wrongOf({ where, what, code, values }: Record<string, unknown>): Wrong {
  const said = Object.entries(isRecord(values) ? values : {}).map(([name, value]) => [name, String(value)]);
  return { where: text(where) ?? "", what: text(what) ?? "", code: text(code) ?? "", values: Object.fromEntries(said) };
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
