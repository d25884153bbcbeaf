// De woorden van wat gelezen werd van een net geladen document, om na te kijken, in het Nederlands.
import type { StaffWords } from "../en";

export const check: StaffWords["check"] = {
  title: "Kijk na wat gelezen werd",
  doubts: {
    missing: "niet gevonden",
    file_name: "dit is de bestandsnaam",
    unseen: "geen ander document noemt dit",
  },
  right: "Dit klopt",
  save: "Bewaar",
  checked: "Nagekeken.",
  predecessor: (title, version, source) =>
    `Er is al een geldig document “${title}”${version && `, versie ${version}`} (${source})`,
  sameCode: (code) => `, met dezelfde code ${code}.`,
  alike: (share) => `; ${share} van de tekst is dezelfde.`,
  isReplaced: "Vervangt dit nieuwe het?",
  replace: "Ja, het vervangt dat",
  replaced: (source) => `Het vervangt nu ${source}.`,
};
