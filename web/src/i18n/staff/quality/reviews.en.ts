// The words of the page where answers are judged, and of the report of a period, in English.
const open = <Shape>(words: Shape): Shape => words;

export const reviews = {
  lead: "What staff asked and were answered, newest first. Who asked is not shown. Questions may concern patients: handle with care.",
  department: "Department of who asked",
  words: "Words in the question",
  after: "Asked from",
  before: "Asked before",
  only: "Show only",
  kinds: { refused: "only refused", reported: "only reported", unjudged: "only not judged yet", judged: "only judged" },
  count: (shown: number, total: number) => {
    if (total === 0) return "No question fits. Choose a longer period, or take a filter away.";
    return shown === total ? (total === 1 ? "1 question" : `${total} questions`) : `${shown} of ${total} questions`;
  },
  canHarm: "Can harm a patient, says who reported it.",
  searched: (query: string) => `Searched for: ${query}`,
  statuses: { sources_only: "Only sources were shown.", failed: "The answer broke off." },
  refused: open<Record<string, string>>({
    nothing_fits: "Refused: nothing that was found is for these patients and about what was asked.",
    other_patients: "Refused: what fits best is for other patients.",
    without: "Refused: the best sentence is about patients with what the question is without.",
    other_illness: "Refused: the procedure does not name the illness that the question is about.",
    other_intent: "Refused: the question is about treating what the best sentence prevents, or the other way round.",
    unresolved_follow_up: "Refused: it follows a question that found no answer, and names nothing itself.",
    withheld: "Refused: what fits best is shown and never quoted (a flow chart or a poor image).",
  }),
  refusedUnsure: "Refused: Bedside was not sure enough that any of the procedures answers the question.",
  how: "How that was decided",
  decided: open<Record<string, string>>({
    disagreed:
      "Bedside read the sentence that fits best once more, and was not sure enough that it answers the question.",
    elsewhere: "The best sentence stands in another procedure than the best passage.",
    unsure: "Bedside was not sure enough that the sentence that fits best answers the question.",
  }),
  sure: (sure: string, needed: string) => `Estimated chance that it is right: ${sure}. Bedside answers from ${needed}.`,
  hidden: "This answer comes from a procedure that you may not read.",
  sources: "Procedures that were shown",
  found: (said: string) => `Was it found? The reader said: ${said}.`,
  verdict: "Your judgement",
  verdicts: { right: "right", partly: "partly right", wrong: "wrong", harmful: "could do harm" },
  remark: "Remark",
  told: "Who asked reads your judgement and remark under the answer, without your name.",
  reply: (reports: number) =>
    reports === 1
      ? "The remark also answers the report of who asked"
      : `The remark also answers the ${reports} reports of who asked`,
  earlier: "Judged before that",
  send: "Send the remark to who answers for",
  nobody: "nobody",
  sendHelp:
    "What was asked and quoted goes along with your remark, not who asked. Say what is not right in the procedure.",
  sent: (to: string) =>
    to ? `The remark was sent to: ${to}.` : "Nobody is known as this procedure's owner: quality staff have the remark.",
  sentAlready: "A remark on this answer was sent before.",
  saved: "Saved.",
  by: (who: string, at: string) => (who ? `Judged by ${who} on ${at}` : `Judged on ${at}`),
};
