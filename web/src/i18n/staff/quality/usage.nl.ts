// De woorden van de bladzijde over gebruik en over hoe voorzichtig Bedside antwoordt, in het
// Nederlands.
import type { StaffWords } from "../en";

const questions = (count: number): string => (count === 1 ? "1 vraag" : `${count} vragen`);

export const usage: StaffWords["usage"] = {
  lead: "Hoeveel er gevraagd werd en wat ervan kwam. Er staan geen namen en geen vragen in; verwijderde gesprekken tellen niet mee.",
  span: "Periode",
  weeks: (count) => (count === 53 ? "een jaar" : `${count} weken`),
  nothing: "In deze periode werd niets gevraagd.",
  trend: (weeks, before, after, now) =>
    `Deze week tot nu toe: ${questions(now)}.${weeks === 0 ? "" : ` De laatste ${weeks} volle weken: ${questions(after)}. De ${weeks} weken daarvoor: ${before}.`}`,
  questions: "Vragen per week",
  weekOf: (day) => `Week van ${day}`,
  answered: "beantwoord",
  notFound: "geen antwoord gevonden",
  other: "enkel bronnen, of mislukt",
  wrong: "Fout gemeld per week",
  wrongAnswers: "antwoorden die een lezer fout, verouderd of geen antwoord noemde",
  took: "Seconden tot het antwoord, per week",
  halfWithin: "de helft binnen",
  mostWithin: "95% binnen",
  table: "Elke week in een tabel",
  heads: [
    "Week van",
    "Vragen",
    "Mensen",
    "Beantwoord",
    "Geen antwoord",
    "Fout gemeld",
    "Mislukt",
    "Seconden, de helft binnen",
    "Seconden, 95% binnen",
  ],
  report: "Rapport van een maand of een andere periode",
  figure: "Wat",
  value: "Waarde",
  print: "Druk af",
  period: (since, until) => `${since} tot en met ${until}`,
  asked: "Gestelde vragen",
  half: "Seconden tot het antwoord, de helft binnen",
  most: "Seconden tot het antwoord, 95% binnen",
  byWeek: "Week per week",
  byWeekLead: "Van een week die maar deels in de periode ligt, tellen alleen die dagen.",
  quoted: "Procedures waar het meest naar gevraagd werd",
  quotedLead: "Naar het aantal antwoorden dat eruit aanhaalt; alleen procedures die u mag lezen.",
  answers: (count) => (count === 1 ? "1 antwoord" : `${count} antwoorden`),
  inVain: "Het meest gevraagd zonder antwoord",
  reportedAs: (what) => `Gemeld: ${what}`,
  judgedAs: (verdict) => `Beoordeeld: ${verdict}`,
  risk: "Hoe voorzichtig Bedside antwoordt",
  riskLead:
    "Voorzichtiger betekent: het zegt vaker dat het iets niet weet, en minder vaak iets dat niet bij de vraag hoort.",
  risks: {
    careful: ["Voorzichtig", "Liever geen antwoord dan een twijfelachtig."],
    balanced: ["Evenwichtig", "Tussen beide in."],
    ready: ["Vlot", "Antwoordt meer, en heeft het vaker fout."],
  },
  cost: (refused, wrong) =>
    `Toen dit gemeten werd, weigerde het ${refused} van de vragen waarop er een antwoord was, en was ${wrong} van zijn antwoorden fout of niet op zijn plaats; de helft van die vragen had geen antwoord.`,
  unmeasured: "een onbekend deel",
  save: "Kies dit",
  saved: "Bewaard. Het geldt vanaf de volgende vraag; in andere processen binnen enkele seconden.",
  asSet: (name) => `Terug naar de instellingen (${name})`,
  chosen: (name, by, day) => `${name}: gekozen door ${by} op ${day}.`,
  fromSettings: (name) => `${name}: zo staat het in de instellingen.`,
  fixed: "In de instellingen staat een vaste drempel: hier valt niets te kiezen.",
};
