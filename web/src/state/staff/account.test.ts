import { expect, test } from "vitest";
import type { Account, Key } from "../../api/types";
import {
  ACCOUNT_ROLES,
  accountOf,
  allGroups,
  changesOf,
  daysLeft,
  givenOf,
  groupsAtLoad,
  isGroup,
  isOpen,
  mayChangeMemberships,
  NEW_FORM,
  rolesToGive,
  stateOf,
} from "./account";

const ANNA: Account = {
  id: "a1",
  name: "Anna",
  login: "anna",
  issuer: null,
  signs_in: "password",
  roles: ["reader"],
  groups: ["staff"],
  claimed_groups: [],
  all_roles: ["reader"],
  function: "",
  department: "",
  suspended_at: null,
  created_at: "2026-01-01T00:00:00Z",
  signed_in_at: null,
  sessions: 0,
};
const KEY: Key = {
  id: "k1",
  user_id: "a1",
  account: "anna",
  name: "scanner",
  prefix: "bs_abc",
  scopes: ["ingest"],
  created_by: "local",
  created_at: "2026-01-01T00:00:00Z",
  expires_at: "2026-03-01T00:00:00Z",
  used_at: null,
  revoked_at: null,
};

test("only what is different of an account is sent", () => {
  const given = givenOf(ANNA);
  expect(changesOf(ANNA, given)).toBeNull();
  expect(changesOf(ANNA, { ...given, roles: ["admin", "reader"] })).toEqual({ roles: ["admin", "reader"] });
  expect(changesOf(ANNA, { ...given, groups: [] })).toEqual({ groups: [] });
});

test("a group that is typed and not added counts all the same", () => {
  const given = { ...givenOf(ANNA), typed: " surgery " };
  expect(changesOf(ANNA, given)).toEqual({ groups: ["staff", "surgery"] });
  expect(allGroups({ ...given, typed: "staff" })).toEqual(["staff"]);
});

test.each(["a;b", "a,b", "a\nb", " ", "x".repeat(101)])("%j is no group", (name) => {
  expect(isGroup(name)).toBe(false);
});

test("a machine has no password, and who has no name is called by the login", () => {
  const form = { ...NEW_FORM, login: " scanner ", password: "left over from before", machine: true };
  expect(accountOf(form)).toMatchObject({ login: "scanner", name: "scanner", password: null });
  expect(accountOf({ ...form, machine: false }).password).toBe("left over from before");
});

test("a key works until it is revoked or its days are over", () => {
  const before = new Date("2026-02-27T12:00:00Z");
  expect(stateOf(KEY, before)).toBe("live");
  expect(daysLeft(KEY, before)).toBe(1);
  expect(stateOf(KEY, new Date("2026-03-01T00:00:00Z"))).toBe("expired");
  expect(stateOf({ ...KEY, revoked_at: "2026-01-02T00:00:00Z" }, before)).toBe("revoked");
});

test("who is in which group is for the membership admin, and an admin gives the roles that are their own", () => {
  expect(mayChangeMemberships(["reader", "admin"])).toBe(false);
  expect(mayChangeMemberships(["admin", "membership_admin"])).toBe(true);
  expect(ACCOUNT_ROLES.filter((role) => !rolesToGive(["admin"]).includes(role))).toEqual([
    "membership_admin",
    "auditor",
  ]);
  expect(rolesToGive(["membership_admin"])).toEqual(ACCOUNT_ROLES);
});

test("what an admin loads is for their own groups, and for everyone where they have none", () => {
  expect(groupsAtLoad(["surgery", "everyone", "icu", "quality"])).toEqual(["icu", "surgery"]);
  expect(groupsAtLoad(["everyone", "quality"])).toEqual(["everyone"]);
  expect([[], ["quality"]].map(groupsAtLoad)).toEqual([["nobody"], ["nobody"]]);
  expect([["everyone"], ["icu"], ["icu", "everyone"], []].map(isOpen)).toEqual([true, false, false, false]);
});
