// Why a change of a document was refused, in words.
import { failureWords, type StaffMessages } from "../../i18n";

export const changeFailure = (code: string, m: StaffMessages): string =>
  code === "no_way_back" ? m.access.noWayBack : failureWords(code, m);
