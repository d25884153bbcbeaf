// An account as a form: what is changed of it, and what is sent. Pure.
import type { Account, AccountIn, Group, Key, NewAccount, Scope } from "../../api/types";
import type { Role } from "../../queries/session";

export const ACCOUNT_ROLES = [
  "reader",
  "judge",
  "admin",
  "membership_admin",
  "auditor",
] as const satisfies readonly Role[];

/**
 * Whether an admin with these roles says who is in which group. Only what is shown: the service
 * decides.
 */
export const mayChangeMemberships = (own: readonly Role[]): boolean => own.includes("membership_admin");

/** Which roles an admin with these gives and takes. */
export const rolesToGive = (own: readonly Role[]): readonly Role[] =>
  mayChangeMemberships(own) ? ACCOUNT_ROLES : ["reader", "judge", ...own];
export const STATES = ["all", "active", "suspended"] as const;
export const SCOPES = [
  "ask",
  "read",
  "ingest",
  "judge",
  "admin",
  "audit",
  "monitor",
] as const satisfies readonly Scope[];
export const SHORTEST_PASSWORD = 12;
export const LONGEST_PASSWORD = 200;

export interface AccountFilters {
  search: string;
  role: Role | "";
  group: string;
  state: (typeof STATES)[number];
}

/**
 * `typed`: a group that is not added yet; it counts when the form is sent, so that nobody loses it.
 */
export interface Chosen {
  groups: readonly string[];
  typed: string;
}

/** `function`, `department`: as what, and for whom, somebody asks. */
export interface Given extends Chosen {
  roles: readonly Role[];
  function: string;
  department: string;
}

export const givenOf = ({ roles, groups, function: is, department }: Account): Given => ({
  roles,
  groups,
  typed: "",
  function: is,
  department,
});
const NOTHING_GIVEN: Given = { roles: ["reader"], groups: [], typed: "", function: "", department: "" };

const GROUP = /^[^,;\p{Cc}]{1,100}$/u;
export const isGroup = (name: string): boolean => GROUP.test(name.trim());

/** The groups with the one that is being typed. */
export function allGroups({ groups, typed }: Chosen): string[] {
  const name = typed.trim();
  return name === "" || groups.includes(name) ? [...groups] : [...groups, name];
}

export const withoutGroup = ({ groups, typed }: Chosen, group: string): Chosen => ({
  groups: groups.filter((other) => other !== group),
  typed,
});

export const EVERYONE = "everyone"; // the group of all

/** Whether who is in `own` is in one of these. */
export const canRead = (own: readonly string[], groups: readonly string[]): boolean =>
  groups.some((group) => group === EVERYONE || own.includes(group));

const QUALITY = "quality"; // its members judge: no document is theirs
const NOBODY = "nobody"; // a group without members

/** Those that what somebody in `own` asks and makes belongs to; none: everyone. */
export const ownGroups = (own: readonly string[]): string[] =>
  own.filter((group) => group !== EVERYONE && group !== QUALITY);

/** Who reads what somebody in `own` loads and says nothing of: as the service has it. */
export function groupsAtLoad(own: readonly string[]): string[] {
  const named = ownGroups(own);
  const left = own.filter((group) => group !== QUALITY);
  return named.length > 0 ? named.toSorted() : left.length > 0 ? left : [NOBODY];
}

/** Whether these are all, and nobody is kept out. */
export const isOpen = (groups: readonly string[]): boolean =>
  groups.length > 0 && groups.every((group) => group === EVERYONE);

/** Those of these groups through which nobody reads a document. */
export const withoutReaders = (groups: readonly string[], known: readonly Group[]): string[] =>
  groups.filter((group) => group !== EVERYONE && !known.some(({ name, readers }) => name === group && readers > 0));

export const toggled = <T>(all: readonly T[], one: T): T[] =>
  all.includes(one) ? all.filter((other) => other !== one) : [...all, one];

const same = (one: readonly string[], other: readonly string[]): boolean =>
  [...one].sort().join("\n") === [...other].sort().join("\n");

/** Only what differs; null when nothing does. */
export function changesOf(account: Account, given: Given): AccountIn | null {
  const groups = allGroups(given);
  const changes: AccountIn = {};
  if (!same(given.roles, account.roles)) changes.roles = [...given.roles];
  if (!same(groups, account.groups)) changes.groups = groups;
  if (given.function !== account.function) changes.function = given.function;
  if (given.department.trim() !== account.department) changes.department = given.department.trim();
  return Object.keys(changes).length > 0 ? changes : null;
}

export interface NewForm {
  login: string;
  name: string;
  machine: boolean;
  password: string;
  given: Given;
}

export const NEW_FORM: NewForm = { login: "", name: "", machine: false, password: "", given: NOTHING_GIVEN };

export const accountOf = ({ login, name, machine, password, given }: NewForm): NewAccount => ({
  login: login.trim(),
  name: name.trim() || login.trim(),
  password: machine ? null : password,
  roles: [...given.roles],
  groups: allGroups(given),
  function: given.function,
  department: given.department.trim(),
});

export type KeyState = "live" | "expired" | "revoked";

export function stateOf({ revoked_at, expires_at }: Key, now: Date): KeyState {
  if (revoked_at) return "revoked";
  return new Date(expires_at) <= now ? "expired" : "live";
}

const DAY = 24 * 60 * 60 * 1000;
export const daysLeft = ({ expires_at }: Key, now: Date): number =>
  Math.floor((new Date(expires_at).getTime() - now.getTime()) / DAY);
