// The words of webhooks, in English.
const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

export const webhooks = {
  lead: "Other systems hear when a document that you may read is loaded, gets a new version, is withdrawn or expires. Names, titles and days are sent, never a document's text.",
  none: "Nothing is told to another system yet.",
  new: "New webhook",
  url: "Address that is told, by POST",
  secret: "Secret that signs what is sent",
  secretHelp: "At least 24 characters, from the other system. Empty: Bedside makes one.",
  add: "Add",
  refused:
    "This was not accepted: the address must begin with https and hold no password, and a secret has at least 24 characters.",
  madeLead: "This is its secret. It is shown this once: put it into the other system now.",
  lastSent: (when: string) => `last delivered ${when}`,
  neverSent: "nothing delivered yet",
  waiting: (count: number) => `${many(count, "message", "messages")} waiting`,
  failed: (count: number) => `${many(count, "message", "messages")} given up`,
  problem: (problem: string) => `The last try failed: ${problem}`,
  test: "Send a test",
  remove: "Delete",
  sureRemove: (url: string) => `Tell ${url} nothing any more? What waits is not sent.`,
  deliveries: "Deliveries",
  noDeliveries: "Nothing was told yet.",
  events: {
    "document.indexed": "Loaded:",
    "document.new_version": "New version:",
    "document.withdrawn": "Withdrawn:",
    "document.expired": "Expired:",
    test: "Test",
  },
  sentAt: (when: string) => `delivered ${when}`,
  gaveUp: (when: string, problem: string) => `given up ${when}: ${problem}`,
  again: (tries: number, problem: string, when: string) =>
    `${many(tries, "try", "tries")} failed: ${problem}. The next is at ${when}.`,
  sending: "is being sent",
};

export type WebhookWords = typeof webhooks;
