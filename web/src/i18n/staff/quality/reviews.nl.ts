// De woorden van de bladzijde waar antwoorden beoordeeld worden, in het Nederlands.
import type { StaffWords } from "../en";

export const reviews: StaffWords["reviews"] = {
  lead: "Wat medewerkers vroegen en te lezen kregen, het nieuwste eerst. Wie vroeg, staat er niet bij. Vragen kunnen over patiënten gaan: ga er zorgvuldig mee om.",
  department: "Dienst van wie vroeg",
  words: "Woorden in de vraag",
  after: "Gevraagd vanaf",
  before: "Gevraagd voor",
  only: "Toon enkel",
  kinds: {
    refused: "enkel geweigerd",
    reported: "enkel gemeld",
    unjudged: "enkel nog niet beoordeeld",
    judged: "enkel al beoordeeld",
  },
  count: (shown, total) => {
    if (total === 0) return "Er past geen vraag bij. Kies een langere periode, of haal een filter weg.";
    return shown === total ? (total === 1 ? "1 vraag" : `${total} vragen`) : `${shown} van ${total} vragen`;
  },
  canHarm: "Kan een patiënt schaden, zegt wie dit meldde.",
  searched: (query) => `Gezocht werd: ${query}`,
  statuses: { sources_only: "Enkel bronnen werden getoond.", failed: "Het antwoord brak af." },
  refused: {
    nothing_fits: "Geweigerd: niets van wat gevonden werd, is voor deze patiënten en gaat over het gevraagde.",
    other_patients: "Geweigerd: wat het best past, is voor andere patiënten.",
    without: "Geweigerd: de beste zin gaat over patiënten mét wat er in de vraag juist niet is.",
    other_illness: "Geweigerd: de procedure noemt de ziekte uit de vraag niet.",
    other_intent: "Geweigerd: de vraag gaat over behandelen van wat de beste zin voorkomt, of omgekeerd.",
    unresolved_follow_up: "Geweigerd: ze volgt op een vraag zonder antwoord en noemt zelf niets.",
    withheld: "Geweigerd: wat het best past, wordt getoond en nooit geciteerd (een stroomschema of een slecht beeld).",
  },
  refusedUnsure: "Geweigerd: Bedside was er niet zeker genoeg van dat een van de procedures de vraag beantwoordt.",
  how: "Hoe dat bepaald is",
  decided: {
    disagreed: "Bedside las de zin die het best past na, en was er niet zeker genoeg van dat hij de vraag beantwoordt.",
    elsewhere: "De beste zin staat in een andere procedure dan de beste passage.",
    unsure: "Bedside was er niet zeker genoeg van dat de zin die het best past, de vraag beantwoordt.",
  },
  sure: (sure, needed) => `Geschatte kans dat het klopt: ${sure}. Bedside antwoordt pas vanaf ${needed}.`,
  hidden: "Dit antwoord komt uit een procedure die u niet mag lezen.",
  sources: "Procedures die getoond werden",
  found: (said) => `Gevonden? De lezer zei: ${said}.`,
  verdict: "Uw oordeel",
  verdicts: { right: "juist", partly: "deels juist", wrong: "fout", harmful: "kan schade doen" },
  remark: "Opmerking",
  told: "Wie het vroeg, leest uw oordeel en opmerking bij het antwoord, zonder uw naam.",
  reply: (reports) =>
    reports === 1
      ? "De opmerking beantwoordt ook de melding van wie het vroeg"
      : `De opmerking beantwoordt ook de ${reports} meldingen van wie het vroeg`,
  earlier: "Eerder beoordeeld",
  send: "Stuur de opmerking naar wie instaat voor",
  nobody: "niemand",
  sendHelp:
    "Wat gevraagd en geciteerd werd, gaat mee met uw opmerking, niet wie het vroeg. Zeg wat er in de procedure niet klopt.",
  sent: (to) =>
    to
      ? `De opmerking is verstuurd naar: ${to}.`
      : "Van deze procedure is geen eigenaar bekend: de kwaliteitsmedewerkers hebben de opmerking.",
  sentAlready: "De opmerking bij dit antwoord is al eerder verstuurd.",
  saved: "Bewaard.",
  by: (who, at) => (who ? `Beoordeeld door ${who} op ${at}` : `Beoordeeld op ${at}`),
};
