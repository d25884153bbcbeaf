// De woorden van de bladzijde met eerdere vragen, in het Nederlands.
import type { conversations as english } from "./conversations.en";

export const conversations: typeof english = {
  lead: "Wat u eerder vroeg: zoek het terug, geef het een naam, zet het vast of bewaar het.",
  search: "Zoek in naam, vraag, antwoord of titel van een bron",
  rename: "Wijzig de naam",
  name: "Naam van dit gesprek",
  save: "Bewaar de naam",
  keep: "Annuleren",
  pin: "Vastzetten",
  unpin: "Losmaken",
  markdown: "Bewaar als Markdown (.md)",
  print: "Druk af of bewaar als PDF",
  sources: "Bronnen",
  more: "Toon meer",
  groups: { pinned: "Vastgezet", today: "Vandaag", week: "Deze week", older: "Ouder" },
  count: (shown: number, total: number, searched: boolean) => {
    if (total === 0) return searched ? "Er past geen vraag bij. Probeer andere woorden." : "U hebt nog niets gevraagd.";
    if (shown < total) return `${shown} van ${total} gesprekken`;
    return total === 1 ? "1 gesprek" : `${total} gesprekken`;
  },
};
