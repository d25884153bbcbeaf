// The words of who may read a document, in English.
const oneOf = (names: readonly string[]): string =>
  new Intl.ListFormat("en", { type: "disjunction" }).format(names.map((name) => `“${name}”`));

export const access = {
  title: "Who may read it",
  atLoad: "Who may read what you load",
  usual: (groups: string) => `As usual: ${groups}; of a new version, whoever could read the one before`,
  chosen: "These groups",
  sayFirst: "Choose first who may read it: as usual these are your groups alone, not everyone.",
  chooseFirst: "Choose a group first.",
  notTaken: (names: readonly string[]) =>
    `Not taken, since no group is chosen yet: ${names.join(", ")}. Choose a group, then add them again.`,
  loadAllTheSame: (files: number) => (files === 1 ? "Load it all the same" : `Load all ${files} the same`),
  notYours: (groups: readonly string[]) =>
    `You do not see this document: only members of the group ${oneOf(groups)} may read it.`,
  groups: "Groups",
  help: "Members of any of these groups may read it, now and in later versions; “everyone” is the group of all.",
  save: "Save who may read it",
  saved: "Saved.",
  empty: (groups: readonly string[], nobody: boolean) =>
    `Nobody who can read documents is in the group ${oneOf(groups)}${nobody ? ": no one will be able to read this document" : ""}. Check the name.`,
  emptyYet: "A group from your sign-in provider is known here once one of its members has signed in.",
  losesIt:
    "You are in none of these groups: you will no longer see the document, and only an admin in one of them can give it back.",
  lost: (title: string, groups: readonly string[]) =>
    `Saved. You no longer see “${title}”: only members of the group ${oneOf(groups)} may read it.`,
  noWayBack:
    "Not saved: nobody else could give you the document back. Keep a group of yours, or first have another admin put in one of these groups.",
  sure: "Save all the same",
  sureBack: (title: string, version: string, groups: string, answers: boolean) =>
    `Put back “${title}”${version && `, version ${version}`}? It is then found again by: ${groups}. ${answers ? "Bedside answers them from it again." : "Bedside answers nothing from it: it has expired or could not be read."}`,
  readBy: (groups: string) => `read by: ${groups}`,
  isBack: (title: string, version: string, groups: string, answers: boolean) =>
    `“${title}”${version && `, version ${version}`} is back: it is found by ${groups}. ${answers ? "Bedside answers from it." : "Bedside answers nothing from it: it has expired or could not be read."}`,
  yesBack: "Yes, put it back",
  ofDepartment: (department: string) => `For all documents of ${department}, except those with groups of their own`,
  resetDepartment: (department: string) => `Nothing of its own for ${department}`,
  reset: "As said at loading, or of its department",
};
