import { beforeEach, describe, expect, test } from "vitest";
import { asRequest, firstScope, isFiltered, keepAsker, UNSAID, unfiltered } from "./scope";

describe("the scope of a question", () => {
  beforeEach(() => localStorage.clear());

  test("says nothing and filters nothing at first", () => {
    expect(isFiltered(UNSAID)).toBe(false);
    expect(asRequest(UNSAID)).toEqual({
      function: null,
      department: null,
      filters: {
        departments: [],
        document_types: [],
        target_groups: [],
        languages: [],
        document_ids: [],
        include_expired: false,
      },
    });
  });

  test("goes into the request as it is set", () => {
    const scope = {
      ...UNSAID,
      function: "midwife",
      group: "pregnancy" as const,
      type: "protocol",
      includeExpired: true,
    };
    expect(asRequest(scope)).toMatchObject({
      function: "midwife",
      filters: { target_groups: ["pregnancy"], document_types: ["protocol"], departments: [], include_expired: true },
    });
    expect(isFiltered(scope)).toBe(true);
  });

  test("keeps who asks on the device, and no filter", () => {
    keepAsker("an", { ...UNSAID, function: "midwife", department: "Materniteit", language: "en" });
    expect(firstScope("an")).toMatchObject({ function: "midwife", department: "Materniteit", language: "" });
  });

  test("does not take one person for another", () => {
    keepAsker("an", { ...UNSAID, function: "midwife", department: "Materniteit" });
    expect(firstScope("bo")).toEqual(UNSAID);
    keepAsker("bo", { ...UNSAID, function: "nurse" });
    expect(firstScope("an")).toEqual(UNSAID);
  });

  test("without its filters it still says who asks", () => {
    const scope = { ...UNSAID, function: "nurse", fromDepartment: "Apotheek" };
    expect(unfiltered(scope)).toMatchObject({ function: "nurse", fromDepartment: "" });
  });
});
