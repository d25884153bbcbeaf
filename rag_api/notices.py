"""The sentences above an answer, in the question's language. Codes are stable; the page may style by them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from rag_api.types import Notice, Source

_TEXTS: dict[str, dict[str, str]] = {
    "not_found": {
        "nl": "Geen document beantwoordt dit. Dichtstbij: {nearest}.",
        "en": "No document answers this. Nearest: {nearest}.",
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
    "broken_off": {
        "nl": "Het antwoord is afgebroken en dus niet volledig.",
        "en": "The answer broke off and is not complete.",
    },
    "stopped": {
        "nl": "Het antwoord is gestopt en dus niet volledig.",
        "en": "The answer was stopped and is not complete.",
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
    "demo_model": {
        "nl": "Dit antwoord komt van het demomodel en is niet voor klinisch gebruik.",
        "en": "This answer comes from the demo model and is not for clinical use.",
    },
}
_MONTHS = {
    "nl": ("januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november", "december"),
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"),
}
NEAREST = 3


def notice(code: str, language: str, **words: str) -> Notice:
    public = "expired" if code == "expired_unversioned" else code
    return Notice(public, _TEXTS[code][language].format(**words))


def not_found(sources: Sequence[Source], language: str) -> Notice:
    """Names the nearest documents, each once."""
    titles = list(dict.fromkeys(source.document.metadata.title or source.document.source for source in sources))[:NEAREST]
    if not titles:
        return notice("nothing_readable", language)
    return notice("not_found", language, nearest="; ".join(titles))


def expired(sources: Sequence[Source], today: date, language: str) -> list[Notice]:
    """One for each document among the sources that is past its validity."""
    found = {}
    for document in (source.document for source in sources):
        until = document.metadata.valid_until
        if until is not None and until < today:
            code = "expired" if document.metadata.version else "expired_unversioned"
            day = f"{until.day} {_MONTHS[language][until.month - 1]} {until.year}"
            title = document.metadata.title or document.source
            found[document.id] = notice(code, language, version=document.metadata.version, title=title, day=day)
    return list(found.values())
