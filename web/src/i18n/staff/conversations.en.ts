// The words of the page with earlier questions, in English.
export const conversations = {
  lead: "What you asked before: find it again, name it, pin it or save it.",
  search: "Search name, question, answer or title of a source",
  rename: "Rename",
  name: "Name of this conversation",
  save: "Save the name",
  keep: "Cancel",
  pin: "Pin",
  unpin: "Unpin",
  markdown: "Save as Markdown (.md)",
  print: "Print or save as PDF",
  sources: "Sources",
  more: "Show more",
  groups: { pinned: "Pinned", today: "Today", week: "This week", older: "Older" },
  count: (shown: number, total: number, searched: boolean) => {
    if (total === 0) return searched ? "No question fits. Try other words." : "You have not asked anything yet.";
    if (shown < total) return `${shown} of ${total} conversations`;
    return total === 1 ? "1 conversation" : `${total} conversations`;
  },
};
