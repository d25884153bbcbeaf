// De woorden van een eigenaar van wie niemand bekend is, waar er een ingevuld wordt, in het
// Nederlands.
import type { StaffWords } from "../en";

export const owner: StaffWords["owner"] = {
  unknown: (name) => `Van “${name}” is niemand bekend: vragen en meldingen bereiken deze eigenaar niet.`,
  answers: (name, login) => `Laat het account ${name} (${login}) antwoorden`,
  say: "Kies een account of vul een mailadres in",
};
