"""Ends of sentences, in Dutch and English clinical text. Knows characters only: no pages, no
scores, no models.

A wrong join makes a sentence long; a wrong cut can lose a "not". So where it is in doubt nothing is
cut. Line breaks are boundaries (headings, list items, table rows, paragraphs: cleaning joins
wrapped lines), save where the next line goes on in lower case. pysbd's Dutch cuts after "3x/d.", "7
d." and "Dr.", hence these own rules; docs/evaluation.md has the comparison.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

_OPENS_WORDS = """
afb afd agv approx apr art ass aug bijl bijv blz bv ca cf cfr dd dec dhr di do dr dra drs dwz ea ed eds eg ev evt excl ext fax feb fig
fri geb gem gen hfst hr ia ie ikv incl ing inz ipv ir ivg ivm jan jr jul jun ma max mbt mbv mevr min mn mogel mon mr mrs mrt ms mw nl no
nov nr nrs oa obv okt ong ongev pag par pp proc prof prot protoc ref refs resp sect sept spec sr st tab tabl tbv tel tgv thu tov tue vb
vers vgl vit viz vol vpk vr vs wed wo za zg zgn zr
"""
_CLOSES_WORDS = """
ac am amp bd bid bvba caps cl cm co comp d dl dos dr e ed eh enz etc g gtt h hr hrs hs id ie ih im inc inf inh inj ip iu iv j jr kg l
ltd m mcg meq mg min ml mm mmol mnd mo mol mval neb no nv od os ou pc perf pm po pr prn pv qd qds qid rect resp s sc sec seq sl st stat
supp tab tabl tds tid top u ug vag vzw wk wkn x y yr yrs µg
"""
_STARTER_WORDS = """
a aan according administer adults after all alle alleen als also altijd always an ask at avoid before bel bepaal bespreek bewaar bewaren
bij call check children choose consult contact contacteer contra-indicatie contra-indicaties controleer controleren daarbij daarna dan
dat de decrease determine deze die dien dilute discuss dit do during each een elk elke enkel er every flush for from gebruik gebruiken
geef geeft geen give he herhaal het hierbij hiervoor ieder iedere if in increase indien it keep kies kinderen let maximum measure meet
met meten minimum monitor na nadien neem neonaten never niet no nooit not note noteer notify observe observeer om on once only ook op
opgelet overleg pas patient patients patiënt patiënten plaats place raadpleeg record registreer remove repeat replace rinse see she
spoel start steeds stop store take tenzij that the then there thereafter these they this those tijdens to toedienen tot unless until use
using vanaf verdun verhoog verlaag vermijd vervang vervolgens verwijder verwittig volgens volwassenen voor vraag wacht wait wanneer we
when with without you zie zodra zonder zwangeren
"""
_OPENS = frozenset(_OPENS_WORDS.split())  # abbreviations that never end a sentence: something must follow them
# may end one (units, routes, "etc."): only before a word that can hardly continue it
_CLOSES = frozenset(_CLOSES_WORDS.split())
_STARTERS = frozenset(_STARTER_WORDS.split())  # words, capitalised, that can hardly continue a sentence
_BULLET = re.compile(r"[-–—•●▪◦‣∙·*☐☑☒▣□✓✔➢►]\s|\(?(?:\d{1,2}|[a-zA-Z])[.)]\s|\d{1,2}(?:\.\d{1,2})+\.?\s")
_END = re.compile(r"([.!?…]+)[\"'”’»)\]]*\s+")
_BACK = 300  # characters looked back for an open bracket or the word before
_CELLS = re.compile(r"\t| \| ")
_NUMBERED = re.compile(r"\d{1,2}(\.\d{1,2})*\.?\s+\S")
# Words that end no line of their own: what they govern stands on the next.
_HANGING_WORDS = """
a aan an and at bij by de dan door een en for from het in into met na naar naast of om onder op over per sinds since than that the to tot
tussen until up van vanaf via volgens voor when wanneer with without zonder
"""
_HANGING = frozenset(_HANGING_WORDS.split())


class LineKind(StrEnum):
    PROSE = "prose"
    HEADING = "heading"  # a line that names what follows and answers nothing
    ITEM = "item"  # of a list
    ROW = "row"  # of a table


@dataclass(frozen=True, slots=True)
class Span:
    """text[start:end], trailing white space included. Spans partition their text."""

    start: int
    end: int
    kind: LineKind = LineKind.PROSE


def sentences(text: str) -> list[Span]:
    """Spans in order, `"".join(text[s.start:s.end]) == text`; leading white space belongs to the
    first."""
    spans: list[Span] = []
    for line in lines(text):
        cut = (
            sentences_of(text, line.start, line.end)
            if line.kind in (LineKind.PROSE, LineKind.ITEM)
            else [(line.start, line.end)]
        )
        spans.extend(
            Span(a, b, line.kind if a == line.start or line.kind != LineKind.ITEM else LineKind.PROSE) for a, b in cut
        )
    return spans


def lines(text: str) -> list[Span]:
    """As `sentences`, each line (or what wrapped lines join to) whole."""
    return [
        Span(start, end, kind_of_line(text[start:end], followed=bool(text[end:].strip())))
        for start, end in _blocks(text)
    ]


def sentences_of(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the sentences of one paragraph stand; they partition it."""
    return list(pairwise([start, *_cuts(text, start, end), end]))


