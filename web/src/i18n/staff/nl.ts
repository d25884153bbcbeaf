// De woorden van de bladzijden voor wie een taak heeft, in het Nederlands; wie enkel vraagt, haalt
// ze niet op.
import { accounts, keys } from "./accounts.nl";
import { audit } from "./audit.nl";
import { conversations } from "./conversations.nl";
import { access } from "./documents/access.nl";
import { check } from "./documents/check.nl";
import { owner } from "./documents/owner.nl";
import type { StaffWords } from "./en";
import { reviews } from "./quality/reviews.nl";
import { usage } from "./quality/usage.nl";
import { webhooks } from "./webhooks.nl";

const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;
const firsts = (names: readonly string[]): string =>
  names.slice(0, 5).join("; ") + (names.length > 5 ? `; en nog ${names.length - 5}` : "");

export const staff: StaffWords = {
  conversations,
  find: {
    lead: "Alle procedures die u mag lezen; met een ster staat een procedure klaar op uw beginpagina, op elke computer.",
    validity: "Geldigheid",
    table: "Bewaar deze lijst als CSV",
    file: "Bestand",
    replacedBy: "Vervangen door",
    validities: {
      valid: "vandaag geldig",
      expired: "vervallen",
      upcoming: "nog niet geldig",
      expires_soon: "vervalt binnen een maand en niet vervangen",
      expires_later: "vervalt binnen drie maanden en niet vervangen",
      expires_in_6_months: "vervalt binnen zes maanden en niet vervangen",
      expires_in_12_months: "vervalt binnen twaalf maanden en niet vervangen",
      undated: "zonder einddatum en niet vervangen",
      review_due: "na te kijken binnen een maand, of te laat",
    },
    undatedApart: "Wat geen einddatum heeft, staat hier niet bij: zie “zonder einddatum en niet vervangen”.",
    reviewed: (on: string, by: string, next: string) =>
      `nagekeken op ${on}${by && ` door ${by}`}, opnieuw uiterlijk op ${next}`,
    reviewPlanned: (next: string) => `na te kijken uiterlijk op ${next}`,
    review: "Nakijken of plannen",
    reviewBy: (name) => ` door ${name}`,
    reviewTo: "Door wie? Naam of gebruikersnaam; leeg: niemand bij naam",
    noReviewer: "Zo heet hier geen account, of meer dan één, dat dit document mag lezen.",
    notAReviewer: (name) =>
      `${name} mag dit document lezen, maar niet zeggen dat het nog klopt: kies een collega uit de lijst.`,
    reviewNoMore: "Niet meer gepland",
    reviewGiven: (name) => (name ? `na te kijken door ${name}` : "na te kijken door niemand bij naam"),
    reviewWhy: "Waarom nakijken? (niet verplicht)",
    reviewReason: (reason) => (reason ? `na te kijken omdat: ${reason}` : "reden van het nakijken gewist"),
    stillHolds: "Ik keek dit na: het klopt nog",
    nextReview: "Na te kijken uiterlijk op",
    reviewKept: (name) =>
      name
        ? `Bewaard. ${name} vindt dit bij “Vragen aan eigenaars”; er gaat geen mail uit.`
        : "Bewaard. Niemand krijgt bericht: het is van niemand bij naam.",
    saved: "Bewaard.",
    count: (shown, total, related) => {
      if (total === 0)
        return `Er past geen procedure bij, naar titel, bestandsnaam of eerste bladzijde${related ? "; die hieronder gaan er misschien over." : ". Probeer andere woorden of minder filters."}`;
      return shown === total ? many(total, "procedure", "procedures") : `${shown} van ${total} procedures`;
    },
    related: "Gaat hier misschien ook over",
    relatedHow: "Gevonden op betekenis, niet op deze woorden: kijk na of ze erover gaan.",
  },
  quality: {
    sessionLead:
      "Vraag zoals medewerkers het zouden doen. Zeg van elk antwoord of het gevonden is en waar het staat: dat wordt een beoordeelde vraag.",
    gapsLead:
      "Vragen waarop geen document antwoordde, waarvan de lezer zei dat het antwoord er niet in stond, of waarvan het antwoord gemeld is als fout of verouderd. Een vervolgvraag staat er zoals ze gezocht werd. Vragen kunnen over patiënten gaan: ga er zorgvuldig mee om.",
    whose: (groups: readonly string[], everyone: boolean) =>
      `Hier staan en tellen alleen vragen van wie ${[
        ...(groups.length > 0 ? [`in uw groep ${groups.map((group) => `“${group}”`).join(" of ")} zit`] : []),
        ...(everyone ? ["in geen andere groep dan “iedereen” zit"] : []),
      ].join(", of ")}.`,
    nearest: "Procedures die er het dichtst bij liggen",
    period: "Periode",
    periodOf: (days: number) => (days === 0 ? "altijd" : `laatste ${days} dagen`),
    gapDepartment: "Dienst (van wie vroeg, anders van de procedure die er het dichtst bij ligt)",
    judge: "Beoordeel dit antwoord",
    missed: "Lezers misten:",
    noProcedure: "een procedure hierover: die is er niet",
    reported: "Lezers meldden:",
    reports: { wrong: "het antwoord is fout", outdated: "het antwoord is verouderd" },
    comments: "Wat lezers schreven",
    named: "Het staat in deze procedure, zeggen lezers",
    missedInAll: "Wat lezers misten in deze antwoorden:",
    held: "Dit document bevatte het antwoord",
    none: "Geen enkel document beantwoordt dit",
    page: "pagina",
    words: "de woorden die antwoorden",
    takeSelection: "Neem de geselecteerde woorden",
    save: "Bewaar",
    saved: (set: string) => `Bewaard in ${set}.`,
    savedOpen: (set: string) => `Bewaard in ${set}, open: waar het antwoord staat is nog niet bekend.`,
    set: "Reeks beoordeelde vragen",
    badName: "De naam van een reeks heeft letters, cijfers, spaties, punten en streepjes, hoogstens 80.",
    function: "Functie van wie vraagt",
    department: "Dienst",
    counts: (questions: number, validate: number, test: number, open: number) =>
      `${many(questions, "vraag", "vragen")}: ${validate} om op te kiezen, ${test} om over te rapporteren; ${open} open`,
    export: "CSV",
    toSet: "Bekijk en wijzig",
    nextConversation: "Volgend gesprek",
    everyDepartment: "alle diensten",
    noDepartment: "onbekend",
    noOwner: "geen eigenaar",
    gapCounts: (gaps: number, questions: number) =>
      gaps === 0
        ? "Niets wat u mag zien bleef in deze periode onbeantwoord."
        : `${many(gaps, "onderwerp", "onderwerpen")}, ${many(questions, "vraag", "vragen")}`,
    times: (times: number) => (times === 1 ? "één keer gevraagd" : `${times} keer gevraagd`),
    lastAsked: (day: string) => `laatst op ${day}`,
    passedOn: "doorgegeven, over een procedure die u niet mag lezen",
    passedTo: (name, day) => (name ? `doorgegeven aan ${name} op ${day}` : `bij de kwaliteitsmedewerkers sinds ${day}`),
    otherWords: (count: number) => many(count, "andere formulering", "andere formuleringen"),
  },
  reviews,
  usage,
  sets: {
    lead: "Vragen waarvan iemand gezegd heeft waar het antwoord staat. Wie Bedside beheert, meet daarmee of het antwoord gevonden wordt.",
    none: "Er zijn nog geen beoordeelde vragen. Maak er een in een testsessie, of laad een CSV.",
    gone: "Deze reeks is er nog niet: laad er vragen in met een CSV.",
    changed: (day: string) => `gewijzigd op ${day}`,
    download: "Download als CSV",
    deleteSet: "Verwijder de reeks",
    sureSet: (name: string, questions: number) => `${name} met ${many(questions, "vraag", "vragen")} verwijderen?`,
    deleteQuestion: "Verwijder deze vraag",
    sureQuestion: "Deze vraag uit de reeks verwijderen?",
    deleted: (question: string) => `Verwijderd: ${question}`,
    search: "In de vraag, het document of de nota",
    which: "Toon",
    kinds: {
      all: "alle",
      validate: "om op te kiezen (validate)",
      test: "om over te rapporteren (test)",
      open: "nog open",
      none: "zonder antwoord",
    },
    shown: (found: number, all: number) =>
      found === all ? many(all, "vraag", "vragen") : `${found} van ${many(all, "vraag", "vragen")}`,
    more: (rest: number) => `Toon er nog ${rest}`,
    noMatch: "Geen enkele vraag past hierbij.",
    isOpen: "Open: niemand heeft al gezegd waar het antwoord staat",
    add: "Nieuwe vraag",
    close: "Sluit",
    question: "Vraag",
    group: "Over welke patiënten",
    split: "Helft",
    splitByWords: "volgens de woorden",
    note: "Nota",
    document: "Document (bestandsnaam)",
    place: (number: number) => `Plaats ${number}`,
    addPlace: "Voeg een plaats toe",
    removePlace: (number: number) => `Verwijder plaats ${number}`,
    upload: "Laad een CSV",
    columns:
      "Kolommen: id, question, document (leeg: geen antwoord); en indien gekend language, page, span, split, group, note, function, department, conversation, found. Een vraag die er al is, volgens de id, wordt vervangen; niets wordt verwijderd.",
    file: "CSV-bestand",
    check: "Bekijk het",
    would: (questions: number, fresh: number, set: string) =>
      `${many(questions, "vraag", "vragen")} voor ${set}: ${fresh} nieuw, ${questions - fresh} in de plaats van wat er staat.`,
    put: "Laad",
    cancel: "Annuleer",
    putIn: (questions: number, set: string) => `${many(questions, "vraag", "vragen")} geladen in ${set}.`,
    badRows: (rows: number) =>
      `Er is niets geladen: ${rows === 1 ? "1 rij kan niet gelezen worden" : `${rows} rijen kunnen niet gelezen worden`}.`,
    line: (line: string) => `Regel ${line}:`,
    wrong: {
      no_column: ({ columns }) => `het bestand heeft geen kolom ${columns}.`,
      no_csv: () => "het bestand kan niet als CSV gelezen worden.",
      more_fields: () =>
        "er zijn meer velden dan kolommen; woorden met een komma moeten tussen aanhalingstekens staan.",
      empty: () => "id en question mogen niet leeg zijn.",
      too_long: ({ column, most }) => `${column} is langer dan ${most} tekens.`,
      no_character: ({ column }) => `${column} bevat een teken dat er geen is.`,
      id_taken: ({ id }) => `het id ${id} is van een andere vraag.`,
      no_place: ({ id }) => `vraag ${id} is er al; een volgende rij ervan noemt een volgend document.`,
      bad_split: ({ value }) => `split is “${value}”, niet validate of test.`,
      bad_found: ({ value }) => `found is “${value}”, niet yes, partly of no.`,
      bad_group: ({ value }) => `group is “${value}”, niet adult, child, neonate of pregnancy.`,
      bad_page: ({ value }) => `page is “${value}”, geen getal vanaf 1.`,
      both_said: () => "een document bevat het antwoord, of geen enkel: niet allebei.",
      no_document: ({ document }) => `er is geen document dat ${document} heet; kies er een uit de lijst.`,
      few_pages: ({ document, pages, page }) => `${document} heeft ${pages} bladzijden; bladzijde ${page} is er niet.`,
      no_words: ({ document }) => `deze woorden staan daar niet in ${document}; kies ze uit de passage.`,
    },
  },
  admin: {
    lead: "Wat u hier invult, komt in de plaats van wat in het bestand staat, vanaf de volgende vraag. Het blijft gelden voor nieuwe versies van het bestand, tot een versie iets anders zegt.",
    readersLead: "De documenten die u mag lezen; andere staan en tellen hier niet mee, en wijzigen doet een beheerder.",
    search: "In titel, bestandsnaam of eerste bladzijde",
    count: (shown: number, total: number) =>
      shown === total ? (total === 1 ? "1 document" : `${total} documenten`) : `${shown} van ${total} documenten`,
    more: "Toon meer",
    failed: (reason: string) => `Kon niet gelezen worden: ${reason}`,
    reasons: {
      encrypted: "het heeft een wachtwoord nodig",
      empty: "het is leeg",
      broken: "het is stuk, of niet wat de naam zegt",
      too_large: "het is te groot",
      too_slow: "het lezen duurde te lang",
      too_much_memory: "het lezen kostte te veel geheugen",
      no_text_layer: "het is een scan waarin geen woorden gelezen konden worden, dus er kan niets in gevonden worden",
      only_rendered:
        "tekeningen liggen over tekst of tekst is afgekapt: alleen de opgemaakte pagina's laten zien wat te lezen is",
      xfa_form:
        "het is een XFA-formulier, waarvan enkel programma's van Adobe de inhoud tonen: druk het af naar een PDF en laad die",
      not_indexed: "het kon niet geïndexeerd worden",
      unsupported: "bestanden van deze soort worden hier niet gelezen",
      not_permitted: "wie het mag lezen is niet bekend",
      wrong_metadata: "de regel in metadata.csv klopt niet",
    },
    kept: "de vorige versie blijft gelden",
    notRead: "het kon niet gelezen worden",
    advice: {
      encrypted: "Bewaar het zonder wachtwoord en laad het opnieuw.",
      empty: "Kijk na of het het juiste bestand is en laad het opnieuw.",
      broken: "Open het in het programma waarmee het gemaakt is, bewaar het als PDF en laad die.",
      too_large:
        "Splits het, of laat wie Bedside beheert de grens verhogen; een rekenblad of een document met enorme tabellen: bewaar het als PDF.",
      too_slow: "Bewaar het opnieuw als PDF, of laat wie Bedside beheert meer tijd geven, en laad het opnieuw.",
      too_much_memory:
        "Bewaar het opnieuw als PDF, of laat wie Bedside beheert meer geheugen geven, en laad het opnieuw.",
      no_text_layer:
        "Het is een scan zonder leesbare woorden: scan het opnieuw, recht en op 300 dpi. Wie Bedside beheert, kan het lezen van scans ook uitgezet hebben.",
      only_rendered: "Installeer LibreOffice, dat er pagina's van maakt, of bewaar het als PDF en laad die.",
      xfa_form: "Open het in het programma dat het toont, druk het af als PDF en laad die.",
      not_indexed:
        "De volgende keer wordt het opnieuw geprobeerd; mislukt het dan weer, bewaar het dan als PDF en laad die.",
      unsupported: "Bewaar het als PDF en laad die.",
      not_permitted:
        "Geef in SharePoint een groep toegang die hier bekend is, en de toepassing de rol fullcontrol op de site.",
      wrong_metadata: "Verbeter de regel in metadata.csv; de volgende keer wordt het document opgenomen.",
    },
    cut: (count: number) => `${many(count, "regel", "regels")} weggelaten als koptekst, voettekst of paginanummer`,
    cutAt: (page: number, reason: string) => `p. ${page}, ${reason}:`,
    cutReasons: {
      header: "koptekst",
      footer: "voettekst",
      page_number: "paginanummer",
      line_number: "regelnummer",
      slanted: "schuin geschreven",
    },
    load: "Laad documenten",
    loadHelp: (kinds: string) =>
      `Een nieuwe versie van een bestand komt in de plaats van de oude. Gelezen worden: ${kinds}.`,
    renamed: (before: string) => `het heette ${before}`,
    dropHelp: "Of sleep ze hierheen.",
    loading: (name: string) => `${name} wordt geladen…`,
    waits: "wacht",
    sending: "wordt verstuurd",
    steps: {
      comparing: "wordt vergeleken met wat er al is",
      reading: "wordt gelezen",
      embedding: "wordt vindbaar gemaakt",
      saved: "staat in de index",
    },
    readingPage: (page: number, of: number) => `pagina ${page} van ${of} wordt van haar afbeelding gelezen`,
    elsewhere: (done: number, total: number) =>
      `Er worden elders documenten geladen: ${done} van ${many(total, "document", "documenten")} klaar.`,
    elsewhereAt: (name: string, step: string) => `Nu: ${name} ${step}.`,
    begun: "Er worden elders documenten geladen; dat begon net.",
    stopLoading: "Stop dat laden",
    stopAsked: "Er is gevraagd om te stoppen; wat gedaan is, blijft.",
    leftOut: (count: number) => `Bekijk waar dit is: ${many(count, "pagina", "pagina's")}`,
    leftOutMore: (count: number) => `Toon nog ${many(count, "pagina", "pagina's")}`,
    leftOutPage: (page: number) => `pagina ${page}`,
    noPicture: "De afbeelding kan hier niet getoond worden.",
    indexed: "geladen; de volgende vraag vindt het",
    unchanged: "ongewijzigd, het was er al",
    busy: "er worden andere documenten geladen; probeer opnieuw als dat klaar is",
    retire: "Trek dit document in",
    sureRetire: (title: string, version: string, file: string, stays: string) =>
      `“${title}”${version && `, versie ${version}`} (${file}) intrekken? Bedside antwoordt er niet meer uit.${stays && ` ${stays} blijft.`} Bij “ingetrokken” kan het weer teruggezet worden.`,
    yesRetire: "Ja, trek het in",
    areWithdrawn: (titles: readonly string[]) =>
      titles.length === 1
        ? `Ingetrokken: “${titles[0]}”. Het staat onder “ingetrokken” en kan teruggezet worden.`
        : `Ingetrokken: ${titles.length} documenten (${firsts(titles)}). Ze staan onder “ingetrokken” en kunnen teruggezet worden.`,
    sayWhy: "Zeg waarom het ingetrokken is",
    otherWhy: "Wijzig de reden",
    whyWithdrawn: "Reden (wie het document opent, leest ze)",
    noReason: "Zonder te zeggen waarom",
    wasReviewed: (next: string) => `nagekeken, opnieuw uiterlijk op ${next}`,
    wasWithdrawn: (reason: string) => `ingetrokken: ${reason}`,
    otherReason: (reason: string) => `waarom het ingetrokken is: ${reason}`,
    fields: {
      title: "Titel",
      department: "Dienst",
      document_type: "Soort",
      version: "Versie",
      owner: "Eigenaar",
      supersedes: "Vervangt (bestandsnaam of titel)",
      valid_from: "Geldig vanaf",
      valid_until: "Geldig tot",
      language: "Taal",
      target_groups: "Voor welke patiënten",
    },
    fileSays: (said: string) => `Het bestand zegt: ${said}.`,
    empty: "niets",
    reset: "Zoals het bestand",
    save: "Bewaar",
    saving: "Wordt bewaard.",
    saved: "Bewaard; de volgende vraag zoekt ermee.",
    savedOutdated:
      "Bewaard; de volgende vraag zoekt ermee. Het document is lang: op betekenis wordt het onder de oude titel gezocht tot het opnieuw geladen wordt.",
    nothing: "Er is niets gewijzigd.",
    adminsOnly: "Alleen beheerders kunnen dit wijzigen.",
    planBelow: "Nakijken plant u hieronder.",
    show: "Toon",
    shown: {
      current: "alles wat niet ingetrokken is, ook vervallen of vervangen",
      failed: "kon niet gelezen worden",
      expired: "vervallen en niet vervangen",
      expires_soon: "vervalt binnen een maand en niet vervangen",
      expires_later: "vervalt binnen drie maanden en niet vervangen",
      expires_in_6_months: "vervalt binnen zes maanden en niet vervangen",
      expires_in_12_months: "vervalt binnen twaalf maanden en niet vervangen",
      undated: "zonder einddatum en niet vervangen",
      review_due: "na te kijken binnen een maand, of te laat",
      replaced: "vervangen door een ander document",
      earlier: "eerdere versies van hetzelfde bestand",
      uncertain: "deels met twijfel gelezen",
      withdrawn: "ingetrokken",
    },
    order: "Volgorde",
    orders: { title: "op titel", valid_until: "wat eerst vervalt", next_review: "wat eerst na te kijken is" },
    replacedBy: (title: string, version: string) => `Vervangen door “${title}”${version && `, versie ${version}`}.`,
    noneShown: "Er past geen document bij. Haal een filter weg, of probeer andere woorden.",
    choose: (title: string) => `Kies: ${title}`,
    chooseAll: (count: number) => (count === 1 ? "Kies het document" : `Kies alle ${count} documenten die passen`),
    chosen: (count: number) => `${many(count, "document", "documenten")} gekozen`,
    setDepartment: "Stel de dienst in",
    setOwner: "Stel de eigenaar in",
    retry: "Probeer opnieuw te lezen",
    retryMany: (count: number) =>
      count === 1 ? "Probeer het opnieuw te lezen" : `Probeer ${count} documenten opnieuw te lezen`,
    notRetried: (why: string) =>
      why ? `Nog altijd niet gelezen: ${why}.` : "Het kon niet opnieuw geprobeerd worden: laad het bestand opnieuw.",
    setUntil: "Stel de laatste dag in",
    retireMany: (count: number) => `Trek ${many(count, "document", "documenten")} in`,
    sureRetireMany: (files: readonly string[]) =>
      `${many(files.length, "document", "documenten")} intrekken (${firsts(files)})? Bedside antwoordt er niet meer uit. Bij “ingetrokken” kan elk weer teruggezet worden.`,
    yesRetireMany: "Ja, trek ze in",
    changing: (at: number, of: number) => `${at} van ${of} wordt gewijzigd.`,
    changed: (done: number, failed: number) =>
      `${many(done, "document", "documenten")} gewijzigd${failed > 0 ? `; ${failed} niet, en nog gekozen:` : "."}`,
    conflict:
      "er worden documenten geladen, of de dagen spreken elkaar tegen; probeer opnieuw, of open het om te kijken",
    withdrawn: (when: string, who: string, reason: string) =>
      `Ingetrokken op ${when}${who && ` door ${who === "local" ? "iemand die niet aangemeld was" : who}`}${reason ? `: ${reason}` : "."}`,
    restore: "Zet terug",
    openIt: "Open het document",
    restoring: "Wordt teruggezet.",
    notRestored:
      "Het is niet teruggezet: een andere versie geldt, het bestand wordt hier niet meer bewaard, of er worden documenten geladen. Probeer opnieuw, of laad het bestand opnieuw.",
    history: (count: number) => (count === 1 ? "1 wijziging" : `${count} wijzigingen`),
    fromTo: (before: string, after: string) => `van “${before}” naar “${after}”`,
  },
  access,
  check,
  owner,
  accounts,
  keys,
  webhooks,
  audit,
};
