// Addresses of the pages for staff with a task that name what they open: the keys of an account, an
// owner, a set of judged questions.
import { type OwnPage, pathOf } from "../window/route";

const address = (page: OwnPage, field: string, value: string): string =>
  `${pathOf(page)}?${field}=${encodeURIComponent(value)}`;
const named = (search: string, field: string): string => new URLSearchParams(search).get(field) ?? "";

export const keysAddress = (account: string): string => address("keys", "account", account);
export const accountInAddress = (search: string): string => named(search, "account");

export const ownerAddress = (name: string): string => address("owners", "owner", name);
export const ownerInAddress = (search: string): string => named(search, "owner");

export const setAddress = (name: string): string => address("sets", "set", name);
export const setInAddress = (search: string): string | null => named(search, "set") || null;
