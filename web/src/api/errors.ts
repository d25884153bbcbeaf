// Every failure of a request is an ApiError with a stable code, whatever went wrong and whoever
// said so.
import type { Wrong } from "./types";

/**
 * `offline`: no connection. `stream_broken`: the answer stopped half-way. Else the code of the
 * server's problem document.
 */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 0,
    readonly rows: readonly Wrong[] = [], // what is wrong, place by place, where the service says so
    readonly instead = "", // the question without what identifies a patient, where that is what is wrong
    readonly retryAfter = 0, // seconds until the next may be asked; 0: nothing is said of that
  ) {
    super(message);
  }
}

/** Return the error itself, or `internal` for one that nobody named. */
export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError("internal", String(error));

/**
 * Read a refusal. `body` is a problem document, or whatever a server between here and the service
 * sent instead.
 */
export function refusal(body: unknown, { status, statusText, headers }: Response): ApiError {
  const { code, detail, errors, instead } = isRecord(body) ? body : {};
  const rows = Array.isArray(errors) ? errors.filter(isRecord).map(wrongOf) : [];
  const seconds = status === 429 ? Number(headers.get("Retry-After")) || 1 : 0;
  return new ApiError(text(code) ?? "internal", text(detail) ?? statusText, status, rows, text(instead), seconds);
}

function wrongOf({ where, what, code, values }: Record<string, unknown>): Wrong {
  const said = Object.entries(isRecord(values) ? values : {}).map(([name, value]) => [name, String(value)]);
  return { where: text(where) ?? "", what: text(what) ?? "", code: text(code) ?? "", values: Object.fromEntries(said) };
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
