// De woorden van wat aan eigenaars van documenten gevraagd wordt, in het Nederlands.
import type { OwnerWords } from "./en";

const SENT = { question: "vraag", report: "melding", error: "melding" };
const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

export const owners: OwnerWords = {
  askOwner: {
    label: "Vraag de eigenaar of meld een fout",
    passOn: "Geef door",
    to: "Aan wie? Naam of gebruikersnaam; leeg: de eigenaar",
    notTo: "Niet verstuurd: zo heet hier geen account, of meer dan één, dat dit document mag lezen.",
    toColleague: "Geef door aan een collega",
    whom: "Aan wie? Naam of gebruikersnaam",
    words: "Wat wilt u doorgeven?",
    wordsAlong: "De vraag gaat mee zoals ze gesteld is.",
    colleagueHelp:
      "Uw naam wordt niet genoemd, uw functie en dienst wel. Schrijf niets over een patiënt. In een mail staat enkel een link.",
    notToReader: "Niet verstuurd: zo heet hier geen account dat mag lezen, of meer dan één.",
    gone: "Niet verstuurd: de vraag of het document is er niet meer.",
    owner: (name: string) => `Eigenaar: ${name}`,
    goesTo: (name: string, byMail: boolean) => `Dit gaat naar ${name}${byMail ? ", die ook een mail krijgt" : ""}.`,
    unknownOwner: (name: string) =>
      `Eigenaar: ${name}. Daarvoor kan hier nu niemand antwoorden: de kwaliteitsmedewerkers lezen wat u verstuurt.`,
    noOwner: "Het document noemt geen eigenaar. De kwaliteitsmedewerkers lezen wat u vraagt.",
    kind: "Wat is het?",
    kinds: {
      question: "een vraag",
      report: "een melding dat iets niet meer klopt",
      error: "een melding dat iets nooit klopte",
    },
    canHarm: "Dit kan een patiënt schaden",
    emergency: "Is een patiënt nu in gevaar? Bel dan, en wacht niet op een antwoord hier.",
    harmFirst:
      "Wie dit leest, ziet het boven al het andere. Kwaliteitsmedewerkers die dit document mogen lezen, lezen mee.",
    text: "Wat wilt u vragen of melden?",
    help: "Uw naam wordt niet genoemd, uw functie en dienst wel. Schrijf niets over een patiënt. In een mail staan enkel een link en de titel.",
    questionAlong: "De vraag gaat mee, met wat het antwoord uit dit document overnam.",
    along: "Over welke passages gaat het? Wat u aanvinkt, komt onder uw tekst te staan.",
    tooLong: "Samen zijn deze passages te lang om onder uw tekst te zetten: vink er minder aan.",
    send: "Verstuur",
    sending: "Wordt verstuurd.",
    close: "Sluiten",
    sentTitle: { question: "Vraag verstuurd", report: "Melding verstuurd", error: "Melding verstuurd" },
    sent: (what, owner, byMail) =>
      `Uw ${SENT[what]} is verstuurd aan ${owner}${byMail ? ", die ook een mail krijgt" : ""}. Het antwoord komt bij “Vragen aan eigenaars”.`,
    sentToQuality: (what) =>
      `Voor dit document kan hier nu geen eigenaar antwoorden. De kwaliteitsmedewerkers hebben uw ${SENT[what]}; het antwoord komt bij “Vragen aan eigenaars”.`,
    read: "Lees wat ervan geworden is",
  },
  refused: {
    title: "Weet u het beter?",
    knows: "Ik weet in welke procedure het staat",
    lacks: {
      procedure: "Er is een procedure over, maar ik weet niet welke",
      document: "Geen enkele procedure zegt dit",
    },
    find: "Woorden uit de titel of bestandsnaam",
    found: (count: number) =>
      count === 0
        ? "Geen procedure die u mag lezen heet zo."
        : `${many(count, "procedure", "procedures")}: kies er een`,
    thanksNamed: "Dank u. De kwaliteitsmedewerkers en de eigenaar zien dat het antwoord hieruit moet komen:",
    thanks: {
      procedure:
        "Dank u. De kwaliteitsmedewerkers, en de eigenaar van de procedure die er het dichtst bij ligt, zien dat er een is.",
      document:
        "Dank u. De kwaliteitsmedewerkers, en de eigenaar van de procedure die er het dichtst bij ligt, zien dat dit ontbreekt.",
    },
    words: "Wat weet u er nog van? Dit hoeft niet.",
    wordsHelp:
      "Dezelfde mensen lezen dit bij uw vraag, met uw functie en dienst en zonder uw naam. Schrijf niets over een patiënt.",
    send: "Verstuur",
    sent: "Dank u, dit staat nu bij uw vraag.",
  },
  report: {
    label: "Meld dit antwoord",
    kind: "Wat scheelt er?",
    kinds: { wrong: "het is fout, of hoort niet bij deze vraag", outdated: "het is verouderd" },
    document: "In welke procedure?",
    text: "Wat klopt er niet?",
    help: "De eigenaar van de procedure en de kwaliteitsmedewerkers lezen dit, met uw vraag, wat het antwoord overnam, uw functie en uw dienst, en zonder uw naam. Schrijf niets over een patiënt.",
    toQuality: "Er kan hier nu geen eigenaar antwoorden: de kwaliteitsmedewerkers hebben uw melding.",
  },
  waiting: {
    news: (count) =>
      many(count, "nieuw bericht over uw vragen aan eigenaars", "nieuwe berichten over uw vragen aan eigenaars"),
    waiting: (count) => many(count, "vraag wacht op uw antwoord", "vragen wachten op uw antwoord"),
    promised: (count) => many(count, "wordt aangepast", "worden aangepast"),
    to_review: (count) => many(count, "procedure is door u na te kijken", "procedures zijn door u na te kijken"),
  },
  inbox: {
    lead: "Wat u aan eigenaars van documenten vroeg, en wat aan u gevraagd wordt.",
    parts: { open: "Voor u om te beantwoorden", promised: "Nog aan te passen", done: "Eerder beantwoord" },
    asked: "Door u gevraagd",
    toReview: "Door u na te kijken",
    reviewBy: (day) => `uiterlijk op ${day}`,
    reviewWhy: (reason) => `Waarom: ${reason}`,
    nobodys: "aan niemand bij naam gegeven",
    reviewerLeft: (name) =>
      `Gegeven aan ${name || "een collega"}, die dit niet meer kan nakijken: geef het aan iemand anders.`,
    passedTo: (name) => `doorgegeven aan ${name}`,
    none: "U hebt nog niets aan een eigenaar gevraagd. Onder een antwoord heeft elk document daar een knop voor.",
    open: "wacht op antwoord",
    kinds: { question: "Vraag", report: "Melding", error: "Melding van een fout" },
    outcomes: { answered: "Beantwoord", mended: "Wordt aangepast", retired: "Document ingetrokken" },
    canHarm: "Kan een patiënt schaden, zegt wie dit verstuurde.",
    unseen: "nieuw",
    about: "Over",
    hidden: "een document dat u niet meer mag lezen",
    page: (page: number) => `pagina ${page}`,
    on: (day: string) => `gevraagd op ${day}`,
    from: (who: string) => `van ${who}`,
    askedThen: "Gevraagd werd:",
    askAgain: "Stel deze vraag zelf",
    seeAnswer: "Bekijk het antwoord",
    quoted: "Het antwoord nam over uit dit document:",
    quotedToo: "Het antwoord nam ook dit over uit het document:",
    unowned: (named: string) =>
      named
        ? `Het document noemt ${named} als eigenaar, maar wie dat is, is hier nog niet bekend.`
        : "Het document noemt geen eigenaar.",
    unattended: "Wie voor dit document instaat, kan hier nu niet antwoorden.",
    nobodyLeft: "Aan wie dit doorgegeven is, kan het niet meer beantwoorden.",
    withQuality: "Dit is verstuurd, en de kwaliteitsmedewerkers hebben het.",
    notTold: "De mail kon niet bezorgd worden.",
    nameOwner: "Zeg wie het is",
    replied: (day: string, by: string | null, passed: boolean) =>
      `${by === null ? "Antwoord" : `Antwoord van ${by ? `${passed ? "" : "de eigenaar, "}${by}` : "kwaliteitsmedewerkers"}`}, ${day}`,
    newer: (day: string) => `Sinds ${day} geldt een nieuwe versie van dit document.`,
    gone: (day: string) => `Dit document is ingetrokken op ${day}.`,
    reply: "Uw antwoord",
    replyHelp: "Wie het vroeg, ziet dit. Schrijf niets over een patiënt.",
    answer: "Beantwoord",
    mend: "Het wordt aangepast",
    retire: "Trek het document in",
    sureRetire: (title: string, version: string, file: string) =>
      `“${title}”${version && `, versie ${version}`} (${file}) intrekken? Er wordt dan niets meer uit beantwoord. Wat u hierboven schreef, is de reden: wie het document later opent, leest ze.`,
    yesRetire: "Ja, trek in",
    noReason: "Zonder te zeggen waarom",
    unanswered: "Vergeefs gevraagd, het dichtst bij uw documenten",
    unansweredLead:
      "Geen document beantwoordde dit. Misschien hoort het in een van de uwe. Medewerkers typten deze woorden; ga er zorgvuldig mee om.",
    times: (count: number) => (count === 1 ? "één keer gevraagd" : `${count} keer gevraagd`),
    nearest: "Het dichtst erbij:",
    missing: (count: number) =>
      `geen procedure zegt dit, ${count === 1 ? "vindt een lezer" : `vinden ${count} lezers`}`,
    exists: (count: number) => `er is een procedure over, ${count === 1 ? "zegt een lezer" : `zeggen ${count} lezers`}`,
    named: (title: string, count: number) =>
      `Het staat in “${title}”, ${count === 1 ? "zegt een lezer" : `zeggen ${count} lezers`}: misschien ontbreken daar de woorden van de vraag.`,
    conflict: "Iemand heeft dit intussen beantwoord. Laad de pagina opnieuw.",
    notYours: "Dit document is niet het uwe om in te trekken: de eigenaar of een beheerder doet dat.",
  },
  named: {
    lead: "Wie voor documenten instaat: een mailadres dat van vragen hoort, accounts die hier antwoorden, of beide. Waar niemand bekend is, krijgen de kwaliteitsmedewerkers de vragen.",
    noMail:
      "Bedside verstuurt hier nog geen mail: wie Bedside beheert, stelt daarvoor een mailserver in. Wat wacht, vertrekt daarna.",
    none: "Geen enkel document noemt een eigenaar of een dienst.",
    search: "In naam, mailadres of account",
    show: "Toon",
    which: { all: "alle", missing: "niemand bekend" },
    count: (shown: number, missing: number) =>
      `${many(shown, "eigenaar of dienst", "eigenaars en diensten")}; van ${missing} is niemand bekend`,
    documents: (count: number) => many(count, "document", "documenten"),
    department: "dienst: antwoordt waar de eigenaar van een document niet bekend is",
    unknown: "niemand bekend",
    mail: "Mailadres",
    accounts: "Accounts: aanmeldnamen, met komma's ertussen",
    save: "Bewaar",
    saved: "Bewaard.",
  },
};
