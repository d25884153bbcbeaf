"""The extent that a question asks for: one thing or two, a list as a whole, or nothing of the
documents at all. By its words, Dutch and English."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from rag_api.guard.drugs import drugs_in
from rag_api.query.followup import ASPECTS, carried, leans, standalone
from rag_api.text.word_match import content_words

# Words that open a question of their own in the middle of one.
_OPENERS = (
    r"hoe(?:veel|lang|vaak)?|wat|wie|wanneer|waar(?:om|mee|heen)?|welke?|mag|moet|kan|moeten|mogen|"
    r"how|what|who|whom|when|where|which|why|can|may|must|should|do|does|is|are|"
    r"hvl|wnr|hoelg|whats|hows|whos|wheres"
)
# What is asked for behind a plus without a word that asks: "bloedverlies na de bevalling + nr
# spoedoproep".
_NAMED = r"nr|nummer|tel\w*|toestel|dosis|duur|prijs|max\w*|interval|dose|number|phone|extension|duration|price"
# What may stand before such a word: "en tegen wanneer", "and within how long".
_TO = (
    r"(?:(?:tegen|vanaf|tot|na|binnen|om "
    r"de|per|voor|naar|met|in|op|bij|sinds|from|until|till|by|after|within|at|for|to|with|on|since)\s+)?"
)
_THEN = r"(?:ook|also|dan|then|erna|daarna|nadien|achteraf|afterwards?),?"  # "and after that, how long"
_CUT = re.compile(
    rf"\s*(?:(?:[?;]|\.{{2,}}|…)(?:\s*(?:en|and)(?:\s+{_THEN})?)?|,?\s+(?:en|and|n|[+&])(?:\s+{_THEN})?)\s+(?={_TO}(?:{_OPENERS})\b)|"
    rf"\?\s+(?=\S+\s+\S)|\s*\+\s*(?=(?:{_NAMED})\b)",
    re.IGNORECASE,
)
_OPENS = re.compile(rf"(?:{_OPENERS})\b", re.IGNORECASE)
_ASKS_FOR = re.compile(rf"(?:{_TO}(?:{_OPENERS})|{_NAMED})\b", re.IGNORECASE)
_WH = r"(?:hoe\w*|wat|wie|wanneer|waar\w*|welke?|how|what|who|whom|when|where|which|why|hvl|wnr)"
_COMMA = re.compile(rf",\s+(?={_TO}{_WH}\b)", re.IGNORECASE)
# "when it rings, who comes"
_CONDITION = re.compile(r"\s*(?:wat als|wat indien|what if|als|if|wanneer|when|waar|where)\b", re.IGNORECASE)
_ASKS_ITSELF = re.compile(rf"{_WH}\b", re.IGNORECASE)
# "ballon bij fluxus: hoeveel ml en hoelang", "rsv, vanaf welke saturatie en hoelang": what stands
# first is what both ask about.
_TOPIC = re.compile(r"([^:?;]{4,80}):\s+(\S.*)", re.DOTALL)
_TOPIC_COMMA = re.compile(rf"([^:?;,]{{3,80}}),\s+({_TO}{_WH}\b.*)", re.DOTALL | re.IGNORECASE)
# The same is asked of another thing, which is named last: "... per keer? en perfalgan?", "how often
# to change the dressing, and the cap?"
_ANOTHER = re.compile(r"(?P<mark>[?,;…]|\.{2,})\s*(?P<rest>(?:en|and)\s+[^,;:?]{3,40})\W*")
_WORD = re.compile(r"[^\W\d_]+")
_WHICH_IS_WHICH = re.compile(
    r"(?:wat is wat|wie is wie|what(?: i|')s what|who(?: i|')s who|which is which)\W*", re.IGNORECASE
)
_TELLS = 4  # words of a question that tells of something
_LEAST = 2  # words of an ask
_LEAST_ITSELF = 3  # of a second one behind a first that does not open as a question
_MOST = 3  # asks of a question; who asks more is answered as one

_ACTIONS = re.compile(
    r"\bwat (?:nu|dan|te doen|eerst|doe(?: ik| je)?|doen we|doet|gedaan)\b|\bwat "
    r"(?:moet|moeten|kan|mag|zal)\b[\w\s]*\bdoen\b|\ben nu\b|"
    r"\bhoe (?:handel|reageer|pak|ga)\b|\b(?:welke|wat zijn de|alle) "
    r"(?:stappen|acties|handelingen|maatregelen)\b|\bstappen(?:plan)?\b|"
    r"\bstap voor stap\b|\bin welke volgorde\b|\b(?:werkwijze|checklist|aanpak|eerste hulp|procedure)\b|"
    r"\bwhat (?:now|next|first)\b|\bwhat (?:do|should|must|can|to)\b[\w\s]*\bdo\b|\bwhat to do\b|\bwhat is done "
    r"first\b|"
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
# Something that has just happened, told and not asked about: "ik heb me geprikt aan een vuile
# naald".
_HAPPENED = re.compile(
    r"\b(?:geprikt|gestoken|gesneden|gebeten|gekrabd|verbrand|gespat|spatte|gemorst|uitgegleden|gevallen|ingeslikt|verslikt|geslagen|bedreigd|"
    r"pricked|stabbed|stuck myself|(?:cut|burn(?:ed|t)|hurt) "
    r"(?:my|myself|himself|herself)|bit(?:ten)?|scratched|splash(?:ed)?|"
    r"spilled|spilt|swallowed|slipped|fell|fallen|choked|threatened)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:ik|we|wij|mij|me|mijn|ons|onze|collega|student|stagiair\w*|i|my|we|our|me|colleague)\b", re.IGNORECASE
)
_ASKS = re.compile(rf"\b(?:{_OPENERS})\b", re.IGNORECASE)
# What a heading says that stands above what is to be done at once.
AT_ONCE = re.compile(
    r"\b(?:meteen|onmiddellijk|dadelijk|direct) (?:te )?(?:doen|handelen|acties?|maatregelen)|"
    r"\b(?:onmiddellijke|dringende|eerste) (?:acties?|maatregelen|stappen|hulp|zorg|opvang)\b|"
    r"\b(?:eerst|wat) (?:te )?doen\b|\bwat doe(?:t|n)? (?:je|u|we)\b|\bimmediate(?:ly)?\b|\bfirst "
    r"(?:actions?|aid|steps?|measures?)\b|"
    r"\b(?:eerste|first) (?:\w+ )?(?:uur|uren|minu\w+|hours?|minutes?)\b|"
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
_THING_EN = (
    r"(?:list|table|schedule|order|score|overview|sequence|scheme|plan|scale|regimen|protocol|pathway|checklist)"
)
_ALL = re.compile(
    rf"\b(?:alles|allemaal|(?:de |het )?(?:hele|volledige?|complete?|ganse) (?:\w+ )?{_THING}|"
    rf"(?:heel|gans) (?:de|het|den) \w+|(?:op|in de juiste|de|welke) volgorde|volgorde van|^volgorde|alle \w+|"
    rf"(?:full|whole|entire|complete) (?:\w+ ){{0,2}}{_THING_EN}|"
    r"all (?:the |of the )?(?:\w+ )?\w+s|everything|all (?:i|we|they|you|that|there is|to)\b|"
    r"every (?:step|item|one)|each step|order of \w+|"
    r"(?:for|at|of|per|with) each(?: \w+)?|(?:bij|voor|in|per|van) (?:elke?|iedere?)(?: \w+)?|"
    rf"wat (?:\w+ ){{1,2}}(?:elke?|iedere?) \w+|what (?:\w+ ){{1,2}}each \w+|(?:bij|vanaf) welke waarden?|"
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
    """Return the question without what only says in which form it is to be answered ("what now, all
    steps in order"): no document says that of itself. The whole of it where nothing else would be
    left."""
    left = " ".join(_ALL.sub(" ", _ACTIONS.sub(" ", question)).split())
    return left if len(content_words(left)) >= _LEAST else question


def is_statement(question: str) -> bool:
    """Return whether it only tells of something, without a word that asks and without one of what
    may be asked of a thing (its dose)."""
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
    """One of the things that a question asks. `text` stands alone; `said` is what the question says
    of this one, which weighs more than what both are about."""

    text: str
    said: str
    alone: str = ""  # what is searched for beside `text`; empty: it cannot be understood without what it is about
    is_of_another: bool = False  # the same as the one before it, of another thing: what answers that is not about this


def asks_of(question: str) -> list[Ask]:
    """The question, or the two or three that it holds. A further one is about what the first is
    about, unless it names another of the same kind: by itself "how long does the flag stay" would
    be answered by any document that has something stay."""
    if (same := _of_another(question.strip())) is not None:
        return same
    topic, rest = _topic(question.strip())
    parts = _parts(rest)
    if not _are_several(parts, topic, question) or _is_of_whole(parts):
        return [Ask(question, question)]
    if topic:
        return [Ask(f"{topic} {part}?", f"{part}?") for part in parts]
    first, *others = (f"{part}?" for part in parts)
    return [Ask(first, first), *(Ask(carried(other, first), other, "" if leans(other) else other) for other in others)]


def _of_another(question: str) -> list[Ask] | None:
    """The same asked of two things, where the second stands alone at the end; None where it does
    not, or belongs to a list of things."""
    found = next((match for match in _ANOTHER.finditer(question) if match.end() == len(question)), None)
    if found is None:
        return None
    first, rest = question[: found.start("rest")].rstrip(" ,;.…?"), found["rest"]
    names_one = not _ASKS.search(rest) and not any(word in ASPECTS for word in _WORD.findall(rest.lower()))
    mark = found["mark"]
    asked = mark == "?" or bool(_ASKS.search(first))
    if (
        not asked
        or not names_one
        or not leans(rest)
        or not content_words(rest)
        or wanted(first) in (Wanted.ALL, Wanted.ACTIONS)
    ):
        return None
    if mark == "," and "," in first:  # the last of a list
        return None
    if drugs_in(rest) and len(drugs_in(first)) > 1:  # of several together one cannot take the place of another
        return None
    return [*asks_of(f"{first}?"), Ask(standalone(f"{rest}?", f"{first}?"), f"{rest}?", is_of_another=True)]


def _topic(question: str) -> tuple[str, str]:
    """What all is asked about, where it stands apart; and the rest."""
    if (named := _TOPIC.fullmatch(question)) is not None:
        return named[1].strip(), named[2]
    named = _TOPIC_COMMA.fullmatch(question)
    if (
        named is not None
        and not _ASKS.search(named[1])
        and not any(word in ASPECTS for word in _WORD.findall(named[1].lower()))
    ):
        return named[1].strip(), named[2]
    return "", question


def _parts(said: str) -> list[str]:
    """Cut where another question begins; of three, one word ("which pill and when, and how long")
    is no question of its own."""
    found: list[str] = []
    for piece in _CUT.split(said):
        listed = _COMMA.split(piece)
        apart = not _CONDITION.match(piece) and all(_ASKS_ITSELF.search(one) for one in listed)
        found += [part for one in (listed if apart else [piece]) if (part := one.strip(" ?,;.…"))]
    if len(found) > 2:
        short = next((at for at in range(1, len(found)) if len(found[at].split()) < _LEAST), None)
        if short is not None:
            found[short - 1 : short + 1] = [f"{found[short - 1]}, {found[short]}"]
    return found


def _is_of_whole(parts: list[str]) -> bool:
    """A further one asks of the list that the first wants what stands in it: "all tubes in order,
    and how often to turn them"."""
    whole = wanted(parts[0]) in (Wanted.ALL, Wanted.ACTIONS) and any(leans(part) for part in parts[1:])
    return whole or any(says_all(part) for part in parts)


def _are_several(parts: list[str], topic: str, question: str) -> bool:
    if not 2 <= len(parts) <= _MOST or not all(
        _ASKS_FOR.match(part) and not _WHICH_IS_WHICH.fullmatch(part) for part in parts[1:]
    ):
        return False
    if topic:
        return True
    asks_itself = bool(_ASKS_ITSELF.match(parts[1])) and len(parts[1].split()) >= _LEAST_ITSELF
    return len(parts[0].split()) >= _LEAST and (bool(_OPENS.search(parts[0])) or "?" in question or asks_itself)
