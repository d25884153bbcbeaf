// What admins do with documents. Who is no admin gets "not_found" for the changes and for every attempt to change.
import { get, remove, sendFile, sendJson } from "./client";
import type { components } from "./schema";
import type { DocumentList, MetadataIn } from "./types";

export type Described = components["schemas"]["DescribedOut"];
export type Loaded = components["schemas"]["IngestItem"];
export type Change = components["schemas"]["ChangeOut"];

const path = (id: string): string => `/documents/${encodeURIComponent(id)}`;

export const findDocuments = (search: string, limit: number, offset: number): Promise<DocumentList> =>
  get(`/documents?${new URLSearchParams({ search, limit: String(limit), offset: String(offset) })}`);
export const getChanges = (id: string): Promise<{ changes: Change[] }> => get(`${path(id)}/changes`);
export const describeDocument = (id: string, changes: MetadataIn): Promise<Described> =>
  sendJson("PATCH", path(id), changes);
/** What became of the one file. */
export const loadDocument = async (file: File): Promise<Loaded | undefined> =>
  (await sendFile<components["schemas"]["IngestOut"]>("/documents", file)).items[0];
export const retireDocument = (id: string): Promise<void> => remove(path(id));
