"""The sentences above an answer, in the question's language. Codes are stable; the page may style by them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from rag_api.domain import Document, Notice, Source, TargetGroup

_TEXTS: dict[str, dict[str, str]] = {
    "not_found": {
        "nl": "Geen document beantwoordt dit. Dichtstbij: {nearest}.",
        "en": "No document answers this. Nearest: {nearest}.",
    },
    "greeting": {
        "nl": "Dag! Stel een vraag over de procedures van het ziekenhuis; het antwoord komt uit de documenten zelf, met de bron erbij.",
        "en": "Hello! Ask about the hospital's procedures; the answer comes from the documents themselves, with its source.",
    },
    "thanks": {
        "nl": "Graag gedaan. Stel gerust nog een vraag.",
        "en": "You are welcome. Feel free to ask something else.",
    },
    "about_bedside": {
        "nl": "Dit is Bedside. Het zoekt in de procedures van het ziekenhuis, citeert wat er staat en opent de bron op de juiste plaats. "
        "Het verzint niets en kent alleen de documenten die zijn ingeladen.",
        "en": "This is Bedside. It searches the hospital's procedures, quotes what they say and opens the source at the right place. "
        "It makes nothing up and knows only the documents that were loaded.",
    },
    "nothing_readable": {
        "nl": "Geen document beantwoordt dit, en er is geen document dat er bij in de buurt komt.",
        "en": "No document answers this, and none comes near.",
    },
    "empty_index": {
        "nl": "Er zijn nog geen documenten. Laad ze met `bedside ingest MAP`.",
        "en": "There are no documents yet. Load them with `bedside ingest FOLDER`.",
    },
    "generator_down": {
        "nl": "De generator is niet beschikbaar; dit zijn de bronnen.",
        "en": "The generator is not available; these are the sources.",
    },
    "generator_refused": {
        "nl": "De generator kon deze vraag niet verwerken; dit zijn de bronnen.",
        "en": "The generator could not take this question; these are the sources.",
    },
    "no_text": {
        "nl": "Het model gaf geen antwoord; dit zijn de bronnen.",
        "en": "The model gave no answer; these are the sources.",
    },
    "no_use": {
        "nl": "Het model herhaalde de vraag of schreef niets uit de bronnen; dit zijn de bronnen.",
        "en": "The model repeated the question or wrote nothing from the sources; these are the sources.",
    },
    "unread": {
        "nl": "{title} past bij de vraag, maar kon niet gelezen worden: {why}.",
        "en": "{title} fits the question, but could not be read: {why}.",
    },
    "unread_owned": {
        "nl": "{title} (eigenaar: {owner}) past bij de vraag, maar kon niet gelezen worden: {why}.",
        "en": "{title} (owner: {owner}) fits the question, but could not be read: {why}.",
    },
    "identity_removed": {
        "nl": "Wat een patiënt herkenbaar maakt, is uit uw vraag weggelaten en niet bewaard.",
        "en": "What identifies a patient was left out of your question and is not kept.",
    },
    "broken_off": {
        "nl": "Het antwoord is afgebroken en dus niet volledig.",
        "en": "The answer broke off and is not complete.",
    },
    "stored_later": {
        "nl": "De database is niet bereikbaar: dit antwoord komt later bij uw gesprekken.",
        "en": "The database cannot be reached: this answer joins your conversations later.",
    },
    "not_stored": {
        "nl": "Dit antwoord kon niet bewaard worden: bij uw gesprekken komt het niet te staan.",
        "en": "This answer could not be stored: it will not be among your conversations.",
    },
    "stopped": {
        "nl": "Het antwoord is gestopt en dus niet volledig.",
        "en": "The answer was stopped and is not complete.",
    },
    "whole_document": {
        "nl": "Het model las {title} in zijn geheel, ook wat daarin voor andere patiënten geldt. Lees de plaats zelf na.",
        "en": "The model read all of {title}, also what it says for other patients. Read the place itself.",
    },
    "part_not_found": {
        "nl": "Op een deel van de vraag is geen antwoord gevonden: {part}",
        "en": "No answer was found to part of the question: {part}",
    },
    "cut_short": {
        "nl": "Het antwoord bereikte de maximale lengte en is mogelijk niet volledig.",
        "en": "The answer reached its greatest length and may not be complete.",
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
        "en": "{title} has been superseded by {newer}.",
    },
    "other_drug": {
        "nl": "Geen van deze documenten noemt {drugs}.",
        "en": "None of these documents names {drugs}.",
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
        "nl": "De vraag noemt geen patiënt. Bron {first} is alleen voor {one}; voor {other} is er bron {second}.",
        "en": "The question names no patient. Source {first} is only for {one}; for {other} there is source {second}.",
    },
    "only_for": {
        "nl": "De vraag noemt geen patiënt. Bron 1 is alleen voor {for_whom}.",
        "en": "The question names no patient. Source 1 is only for {for_whom}.",
    },
    "answered_only_for": {
        "nl": "De vraag noemt geen patiënt. Dit antwoord komt uit een document dat alleen voor {for_whom} is.",
        "en": "The question names no patient. This answer comes from a document that is only for {for_whom}.",
    },
    "not_named": {
        "nl": "Wat hieronder staat, noemt niet: {words}. Ga in de bron na of het daarover gaat.",
        "en": "What stands below does not name: {words}. Check in the source whether it is about that.",
    },
    "other_document": {
        "nl": "Dit antwoord komt uit {title}, niet uit de eerste bron. Ga na of het over deze vraag gaat.",
        "en": "This answer comes from {title}, not from the first source. Check whether it is about this question.",
    },
    "conflict": {
        "nl": "Twee geldige bronnen verschillen: {one} zegt {first_value} (bron {first}), {other} zegt {second_value} (bron {second}).",
        "en": "Two valid sources differ: {one} says {first_value} (source {first}), {other} says {second_value} (source {second}).",
    },
    "versions": {
        "nl": "Er zijn twee geldige documenten met de titel {title}: {one} (bron {first}) en {other} (bron {second}).",
        "en": "There are two valid documents called {title}: {one} (source {first}) and {other} (source {second}).",
    },
    "unsupported": {
        "nl": "Niet in de bronnen van dit antwoord: {numbers}. Kijk het na in het document.",
        "en": "Not in the sources of this answer: {numbers}. Check them in the document.",
    },
    "card_other_group": {
        "nl": "Voor {for_whom}; de vraag noemt {patient}.",
        "en": "For {for_whom}; the question mentions {patient}.",
    },
    "card_other_drug": {"nl": "Noemt {drugs} niet.", "en": "Does not name {drugs}."},
    "card_other_complication": {
        "nl": "Gaat over iets anders en noemt {names} niet; de vraag doet daaraan denken.",
        "en": "Is about something else and does not name {names}, which the question suggests.",
    },
    "card_other_level_high": {
        "nl": "Gaat over {salt} geven of over een tekort; de vraag over te veel.",
        "en": "Is about giving {salt} or a lack of it; the question about too much.",
    },
    "card_other_level_low": {
        "nl": "Gaat over te veel {salt}; de vraag over te weinig.",
        "en": "Is about too much {salt}; the question about too little.",
    },
    "card_twin": {"nl": "Voor {for_whom}; bron {source} is voor {others}.", "en": "For {for_whom}; source {source} is for {others}."},
    "card_scan": {
        "nl": "Als scan geopend: de woorden zijn uit het beeld van de pagina gelezen.",
        "en": "Opened as scan: its words were read from the page's image.",
    },
    "card_scan_in_doubt": {
        "nl": "Als scan geopend: niet elke zin is met zekerheid gelezen, en die worden niet geciteerd. Lees ze op de pagina zelf.",
        "en": "Opened as scan: not every sentence was read with certainty, and those are not quoted. Read them on the page itself.",
    },
    "card_addressed": {
        "nl": "Bevat zinnen die tot een computer spreken en niet tot personeel; die worden niet geciteerd. Meld het aan de beheerder.",
        "en": "Holds sentences that speak to a computer and not to staff; those are not quoted. Tell the administrator.",
    },
    "card_expired": {"nl": "Vervallen op {day}.", "en": "Expired on {day}."},
    "card_superseded": {"nl": "Vervangen door {newer}.", "en": "Superseded by {newer}."},
    "card_conflict": {
        "nl": "Zegt {own_value} waar bron {source} {their_value} zegt.",
        "en": "Says {own_value} where source {source} says {their_value}.",
    },
    "demo_model": {
        "nl": "Dit antwoord komt van het demomodel en is niet voor klinisch gebruik.",
        "en": "This answer comes from the demo model and is not for clinical use.",
    },
}
_OWNER = {"nl": "eigenaar", "en": "owner"}
_UNREAD = {
    "encrypted": {"nl": "het heeft een wachtwoord nodig", "en": "it needs a password"},
    "empty": {"nl": "het is leeg", "en": "it is empty"},
    "broken": {"nl": "het bestand is stuk", "en": "the file is damaged"},
    "too_large": {"nl": "het is te groot", "en": "it is too large"},
    "too_slow": {"nl": "het lezen duurde te lang", "en": "reading it took too long"},
    "too_much_memory": {"nl": "het lezen kostte te veel geheugen", "en": "reading it took too much memory"},
    "no_text_layer": {"nl": "het is een scan zonder tekst", "en": "it is a scan without text"},
    "xfa_form": {"nl": "het is een XFA-formulier", "en": "it is an XFA form"},
    "only_rendered": {"nl": "alleen de opgemaakte pagina's laten zien wat er staat", "en": "only its laid out pages tell what it says"},
    "not_indexed": {"nl": "het kon niet geïndexeerd worden", "en": "it could not be indexed"},
    "unsupported": {"nl": "bestanden van deze soort worden niet gelezen", "en": "files of this kind are not read"},
}
_MONTHS = {
    "nl": ("januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november", "december"),
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"),
}
_PUBLIC = {
    "unread_owned": "unread",
    "expired_unversioned": "expired",
    "patient_group_only": "patient_group",
    "answered_only_for": "only_for",
    "card_other_level_high": "other_level",
    "card_other_level_low": "other_level",
}
_FOR_WHOM = {
    "nl": {"adult": "volwassenen", "child": "kinderen", "neonate": "pasgeborenen", "pregnancy": "zwangeren"},
    "en": {"adult": "adults", "child": "children", "neonate": "newborns", "pregnancy": "pregnancy"},
}
_PATIENT = {
    "nl": {"adult": "een volwassene", "child": "een kind", "neonate": "een pasgeborene", "pregnancy": "een zwangere"},
    "en": {"adult": "an adult", "child": "a child", "neonate": "a newborn", "pregnancy": "a pregnancy"},
}
NEAREST = 3


def notice(code: str, language: str, about: tuple[int, ...] = (), **words: str) -> Notice:
    public = _PUBLIC.get(code, code).removeprefix("card_")
    return Notice(public, _TEXTS[code][language].format(**words), about)


def for_whom(groups: Iterable[TargetGroup], language: str) -> str:
    """ "volwassenen en zwangeren"."""
    return _joined([_FOR_WHOM[language][group] for group in TargetGroup if group in set(groups)], {"nl": "en", "en": "and"}[language])


def the_patient(groups: Iterable[TargetGroup], language: str) -> str:
    """ "een kind of een pasgeborene"."""
    return _joined([_PATIENT[language][group] for group in TargetGroup if group in set(groups)], {"nl": "of", "en": "or"}[language])


def _joined(names: Sequence[str], word: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def day_of(day: date, language: str) -> str:
    return f"{day.day} {_MONTHS[language][day.month - 1]} {day.year}"


def title_of(document: Document) -> str:
    return document.metadata.title or document.source


def not_found(sources: Sequence[Source], language: str) -> Notice:
    """Names the nearest documents, each once, and whose they are."""
    documents = list({source.document.id: source.document for source in sources}.values())[:NEAREST]
    if not documents:
        return notice("nothing_readable", language)
    return notice("not_found", language, nearest="; ".join(_owned(document, language) for document in documents))


def _owned(document: Document, language: str) -> str:
    owner = document.metadata.owner or document.metadata.department
    return f"{title_of(document)} ({_OWNER[language]}: {owner})" if owner else title_of(document)


def unread(document: Document, language: str) -> Notice:
    """Of a document that could not be read and whose title fits the question."""
    reason = _UNREAD.get(document.reason, _UNREAD["broken"])[language]
    words = {"title": title_of(document), "owner": document.metadata.owner, "why": reason}
    return notice("unread_owned" if document.metadata.owner else "unread", language, (), **words)


def expired(sources: Sequence[Source], today: date, language: str) -> list[Notice]:
    """One for each document among the sources that is past its validity."""
    found: dict[str, Notice] = {}
    for source in sources:
        document = source.document
        until = document.metadata.valid_until
        if until is not None and until < today:
            code = "expired" if document.metadata.version else "expired_unversioned"
            words = {"version": document.metadata.version, "title": title_of(document), "day": day_of(until, language)}
            found.setdefault(document.id, notice(code, language, (source.hit.rank,), **words))
    return list(found.values())
