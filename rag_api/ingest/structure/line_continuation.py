"""Continuation of a line where another one ends: by its letters, its size and weight, and the
margin that was reached or not.

Knows nothing of pages; over a page border the gap between two lines says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from rag_api.ingest.layout.lines import Line, PageItem, Row, stands_below_last_cell

_BULLET = re.compile(r"[•▪●○◦■□☐☑☒▣◆◇▫–—►➢➤→✓✔❑❖*·‣]\s|[o§]\s(?=\S)|-\s")
_NUMBER = re.compile(
    r"\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)]\s|\d{1,2}(?:\.\d{1,2})+\.?\s|stap \d|step \d", re.IGNORECASE
)
_FOOTNOTE = re.compile(r"(?:[⁰¹²³⁴-⁹ᵃᵇᶜᵈᵉᶠᵍʰ]{1,2}|[†‡]{1,2}|\*{2,3})\s?[^\s*]")
_NAME = re.compile(r"[^\W\d_a-z][^\W\d_A-Z]")  # a capital and a small letter: most sentences begin so
_ENDS = re.compile(r"[.!?:;][\"'”’»)\]]*$")
# more of the sentence must come
_OPEN = re.compile(r"(?:,|\b(?:van|de|het|een|en|of|te|die|dat|the|and|or|an?|to|that|which))$")
_OPENS, _CLOSES = re.compile(r"\([^()]*$"), re.compile(r"[^()]*\)")
_MOST_IN_BRACKETS = 4  # lines; further on a bracket was never closed
_CARD, _SHORT = 3, 0.25  # lines; of a page's height
_LETTERS = 0.6  # of a line's signs
_LONG = 12.0  # line heights: lines of figures, all as wide, are shorter
_LEAST_WORD = 1.5  # line heights: a shorter word proves no room
_HYPHENATED = re.compile(r"[^\W_][-\u00ad]$")


def styled_apart(one: Line, two: Line) -> bool:
    """Another size or weight: a heading and its text. A word in bold that a sentence runs into is
    not."""
    if abs(one.size - two.size) > 0.12 * max(one.size, two.size):
        return True
    return one.bold != two.bold and not unfinished(one, two)


def rows_apart(one: Line, two: Line) -> bool:
    """Cells parted by tabs, and what is below them: a row has a line of its own, unless its last
    cell goes on."""
    if "\t" not in one.marked.text:
        return "\t" in two.marked.text and not unfinished(one, two)
    return "\t" in two.marked.text or not stands_below_last_cell(one, two)


def listed(bodies: Sequence[Sequence[PageItem]], heights: Sequence[float]) -> set[int]:
    """The `id()` of lines that stand below another one as on a card: three or more short ones, none
    of which begins small or ends a sentence. heights: of the pages, in reading space."""
    found: set[int] = set()
    for body, height in zip(bodies, heights, strict=True):
        for block in _blocks(body):
            begin = not any(line.marked.text[0].islower() or _HYPHENATED.search(line.marked.text) for line in block)
            short = max(line.x1 - line.x0 for line in block) < _SHORT * height
            figures = any(c.isdigit() for line in block for c in line.marked.text)
            if (
                len(block) >= _CARD
                and begin
                and short
                and figures
                and not any(_ENDS.search(line.marked.text) for line in block)
            ):
                found.update(id(line) for line in block[1:])
    return found


def apart(bodies: Sequence[Sequence[PageItem]], rights: Sequence[Sequence[float]]) -> set[int]:
    """The `id()` of lines that begin small and yet go on with nothing: three or more that all end
    far from the margin, half of which had room for the next one's first word even among these
    lines. rights: each item's right margin."""
    found: set[int] = set()
    for body, ends in zip(bodies, rights, strict=True):
        margin = {id(item): right for item, right in zip(body, ends, strict=True)}
        for block in _blocks(body):
            for run in _far_from(block, margin):
                small = [
                    (one, two)
                    for one, two in pairwise(run)
                    if unfinished(one, two) and not _HYPHENATED.search(one.marked.text)
                ]
                furthest = max(line.x1 for line in run)
                room = [sum(_has_room(one, two, furthest, words) for one, two in small) for words in (1, 2)]
                items = (
                    len(run) >= _CARD
                    and all(map(_in_words, run))
                    and not any(_OPEN.search(one.marked.text) for one, _ in small)
                )
                if items and room[1] and 2 * room[0] >= len(small):
                    found.update(id(two) for _, two in small)
    return found


