import { describe, expect, test } from "vitest";
import type { DocumentDetail } from "../../api/types";
import { changesOf, doubtsOf, formOf } from "./metadata";

const document = {
  title: "Vancomycine",
  department: "Apotheek",
  document_type: "protocol",
  version: "2",
  owner: "",
  supersedes: "",
  language: "nl",
  target_groups: ["adult", "child"],
  valid_from: "2025-01-01",
  valid_until: null,
} as unknown as DocumentDetail;

describe("what an admin says of a document", () => {
  test("nothing changed is no request", () => {
    expect(changesOf(document, formOf(document))).toBeNull();
    expect(changesOf(document, { ...formOf(document), title: " Vancomycine " })).toBeNull();
    expect(changesOf(document, { ...formOf(document), target_groups: ["child", "adult"] })).toBeNull();
  });

  test("only what differs is sent; an emptied day is null, an emptied text is empty", () => {
    const form = { ...formOf(document), department: "", valid_from: "", valid_until: "2030-01-01", target_groups: [] };
    expect(changesOf(document, form)).toEqual({
      department: "",
      valid_from: null,
      valid_until: "2030-01-01",
      target_groups: [],
      reset: [],
    });
  });
});

describe("what was read of a document is checked", () => {
  const read = { ...document, source: "vanco-2.pdf", owner: "Werkgroep", edits: [] } as unknown as DocumentDetail;
  const others = { owner: ["werkgroep"], department: ["Apotheek"] };

  test("what is missing is in doubt, and a name that no other document has", () => {
    expect(doubtsOf(read, others)).toEqual({ valid_until: "missing" });
    expect(doubtsOf(read, { owner: ["Raad"], department: [] })).toEqual({ owner: "unseen", valid_until: "missing" });
    expect(doubtsOf({ ...read, version: "" }, others)).toEqual({ version: "missing", valid_until: "missing" });
  });

  test("a file's name is hardly a title, unless an admin says so", () => {
    const named = { ...read, title: "Vanco 2" };
    expect(doubtsOf(named, others)).toEqual({ title: "file_name", valid_until: "missing" });
    const edits = [{ field: "title", value: "Vanco 2", said: "Vancomycine" }];
    expect(doubtsOf({ ...named, edits }, others)).toEqual({ valid_until: "missing" });
  });
});
