"""The sentences above an answer, each in every language, since its reader may change theirs. Codes
are stable; the page may style by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime

from rag_api.domain import Document, DocumentStatus, Notice, Source, TargetGroup

_TEXTS: dict[str, dict[str, str]] = {
    "not_found": {
        "nl": "Bedside vond in de procedures niets dat bij deze vraag past.",
        "en": "Bedside found nothing in the procedures that fits this question.",
    },
    "not_sure": {
        "nl": "Bedside is er niet zeker genoeg van dat een van de procedures deze vraag beantwoordt.",
        "en": "Bedside is not sure enough that any of the procedures answers this question.",
    },
    "not_quotable": {
        "nl": "Wat het best bij deze vraag past, kan Bedside niet citeren: lees het in het document zelf.",
        "en": "Bedside cannot quote what fits this question best: read it in the document itself.",
    },
    "greeting": {
        "nl": "Dag! Stel een vraag over de procedures van het ziekenhuis; het antwoord komt uit de documenten zelf, "
        "met de bron erbij.",
        "en": "Hello! Ask about the hospital's procedures; the answer comes from the documents themselves, with its "
        "source.",
    },
    "thanks": {
        "nl": "Graag gedaan. Stel gerust nog een vraag.",
        "en": "You are welcome. Feel free to ask something else.",
    },
    "about_bedside": {
        "nl": "Dit is Bedside. Het zoekt in de procedures van het ziekenhuis, citeert wat er staat en opent de bron "
        "op de juiste plaats. "
        "Het verzint niets en kent alleen de documenten die zijn ingeladen.",
        "en": "This is Bedside. It searches the hospital's procedures, quotes what they say and opens the source at "
        "the right place. "
        "It makes nothing up and knows only the documents that were loaded.",
    },
    "unresolved_follow_up": {
        "nl": "Op de vorige vraag vond Bedside geen antwoord, dus ook niet op deze vervolgvraag. Noem erbij waarover "
        "ze gaat.",
        "en": "Bedside found no answer to the question before, so none to this one that follows it. Say what it is "
        "about.",
    },
    "withheld": {
        "nl": "Bedside vond geen zeker antwoord; misschien staat het op pagina {page} van {title}, waar Bedside niet "
        "alles kan citeren.",
        "en": "Bedside found no certain answer; it may stand on page {page} of {title}, where Bedside cannot quote "
        "everything.",
    },
    "withheld_addressed": {
        "nl": "In de passage die het best past, staan zinnen voor een computer: Bedside citeert ze niet, en ze zijn "
        "geen antwoord.",
        "en": "The passage that fits best holds sentences meant for a computer: Bedside does not quote them, and they "
        "are no answer.",
    },
    "nothing_readable": {
        "nl": "Bedside vond geen procedure die hierover gaat.",
        "en": "Bedside found no procedure that is about this.",
    },
    "empty_index": {
        "nl": "Er zijn nog geen documenten: een beheerder laadt ze met `bedside ingest MAP`.",
        "en": "There are no documents yet: an administrator loads them with `bedside ingest FOLDER`.",
    },
    "generator_down": {
        "nl": "Bedside kan nu geen antwoord samenstellen; dit zijn de procedures.",
        "en": "Bedside cannot put an answer together at the moment; these are the procedures.",
    },
    "generator_refused": {
        "nl": "Bedside kon op deze vraag geen antwoord samenstellen; dit zijn de procedures.",
        "en": "Bedside could not put an answer to this question together; these are the procedures.",
    },
    "no_text": {
        "nl": "Er kwam geen geschreven antwoord; dit zijn de procedures.",
        "en": "No answer was written; these are the procedures.",
    },
    "no_use": {
        "nl": "Het geschreven antwoord zei niets uit de procedures en wordt niet getoond; dit zijn de procedures zelf.",
        "en": "The written answer said nothing from the procedures and is not shown; these are the procedures "
        "themselves.",
    },
    "unread": {
        "nl": "{title} past bij de vraag, maar kon niet gelezen worden: {why}.",
        "en": "{title} fits the question, but could not be read: {why}.",
    },
    "unread_owned": {
        "nl": "{title} (eigenaar: {owner}) past bij de vraag, maar kon niet gelezen worden: {why}.",
        "en": "{title} (owner: {owner}) fits the question, but could not be read: {why}.",
    },
    "lapsed": {
        "nl": "{title} past bij de vraag, maar is verlopen op {day}: vraag {owner} wat nu geldt.",
        "en": "{title} fits the question, but expired on {day}: ask {owner} what holds now.",
    },
    "lapsed_withdrawn": {
        "nl": "{title} past bij de vraag, maar is ingetrokken op {day}: vraag {owner} wat nu geldt.",
        "en": "{title} fits the question, but was withdrawn on {day}: ask {owner} what holds now.",
    },
    "identity_removed": {
        "nl": "Wat een patiënt herkenbaar maakt, is uit uw vraag weggelaten en wordt niet bewaard.",
        "en": "Whatever identifies a patient was left out of your question and is not kept.",
    },
    "pack": {
        "nl": "Noodpakket van {made}, geldig tot {until}: wat sindsdien veranderde, staat hier niet in.",
        "en": "Downtime pack of {made}, valid until {until}: what changed since is not in it.",
    },
    "broken_off": {
        "nl": "Het antwoord brak af en is niet volledig.",
        "en": "The answer broke off and is not complete.",
    },
    "stored_later": {
        "nl": "Dit antwoord wordt pas later bij uw gesprekken bewaard, want de databank antwoordt nu niet.",
        "en": "This answer is added to your conversations later, because the database does not answer now.",
    },
    "not_stored": {
        "nl": "Dit antwoord kon niet bewaard worden en komt niet bij uw gesprekken te staan.",
        "en": "This answer could not be saved and will not be among your conversations.",
    },
    "stopped": {
        "nl": "Het antwoord werd gestopt en is niet volledig.",
        "en": "The answer was stopped and is not complete.",
    },
    "whole_document": {
        "nl": "Dit antwoord komt uit heel {title}, ook uit wat daarin voor andere patiënten geldt: kijk het na in het "
        "document.",
        "en": "This answer comes from all of {title}, including what it says for other patients: check it in the "
        "document.",
    },
    "unsure": {
        "nl": "Bedside is er niet zeker van dat dit de vraag beantwoordt: lees het na in het document.",
        "en": "Bedside is not sure that this answers the question: read it in the document.",
    },
    "part_not_found": {
        "nl": "Op dit deel van de vraag is geen apart antwoord gevonden; ga na of het antwoord ook dit zegt: {part}",
        "en": "No separate answer was found to this part of the question; check whether the answer covers it: {part}",
    },
    "list_in_part": {
        "nl": "Deze lijst is niet volledig ({quoted} van de {items} punten): open de bron voor de andere.",
        "en": "This list is not complete ({quoted} of {items} items): open the source for the others.",
    },
    "table_in_part": {
        "nl": "Deze tabel is niet volledig ({quoted} van de {items} rijen): open de bron voor de andere.",
        "en": "This table is not complete ({quoted} of {items} rows): open the source for the others.",
    },
    "cut_short": {
        "nl": "Het antwoord werd te lang en is mogelijk niet volledig.",
        "en": "The answer became too long and may not be complete.",
    },
    "expired": {
        "nl": "Versie {version} van {title} is vervallen op {day}.",
        "en": "Version {version} of {title} expired on {day}.",
    },
    "expired_unversioned": {
        "nl": "{title} is vervallen op {day}.",
        "en": "{title} expired on {day}.",
    },
    "superseded": {
        "nl": "{title} is vervangen door {newer}.",
        "en": "{title} was replaced by {newer}.",
    },
    "other_drug": {
        "nl": "Het woord {drugs} staat in geen van deze documenten; het kan er anders geschreven staan.",
        "en": "The word {drugs} stands in none of these documents; it may be written otherwise there.",
    },
    "patient_group": {
        "nl": "Deze bronnen zijn voor {for_whom}; de vraag noemt {patient}.",
        "en": "These sources are for {for_whom}; the question mentions {patient}.",
    },
    "patient_group_only": {
        "nl": "{title} gaat over het onderwerp, maar is voor {for_whom}; de vraag noemt {patient}.",
        "en": "{title} is about this, but it is for {for_whom}; the question mentions {patient}.",
    },
    "twins": {
        "nl": "De vraag noemt geen patiënt: bron {first} is alleen voor {one}, bron {second} voor {other}.",
        "en": "The question names no patient: source {first} is only for {one}, source {second} for {other}.",
    },
    "only_for": {
        "nl": "De vraag noemt geen patiënt: bron 1 is alleen voor {for_whom}.",
        "en": "The question names no patient: source 1 is only for {for_whom}.",
    },
    "answered_only_for": {
        "nl": "De vraag noemt geen patiënt: dit antwoord komt uit een document dat alleen voor {for_whom} is.",
        "en": "The question names no patient: this answer comes from a document that is only for {for_whom}.",
    },
    "not_named": {
        "nl": "Dit antwoord noemt niet: {words}. Kijk in de bron na of het daarover gaat.",
        "en": "This answer does not name: {words}. Check in the source whether it is about that.",
    },
    "drug_not_named": {
        "nl": "Let op: het woord {words} staat niet in dit antwoord. Het gaat misschien over een ander middel: kijk het na "
        "in de bron.",
        "en": "Take care: the word {words} does not stand in this answer. It may be about another drug: check it in the "
        "source.",
    },
    "other_document": {
        "nl": "Dit antwoord komt uit {title}, niet uit de eerste bron. Ga na of het over deze vraag gaat.",
        "en": "This answer comes from {title}, not from the first source. Check whether it is about this question.",
    },
    "conflict": {
        "nl": "Twee geldige bronnen verschillen: {one} zegt {first_value} (bron {first}), {other} zegt {second_value} "
        "(bron {second}).",
        "en": "Two valid sources differ: {one} says {first_value} (source {first}), {other} says {second_value} "
        "(source {second}).",
    },
    "versions": {
        "nl": "Er zijn twee geldige documenten met de titel {title}: {one} (bron {first}) en {other} (bron {second}).",
        "en": "There are two valid documents called {title}: {one} (source {first}) and {other} (source {second}).",
    },
    "unsupported": {
        "nl": "Dit staat niet in de bronnen van het antwoord, kijk het na in het document: {numbers}.",
        "en": "This is not in the sources of the answer, check it in the document: {numbers}.",
    },
    "card_other_group": {
        "nl": "Dit document is voor {for_whom}; de vraag noemt {patient}.",
        "en": "This document is for {for_whom}; the question mentions {patient}.",
    },
    "card_other_drug": {
        "nl": "Het woord {drugs} staat niet in dit document; het kan er anders geschreven staan.",
        "en": "The word {drugs} does not stand in this document; it may be written otherwise there.",
    },
    "card_other_complication": {
        "nl": "De vraag doet denken aan {names}, maar dit document noemt dat niet.",
        "en": "The question suggests {names}, but this document does not name it.",
    },
    "card_other_level_high": {
        "nl": "Dit document gaat over {salt} geven of over een tekort; de vraag gaat over te veel.",
        "en": "This document is about giving {salt} or a lack of it; the question is about too much.",
    },
    "card_other_level_low": {
        "nl": "Dit document gaat over te veel {salt}; de vraag gaat over te weinig.",
        "en": "This document is about too much {salt}; the question is about too little.",
    },
    "card_twin": {
        "nl": "Dit document is voor {for_whom}; bron {source} is voor {others}.",
        "en": "This document is for {for_whom}; source {source} is for {others}.",
    },
    "card_scan": {
        "nl": "Dit document is een scan: de tekst is uit een afbeelding gelezen.",
        "en": "This document is a scan: its text was read from an image.",
    },
    "card_scan_in_doubt": {
        "nl": "Dit document is een scan: zinnen die niet zeker gelezen zijn, worden niet geciteerd en leest u op de "
        "pagina zelf.",
        "en": "This document is a scan: sentences that were not read with certainty are not quoted, so read those on "
        "the page itself.",
    },
    "card_in_doubt": {
        "nl": "Bedside kon een deel van deze tekst niet betrouwbaar lezen en citeert dat deel niet: lees het op de "
        "pagina zelf.",
        "en": "Bedside could not read part of this text reliably and does not quote that part: read it on the page "
        "itself.",
    },
    "card_mostly_in_doubt": {
        "nl": "Minder dan de helft van dit document kan geciteerd worden: lees het op de pagina's zelf.",
        "en": "Less than half of this document can be quoted: read it on its pages.",
    },
    "card_addressed": {
        "nl": "In dit document staan zinnen die voor een computer bedoeld zijn; ze worden niet geciteerd, meld dit "
        "aan de beheerder.",
        "en": "This document holds sentences that are meant for a computer; they are not quoted, please tell the "
        "administrator.",
    },
    "card_expired": {"nl": "Dit document is vervallen op {day}.", "en": "This document expired on {day}."},
    "card_superseded": {
        "nl": "Dit document is vervangen door {newer}.",
        "en": "This document was replaced by {newer}.",
    },
    "card_conflict": {
        "nl": "Hier staat {own_value}, in bron {source} staat {their_value}.",
        "en": "This says {own_value}, source {source} says {their_value}.",
    },
    "demo_model": {
        "nl": "Dit antwoord komt van het demomodel en is niet voor klinisch gebruik.",
        "en": "This answer comes from the demo model and is not for clinical use.",
    },
}
_UNREAD = {
    "encrypted": {"nl": "het heeft een wachtwoord nodig", "en": "it needs a password"},
    "empty": {"nl": "het is leeg", "en": "it is empty"},
    "broken": {"nl": "het bestand is stuk", "en": "the file is damaged"},
    "too_large": {"nl": "het is te groot", "en": "it is too large"},
    "too_slow": {"nl": "het lezen duurde te lang", "en": "reading it took too long"},
    "too_much_memory": {"nl": "het lezen kostte te veel geheugen", "en": "reading it took too much memory"},
    "no_text_layer": {"nl": "het is een scan zonder tekst", "en": "it is a scan without text"},
    "xfa_form": {"nl": "het is een XFA-formulier", "en": "it is an XFA form"},
    "only_rendered": {
        "nl": "alleen de opgemaakte pagina's laten zien wat er staat",
        "en": "only its laid out pages tell what it says",
    },
    "not_indexed": {"nl": "het kon niet doorzoekbaar gemaakt worden", "en": "it could not be made searchable"},
    "unsupported": {"nl": "bestanden van deze soort worden niet gelezen", "en": "files of this kind are not read"},
}
_MONTHS = {
    "nl": (
        "januari",
        "februari",
        "maart",
        "april",
        "mei",
        "juni",
        "juli",
        "augustus",
        "september",
        "oktober",
        "november",
        "december",
    ),
    "en": (
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
}
_PUBLIC = {
    "unread_owned": "unread",
    "not_sure": "not_found",
    "not_quotable": "withheld",
    "withheld_addressed": "withheld",
    "lapsed_withdrawn": "lapsed",
    "expired_unversioned": "expired",
    "patient_group_only": "patient_group",
    "answered_only_for": "only_for",
    "card_other_level_high": "other_level",
    "card_other_level_low": "other_level",
}
_FOR_WHOM = {
    "nl": {"adult": "volwassenen", "child": "kinderen", "neonate": "pasgeborenen", "pregnancy": "zwangeren"},
    "en": {"adult": "adults", "child": "children", "neonate": "newborns", "pregnancy": "pregnant patients"},
}
_PATIENT = {
    "nl": {"adult": "een volwassene", "child": "een kind", "neonate": "een pasgeborene", "pregnancy": "een zwangere"},
    "en": {"adult": "an adult", "child": "a child", "neonate": "a newborn", "pregnancy": "a pregnant patient"},
}


InEach = Mapping[str, str]  # by language
_LANGUAGES = tuple(_MONTHS)


def notice(code: str, language: str, about: tuple[int, ...] = (), **words: str | InEach) -> Notice:
    public = _PUBLIC.get(code, code).removeprefix("card_")
    texts = {
        one: text.format(**{name: said if isinstance(said, str) else said[one] for name, said in words.items()})
        for one, text in _TEXTS[code].items()
    }
    return Notice(public, texts[language], about, language, texts)


def for_whom(groups: Iterable[TargetGroup]) -> InEach:
    """ "volwassenen en zwangeren"."""
    return _joined(groups, _FOR_WHOM, {"nl": "en", "en": "and"})


def the_patient(groups: Iterable[TargetGroup]) -> InEach:
    """ "een kind of een pasgeborene"."""
    return _joined(groups, _PATIENT, {"nl": "of", "en": "or"})


def _joined(groups: Iterable[TargetGroup], called: Mapping[str, InEach], words: InEach) -> InEach:
    ordered = [group for group in TargetGroup if group in set(groups)]
    said = {}
    for language, word in words.items():
        *others, last = (called[language][group] for group in ordered)
        said[language] = f"{', '.join(others)} {word} {last}" if others else last
    return said


def day_of(day: date) -> InEach:
    return {language: f"{day.day} {_MONTHS[language][day.month - 1]} {day.year}" for language in _LANGUAGES}


def minute_of(moment: datetime) -> InEach:
    """On this machine's clock: "26 november 2026, 22:40"."""
    own = moment.astimezone()
    return {language: f"{day}, {own:%H:%M}" for language, day in day_of(own.date()).items()}


