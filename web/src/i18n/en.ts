// English. The shape of this catalogue is the contract; nl.ts must have the same keys.

const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

/**
 * The words as a shape that knows more keys than these: another code may come than those that have
 * words.
 */
const open = <Shape>(words: Shape): Shape => words;
type ByCode = Record<string, string>;
type Failures = ByCode & Record<"internal" | "offlineNow" | "degraded" | "down", string>;

export const en = {
  locale: "en-GB",
  app: {
    name: "Bedside",
    newConversation: "New question",
    history: "Earlier",
    historyAll: "All earlier questions",
    historyEmpty: "You have not asked anything yet.",
    forget: "delete",
    sureForget: "Delete these questions and answers?",
    language: "Nederlands",
    languageLabel: "Toon de pagina in het Nederlands",
    languageFailed: "The other language could not be loaded: check the network and load the page again.",
    theme: "Theme",
    themes: { auto: "as this device", light: "light", dark: "dark" },
    display: "Display",
    size: "Text size",
    sizes: { normal: "normal", larger: "larger", largest: "largest" },
    help: "Keyboard shortcuts",
    skip: "Skip to the question",
    demo: "This is a demonstration with a small language model and not for clinical use.",
    conversation: "Conversation",
    source: "Source",
  },
  ask: {
    label: "Your question",
    placeholder: "Ask about a procedure, a dose, a limit",
    send: "Ask",
    stop: "Stop",
    tooLong: (over: number, longest: number) =>
      `${many(over, "character", "characters")} too long: a question has at most ${longest}.`,
    mode: "Answer with",
    modes: {
      default: "Standard answer",
      verbatim: "Exact sentences only",
      answer: "Written answer",
      sources: "Sources only",
    },
  },
  scope: {
    close: "Close",
    label: "Function and filters",
    function: "Function",
    department: "Department",
    unsaid: "not given",
    type: "Document type",
    all: "all",
    dutch: "Dutch",
    english: "English",
    onlySaid: (what: string) => `only ${what}`,
    expiredSaid: "expired documents too",
    types: open<ByCode>({
      protocol: "protocol",
      procedure: "procedure",
      guideline: "guideline",
      leaflet: "leaflet",
      instruction: "work instruction",
    }),
  },
  empty: {
    title: "What do you need to know?",
    lead: "Bedside answers with your hospital's procedures and shows where it says so.",
    examples: "For example",
    exampleOf: (title: string) => `What should I do according to “${title}”?`,
    noDocuments: "There are no documents yet",
    noDocumentsHelp:
      "Bedside answers only from documents that were loaded into it. An administrator loads a folder with:",
    folder: "FOLDER",
    shortcut: "Press / to type a question, ? for all shortcuts.",
  },
  // Of the sample handbook, each with the document that answers it; a hospital's own documents give
  // their own examples.
  examples: [
    { question: "First dose of dantrolene in malignant hyperthermia?", source: "malignant-hyperthermia" },
    { question: "Insulin and glucose dose for hyperkalaemia?", source: "hyperkalaemia" },
    { question: "Maximum propofol rate on the ICU?", source: "icu-sedation" },
  ],
  stage: {
    sending: "Sending the question",
    retrieving: "Searching the procedures",
    reading: (passages: number) => (passages > 0 ? `Reading ${many(passages, "passage", "passages")}` : "Reading"),
    writing: "Writing",
    past: { sending: "sent", retrieving: "searched", reading: "read", writing: "written" },
  },
  answer: {
    replaced: "This document has since been replaced by a newer one.",
    retired: "This document has since been withdrawn",
    newer: "This document has been replaced since. What holds now:",
    complete: (count: number) => `Answer complete, ${many(count, "source", "sources")}.`,
    seconds: (seconds: string) => `${seconds} s`,
    stopped: "The answer was stopped; what was written so far is below.",
    silent:
      "Nothing comes from Bedside just now: the server or the network falters. This page waits, and asks again by itself.",
    waits: (seconds: number) =>
      `Bedside answers other questions first and asks yours again by itself${seconds > 0 ? ` in ${seconds} s` : ""}.`,
    stoppedSpoken: "The answer was stopped.",
    again: "Ask again",
    legendQuote: "Underlined text is word for word from the source.",
    legendWritten: "Text without a line was written by the language model.",
    legendNumber: "Text with a dotted line is not in the source.",
    notInSource: "not in the source",
    openSpan: (rank: number) => `Word for word from source ${rank}: show the place`,
    // As the notice of the service: rag_api/answering/warnings/notice_texts.py.
    notFound: "Bedside found no certain answer to this question in the procedures.",
    nearest: "Procedures nearest to your question",
    beingRead: "This is nearest to your question. Whether it holds the answer is still being read.",
    sourcesOnly: "These passages are nearest to the question.",
    query: (query: string) => `Searched for: ${query}`,
    editQuery: "Change this",
    literal: "Search for my own words",
    partPlace: (rank: number, page: number) => `source ${rank}, page ${page}`,
    copiedOn: (day: string) => `Copied from Bedside on ${day}; check that the document is still valid.`,
    failedSpoken: (why: string) => `No answer. ${why}`,
    refusedSpoken: (documents: number) =>
      `Bedside found no certain answer to this question; ${many(documents, "procedure is", "procedures are")} nearest to it.`,
    sourcesSpoken: (count: number) =>
      `There is no answer, but there ${count === 1 ? "is 1 source" : `are ${count} sources`}.`,
  },
  card: {
    open: "Open source",
    page: (page: number) => `page ${page}`,
    version: (version: string) => `version ${version}`,
    valid: (from: string, until: string) => `valid ${from} to ${until}`,
    validFrom: (from: string) => `valid from ${from}`,
    validUntil: (until: string) => `valid until ${until}`,
    expired: (until: string) => `expired ${until}`,
    closeness: { quoted: "quoted", near: "resembles the question", further: "resembles it less" },
    scoreHelp: (score: string, dense: string, bm25: string) =>
      `Match with the question: ${score} of 1 (meaning ${dense}, words ${bm25})`,
    owner: (owner: string) => `owner: ${owner}`,
    scan: "scan",
    groups: { adult: "adults", child: "children", neonate: "newborns", pregnancy: "pregnancy" },
    cautions: "Read this before you use the source",
    more: (count: number) => `Show ${many(count, "more source", "more sources")}`,
    all: (count: number) => `Show ${many(count, "source", "sources")}`,
    less: "Show fewer sources",
    moreText: "whole passage",
    whole: "Read the whole document",
    wholeHelp: "The same question is asked again, with an answer from all of this document.",
    lessText: "less",
  },
  viewer: {
    loading: "Opening the document",
    failed: "The document cannot be shown here.",
  },
  errors: open<Failures>({
    offline: "No connection to Bedside. Check the network, then ask again.",
    stream_broken: "The connection was lost during the answer; what had arrived is below.",
    generator_unavailable: "Bedside cannot put an answer together at the moment; these are the procedures.",
    store_unavailable: "Bedside cannot search at the moment. Try again shortly.",
    audit_unavailable: "Bedside cannot record who sees what, and therefore shows nothing. Try again in a moment.",
    database_unavailable: "The database of Bedside does not answer at the moment. Try again shortly.",
    disk_full: "The disk of Bedside is full. Tell the administrator.",
    embedder_unavailable: "Bedside cannot search at the moment. Try again shortly.",
    reading_unavailable: "Bedside cannot read files at the moment. Try again shortly.",
    not_signed_in: "Your session has ended. Sign in again.",
    not_found: "Only who asked can open this, as long as it is not deleted. Ask the question yourself.",
    invalid_input: "The question could not be read.",
    invalid_request: "The question could not be read.",
    unavailable: "Bedside does not answer at the moment. Try again shortly.",
    ending: "Bedside is being restarted. Ask again in a moment; what was written so far is kept.",
    document_too_long: "This document is too long to be read in one go. Ask without the whole document.",
    not_allowed: "Your role gives no right to this; an administrator can give you that role.",
    pack_out_of_date: "This downtime pack answers no more; the top of the page says why.",
    membership_admin_needed:
      "You need the role membership admin for this: it changes who reads what. Somebody who has it does this, or `bedside users` on the machine.",
    not_for_yourself: "Nobody gives themselves a group or a role: another membership admin does.",
    more_than_yours:
      "A key carries no more than you have yourself. Somebody who has the account's groups and roles makes it.",
    too_large: "The question is too long.",
    embedder_mismatch: "Bedside cannot search until an administrator makes the search index again.",
    personal_data: "Your question seems to hold what identifies a patient. Nothing was sent on or stored yet.",
    personal_data_refused:
      "Your question seems to hold what identifies a patient. Your hospital wants it left out; nothing was stored.",
    too_busy: "Bedside answers other questions first. Try again shortly.",
    too_many_requests: "You asked very often just now. Try again shortly.",
    internal: "Something went wrong in Bedside. Try again, and tell the administrator if it stays.",
    offlineNow: "You are offline.",
    degraded: "Bedside cannot put answers together at the moment, but still shows the procedures.",
    down: "Bedside cannot search at the moment.",
  }),
  identity: {
    wait: (seconds: number) => `You asked very often just now. Try again in ${many(seconds, "second", "seconds")}.`,
  },
  session: {
    signOut: "Sign out",
    signedInAs: (name: string) => `Signed in as ${name}`,
    endingTitle: "You will be signed out",
    ending: (seconds: number) =>
      `Nobody has used this page for a while: you will be signed out in ${many(seconds, "second", "seconds")}.`,
    stay: "Stay signed in",
  },
  confirm: { yes: "Yes, delete", no: "Cancel" },
  pages: "Pages",
  menus: { all: "Menu", quality: "Quality", administration: "Administration" },
  atHand: {
    favourite: "Favourite",
    favourites: "Your favourites",
    opened: "Opened last",
    find: "Find a procedure",
    news: (count: number) =>
      many(count, "piece of news on your questions to owners", "pieces of news on your questions to owners"),
    waiting: (count: number) => many(count, "question waits for your answer", "questions wait for your answer"),
    promised: (count: number) => many(count, "is being corrected", "are being corrected"),
  },
  pageNames: {
    conversations: "Earlier questions",
    procedures: "Procedures",
    inbox: "Questions to owners",
    owners: "Owners",
    documents: "Documents",
    accounts: "Accounts",
    keys: "API keys",
    webhooks: "Webhooks",
    reviews: "Judge answers",
    session: "Test session",
    sets: "Reviewed questions",
    gaps: "Unanswered questions",
    usage: "Usage",
    audit: "Audit trail",
  },
  notFoundPage: { title: "There is nothing at this address", home: "Ask a question" },
};

export type Messages = typeof en;
