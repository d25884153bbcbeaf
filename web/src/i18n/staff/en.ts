// The words of the pages for staff with a task, in English: who only asks does not fetch them.
import { accounts, keys } from "./accounts.en";
import { audit } from "./audit.en";
import { conversations } from "./conversations.en";
import { access } from "./documents/access.en";
import { check } from "./documents/check.en";
import { owner } from "./documents/owner.en";
import { reviews } from "./quality/reviews.en";
import { usage } from "./quality/usage.en";
import { webhooks } from "./webhooks.en";

const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;
const firsts = (names: readonly string[]): string =>
  names.slice(0, 5).join("; ") + (names.length > 5 ? `; and ${names.length - 5} more` : "");

/**
 * The words as a shape that knows more keys than these: another code may come than those that have
 * words.
 */
const open = <Shape>(words: Shape): Shape => words;
type ByCode = Record<string, string>;

export const staff = {
  conversations,
  find: {
    lead: "All procedures that you may read; a star keeps one at hand on your first page, on every computer.",
    validity: "Validity",
    table: "Save this list as CSV",
    file: "File",
    replacedBy: "Replaced by",
    validities: {
      valid: "valid today",
      expired: "expired",
      upcoming: "not valid yet",
      expires_soon: "expire within a month and not replaced",
      expires_later: "expire within three months and not replaced",
      expires_in_6_months: "expire within six months and not replaced",
      expires_in_12_months: "expire within twelve months and not replaced",
      undated: "without a last day and not replaced",
      review_due: "to be reviewed within a month, or late",
    },
    undatedApart: "What has no last day is not in this list: see “without a last day and not replaced”.",
    reviewed: (on: string, by: string, next: string) =>
      `reviewed on ${on}${by && ` by ${by}`}, next review no later than ${next}`,
    reviewPlanned: (next: string) => `to be reviewed no later than ${next}`,
    review: "Review, or plan one",
    reviewBy: (name: string) => ` by ${name}`,
    reviewTo: "Who reviews it? Name or user name; empty: nobody by name",
    noReviewer: "No account is called so here, or more than one, that may read this document.",
    notAReviewer: (name: string) =>
      `${name} may read this document, but not say that it still holds: choose a colleague from the list.`,
    reviewNoMore: "No longer planned",
    reviewGiven: (name: string) => (name ? `to be reviewed by ${name}` : "to be reviewed by nobody by name"),
    reviewWhy: "Why review it? (not required)",
    reviewReason: (reason: string) => (reason ? `to be reviewed because: ${reason}` : "reason for the review removed"),
    stillHolds: "I reviewed this: it still holds",
    nextReview: "Last day to review it",
    reviewKept: (name: string) =>
      name
        ? `Saved. ${name} finds it under “Questions to owners”; no mail is sent.`
        : "Saved. Nobody is told: it is nobody's by name.",
    saved: "Saved.",
    count: (shown: number, total: number, related: boolean) => {
      if (total === 0)
        return `By title, file name or first page no procedure fits${related ? "; those below may be about it." : ". Try other words, or fewer filters."}`;
      return shown === total ? many(total, "procedure", "procedures") : `${shown} of ${total} procedures`;
    },
    related: "Perhaps also about this",
    relatedHow: "Found by meaning, not by these words: check whether they are about it.",
  },
  quality: {
    sessionLead:
      "Ask as staff would. Say of each answer whether it was found and where it stands: that becomes a reviewed question.",
    gapsLead:
      "Questions that no document answered, of which the reader said that the answer was not in it, or whose answer was reported as wrong or out of date. A follow-up is shown as it was searched for. Questions may concern patients: handle with care.",
    whose: (groups: readonly string[], everyone: boolean) =>
      `Only questions of people are listed and counted here who are ${[
        ...(groups.length > 0 ? [`in your group ${groups.map((group) => `“${group}”`).join(" or ")}`] : []),
        ...(everyone ? ["in no other group than “everyone”"] : []),
      ].join(", or ")}.`,
    nearest: "Procedures nearest to it",
    period: "Period",
    periodOf: (days: number) => (days === 0 ? "all time" : `last ${days} days`),
    gapDepartment: "Department (of who asked, else of the nearest procedure)",
    judge: "Judge this answer",
    missed: "Readers missed:",
    noProcedure: "a procedure on this: there is none",
    reported: "Readers reported:",
    reports: { wrong: "the answer is wrong", outdated: "the answer is out of date" },
    comments: "What readers wrote",
    named: "It stands in this procedure, readers say",
    missedInAll: "What readers missed in these answers:",
    held: "This document held the answer",
    none: "No document answers this",
    page: "page",
    words: "the words that answer",
    takeSelection: "Use the selected words",
    save: "Save",
    saved: (set: string) => `Saved in ${set}.`,
    savedOpen: (set: string) => `Saved in ${set}, open: where the answer stands is not known yet.`,
    set: "Set of reviewed questions",
    badName: "A set's name has letters, digits, spaces, dots and dashes, at most 80.",
    function: "Function of the asker",
    department: "Department",
    counts: (questions: number, validate: number, test: number, open: number) =>
      `${many(questions, "question", "questions")}: ${validate} to choose by, ${test} to report by; ${open} open`,
    export: "CSV",
    toSet: "View and change",
    nextConversation: "Next conversation",
    everyDepartment: "all departments",
    noDepartment: "unknown",
    noOwner: "no owner",
    gapCounts: (gaps: number, questions: number) =>
      gaps === 0
        ? "Nothing that you may see went unanswered in this period."
        : `${many(gaps, "topic", "topics")}, ${many(questions, "question", "questions")}`,
    times: (times: number) => (times === 1 ? "asked once" : `asked ${times} times`),
    lastAsked: (day: string) => `last on ${day}`,
    passedOn: "passed on, about a procedure that you may not read",
    passedTo: (name: string, day: string) =>
      name ? `passed on to ${name} on ${day}` : `with quality staff since ${day}`,
    otherWords: (count: number) => many(count, "other wording", "other wordings"),
  },
  reviews,
  usage,
  sets: {
    lead: "Questions of which somebody said where the answer stands. Who runs Bedside measures with them whether answers are found.",
    none: "There are no reviewed questions yet. Make one in a test session, or put in a CSV.",
    gone: "There is no such set yet: put questions into it with a CSV.",
    changed: (day: string) => `changed on ${day}`,
    download: "Download as CSV",
    deleteSet: "Delete the set",
    sureSet: (name: string, questions: number) => `Delete ${name} with ${many(questions, "question", "questions")}?`,
    deleteQuestion: "Delete this question",
    sureQuestion: "Delete this question from the set?",
    deleted: (question: string) => `Deleted: ${question}`,
    search: "In the question, the document or the note",
    which: "Show",
    kinds: {
      all: "all",
      validate: "to choose by (validate)",
      test: "to report by (test)",
      open: "still open",
      none: "without an answer",
    },
    shown: (found: number, all: number) =>
      found === all ? many(all, "question", "questions") : `${found} of ${many(all, "question", "questions")}`,
    more: (rest: number) => `Show ${rest} more`,
    noMatch: "No question matches.",
    isOpen: "Open: nobody has said yet where the answer stands",
    add: "New question",
    close: "Close",
    question: "Question",
    group: "Patients it is about",
    split: "Half",
    splitByWords: "by its words",
    note: "Note",
    document: "Document (file name)",
    place: (number: number) => `Place ${number}`,
    addPlace: "Add a place",
    removePlace: (number: number) => `Remove place ${number}`,
    upload: "Put in a CSV",
    columns:
      "Columns: id, question, document (empty: no answer); and if known language, page, span, split, group, note, function, department, conversation, found. A question that is there already, by its id, is replaced; nothing is deleted.",
    file: "CSV file",
    check: "Look at it",
    would: (questions: number, fresh: number, set: string) =>
      `${many(questions, "question", "questions")} for ${set}: ${fresh} new, ${questions - fresh} in place of those there.`,
    put: "Put in",
    cancel: "Cancel",
    putIn: (questions: number, set: string) => `${many(questions, "question", "questions")} put into ${set}.`,
    badRows: (rows: number) =>
      `Nothing was put in: ${rows === 1 ? "1 row cannot be read" : `${rows} rows cannot be read`}.`,
    line: (line: string) => `Line ${line}:`,
    wrong: open<Record<string, (values: Record<string, string>) => string>>({
      no_column: ({ columns }) => `the file has no column ${columns}.`,
      no_csv: () => "the file cannot be read as CSV.",
      more_fields: () => "there are more fields than columns; words with a comma must stand between quotes.",
      empty: () => "id and question must not be empty.",
      too_long: ({ column, most }) => `${column} is longer than ${most} characters.`,
      no_character: ({ column }) => `${column} holds a character that is none.`,
      id_taken: ({ id }) => `the id ${id} is of another question.`,
      no_place: ({ id }) => `question ${id} is there already; a further row of it names a further document.`,
      bad_split: ({ value }) => `split is “${value}”, not validate or test.`,
      bad_found: ({ value }) => `found is “${value}”, not yes, partly or no.`,
      bad_group: ({ value }) => `group is “${value}”, not adult, child, neonate or pregnancy.`,
      bad_page: ({ value }) => `page is “${value}”, not a number from 1.`,
      both_said: () => "either a document holds the answer, or none does.",
      no_document: ({ document }) => `there is no document called ${document}; choose one from the list.`,
      few_pages: ({ document, pages, page }) => `${document} has ${pages} pages; there is no page ${page}.`,
      no_words: ({ document }) => `these words do not stand there in ${document}; choose them from the passage.`,
    }),
  },
  admin: {
    lead: "What you enter here takes the place of what the file says, from the next question on. It stays when a new version of the file is loaded, until that version says something else.",
    readersLead:
      "The documents that you may read; others are neither listed nor counted here, and admins make changes.",
    search: "In title, file name or first page",
    count: (shown: number, total: number) =>
      shown === total ? many(total, "document", "documents") : `${shown} of ${total} documents`,
    more: "Show more",
    failed: (reason: string) => `Could not be read: ${reason}`,
    reasons: open<ByCode>({
      encrypted: "it needs a password to open",
      empty: "it is empty",
      broken: "it is broken, or not what its name says",
      too_large: "it is too large",
      too_slow: "reading it took too long",
      too_much_memory: "reading it took too much memory",
      no_text_layer: "it is a scan in which no words could be read, so nothing can be found in it",
      only_rendered: "drawings lie over its text or text is cut off: only its laid out pages tell what is seen",
      xfa_form: "it is an XFA form, whose content only Adobe's programs show: print it to a PDF and load that",
      not_indexed: "it could not be indexed",
      unsupported: "files of its kind are not read here",
      not_permitted: "who may read it is not known",
      wrong_metadata: "its row in metadata.csv is wrong",
    }),
    kept: "the version before it stays in force",
    notRead: "it could not be read",
    advice: open<ByCode>({
      encrypted: "Save it without a password, then load it again.",
      empty: "Check that it is the right file, then load it again.",
      broken: "Open it in the program that made it, save it as PDF, then load that.",
      too_large:
        "Split it, or let who runs Bedside raise the limit; a sheet or a document with huge tables: save it as PDF.",
      too_slow: "Save it as PDF anew, or let who runs Bedside give it more time, then load it again.",
      too_much_memory: "Save it as PDF anew, or let who runs Bedside give it more memory, then load it again.",
      no_text_layer:
        "It is a scan without readable words: scan it again, straight and at 300 dpi. Who runs Bedside may also have turned the reading of scans off.",
      only_rendered: "Install LibreOffice, which lays out its pages, or save it as PDF; then load that.",
      xfa_form: "Open it in the program that shows it, print it as PDF, then load that.",
      not_indexed: "The next run tries it again; where that fails too, save it as PDF, then load that.",
      unsupported: "Save it as PDF, then load that.",
      not_permitted:
        "Give a group that is known here access to it in SharePoint, and the application the role fullcontrol on the site.",
      wrong_metadata: "Correct it in metadata.csv; the next run takes the document in.",
    }),
    cut: (count: number) => `${many(count, "line", "lines")} left out as header, footer or page number`,
    cutAt: (page: number, reason: string) => `p. ${page}, ${reason}:`,
    cutReasons: open<ByCode>({
      header: "header",
      footer: "footer",
      page_number: "page number",
      line_number: "line number",
      slanted: "slanted",
    }),
    load: "Load documents",
    loadHelp: (kinds: string) => `A new version of a file takes the old one's place. What is read: ${kinds}.`,
    renamed: (before: string) => `it was called ${before}`,
    dropHelp: "Or drop them here.",
    loading: (name: string) => `Loading ${name}…`,
    waits: "waits",
    sending: "is being sent",
    steps: {
      comparing: "is compared with what is there",
      reading: "is being read",
      embedding: "is being made findable",
      saved: "is in the index",
    },
    readingPage: (page: number, of: number) => `page ${page} of ${of} is being read from its image`,
    elsewhere: (done: number, total: number) =>
      `Documents are being loaded elsewhere: ${done} of ${many(total, "document", "documents")} done.`,
    elsewhereAt: (name: string, step: string) => `Now: ${name} ${step}.`,
    begun: "Documents are being loaded elsewhere; that has just begun.",
    stopLoading: "Stop that loading",
    stopAsked: "It was asked to stop; what is done stays.",
    leftOut: (count: number) => `Look where this is: ${many(count, "page", "pages")}`,
    leftOutMore: (count: number) => `Show ${many(count, "more page", "more pages")}`,
    leftOutPage: (page: number) => `page ${page}`,
    noPicture: "The picture cannot be shown here.",
    indexed: "loaded; the next question finds it",
    unchanged: "unchanged, it was here already",
    busy: "other documents are being loaded; try again when that is done",
    retire: "Withdraw this document",
    sureRetire: (title: string, version: string, file: string, stays: string) =>
      `Withdraw “${title}”${version && `, version ${version}`} (${file})? Nothing is answered from it any more.${stays && ` ${stays} stays.`} Under “withdrawn” it can be put back.`,
    yesRetire: "Yes, withdraw it",
    areWithdrawn: (titles: readonly string[]) =>
      titles.length === 1
        ? `Withdrawn: “${titles[0]}”. It is listed under “withdrawn” and can be put back.`
        : `Withdrawn: ${titles.length} documents (${firsts(titles)}). They are listed under “withdrawn” and can be put back.`,
    sayWhy: "Say why it was withdrawn",
    otherWhy: "Change the reason",
    whyWithdrawn: "Reason (who opens the document reads it)",
    noReason: "Without saying why",
    wasReviewed: (next: string) => `reviewed, next review no later than ${next}`,
    wasWithdrawn: (reason: string) => `withdrawn: ${reason}`,
    otherReason: (reason: string) => `why it was withdrawn: ${reason}`,
    fields: {
      title: "Title",
      department: "Department",
      document_type: "Type",
      version: "Version",
      owner: "Owner",
      supersedes: "Replaces (file name or title)",
      valid_from: "Valid from",
      valid_until: "Valid until",
      language: "Language",
      target_groups: "For which patients",
    },
    fileSays: (said: string) => `The file says: ${said}.`,
    empty: "nothing",
    reset: "As the file",
    save: "Save",
    saving: "Saving.",
    saved: "Saved; the next question searches by it.",
    savedOutdated:
      "Saved; the next question searches by it. The document is long: what it means is compared under the old title until it is loaded again.",
    nothing: "Nothing was changed.",
    adminsOnly: "Only administrators can change this.",
    planBelow: "A review you plan below.",
    show: "Show",
    shown: {
      current: "all not withdrawn, expired and replaced ones too",
      failed: "could not be read",
      expired: "expired and not replaced",
      expires_soon: "expire within a month and not replaced",
      expires_later: "expire within three months and not replaced",
      expires_in_6_months: "expire within six months and not replaced",
      expires_in_12_months: "expire within twelve months and not replaced",
      undated: "without a last day and not replaced",
      review_due: "to be reviewed within a month, or late",
      replaced: "replaced by another document",
      earlier: "earlier versions of the same file",
      uncertain: "partly read in doubt",
      withdrawn: "withdrawn",
    },
    order: "Order",
    orders: { title: "by title", valid_until: "what expires first", next_review: "what is to be reviewed first" },
    replacedBy: (title: string, version: string) => `Replaced by “${title}”${version && `, version ${version}`}.`,
    noneShown: "No document matches. Take a filter away, or try other words.",
    choose: (title: string) => `Choose: ${title}`,
    chooseAll: (count: number) => (count === 1 ? "Choose the document" : `Choose all ${count} documents that match`),
    chosen: (count: number) => `${many(count, "document", "documents")} chosen`,
    setDepartment: "Set the department",
    setOwner: "Set the owner",
    retry: "Try to read it again",
    retryMany: (count: number) => (count === 1 ? "Try to read it again" : `Try to read ${count} documents again`),
    notRetried: (why: string) =>
      why ? `Still not read: ${why}.` : "It could not be tried again: load the file again.",
    setUntil: "Set the last day",
    retireMany: (count: number) => `Withdraw ${many(count, "document", "documents")}`,
    sureRetireMany: (files: readonly string[]) =>
      `Withdraw ${many(files.length, "document", "documents")} (${firsts(files)})? Bedside answers from them no more. Under “withdrawn” each can be put back.`,
    yesRetireMany: "Yes, withdraw them",
    changing: (at: number, of: number) => `Changing ${at} of ${of}.`,
    changed: (done: number, failed: number) =>
      `${many(done, "document", "documents")} changed${failed > 0 ? `; ${failed} not, and still chosen:` : "."}`,
    conflict: "documents are being loaded, or the days contradict each other; try again, or open it to see",
    withdrawn: (when: string, who: string, reason: string) =>
      `Withdrawn on ${when}${who && ` by ${who === "local" ? "somebody who was not signed in" : who}`}${reason ? `: ${reason}` : "."}`,
    restore: "Put back",
    openIt: "Open the document",
    restoring: "Being put back.",
    notRestored:
      "It was not put back: another version is in force, its file is not kept here any more, or documents are being loaded. Try again, or load the file again.",
    history: (count: number) => many(count, "change", "changes"),
    fromTo: (before: string, after: string) => `from “${before}” to “${after}”`,
  },
  access,
  check,
  owner,
  accounts,
  keys,
  webhooks,
  audit,
};

export type StaffWords = typeof staff;