def _blocks(text: str) -> list[tuple[int, int]]:
    """Lines, joined where the next one clearly goes on."""
    starts = [0]
    for match in re.finditer(r"\s*\n\s*", text):
        begin, end = match.span()
        if 0 < end < len(text) and text[:begin].strip() and not _continues(text, starts[-1], begin, end):
            starts.append(end)
    return list(zip(starts, [*starts[1:], len(text)], strict=True)) if text else []


def _continues(text: str, line: int, begin: int, end: int) -> bool:
    """The line text[line:begin] goes on at `end`: in lower case or a bracket, or after a word that
    cannot end it; neither being list nor table."""
    gap, following = text[begin:end], text[end : end + 200].split("\n", 1)[0]
    if gap.count("\n") > 1 or _BULLET.match(following) or _CELLS.search(following) or _CELLS.search(text[line:begin]):
        return False
    if text[begin - 1] in ".!?:;…":
        return False
    if following[:1].islower() or text[line:begin].rsplit(maxsplit=1)[-1] in _HANGING:
        return True
    return following[:1] == "(" and not following[1:2].isupper() and not is_heading(text[line:begin])


def kind_of_line(block: str, followed: bool) -> LineKind:
    """What a line is by its characters. followed: something comes after it."""
    line = block.strip()
    if _CELLS.search(line):
        return LineKind.ROW
    if is_heading(line) and followed:
        return LineKind.HEADING
    return LineKind.ITEM if _BULLET.match(line) else LineKind.PROSE


def is_heading(line: str) -> bool:
    """A short line that ends like no sentence and begins like a title: "4.2 Dosering",
    "Contra-indicaties"."""
    line = line.strip()
    if not line or len(line) > 90 or line[-1] in ".!?:;,…":
        return False
    numbered = bool(_NUMBERED.match(line))
    if _BULLET.match(line) and not numbered:
        return False
    body = line.lstrip("0123456789. ")
    return body[:1].isupper() and len(body.split()) <= (12 if numbered else 7)


def _cuts(text: str, start: int, end: int) -> list[int]:
    """Positions inside the block where a sentence begins."""
    cuts: list[int] = []
    for match in _END.finditer(text, start, end):
        if match.end() < end and _ends(text, cuts[-1] if cuts else start, match, end):
            cuts.append(match.end())
    return cuts


def _ends(text: str, start: int, match: re.Match[str], end: int) -> bool:
    following = text[match.end() : min(end, match.end() + 80)]
    first = following[0]
    before = text[max(start, match.start() - _BACK) : match.start()]
    if first.islower() or _open(before + match[0]):
        return False
    if match[1] != ".":
        return first.isupper() or first.isdigit() or not first.isalnum()
    words = before.split()
    if not words or (len(words) == 1 and re.fullmatch(r"\(?(\d{1,2}|[a-zA-Z])(\.\d{1,2})*", words[0])):
        return False  # the number of a list item
    return _word_ends(words[-1].lstrip("([\"'“‘").lower(), words, following)


def _word_ends(word: str, before: list[str], following: str) -> bool:
    """Whether the full stop after `word` ends the sentence, given what follows it."""
    tail = re.split(r"[/,]", word)[-1]  # mmol/u, 3x/d
    bare = tail.replace(".", "")
    next_word = re.split(r"[\s,:;.]", following.lstrip("([\"'“‘"), maxsplit=1)[0]
    starts = next_word.lower() in _STARTERS
    after_number = len(before) > 1 and before[-2][-1:].isdigit()
    is_unit = (bare in _CLOSES or (bare.strip("0123456789.,") in _CLOSES and bare[:1].isdigit())) and (
        bare not in _OPENS or after_number
    )
    if is_unit or "." in tail.strip("0123456789."):
        return starts
    if bare in _OPENS:
        return False
    if len(bare) == 1 and bare.isalpha():  # an initial, "vitamine C."
        return starts
    if bare.isalpha() and len(bare) <= 4 and not set(bare) & set("aeiouyáéíóúàèëïöü"):  # an abbreviation by its looks
        return starts
    return not (following[0].isdigit() and bare.isalpha() and len(bare) <= 4)


def _open(text: str) -> bool:
    """A bracket is still open at its end."""
    return text.count("(") > text.count(")") or text.count("[") > text.count("]")
