"""What a question asks for: one thing or two, a list as a whole, or nothing of the documents at all. By its words, Dutch and English."""

from __future__ import annotations

import re
from enum import StrEnum

from rag_api.query.followup import standalone

# Words that open a question of their own in the middle of one.
_OPENERS = (
    r"hoe(?:veel|lang|vaak)?|wat|wie|wanneer|waar(?:om|mee|heen)?|welke?|mag|moet|kan|moeten|mogen|"
    r"how|what|who|whom|when|where|which|why|can|may|must|should|do|does|is|are"
)
_CUT = re.compile(
    rf"\s*(?:[?;]\s*(?:en|and)?|,?\s+(?:en|and)(?:\s+(?:ook|also|dan|then))?)\s+(?=(?:{_OPENERS})\b)|\?\s+(?=\S+\s+\S)", re.IGNORECASE
)
_OPENS = re.compile(rf"(?:{_OPENERS})\b", re.IGNORECASE)
_LEAST = 2  # words of an ask

_ACTIONS = re.compile(
    r"\bwat (?:nu|dan|te doen|eerst|doe(?: ik| je)?|doen we|doet|gedaan)\b|\bwat (?:moet|moeten|kan|mag|zal)\b[\w\s]*\bdoen\b|\ben nu\b|"
    r"\bhoe (?:handel|reageer|pak|ga)\b|\b(?:welke|wat zijn de|alle) (?:stappen|acties|handelingen|maatregelen)\b|\bstappen(?:plan)?\b|"
    r"\bstap voor stap\b|\bin welke volgorde\b|\b(?:werkwijze|checklist|aanpak|eerste hulp|procedure)\b|"
    r"\bwhat (?:now|next|first)\b|\bwhat (?:do|should|must|can|to)\b[\w\s]*\bdo\b|\bwhat to do\b|\bwhat is done first\b|"
    r"\bwhich (?:steps|actions|measures)\b|\bsteps\b|\bstep by step\b|\bin what order\b|\bprocedure for\b|\bfirst aid\b|"
    r"\bhow (?:do|should) (?:i|we) (?:act|react|respond|handle|proceed)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\bwelke\s+(?!dos(?:is|ering)\b)(?:\w+\s+){0,2}(?!dosis\b)\w{3,}(?:en|s)\b|\bwat zijn\b|\bnodig\b|\ballemaal\b|"
    r"\bwat (?:moet|moeten|hoort|hebben|heb|neem|leg)\b.*\b(?:mee|klaar|in|bij)\b|"
    r"\bwhich\s+(?:\w+\s+){0,2}\w{3,}s\b|\bwhat are\b|\bwhat (?:items|equipment|materials?|signs|symptoms|criteria)\b|"
    r"\ball (?:the )?\w+s\b|\bwanneer (?:bel|verwittig|alarmeer)\b|\bwhen (?:do|should) (?:i|we) call\b|"
    r"\bcontra-?indicaties\b|\bcontraindications\b",
    re.IGNORECASE,
)


class Wanted(StrEnum):
    ONE = "one"  # a fact: a sentence, an item, a row
    SEVERAL = "several"  # things that a list names
    ACTIONS = "actions"  # what to do, in order


def wanted(question: str) -> Wanted:
    """Whether a list is asked for as a whole."""
    if _ACTIONS.search(question):
        return Wanted.ACTIONS
    return Wanted.SEVERAL if _SEVERAL.search(question) else Wanted.ONE


def asks_of(question: str) -> list[str]:
    """The question, or the two that it holds, each so that it stands alone."""
    parts = [part.strip(" ?,;") for part in _CUT.split(question.strip())]
    parts = [part for part in parts if part]
    if len(parts) != 2 or any(len(part.split()) < _LEAST for part in parts):
        return [question]
    if not (_OPENS.search(parts[0]) or "?" in question) or not _OPENS.match(parts[1]):
        return [question]
    return [f"{parts[0]}?", standalone(f"{parts[1]}?", parts[0]).query]
