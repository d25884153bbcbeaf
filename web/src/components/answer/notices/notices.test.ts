import { expect, test } from "vitest";
import { nl } from "../../../i18n/nl";
import { answer } from "../../../testing/answers";
import { noticesOf } from "./Notices";

const notice = (code: string) => ({ code, text: code, language: "nl", texts: {}, ranks: [] });
const refused = (...codes: string[]) =>
  noticesOf(
    { kind: "complete", answer: answer({ status: "not_found", notices: codes.map(notice) }), milliseconds: 1 },
    nl,
  ).map(({ code }) => code);

test("a refusal says so once, by what says most, and beside it whom the question may be about and what no longer counts", () => {
  expect(refused("not_found")).toEqual(["not_found"]);
  expect(refused("withheld", "not_found")).toEqual(["withheld"]);
  expect(refused("lapsed", "not_found")).toEqual(["lapsed", "not_found"]);
  expect(refused("only_for", "not_found")).toEqual(["only_for", "not_found"]);
  expect(refused("twins", "pack", "withheld", "not_found")).toEqual(["twins", "pack", "withheld"]);
});