def _far_from(block: Sequence[Line], margin: Mapping[int, float]) -> Iterator[list[Line]]:
    """Lines of a block of which each but the last had room for three words like the next one's
    first."""
    run: list[Line] = []
    for line in block:
        if run and not (_has_room(run[-1], line, margin[id(run[-1])], 3) and _follows(run[-1], line)):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _follows(one: Line, two: Line) -> bool:
    """No end of a sentence, no white and no cells part them."""
    return (
        not _ENDS.search(one.marked.text)
        and two.y0 - one.y1 < 0.5 * one.size
        and "\t" not in one.marked.text + two.marked.text
    )


def _in_words(line: Line) -> bool:
    """No formula, whose sentence goes on below it."""
    return sum(c.isalpha() for c in line.marked.text) > _LETTERS * len(line.marked.text.replace(" ", ""))


def _has_room(one: Line, two: Line, right: float, words: int) -> bool:
    return one.x1 + words * (0.25 * one.size + max(two.first_word, _LEAST_WORD * one.size)) < right


def _blocks(body: Sequence[PageItem]) -> Iterator[list[Line]]:
    """Lines of one style that begin below each other."""
    block: list[Line] = []
    for item in body:
        last = block[-1] if block else None
        if not (
            isinstance(item, Line)
            and last
            and not jumps(last, item)
            and not styled_apart(last, item)
            and abs(item.x0 - last.x0) < 1
        ):
            if block:
                yield block
            block = []
        if isinstance(item, Line):
            block.append(item)
    if block:
        yield block


def in_brackets(bodies: Sequence[Sequence[PageItem]]) -> set[int]:
    """The `id()` of lines up to the one that closes a bracket which a line above opened, though a
    sentence in it ended there."""
    found: set[int] = set()
    for body in bodies:
        inner: list[Line] = []  # from the one that opens it on
        for item in body:
            if not isinstance(item, Line) or (inner and not _may_go_on(inner[-1], item)):
                inner = []
            elif inner and _CLOSES.match(item.marked.text):
                found.update(id(line) for line in (*inner[1:], item))
                inner = []
            if isinstance(item, Line) and (inner or _OPENS.search(item.marked.text)):
                inner = [*inner, item] if len(inner) < _MOST_IN_BRACKETS else []
    return found


def _may_go_on(one: Line, two: Line) -> bool:
    near = two.y0 - one.y1 < 0.75 * one.size and not jumps(one, two) and "\t" not in one.marked.text + two.marked.text
    return near and not styled_apart(one, two) and not _label(two)


def heads(one: Line, two: Line) -> bool:
    """`one` is the heading of `two`."""
    return (one.bold and not two.bold) or one.size > 1.12 * two.size


def jumps(one: Line, two: Line) -> bool:
    return two.y1 < one.y0 or two.x0 > one.x1 or two.aside != one.aside


def unfinished(one: Line, two: Line) -> bool:
    """By their letters alone, `two` must go on with `one`'s sentence: it begins small, or closes a
    bracket that was opened."""
    goes = two.marked.text[0].islower() or (_OPENS.search(one.marked.text) and _CLOSES.match(two.marked.text))
    return bool(goes) and not _ENDS.search(one.marked.text) and not _starts_item(one, two, wraps=False)


def goes_on(one: Line, two: Line, right: float) -> bool:
    """The line ended because its margin was reached. If two's first word had fitted, the writer
    broke the line."""
    wraps = is_full(one, two, right)
    if _starts_item(one, two, wraps):
        return False
    if _HYPHENATED.search(one.marked.text) and two.marked.text[0].isalpha():
        return True
    if unfinished(one, two):
        return True
    indented = two.x0 > one.x0 + 1.2 * one.size and not _label(one)
    if indented and (_ENDS.search(one.marked.text) or not wraps):
        return False
    return wraps


def goes_over(one: Line, two: Line, right: float) -> bool:
    """As `goes_on`, over a page border, where the gap says nothing."""
    if _HYPHENATED.search(one.marked.text) and two.marked.text[0].islower():
        return True
    if _label(two) or one.marked.text.endswith(":"):
        return False
    return unfinished(one, two) or is_full(one, two, right)


