"""A follow-up question -> one that stands alone: "en bij een kind?" after a question about
paracetamol asks about paracetamol in a child.

Rules, for Dutch and English; no model. Whom a question is about is told by the guard's table of
words. A question is left alone unless it leans on the one before: it opens like a continuation,
points back with a pronoun, or names nothing that a document could be about. Then what the previous
question was about is carried over, and whatever the follow-up says anew replaces its kind: another
patient group, weight or drug takes the old one's place, for two of a kind in one query would find
the wrong patient's dose. Knows neither retrieval nor the language model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_api.domain import TargetGroup
from rag_api.guard.drugs import is_drug
from rag_api.guard.people.patient import CHILD_UNTIL
from rag_api.guard.words import folded, pattern, words
from rag_api.query.shorthand import written_out
from rag_api.query.slot_substitution import in_its_place, with_its_number
from rag_api.text.bm25_analyzer import STOP_WORDS


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What is asked of a thing, not the thing: a question of these alone names no topic.
_ASPECTS = """
aantal afname afnemen again allowed amount antidote antidotum arts beginnen begin bel bellen belt berekenen bereiden bereiding bewaren
bewaring bijwerking bijwerkingen bolus call contact contraindicatie contra-indicatie contraindicaties contra-indicaties contraindication
contraindications contra-indications controle controleren check checked dag dagen daily days dilute dilution doel doen doorgeven dosage
dose doses dosering dosis dokter duration duren duur duurt effects frequentie frequency geef geen gegeven geven gift give given happens
herhaal herhaald herhalen herhaling
hoelang hoeveel hoeveelheid hoevaak houdbaar houdbaarheid how hours infuus inlooptijd inlopen interval keer keep langer level levels lang
long maat maatregelen many max maximaal maximale maximum min minimaal minimale minimum minuten minutes much nodig normaal nummer number
often oplossen opnieuw opstarten opvolgen opvolging phone per pomp ratio rate repeat repeated repetition route run side snel snelheid
speed spiegel spoelen start starten startdosis starting stap stappen step steps stop stoppen stopping store target toedienen toedieningsweg
toediening toestel told tell termijn tijd time times tussen uren uur vaak verdunnen verdunning verwittigen volume volgende next wachten
wait wait warn weg weken week welk welke what when where which who whom why wie waar waarom wanneer wat hoe hoog hoge high laag low
opladen oplaaddosis loading-dose last laatste first eerste mag moet must may should volstaat enough genoeg still nog ook also extra more
meer less minder change aanpassen adjust
"""
ASPECTS = _set(_ASPECTS)
# People, small words and verbs that name no topic either.
_SMALL = """
patient patiënt pt patients patiënten patienten iemand someone het dit dat die deze it this that these those them they hem haar zij hij ze
ie he she er daar hier there here zo so wel dan then exact precies ongeveer about please graag en and of or maar but ok oké okay nu now
blijven blijft zitten zit liggen ligt staan staat gaan gaat komen komt krijgen krijgt hebben heeft worden wordt duren laten lukt lukken
stay stays remain remains go goes come comes get gets have has be been being done put allowed possible mogelijk toegelaten needed
"""
_EMPTY = _set(_SMALL)
_PEOPLE = _set("patient patiënt pt patients patiënten patienten")
_ASKS = _set(
    "wie wat waar wanneer hoe hoeveel hoelang hoevaak welk welke mag moet who what where when which how may "
    "must should can"
)

# Opens a continuation. The first sort makes one whatever follows; the second needs a question
# without a topic of its own.
_OPENS = re.compile(
    r"^(?:en\s+)?(?:wat\s+(?:bij|met|als|voor)|hoe\s+zit\s+(?:het|dat)(?:\s+(?:met|bij|voor|dan))?|hoe\s+dan\s+bij|idem|zelfde|hetzelfde|"
    r"what\s+about|how\s+about|what\s+if|(?:is\s+(?:it|that)\s+)?(?:the\s+)?same)\b|^(?:en|and|maar|but|of|or|dus|so)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:(?:en|and|maar|but|of|or|dus|so|ok|oké|okay)\b[\s,]*)*(?:wat\s+(?=(?:bij|met|als|voor)\b)|"
    r"hoe\s+zit\s+(?:het|dat)\s*(?:dan\s+)?(?:met\s+)?|(?:what|how)\s+about\s+|what\s+(?=if\b)|idem\s+|(?:de|het)?zelfde\s+|(?:the\s+)?same\s+)?",
    re.IGNORECASE,
)  # fmt: skip
# Words that point back whatever stands beside them, and words that may also point forward ("mag
# dat", "die patiënt").
_POINTS = _set(
    "it its they them hem ervan erna ervoor eraan erbij daarna daarvan daarvoor daarmee daarbij daarop daarover"
)
_MAY_POINT = _set("dat die dit deze this that these those hiervan hierna hiervoor hiermee hierbij")
_WHAT_THEN = re.compile(r"\b(?:wat (?:dan|nu)|what (?:then|now))\W*$", re.IGNORECASE)
# Asks what one word means: that word is the topic, whatever was asked before.
_MEANS = re.compile(
    r"^(?:(?:wat|what)\s+(?:is|are)\s+(?:een|an?)\s+[^\s?]+|wat\s+betekent\s+[^\s?]+|what\s+does\s+[^\s?]+\s+mean)\W*$",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"^(?:bij|voor|met|zonder|na|in|tijdens|onder|boven|for|with|without|in|after|during|if|als|via)\b", re.IGNORECASE
)
_MEASURE = re.compile(
    r"\b(?:(?:van|of|from|under|over|boven|onder|weighing|aged)\s+)?\d+(?:[.,]\d+)?\s*-?\s*"
    r"(kg|kilo|gram|jaar|jarige?|j|maanden?|mnd|weken|w|years?|yrs?|year-old|months?|weeks?|"
    r"dagen(?= oud)|days?(?=[ -]old))\b(?:[\s-]+(?:oude?|old))?",
    re.IGNORECASE,
)
_UNITS = {"kg": "weight", "kilo": "weight", "gram": "weight"}  # all others are ages
_DRUG_ALONE = re.compile(
    r"(?:(?P<word>bij|met|na|naast|with|after|on|beside)\s+)?(?P<drug>[^\W\d_][\w-]+)(?:\s+\d+(?:[.,]\d+)?\s*(?:mg|mcg|µg|g)?)?\W*",
    re.IGNORECASE,
)
# Tells how old, how much or when it was, and asks nothing of that: "een baby van 2 dagen", "a stent
# put in last week".
_WHEN = re.compile(
    r"\b\d+(?:[.,]\d+)?\s*[^\W\d_]+|\b(?:last|past|vorige|afgelopen|voorbije)\s+(?:week|weeks|weken|month|months|maand|maanden|year|jaar|night|nacht|dagen|days)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_](?:[\w'’/.-]*[^\W_])?")
_WORD_BEFORE, _WORD_AFTER = re.compile(r"\w+$"), re.compile(r"-\w+")
# "en als ze twee giften nodig had?" sets another condition for what was asked, whatever else it
# names.
_IF = re.compile(r"^(?:en|and|maar|but)\s+(?:wat als|what if|als|indien|if)\b", re.IGNORECASE)
_MOST_IF = 5  # words of its own of such a one
# "als die 82 is", "if she is 82": years, though it does not say so.
_GROWN = re.compile(
    r"\b((?:als|if)\s+(?:hij|zij|ze|die|deze|he|she|they)\s+(?:is\s+|are\s+)?(?:maar\s+|pas\s+|al\s+|only\s+|already\s+)?)(\d{1,3})(?=\s+(?:is|was)\b|\s*\W*$)",
    re.IGNORECASE,
)
# When it is, of which a follow-up's takes the place of the first: "overdag", "om 3 uur 's nachts".
_MOMENT = re.compile(
    r"(?<!\w)(?:overdag|tijdens (?:de )?(?:kantoor|dag|werk)uren|(?:in (?:het|de) |op "
    r")?(?:weekend\w*|weekdag\w*|werkdag\w*)|"
    r"(?:om \d{1,2} ?(?:u|uur|h) )?(?:['’]s ?|in de )?(?:nachts?|snachts|avonds?|savonds|ochtends?|morgens?|middags?)|"
    r"during (?:the )?(?:day|night|office hours)|(?:at|by) (?:night|day)|in the (?:evening|morning|night|weekend)|"
    r"(?:at|on) (?:the )?weekends?|on weekdays|after hours|out of hours)\b",
    re.IGNORECASE,
)
# Somebody, with what leads up to them: another patient takes their place.
_SOMEBODY = re.compile(
    r"\b(?:bij|voor|van|aan|in|for|to|of|with)\s+(?:een|de|a|an|the)\s+"
    r"(?:man|vrouw|dame|heer|patiënt|patient|woman|lady|gentleman|person|persoon)\b|"
    r"\b(?:bij|voor|van|aan|in|for|to|of|with)\s+(?:iemand|someone|somebody)\b",
    re.IGNORECASE,
)
# it is still the same patient
_SAME = re.compile(r"\b(?:als|indien|if)\s+(?:hij|zij|ze|die|deze|he|she|they)\b", re.IGNORECASE)
_MOST_WHOEVER = 3  # words of its own of "en wie alleen het eten brengt?"
_WHOEVER = re.compile(
    r"^(?:en|and)\s+(?:(?:voor|bij|met|for|with)\s+)?(?:wie|iemand die|who(?:ever)?|someone who|anyone who)\b",
    re.IGNORECASE,
)
_MOST_CONTENT = 2  # words of its own with which a question may still lean on the one before


def standalone(question: str, previous: str | None) -> str:
    """Return what is searched for: the question as it is, or joined with `previous`, what was
    searched for before in this conversation; None or empty: nothing was."""
    question = _with_years(question.strip())
    if not previous or not previous.strip() or not leans(question):
        return question
    return _joined(question, previous.strip())


def carried(question: str, previous: str) -> str:
    """Return the question with what the one before it is about, whatever it leans on: the second of
    two that were asked at once."""
    rest = _LEADING.sub("", question, count=1).strip() or question
    return _tidy(f"{_topic(_without_replaced(previous, question))} {rest}")


def _with_years(question: str) -> str:
    return _GROWN.sub(
        lambda match: f"{match[1]}{match[2]} {'years' if match[1].casefold().startswith('if') else 'jaar'}", question
    )


def leans(question: str) -> bool:
    """Whether it can only be understood with the question before."""
    own, said = _content(question), _words(question)
    if not own:
        return bool(said)
    if len(own) <= _MOST_IF and _IF.match(question):
        return True
    if len(own) <= _MOST_WHOEVER and _WHOEVER.match(question):
        return True
    if len(own) <= _MOST_CONTENT and (_OPENS.match(question) or not _POINTS.isdisjoint(said)):
        return True
    if len(own) == 1 and not _is_drug(own[0]) and not _is_keywords(question) and not _MEANS.match(question):
        return True  # "hoeveel vocht geven?": one word is seldom a topic, and the patients it is about would be lost
    rest = _LEADING.sub("", question, count=1)
    return len(own) == 1 and bool(
        _PREPOSITION.match(rest) or _WHAT_THEN.search(question) or not _MAY_POINT.isdisjoint(said)
    )


def refers_back_only(question: str) -> bool:
    """Whether it can only be about what was asked before: it has no topic of its own or points
    back, and names no other patient, measure or drug."""
    own, said = _content(question), _words(question)
    points = not (_POINTS | _MAY_POINT).isdisjoint(said) and len(own) <= _MOST_CONTENT
    names = bool(patients_in(question)) or bool(_MEASURE.search(question)) or any(map(_is_drug, said))
    return bool(said) and (not own or points) and not names


def _is_keywords(question: str) -> bool:
    """ "lokelma dosis", "nummer beroertecode": how a search is typed, which says all it means."""
    return "?" not in question and not any(
        word in _ASKS or _is_small(word) for word in _words(question) if word not in _PEOPLE
    )


def _joined(question: str, previous: str) -> str:
    rest = _LEADING.sub("", question, count=1).strip() or question
    if (other := _with_its_drug(previous, rest)) is not None:
        return _tidy(other)
    kept = _without_replaced(previous, question)
    if (other := in_its_place(kept, rest)) is not None:
        return _tidy(other)
    aspects = [word for word in _words(_WHEN.sub(" ", rest)) if word in ASPECTS]
    nothing_new = not aspects and set(_content(written_out(rest))) <= set(_words(written_out(kept)))
    if nothing_new and (other := with_its_number(kept, rest)) is not None:
        return _tidy(other)
    if aspects:
        return _tidy(f"{_topic(kept)} {rest}")
    return _tidy(f"{kept.rstrip(' ?.!')} {rest}")


def _with_its_drug(previous: str, rest: str) -> str | None:
    """The question before with the drug that is named, and nothing else, in the place of its own:
    of several, of the one behind the same preposition ("and with xarelto?"). None where that is not
    one."""
    named = _DRUG_ALONE.fullmatch(rest.strip())
    if named is None or not _is_drug(named["drug"].lower()):
        return None
    behind = re.compile(rf"\b{named['word']}\s+\Z", re.IGNORECASE) if named["word"] else None
    drugs = (match for match in _WORD.finditer(previous) if _is_drug(match[0].lower()))
    old = [match for match in drugs if behind is None or behind.search(previous[: match.start()])]
    return (
        f"{previous[: old[0].start()]}{named['drug']}{previous[old[0].end() :]}".rstrip(" ?.") + "?"
        if len(old) == 1
        else None
    )


def _without_replaced(previous: str, question: str) -> str:
    """The previous question without what the new one says of the same kind."""
    measures, kept = list(_MEASURE.finditer(question)), previous
    kinds = {_kind(match) for match in measures}
    names_patient = bool(patients_in(question))
    same = _SAME.search(question) is not None
    kept = _MEASURE.sub(lambda match: "" if (names_patient and not same) or _kind(match) in kinds else match[0], kept)
    if _MOMENT.search(question):
        kept = _MOMENT.sub("", kept)
    if names_patient:
        kept = kept if same else _SOMEBODY.sub("", kept)
        kept = _dropped(kept, [named.text for named in patients_in(kept)])
    elif "age" in kinds:
        grown = any(_is_adults_age(match) for match in measures)
        kept = _dropped(
            kept, [named.text for named in patients_in(kept) if named.is_young == grown and not named.is_pregnant]
        )
    if any(_is_drug(word) for word in _words(question)):
        kept = _dropped(kept, [word for word in _WORD.findall(kept) if _is_drug(word.lower())])
    return kept


@dataclass(frozen=True, slots=True)
class NamedPatient:
    """Whom a question is about, in its own words: "kind", "oudere patiënt", "niet-zwangere"."""

    start: int
    end: int
    text: str
    groups: frozenset[TargetGroup]

    @property
    def is_young(self) -> bool:
        return not self.groups.isdisjoint((TargetGroup.CHILD, TargetGroup.NEONATE))

    @property
    def is_pregnant(self) -> bool:
        return TargetGroup.PREGNANCY in self.groups


def patients_in(text: str) -> list[NamedPatient]:
    """By the guard's table; a word of it that is part of a longer one with hyphens stands for all
    of that."""
    known, found = words("patient"), []
    for match in pattern("patient").finditer(folded(text)):
        start, end = match.span()
        while start > 1 and text[start - 1] == "-" and (before := _WORD_BEFORE.search(text[: start - 1])):
            start = before.start()
        while after := _WORD_AFTER.match(text, end):
            end = after.end()
        found.append(NamedPatient(start, end, text[start:end], known[match[0]]))
    return found


def _is_drug(word: str) -> bool:
    return word not in ASPECTS and folded(word) not in words("patient") and is_drug(folded(word))


def _is_adults_age(match: re.Match[str]) -> bool:
    number = re.search(r"\d+", match[0])
    return match[1].lower()[0] in "jy" and number is not None and int(number[0]) >= CHILD_UNTIL


def _kind(match: re.Match[str]) -> str:
    return _UNITS.get(match[1].lower(), "age")


def _dropped(text: str, replaced: Sequence[str]) -> str:
    """Without those words, and without the preposition and article that led up to them."""
    for word in replaced:
        lead = r"(?:\b(?:bij|voor|van|in|for|of|with|met)\s+)?(?:\b(?:een|de|het|a|an|the)\s+)?"
        text = re.sub(rf"{lead}(?<!\w){re.escape(word)}(?!\w)", "", text, flags=re.IGNORECASE)
    return text


def _topic(text: str) -> str:
    """What a question is about: its words but those that say what is asked of it; measures stay
    whole."""
    measures = [match.span() for match in _MEASURE.finditer(text)]
    kept = []
    for match in _WORD.finditer(text):
        in_measure = any(start <= match.start() < end for start, end in measures)
        word = match[0].lower()
        if in_measure or (word not in ASPECTS and not _is_small(word)):
            kept.append(match[0])
    return " ".join(kept)


def _content(question: str) -> list[str]:
    """The words that a document could be about."""
    for named in reversed(patients_in(question)):
        question = f"{question[: named.start]} {question[named.end :]}"
    return [w for w in _words(_MEASURE.sub(" ", question)) if not (w in ASPECTS or _is_small(w) or w[0].isdigit())]


def _is_small(word: str) -> bool:
    return word in _EMPTY or any(word in STOP_WORDS[language] for language in STOP_WORDS)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _tidy(text: str) -> str:
    return re.sub(r"\s+([?,.!])", r"\1", re.sub(r"\s+", " ", text)).strip(" ,")
