"""What a question asks for: one thing or two, a list as a whole, or nothing of the documents at all. By its words, Dutch and English."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from rag_api.query.followup import ASPECTS, carried, leans
from rag_api.text.word_match import content_words

# Words that open a question of their own in the middle of one.
_OPENERS = (
    r"hoe(?:veel|lang|vaak)?|wat|wie|wanneer|waar(?:om|mee|heen)?|welke?|mag|moet|kan|moeten|mogen|"
    r"how|what|who|whom|when|where|which|why|can|may|must|should|do|does|is|are|"
    r"hvl|wnr|hoelg|whats|hows|whos|wheres"
)
# What is asked for behind a plus without a word that asks: "bloedverlies na de bevalling + nr spoedoproep".
_NAMED = r"nr|nummer|tel\w*|toestel|dosis|duur|prijs|max\w*|interval|dose|number|phone|extension|duration|price"
_CUT = re.compile(
    rf"\s*(?:[?;]\s*(?:en|and)?|,?\s+(?:en|and|n|[+&])(?:\s+(?:ook|also|dan|then))?)\s+(?=(?:{_OPENERS})\b)|\?\s+(?=\S+\s+\S)|"
    rf"\s*\+\s*(?=(?:{_NAMED})\b)",
    re.IGNORECASE,
)
_OPENS = re.compile(rf"(?:{_OPENERS})\b", re.IGNORECASE)
_ASKS_FOR = re.compile(rf"(?:{_OPENERS}|{_NAMED})\b", re.IGNORECASE)
_ASKS_ITSELF = re.compile(r"(?:hoe\w*|wat|wie|wanneer|waar\w*|welke?|how|what|who|whom|when|where|which|why)\b", re.IGNORECASE)
# "ballon bij fluxus: hoeveel ml en hoelang": what stands before the colon is what both ask about.
_TOPIC = re.compile(r"([^:?;]{4,80}):\s+(\S.*)", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+")
_TELLS = 4  # words of a question that tells of something
_LEAST = 2  # words of an ask
_LEAST_ITSELF = 3  # of a second one behind a first that does not open as a question

_ACTIONS = re.compile(
    r"\bwat (?:nu|dan|te doen|eerst|doe(?: ik| je)?|doen we|doet|gedaan)\b|\bwat (?:moet|moeten|kan|mag|zal)\b[\w\s]*\bdoen\b|\ben nu\b|"
    r"\bhoe (?:handel|reageer|pak|ga)\b|\b(?:welke|wat zijn de|alle) (?:stappen|acties|handelingen|maatregelen)\b|\bstappen(?:plan)?\b|"
    r"\bstap voor stap\b|\bin welke volgorde\b|\b(?:werkwijze|checklist|aanpak|eerste hulp|procedure)\b|"
    r"\bwhat (?:now|next|first)\b|\bwhat (?:do|should|must|can|to)\b[\w\s]*\bdo\b|\bwhat to do\b|\bwhat is done first\b|"
    r"\bwhich (?:steps|actions|measures)\b|\bsteps\b|\bstep by step\b|\bin what order\b|\bprocedure for\b|"
    r"\bfirst (?:aid|actions?|measures?)\b|"
    r"\bhow (?:do|should) (?:i|we) (?:act|react|respond|handle|proceed)\b|"
    r"\bwat moet(?:en)?\b[\w\s]*\bgebeuren\b|\bwat gebeurt er\b[\w\s]*\b(?:eerst|meteen|dan|daarna)\b|"
    r"\bhoe (?:verloopt|gaat (?:dat|dit|het))\b|"
    r"\bvan (?:begin tot eind\w*|a tot z)\b|\b(?:na|achter) (?:elkaar|mekaar)\b|"
    r"\bwhat (?:needs to|has to|must) (?:happen|be done)\b|"
    r"\bfrom (?:start|beginning|begin) to (?:finish|end)\b|\bin (?:sequence|which order)\b",
    re.IGNORECASE,
)
# Something that has just happened, told and not asked about: "ik heb me geprikt aan een vuile naald".
_HAPPENED = re.compile(
    r"\b(?:geprikt|gestoken|gesneden|gebeten|gekrabd|verbrand|gespat|spatte|gemorst|uitgegleden|gevallen|ingeslikt|verslikt|geslagen|bedreigd|"
    r"pricked|stabbed|stuck myself|(?:cut|burn(?:ed|t)|hurt) (?:my|myself|himself|herself)|bit(?:ten)?|scratched|splash(?:ed)?|"
    r"spilled|spilt|swallowed|slipped|fell|fallen|choked|threatened)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(r"\b(?:ik|we|wij|mij|me|mijn|ons|onze|collega|student|stagiair\w*|i|my|we|our|me|colleague)\b", re.IGNORECASE)
_ASKS = re.compile(rf"\b(?:{_OPENERS})\b", re.IGNORECASE)
# What a heading says that stands above what is to be done at once.
AT_ONCE = re.compile(
    r"\b(?:meteen|onmiddellijk|dadelijk|direct) (?:te )?(?:doen|handelen|acties?|maatregelen)|"
    r"\b(?:onmiddellijke|dringende|eerste) (?:acties?|maatregelen|stappen|hulp|zorg|opvang)\b|"
    r"\b(?:eerst|wat) (?:te )?doen\b|\bwat doe(?:t|n)? (?:je|u|we)\b|\bimmediate(?:ly)?\b|\bfirst (?:actions?|aid|steps?|measures?)\b|"
    r"\bwhat to do\b|"
    r"\bat once\b|\bstraight away\b|\bdo (?:this )?first\b|\bwerkwijze bij\b|\bhandelwijze bij\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\bwelke\s+(?!dos(?:is|ering)\b)(?:\w+\s+){0,2}(?!dosis\b)\w{3,}(?:en|s)\b|\bwat zijn\b|\bnodig\b|\ballemaal\b|"
    r"\bwat (?:moet|moeten|hoort|hebben|heb|neem|leg)\b.*\b(?:mee|klaar|in|bij)\b|"
    r"\bwhich\s+(?:\w+\s+){0,2}\w{3,}s\b|\bwhat are\b|\bwhat (?:items|equipment|materials?|signs|symptoms|criteria)\b|"
    r"\ball (?:the )?\w+s\b|\bwanneer (?:bel|verwittig|alarmeer)\b|\bwhen (?:do|should) (?:i|we) call\b|"
    r"\bcontra-?indicaties\b|\bcontraindications\b|"
    r"\bwaaraan\b.*\b(?:voldaan|voldoe\w*)\b|\bvoorwaarden\b|\bcriteria\b|\b(?:pre)?conditions\b|\brequirements\b|"
    r"\bwelke \d+\b|\bwhich \d+\b|\bwhat (?:kit|gear|stuff|things|rules|checks)\b|\bwat ligt er\b.*\bklaar\b",
    re.IGNORECASE,
)


# Says in so many words that nothing may be left out.
_THING = r"\w*(?:lijst|tabel|schema|reeks|volgorde|overzicht|telling|score|schaal|plan|protocol|pad)"
_THING_EN = r"(?:list|table|schedule|order|score|overview|sequence|scheme|plan|scale|regimen|protocol|pathway|checklist)"
_ALL = re.compile(
    rf"\b(?:alles|allemaal|(?:de |het )?(?:hele|volledige?|complete?|ganse) (?:\w+ )?{_THING}|"
    rf"(?:heel|gans) (?:de|het|den) \w+|(?:op|in de juiste|de|welke) volgorde|volgorde van|^volgorde|alle \w+|"
    rf"(?:full|whole|entire|complete) (?:\w+ ){{0,2}}{_THING_EN}|"
    r"all (?:the |of the )?(?:\w+ )?\w+s|everything|all (?:i|we|they|you|that|there is|to)\b|"
    r"every (?:step|item|one)|each step|order of \w+|"
    r"(?:for|at|of|per|with) each(?: \w+)?|(?:bij|voor|in|per|van) (?:elke?|iedere?)(?: \w+)?|(?:bij|vanaf) welke waarden?|"
    r"(?:scale|schaal|score) (?:from|van)\b)",
    re.IGNORECASE,
)


class Wanted(StrEnum):
    ONE = "one"  # a fact: a sentence, an item, a row
    SEVERAL = "several"  # things that a list names
    ALL = "all"  # all of them, of a list or table
    ACTIONS = "actions"  # what to do, in order


def wanted(question: str) -> Wanted:
    """Whether a list is asked for as a whole."""
    if _ACTIONS.search(question) or _is_told(question):
        return Wanted.ACTIONS
    if _ALL.search(question):
        return Wanted.ALL
    return Wanted.SEVERAL if _SEVERAL.search(question) else Wanted.ONE


def without_form(question: str) -> str:
    """Return the question without what only says in which form it is to be answered ("what now, all steps in order"): no document says
    that of itself. The whole of it where nothing else would be left."""
    left = " ".join(_ALL.sub(" ", _ACTIONS.sub(" ", question)).split())
    return left if len(content_words(left)) >= _LEAST else question


def asks_nothing(question: str) -> bool:
    """Return whether it only tells of something, without a word that asks and without one of what may be asked of a thing (its dose)."""
    said = _WORD.findall(question.lower())
    return (
        "?" not in question
        and len(said) >= _TELLS
        and not any(_ASKS.fullmatch(word) or _ASKS_ITSELF.fullmatch(word) or word in ASPECTS for word in said)
    )


def says_all(question: str) -> bool:
    """Return whether nothing may be left out."""
    return bool(_ALL.search(question))


def _is_told(question: str) -> bool:
    """An accident, with no question in it."""
    return bool(_HAPPENED.search(question) and _TOLD.search(question)) and not _ASKS.search(question)


@dataclass(frozen=True, slots=True)
class Ask:
    """One of the things that a question asks. `text` stands alone; `said` is what the question says of this one, which weighs more than
    what both are about."""

    text: str
    said: str
    alone: str = ""  # what is searched for where nothing answers `text`; empty: it cannot be understood without what it is about


def asks_of(question: str) -> list[Ask]:
    """The question, or the two that it holds. The second is about what the first is about, unless it names another of the same kind: by
    itself "how long does the flag stay" would be answered by any document that has something stay."""
    named = _TOPIC.fullmatch(question.strip())
    topic, rest = (named[1].strip(), named[2]) if named else ("", question.strip())
    parts = [part.strip(" ?,;") for part in _CUT.split(rest)]
    parts = [part for part in parts if part]
    if not _are_two(parts, topic, question) or _is_of_whole(parts):
        return [Ask(question, question)]
    if topic:
        return [Ask(f"{topic} {part}?", f"{part}?") for part in parts]
    first, second = f"{parts[0]}?", f"{parts[1]}?"
    return [Ask(first, first), Ask(carried(second, first), second, "" if leans(second) else second)]


def _is_of_whole(parts: list[str]) -> bool:
    """The second asks of the list that the first wants what stands in it: "all tubes in order, and how often to turn them"."""
    return wanted(parts[0]) in (Wanted.ALL, Wanted.ACTIONS) and leans(parts[1])


def _are_two(parts: list[str], topic: str, question: str) -> bool:
    if len(parts) != 2 or not _ASKS_FOR.match(parts[1]) or (not topic and any(len(part.split()) < _LEAST for part in parts)):
        return False
    asks_itself = bool(_ASKS_ITSELF.match(parts[1])) and len(parts[1].split()) >= _LEAST_ITSELF
    return bool(topic) or bool(_OPENS.search(parts[0])) or "?" in question or asks_itself
