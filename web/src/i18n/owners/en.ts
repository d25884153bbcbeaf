// The words of what is asked of the owners of documents, in English.
type Kind = "question" | "report" | "error";
const SENT: Record<Kind, string> = { question: "question", report: "report", error: "report" };
const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

export const owners = {
  askOwner: {
    label: "Ask the owner or report an error",
    passOn: "Pass on",
    to: "To whom? Name or user name; empty: the owner",
    notTo: "Not sent: no account is called so here, or more than one, that may read this document.",
    toColleague: "Pass on to a colleague",
    whom: "To whom? Name or user name",
    words: "What do you want to pass on?",
    wordsAlong: "The question goes along as it was asked.",
    colleagueHelp:
      "Your name is not told, your function and department are. Write nothing about a patient. Mail holds no more than a link.",
    notToReader: "Not sent: no account that may read here is called so, or more than one.",
    gone: "Not sent: the question or the document is no longer here.",
    owner: (name: string) => `Owner: ${name}`,
    goesTo: (name: string, byMail: boolean) => `This goes to ${name}${byMail ? ", who is told by mail too" : ""}.`,
    unknownOwner: (name: string) =>
      `Owner: ${name}. Nobody can answer for them here now: quality staff read what you send.`,
    noOwner: "The document names no owner. Quality staff will read what you ask.",
    kind: "What is it?",
    kinds: {
      question: "a question",
      report: "a report that something is no longer right",
      error: "a report that something was never right",
    },
    canHarm: "This can harm a patient",
    emergency: "Is a patient in danger now? Then call, and do not wait for an answer here.",
    harmFirst: "Whoever reads this sees it above all else. Quality staff who may read this document read it too.",
    text: "What do you want to ask or report?",
    help: "Your name is not told, your function and department are. Write nothing about a patient. Mail holds no more than a link and the title.",
    questionAlong: "The question goes along, with what the answer took from this document.",
    along: "Which passages is it about? What you tick is put below your text.",
    tooLong: "Together these passages are too long to be put below your text: tick fewer.",
    send: "Send",
    sending: "Sending.",
    close: "Close",
    sentTitle: { question: "Question sent", report: "Report sent", error: "Report sent" },
    sent: (what: Kind, owner: string, byMail: boolean) =>
      `Your ${SENT[what]} was sent to ${owner}${byMail ? ", who is told by mail" : ""}. The answer will be under “Questions to owners”.`,
    sentToQuality: (what: Kind) =>
      `No owner of this document can answer here now. Quality staff have your ${SENT[what]}; the answer will be under “Questions to owners”.`,
    read: "Read what became of it",
  },
  refused: {
    title: "Do you know better?",
    knows: "I know which procedure has it",
    lacks: {
      procedure: "There is a procedure on this, but I do not know which",
      document: "No procedure has this",
    },
    find: "Words of its title or file name",
    found: (count: number) =>
      count === 0
        ? "No procedure that you may read is called that."
        : `${many(count, "procedure", "procedures")}: choose one`,
    thanksNamed: "Thank you. Quality staff and its owner see that the answer should come from",
    thanks: {
      procedure: "Thank you. Quality staff, and the owner of the nearest procedure, see that there is one.",
      document: "Thank you. Quality staff, and the owner of the nearest procedure, see that this is missing.",
    },
    words: "What else do you know of it? You need not say.",
    wordsHelp:
      "The same people read this with your question, with your function and department and without your name. Write nothing about a patient.",
    send: "Send",
    sent: "Thank you, this is with your question now.",
  },
  report: {
    label: "Report this answer",
    kind: "What is the matter with it?",
    kinds: { wrong: "it is wrong, or not for this question", outdated: "it is out of date" },
    document: "In which procedure?",
    text: "What is not right?",
    help: "The owner of the procedure and quality staff read it, with your question, what the answer took over, your function and department, and without your name. Write nothing about a patient.",
    toQuality: "No owner can answer here now: quality staff have your report.",
  },
  waiting: {
    news: (count: number) =>
      many(count, "piece of news on your questions to owners", "pieces of news on your questions to owners"),
    waiting: (count: number) => many(count, "question waits for your answer", "questions wait for your answer"),
    promised: (count: number) => many(count, "is being corrected", "are being corrected"),
    to_review: (count: number) => many(count, "procedure is for you to review", "procedures are for you to review"),
  },
  inbox: {
    lead: "What you asked the owners of documents, and what is asked of you.",
    parts: { open: "For you to answer", promised: "Still to be corrected", done: "Answered before" },
    asked: "Asked by you",
    toReview: "For you to review",
    reviewBy: (day: string) => `by ${day}`,
    reviewWhy: (reason: string) => `Why: ${reason}`,
    nobodys: "given to nobody by name",
    reviewerLeft: (name: string) =>
      `Given to ${name || "a colleague"}, who can no longer review it: give it to somebody else.`,
    passedTo: (name: string) => `passed on to ${name}`,
    none: "You have not asked an owner anything. Under an answer each document has a button for it.",
    open: "waits for an answer",
    kinds: { question: "Question", report: "Report", error: "Report of an error" },
    outcomes: { answered: "Answered", mended: "Being corrected", retired: "Document withdrawn" },
    canHarm: "Can harm a patient, says who sent this.",
    unseen: "new",
    about: "About",
    hidden: "a document that you may no longer read",
    page: (page: number) => `page ${page}`,
    on: (day: string) => `asked on ${day}`,
    from: (who: string) => `from ${who}`,
    askedThen: "The question was:",
    askAgain: "Ask this question yourself",
    seeAnswer: "See the answer",
    quoted: "The answer took this from the document:",
    quotedToo: "The answer took this from the document, too:",
    unowned: (named: string) =>
      named
        ? `The document names ${named} as its owner, but who that is, is not known here yet.`
        : "The document names no owner.",
    unattended: "Whoever answers for this document cannot do so here now.",
    nobodyLeft: "Whom this was passed on to can no longer answer.",
    withQuality: "It was sent, and quality staff have it.",
    notTold: "The mail could not be delivered.",
    nameOwner: "Say who it is",
    replied: (day: string, by: string | null, passed: boolean) =>
      `${by === null ? "Answer" : `Answer by ${by ? `${passed ? "" : "the owner, "}${by}` : "quality staff"}`}, ${day}`,
    newer: (day: string) => `A new version of this document is in force since ${day}.`,
    gone: (day: string) => `This document was withdrawn on ${day}.`,
    reply: "Your answer",
    replyHelp: "Who asked sees it. Write nothing about a patient.",
    answer: "Answer",
    mend: "It is being corrected",
    retire: "Withdraw the document",
    sureRetire: (title: string, version: string, file: string) =>
      `Withdraw “${title}”${version && `, version ${version}`} (${file})? No question is answered from it any more. What you wrote above is the reason: who opens the document later reads it.`,
    yesRetire: "Yes, withdraw it",
    noReason: "Without saying why",
    unanswered: "Asked in vain, nearest to your documents",
    unansweredLead:
      "No document answered this. Perhaps it belongs in one of yours. Staff typed these words; treat them with care.",
    times: (count: number) => many(count, "time asked", "times asked"),
    nearest: "Nearest:",
    missing: (count: number) => `no procedure has this, ${count === 1 ? "a reader says" : `${count} readers say`}`,
    exists: (count: number) =>
      `there is a procedure on this, ${count === 1 ? "a reader says" : `${count} readers say`}`,
    named: (title: string, count: number) =>
      `It stands in “${title}”, ${count === 1 ? "a reader says" : `${count} readers say`}: the question's words may be missing there.`,
    conflict: "Somebody answered this meanwhile. Load the page again.",
    notYours: "This document is not yours to withdraw: its owner or an administrator does.",
  },
  named: {
    lead: "Who answers for documents: a mail address that is told of questions, accounts that answer here, or both. Where nobody is known, quality staff get the questions.",
    noMail: "Bedside sends no mail here yet: who runs Bedside names a mail server for that. What waits is sent then.",
    none: "No document names an owner or a department.",
    search: "In name, mail address or account",
    show: "Show",
    which: { all: "all", missing: "nobody known" },
    count: (shown: number, missing: number) =>
      `${many(shown, "owner or department", "owners and departments")}; nobody is known for ${missing}`,
    documents: (count: number) => many(count, "document", "documents"),
    department: "department: answers where a document's own owner is not known",
    unknown: "nobody known",
    mail: "Mail address",
    accounts: "Accounts: logins, with commas between",
    save: "Save",
    saved: "Saved.",
  },
};

export type OwnerWords = typeof owners;
