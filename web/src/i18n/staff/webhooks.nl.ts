// De woorden van webhooks, in het Nederlands.
import type { WebhookWords } from "./webhooks.en";

const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

export const webhooks: WebhookWords = {
  lead: "Andere systemen horen wanneer een document dat u mag lezen geladen wordt, een nieuwe versie krijgt, ingetrokken wordt of vervalt. Namen, titels en datums worden verstuurd, nooit de tekst van een document.",
  none: "Er wordt nog niets aan een ander systeem verteld.",
  new: "Nieuwe webhook",
  url: "Adres dat het hoort, per POST",
  secret: "Geheim dat ondertekent wat verstuurd wordt",
  secretHelp: "Minstens 24 tekens, van het andere systeem. Leeg: Bedside maakt er een.",
  add: "Voeg toe",
  refused:
    "Dit is niet aanvaard: het adres begint met https, zonder wachtwoord erin, en een geheim telt minstens 24 tekens.",
  madeLead: "Dit is het geheim. Het wordt deze ene keer getoond: zet het nu in het andere systeem.",
  lastSent: (when: string) => `laatst bezorgd ${when}`,
  neverSent: "nog niets bezorgd",
  waiting: (count: number) => `${many(count, "bericht wacht", "berichten wachten")}`,
  failed: (count: number) => `${many(count, "bericht", "berichten")} opgegeven`,
  problem: (problem: string) => `De laatste poging mislukte: ${problem}`,
  test: "Stuur een test",
  remove: "Verwijder",
  sureRemove: (url: string) => `${url} niets meer vertellen? Wat wacht, wordt niet verstuurd.`,
  deliveries: "Bezorgingen",
  noDeliveries: "Er is nog niets verteld.",
  events: {
    "document.indexed": "Geladen:",
    "document.new_version": "Nieuwe versie:",
    "document.withdrawn": "Ingetrokken:",
    "document.expired": "Vervallen:",
    test: "Test",
  },
  sentAt: (when: string) => `bezorgd ${when}`,
  gaveUp: (when: string, problem: string) => `opgegeven ${when}: ${problem}`,
  again: (tries: number, problem: string, when: string) =>
    `${many(tries, "poging", "pogingen")} mislukt: ${problem}. De volgende is om ${when}.`,
  sending: "wordt verstuurd",
};
