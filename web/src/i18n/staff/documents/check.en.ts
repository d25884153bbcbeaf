// The words of what was read of a document that was just loaded, to be checked, in English.
export const check = {
  title: "Check what was read",
  doubts: {
    missing: "not found",
    file_name: "this is the file's name",
    unseen: "no other document names this",
  },
  right: "This is right",
  save: "Save",
  checked: "Checked.",
  predecessor: (title: string, version: string, source: string) =>
    `There is a valid document “${title}” already${version && `, version ${version}`} (${source})`,
  sameCode: (code: string) => `, with the same code ${code}.`,
  alike: (share: string) => `; ${share} of the text is the same.`,
  isReplaced: "Does this one replace it?",
  replace: "Yes, it replaces that one",
  replaced: (source: string) => `It replaces ${source} now.`,
};