def is_full(one: Line, two: Line, right: float) -> bool:
    """The next line's first word would not have fitted."""
    return one.x1 + 0.25 * one.size + two.first_word > right - 1


def continues(one: Line, two: Line, right: float) -> bool:
    """`two` is the rest of `one`'s sentence, whatever stands between them."""
    if styled_apart(one, two) or _label(two) or _ENDS.search(one.marked.text):
        return False
    return unfinished(one, two) or (is_full(one, two, right) and not _NAME.match(two.marked.text))


def _label(line: Line) -> bool:
    text = line.marked.text
    return bool(_BULLET.match(text) or _NUMBER.match(text) or _FOOTNOTE.match(text))


def _starts_item(one: Line, two: Line, wraps: bool) -> bool:
    """`two` opens a list item. A wrapped line may begin with '4.2 ' or '- ' by chance: then `one`
    is full and unfinished."""
    text = two.marked.text
    if _FOOTNOTE.match(text) or (_BULLET.match(text) and text[0] not in "-–—*o"):
        return True
    if not _label(two):
        return False
    by_chance = (
        wraps
        and not _ENDS.search(one.marked.text)
        and two.x0 > one.x0 - 3
        and not (_label(one) and abs(two.x0 - one.x0) < 3)
    )
    return not by_chance


def all_right_margins(bodies: Sequence[Sequence[PageItem]]) -> list[list[float]]:
    """For each item the right margin of its column, or of its lines that are set to one beside a
    box. A lone line has none of its own: it gets the document's furthest."""
    runs = [list(_runs(body)) for body in bodies]
    own = [[_margin([body[i] for i in run]) for run in page] for body, page in zip(bodies, runs, strict=True)]
    furthest = max((max(margins, default=0.0) for margins in own), default=0.0)
    rights = [[0.0] * len(body) for body in bodies]
    for page, found, margins in zip(runs, own, rights, strict=True):
        for run, margin in zip(page, found, strict=True):
            for i in run:
                margins[i] = margin if len(run) > 2 else furthest
    for body, margins in zip(bodies, rights, strict=True):
        for n, three in enumerate(zip(body, body[1:], body[2:], strict=False)):
            if (end := _justified(three)) is not None:
                margins[n : n + 3] = [min(end, margin) for margin in margins[n : n + 3]]
    return rights


def _justified(lines: Sequence[PageItem]) -> float | None:
    """Where long lines below each other all end, if they do: no chance makes three do so."""
    ends = [line.x1 for line in lines if isinstance(line, Line) and line.x1 - line.x0 > _LONG * line.size]
    below = all(isinstance(two, Line) and not jumps(one, two) for one, two in pairwise(lines) if isinstance(one, Line))
    return max(ends) if len(ends) == len(lines) and below and max(ends) - min(ends) < 1 else None


def _runs(body: Sequence[PageItem]) -> Iterator[list[int]]:
    """The lines of a page, by column: a run ends where the text jumps up or aside."""
    run: list[int] = []
    for i, item in enumerate(body):
        if isinstance(item, Row):
            continue
        last = body[run[-1]] if run else None
        if isinstance(last, Line) and jumps(last, item):
            yield run
            run = []
        run.append(i)
    if run:
        yield run


def _margin(run: Sequence[PageItem]) -> float:
    """The furthest right that at least two lines come near, of the size that most have: a heading
    may reach over two columns."""
    lines = [line for line in run if isinstance(line, Line)]
    usual = sorted(line.size for line in lines)[len(lines) // 2]
    ends = sorted((line.x1 for line in lines if abs(line.size - usual) <= 0.12 * usual), reverse=True)
    near = 0.12 * (ends[0] - min(line.x0 for line in lines))
    return next((one for one, two in pairwise(ends) if one - two < near), ends[0]) if len(ends) > 3 else ends[0]


def usual_gap(body: Sequence[PageItem]) -> float:
    """The usual white between two lines of a page."""
    lines = [(a, b) for a, b in pairwise(body) if isinstance(a, Line) and isinstance(b, Line) and not jumps(a, b)]
    gaps = [b.y0 - a.y1 for a, b in lines if abs(b.x0 - a.x0) < 2]
    return float(np.median(gaps)) if len(gaps) > 2 else 0.0
