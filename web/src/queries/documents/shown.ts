// A document that is shown, and for the audit trail whether its reader opened it, or the page by
// itself beside an answer.
import { address, call, service } from "../../api/client";
import type { DocumentDetail } from "../../api/types";
import { one } from "./list";

const of = (id: string, beside: boolean) => ({ params: { ...one(id).params, query: { beside } } });

export const shownUrl = (id: string, beside: boolean): string =>
  address("/documents/{document_id}/file", of(id, beside).params);

export const getShown = (id: string, beside: boolean): Promise<DocumentDetail> =>
  call(service.GET("/documents/{document_id}", of(id, beside)));

/** Its reader chose what the page had opened: one byte of it, asked for as by them. */
export function tellOpened(id: string): void {
  const headers = { Range: "bytes=0-0" };
  service.GET("/documents/{document_id}/file", { ...of(id, false), headers, parseAs: "stream" }).catch(() => undefined);
}
