// The words of the page on usage and on how readily Bedside answers, in English.
const questions = (count: number): string => (count === 1 ? "1 question" : `${count} questions`);

export const usage = {
  lead: "How much was asked and what became of it. Nobody's name and no question is in it; deleted conversations are not counted.",
  span: "Period",
  weeks: (count: number) => (count === 53 ? "a year" : `${count} weeks`),
  nothing: "Nothing was asked in this period.",
  trend: (weeks: number, before: number, after: number, now: number) =>
    `This week so far: ${questions(now)}.${weeks === 0 ? "" : ` The last ${weeks} full weeks: ${questions(after)}. The ${weeks} weeks before: ${before}.`}`,
  questions: "Questions each week",
  weekOf: (day: string) => `Week of ${day}`,
  answered: "answered",
  notFound: "no answer found",
  other: "sources only or failed",
  table: "Every week in a table",
  heads: [
    "Week of",
    "Questions",
    "People",
    "Answered",
    "No answer",
    "Reported wrong",
    "Failed",
    "Seconds, half within",
    "Seconds, 95% within",
  ],
  report: "Report of a month or another period",
  print: "Print",
  period: (since: string, until: string) => `${since} to ${until}`,
  asked: "Questions asked",
  half: "Seconds to the answer, half within",
  most: "Seconds to the answer, 95% within",
  inVain: "Asked most without an answer",
  reportedAs: (what: string) => `Reported: ${what}`,
  judgedAs: (verdict: string) => `Judged: ${verdict}`,
  risk: "How readily Bedside answers",
  riskLead:
    "More careful means: it says more often that it does not know, and less often something that does not fit the question.",
  risks: {
    careful: ["Careful", "Rather no answer than a doubtful one."],
    balanced: ["Balanced", "Between the two."],
    ready: ["Ready", "Answers more, and is wrong more often."],
  },
  cost: (refused: string, wrong: string) =>
    `When measured, ${refused} of the questions with an answer were refused, and ${wrong} of its answers were wrong or out of place; half of those questions had no answer.`,
  unmeasured: "an unknown share",
  save: "Choose this",
  saved: "Saved. It holds for the next question; in other processes within seconds.",
  asSet: (name: string) => `Back to the settings (${name})`,
  chosen: (name: string, by: string, day: string) => `${name}: chosen by ${by} on ${day}.`,
  fromSettings: (name: string) => `${name}: as the settings say.`,
  fixed: "A fixed threshold stands in the settings: nothing can be chosen here.",
};