def title_of(document: Document) -> str:
    return document.metadata.title or document.source


def withheld(source: Source, language: str) -> Notice:
    """Of a passage that is shown and not quoted, and may hold the answer."""
    if source.addressed:
        return notice("withheld_addressed", language)
    return notice("withheld", language, (source.hit.rank,), title=title_of(source.document), page=str(source.page))


def unread(document: Document, language: str) -> Notice:
    """Of a document that could not be read and whose title fits the question."""
    reason = _UNREAD.get(document.reason, _UNREAD["broken"])
    words: dict[str, str | InEach] = {"title": title_of(document), "owner": document.metadata.owner, "why": reason}
    return notice("unread_owned" if document.metadata.owner else "unread", language, (), **words)


def lapsed(document: Document, language: str) -> Notice:
    """Of a document that fits the question and no longer counts."""
    day, withdrawn = document.metadata.valid_until, document.status == DocumentStatus.RETIRED
    if withdrawn and (ended := document.withdrawn_at or document.updated_at) is not None:
        day = ended.astimezone().date()
    assert day is not None, "it was withdrawn, or is past its last day"
    owner: str | InEach = document.metadata.owner or {"nl": "de eigenaar", "en": "its owner"}
    code = "lapsed_withdrawn" if withdrawn else "lapsed"
    return notice(code, language, (), title=title_of(document), day=day_of(day), owner=owner)


def expired(sources: Sequence[Source], today: date, language: str) -> list[Notice]:
    """One for each document among the sources that is past its validity."""
    found: dict[str, Notice] = {}
    for source in sources:
        document = source.document
        until = document.metadata.valid_until
        if until is not None and until < today:
            code = "expired" if document.metadata.version else "expired_unversioned"
            version, title = document.metadata.version, title_of(document)
            words: dict[str, str | InEach] = {"version": version, "title": title, "day": day_of(until)}
            found.setdefault(document.id, notice(code, language, (source.hit.rank,), **words))
    return list(found.values())
