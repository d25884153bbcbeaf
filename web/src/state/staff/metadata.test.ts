import { describe, expect, test } from "vitest";
import type { DocumentDetail } from "../../api/types";
import { changesOf, formOf } from "./metadata";

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
