"""Choice of the spans that a verbatim answer may be made of: which sentences fit who is asked
about, and whether they are quoted alone or as a whole list.

Candidates come best first. What is left out here cannot be quoted; what comes in a section of its
own stands before the rest. Knows no language model, no database and no pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rag_api.answering.choosing.fitting import META_STATEMENT, fitting, is_for_other_numbers, names_others
from rag_api.answering.choosing.read_documents import ReadDocuments
from rag_api.answering.choosing.table_rows import (
    LONGEST_LIST,
    ROWS,
    SHORTEST_CONDITION,
    SURE,
    is_for_unknown_numbers,
    special_rows,
    tied_list,
    tied_table,
    unit_of,
    without_other_cases,
    without_other_rows,
    without_other_times,
)
from rag_api.domain import Block, BlockKind, Candidate, TargetGroup
from rag_api.guard.complications import names_it
from rag_api.guard.drugs import drugs_in, is_of_another, names
from rag_api.query.analysis import Analysis
from rag_api.query.followup import patients_in
from rag_api.query.question_parts import AT_ONCE, Wanted, is_statement, says_all, wanted
from rag_api.text.quotable.quotable_spans import Quotable, quotable_of, wholes
from rag_api.text.quotable.uncertain import BLANK
from rag_api.text.ranges import fits
from rag_api.text.sentence_splitter import LineKind
from rag_api.text.word_match import Called, held

# nats below the best sentence where a list is still what is wanted: of actions, of all there is
ACTIONS_MARGIN, ALL_MARGIN = 2.0, 1.0
LONGEST_SECTION = 1_500  # characters of what stands below a heading, that are quoted where all of it is asked for
# nats that speak for a list that is numbered, and for one below a heading that says what to do
ORDERED, NAMED = 1.5, 3.0
NEAREST = 8.0  # nats for a list of the document of the best passage
LISTED = 1.5  # nats for a list where several things are asked for
WANTS_LIST = (Wanted.ACTIONS, Wanted.ALL)  # where a list is wanted, and nothing less
FIRST = 8.0  # nats for a list below one that says what to do first: it seldom speaks of what happened
ALIKE = 3.0  # nats between the best row and the third that leave open which one is asked for
LONGEST_PARAGRAPH = 900
_RARE = 0.25  # share of a document's sentences up to which a word tells one from another
_NEGATES = re.compile(
    r"\b(geen|niet|nooit|vermijd\w*|gecontra-?indiceerd|contra-?indicati\w*|verboden|no|not|never|avoid\w*|contraindicat\w*|don't)\b",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"meteen|onmiddellijk|dadelijk|eerst|wat te "
    r"doen|stappen|werkwijze|aanpak|handel|maatregel|volgorde|opvang|procedure|immediate|first|"
    r"what to do|steps|action|at once|straight away",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"(?:geef|behandel|start|stop|bel|verwittig|leg|spoel|verwijder|dien|vraag|plaats|sluit|maak|laat|breng|controleer|meet|neem|"
    r"give|treat|start|stop|call|lay|rinse|remove|ask|place|close|take|check|measure|keep|put|apply|inject)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of an answer that is chosen by itself. most: sentences; None: as many as was
    calibrated. asked: what it answers."""

    candidates: tuple[Candidate, ...]
    most: int | None = None
    asked: Analysis | None = None

    @property
    def first(self) -> tuple[str, int, int]:
        """The place of its likeliest candidate."""
        best = self.candidates[0]
        return best.document_id, best.start, best.end


def sections(question: Analysis, candidates: Sequence[Candidate], read: ReadDocuments) -> list[Section]:
    """Return what is quoted, section by section: an exception that concerns who is asked about
    before what it overrules."""
    left = fitting(question, _without_the_titles_drug(question, candidates, read))
    left = without_other_times(question, without_other_cases(question, left, read), read)
    left = _with_what_it_introduces(left, read)
    return [replace(section, asked=question) for section in _sections(question, left, read)] if left else []


def _without_the_titles_drug(
    question: Analysis, candidates: Sequence[Candidate], read: ReadDocuments
) -> list[Candidate]:
    """In a document that is titled after another drug, what does not name the one that is asked
    about is said of that, however the document names it elsewhere."""
    if not question.drugs:
        return list(candidates)
    return [c for c in candidates if not _is_of_the_titles_drug(question, c, read)]


def _is_of_the_titles_drug(question: Analysis, candidate: Candidate, read: ReadDocuments) -> bool:
    title, quote = read.titles.get(candidate.document_id, ""), read.quote(candidate)
    if not is_of_another(title, question.drug_names) or names(candidate.text, question.drug_names):
        return False
    text = read.texts.get(candidate.document_id, "")
    return not any(names(text[a:b], question.drug_names) for a, b in (quote.path if quote is not None else ()))


def _sections(question: Analysis, left: list[Candidate], read: ReadDocuments) -> list[Section]:
    if (told := _of_complication(question, left, read)) is not None:
        return [Section((told,), 1)]
    first = [c for c in left if c.document_id == left[0].document_id]
    exception, whole = _exception(question, first, read), _whole(question, left, read)
    if exception is not None and not (whole is not None and overlap(whole, exception) and _lists(whole, read)):
        return [Section((exception,), 1), Section(tuple(c for c in first if not overlap(c, exception)), 1)]
    if whole is not None:
        return [Section((whole,), 1)]
    table = tied_table(question, first, read)
    if table is not None and BLANK not in (every := _of(table, first[0], read.texts[first[0].document_id])).text:
        return [Section((every,), 1)]
    items = tied_list(first, read)
    if items is not None and BLANK not in (every := _of(items, first[0], read.texts[first[0].document_id])).text:
        return [Section((every,), 1)]
    special = special_rows(question, first, read)
    rest = _without_special_patients(
        question, [c for c in without_other_rows(question, left, read) if c not in special], read
    )
    rest = _without_other_numbers(question, _with_what_to_do(question, rest, read))
    return [*(Section((row,), 1) for row in special), Section(tuple(rest))]


def _without_other_numbers(question: Analysis, left: list[Candidate]) -> list[Candidate]:
    """Beside the best sentence nothing that holds at another weight or age, nor a row for numbers
    that cannot be compared: the dose of a child of 12 kg behind the table that has that of 20."""
    return [
        c
        for c in left
        if c is left[0] or not (is_for_other_numbers(question, c.own) or is_for_unknown_numbers(question, c))
    ]


_SPECIAL = frozenset((TargetGroup.CHILD, TargetGroup.NEONATE, TargetGroup.PREGNANCY))


def _without_special_patients(question: Analysis, left: list[Candidate], read: ReadDocuments) -> list[Candidate]:
    """Of somebody of whom nothing is said no more is quoted beside the best sentence than what
    holds for all: not the child's dose behind the adult's."""
    best = left[0] if left else None
    if (
        best is None
        or question.patient.groups
        or _specials(read.titles.get(best.document_id, ""))
        or _specials(best.own)
    ):
        return left
    return [c for c in left if c is best or not _specials(c.own)]


def _specials(text: str) -> bool:
    return any(_SPECIAL & named.groups for named in patients_in(text))


def _with_what_it_introduces(left: list[Candidate], read: ReadDocuments) -> list[Candidate]:
    """A line that only introduces ("High risk, in addition:") with the list or paragraph below it;
    without one it says nothing."""
    found = []
    for candidate in left:
        text = read.texts.get(candidate.document_id, "")
        if not candidate.own.rstrip().endswith(":"):
            found.append(candidate)
            continue
        units = wholes(text, read.blocks(candidate.document_id)).values()
        after = min((unit for unit in units if unit.start >= candidate.end), key=lambda unit: unit.start, default=None)
        if after is None or text[candidate.end : after.start].strip() or after.end - candidate.start > LONGEST_SECTION:
            continue
        said = text[candidate.start : after.end]
        if BLANK not in said:
            found.append(replace(candidate, end=after.end, text=candidate.before + said))
    return found or left


def _with_what_to_do(question: Analysis, left: list[Candidate], read: ReadDocuments) -> list[Candidate]:
    """A question that only tells how it is with somebody ("grey skin after a nerve block") wants
    what is done about it: the sentence that follows the one on what is the matter."""
    best, text = left[0], read.texts.get(left[0].document_id, "")
    quote = read.quote(best) if is_statement(question.text) else None
    if quote is None or quote.kind != LineKind.PROSE:
        return left
    structure = read.structures.get(best.document_id, "")
    after = next((q for q in quotable_of(text, structure) if q.start == best.end and q.block == quote.block), None)
    if after is None or _DOES.match(text[best.start : best.end]) or not _DOES.match(text[after.start : after.end]):
        return left
    both = replace(best, end=after.end, text=best.text + text[after.start : after.end])
    return [both, *(c for c in left[1:] if not overlap(c, both))]


def _exception(question: Analysis, first: Sequence[Candidate], read: ReadDocuments) -> Candidate | None:
    """A sentence that takes something away from patients as the question names them, near to what
    would be quoted without it; None when that is the best one anyway."""
    conditions = _conditions(question, first, read.titles.get(first[0].document_id, ""))
    best = read.quote(first[0])
    if not conditions or best is None:
        return None
    for candidate in first:
        if not _NEGATES.search(candidate.text) or not any(
            held(called, candidate.text) >= SURE for called in conditions
        ):
            continue
        if candidate is first[0] or overlap(candidate, first[0]):
            return None
        quote = read.quote(candidate)
        if quote is not None and (quote.group == best.group >= 0 or quote.path[-1:] == best.path[-1:]):
            return candidate
    return None


def _conditions(question: Analysis, first: Sequence[Candidate], title: str) -> list[Called]:
    """The question's words that few of these sentences hold: what sets this patient apart from the
    others, not what the document is about."""
    found = []
    for called in question.sought:
        if len(called[0][0]) < SHORTEST_CONDITION or drugs_in(called[0][0]) or held(called, title) >= SURE:
            continue
        holding = sum(held(called, c.text) >= SURE for c in first)
        if 0 < holding <= max(1, _RARE * len(first)):
            found.append(called)
    return found


def with_the_rest(
    chosen: Sequence[Section],
    pointed: Callable[[Section], Sequence[Candidate]],
    read: ReadDocuments,
    perhaps: Callable[[Section], Sequence[Candidate]] = lambda _: (),
) -> tuple[Section, ...]:
    """The sections; but in place of a row stands its whole table, and in place of an item that no
    second reader surely points to its whole list, once: which one of it is meant is open, and a row
    alone hides that another is for this patient. pointed: what that reader surely points to for
    what a section answers; perhaps: however sure, which tells the row of its table."""
    found, said = list[Section](), list[Candidate]()
    for section in chosen:
        grown, places = list[Candidate](), pointed(section)
        for candidate in section.candidates:
            one = (
                candidate
                if not _is_row(candidate, read) and any(overlap(candidate, place) for place in places)
                else _whole_of(candidate, section.asked, read)
            )
            if one != candidate and _is_row(candidate, read) and any(overlap(candidate, at) for at in perhaps(section)):
                one = replace(one, said=(candidate.start, candidate.end))
            if not any(overlap(one, other) for other in (*said, *grown)):
                grown.append(one)
        said += grown[:1]
        if grown or not section.candidates:
            alone = bool(grown) and grown[0] != section.candidates[0]
            found.append(replace(section, candidates=tuple(grown), most=1 if alone else section.most))
    return tuple(found)


def with_all_that_is_pointed_to(
    chosen: Sequence[Section], question: Analysis, pointed: Sequence[Candidate], read: ReadDocuments
) -> tuple[Section, ...]:
    """The sections; and the range that a second reader points to in place of what was chosen, where
    that is part of it: how much answers, the reader knows better than the question's words say.
    Where all of something is asked for, what is pointed to elsewhere stands beside it, as the
    document has them: what is to be done may stand in another list of the same passage."""
    found, wants_list = list(chosen), wanted(question.text) in WANTS_LIST
    for place in _without_the_titles_drug(question, pointed, read):
        text = read.texts.get(place.document_id, "")
        if place.end - place.start > LONGEST_LIST or _has_lines_of_others(question, text[place.start : place.end]):
            continue
        at = next((n for n, one in enumerate(found) if one.candidates and overlap(one.candidates[0], place)), None)
        if at is None:
            if wants_list:
                whole = _whole_of(place, question, read)
                found.insert(_next_in(found, whole), Section((whole,), 1, question))
            continue
        own = found[at].candidates[0]
        if place.start <= own.start and own.end <= place.end:
            found[at] = replace(found[at], candidates=(place,), most=1)
    return tuple(found)


def _next_in(chosen: Sequence[Section], place: Candidate) -> int:
    """Where a section of its own stands: as its document does, before what follows there."""
    own = [(n, one.candidates[0]) for n, one in enumerate(chosen) if one.candidates]
    follows = (n for n, one in own if one.document_id == place.document_id and one.start > place.start)
    return next(follows, len(chosen))


def _has_lines_of_others(question: Analysis, text: str) -> bool:
    return any(names_others(question, line) for line in text.splitlines())


def _whole_of(candidate: Candidate, asked: Analysis | None, read: ReadDocuments) -> Candidate:
    """The table or list that a row or an item is one of, where it can be quoted and has no line for
    other patients; else itself."""
    quote = read.quote(candidate)
    unit = unit_of(candidate.document_id, quote.group, read) if quote is not None and quote.group >= 0 else None
    if unit is None:
        return candidate
    text = read.texts[candidate.document_id]
    whole = _of(unit, candidate, text)
    return (
        candidate
        if BLANK in whole.text or (asked is not None and _speaks_of_others(asked, unit, text, each_line=True))
        else whole
    )


def _is_row(candidate: Candidate, read: ReadDocuments) -> bool:
    quote = read.quote(candidate)
    return quote is not None and quote.kind == LineKind.ROW


def overlap(one: Candidate, other: Candidate) -> bool:
    return one.document_id == other.document_id and one.start < other.end and other.start < one.end


def _lists(whole: Candidate, read: ReadDocuments) -> bool:
    inside = (block for block in read.blocks(whole.document_id) if whole.start <= block.start < whole.end)
    return any(block.kind in (BlockKind.LIST, BlockKind.TABLE) for block in inside)


def _whole(question: Analysis, left: Sequence[Candidate], read: ReadDocuments) -> Candidate | None:
    """The list, table or paragraph that is asked for as a whole; None when a fact is asked for, or
    none of them fits."""
    asks = wanted(question.text)
    if asks == Wanted.ONE:
        return None
    by_document: dict[str, list[Candidate]] = {}
    for candidate in left:
        by_document.setdefault(candidate.document_id, []).append(candidate)
    # What is to be done seldom speaks of what happened: where to look for it, the best passage says
    # better than the best sentence.
    nearest = min(left, key=lambda c: c.rank).document_id
    likely = dict.fromkeys((nearest, left[0].document_id) if asks in WANTS_LIST else (left[0].document_id,))
    units = [unit for document_id in likely for unit in _units(question, asks, by_document[document_id], read)]
    chosen = _likeliest(question, asks, units, left[0], nearest)
    if chosen is None:
        return None
    best, text = by_document[chosen.document_id][0], read.texts[chosen.document_id]
    section = _section(question, chosen.place, text, read.blocks(chosen.document_id)) if asks in WANTS_LIST else None
    # What was read in doubt is not quoted.
    return next(
        (whole for unit in (section, chosen.place) if unit and BLANK not in (whole := _of(unit, best, text)).text), None
    )


def _of_complication(question: Analysis, left: Sequence[Candidate], read: ReadDocuments) -> Candidate | None:
    """All that stands below a heading that names what the question's words are together, where it
    asks what to do or only tells: that is done then, whatever else is likely."""
    if not question.complications.lines or not (wanted(question.text) in WANTS_LIST or is_statement(question.text)):
        return None
    for candidate in (c for c in left if c.document_id in read.texts and c.score >= left[0].score - NAMED):
        text, blocks, quote = (
            read.texts[candidate.document_id],
            read.blocks(candidate.document_id),
            read.quote(candidate),
        )
        if (
            quote is None
            or not quote.path
            or not names_it(question.complications, "".join(text[a:b] for a, b in quote.path[-1:]))
        ):
            continue
        unit = wholes(text, blocks).get(quote.group if quote.group >= 0 else quote.block)
        section = _section(question, unit, text, blocks) if unit is not None else None
        if section is not None and BLANK not in (whole := _of(section, candidate, text)).text:
            return whole
    return None


@dataclass(frozen=True, slots=True)
class _Unit:
    """score: in nats; as likely as all of its sentences together."""

    document_id: str
    place: Quotable
    score: float


def _units(question: Analysis, asks: Wanted, own: Sequence[Candidate], read: ReadDocuments) -> list[_Unit]:
    """The lists, tables and paragraphs of one document that may be asked for. own: its candidates,
    best first."""
    document_id = own[0].document_id
    if document_id not in read.texts:
        return []
    text, blocks = read.texts[document_id], read.blocks(document_id)
    quotes = {(q.start, q.end): q for q in quotable_of(text, read.structures.get(document_id, ""))}
    units = wholes(text, blocks)
    found: dict[int, float] = {}
    for candidate in own:
        quote = quotes.get((candidate.start, candidate.end))
        unit = units.get(
            quote.group if quote is not None and quote.group >= 0 else quote.block if quote is not None else -1
        )
        if (
            quote is None
            or unit is None
            or unit.end - unit.start > (LONGEST_PARAGRAPH if unit.kind == LineKind.PROSE else LONGEST_LIST)
        ):
            continue
        # A paragraph is quoted for its best sentence alone, or for saying what is done first: what
        # is less likely is no list that was asked for.
        first = asks == Wanted.ACTIONS and _says_what_is_first(quote, text)
        if unit.kind == LineKind.PROSE and (
            (candidate is not own[0] and not first) or META_STATEMENT.search(text[unit.start : unit.end])
        ):
            continue
        if _speaks_of_others(question, unit, text, each_line=unit.kind == LineKind.ROW):
            continue
        if unit.kind == LineKind.ROW and not _is_asked_whole(
            question, asks, [c for c in own if unit.start <= c.start < unit.end]
        ):
            continue
        score = candidate.score + _favour(asks, unit, quote, text, blocks)
        found[unit.block] = float(np.logaddexp(score, found.get(unit.block, -np.inf)))
    return [_Unit(document_id, units[block], score) for block, score in found.items()]


def _section(question: Analysis, unit: Quotable, text: str, blocks: Sequence[Block]) -> Quotable | None:
    """All that stands below the heading of a list, table or paragraph: what comes before and after
    a list of steps belongs to them. None where it is long, holds another table, or part of it is
    for other patients."""
    if not unit.path:
        return None
    start = unit.path[-1][1]
    end = next(
        (block.start for block in blocks if block.kind == BlockKind.HEADING and block.start >= unit.end), blocks[-1].end
    )
    inside = [block.kind for block in blocks if start <= block.start < end]
    before = [block for block in blocks if block.kind == BlockKind.HEADING and start <= block.start < unit.start]
    tables = inside.count(BlockKind.TABLE)
    whole = replace(unit, start=start, end=end, lead=unit.path[-1:])
    if before or end - start > LONGEST_SECTION or tables > (unit.kind == LineKind.ROW):
        return None
    return None if _speaks_of_others(question, whole, text, each_line=True) else whole


def _speaks_of_others(question: Analysis, unit: Quotable, text: str, *, each_line: bool) -> bool:
    """Its headings and what introduces it, or one of its lines (a table's rows), name other
    patients than the question's."""
    said = " ".join(text[a:b] for a, b in (*unit.path, *unit.lead))
    return any(
        names_others(question, one) for one in (said, *(text[unit.start : unit.end].splitlines() if each_line else ()))
    )


def _likeliest(
    question: Analysis, asks: Wanted, units: Sequence[_Unit], first: Candidate, nearest: str
) -> _Unit | None:
    """Who asks for all steps wants a list, who asks for all of something a list or table, be a
    paragraph more like the question."""
    least = first.score - {Wanted.ACTIONS: ACTIONS_MARGIN, Wanted.ALL: ALL_MARGIN}.get(asks, 0.0)
    near = [
        replace(unit, score=unit.score + NEAREST * (unit.document_id == nearest))
        for unit in units
        if unit.score >= least
    ]
    rows = asks == Wanted.ALL or (asks == Wanted.ACTIONS and says_all(question.text))
    kinds = (LineKind.ITEM, *((LineKind.ROW,) if rows else ()))
    listed = [unit for unit in near if asks in WANTS_LIST and unit.place.kind in kinds]
    own = [unit for unit in near if unit.document_id == first.document_id]
    return max(listed or own, key=lambda unit: unit.score, default=None)


def _is_asked_whole(question: Analysis, asks: Wanted, rows: Sequence[Candidate]) -> bool:
    """No row of the table stands out for this question, which asks for none of them; or all are
    asked for, and none is of its numbers."""
    if asks == Wanted.ALL or says_all(question.text):
        return len(rows) >= ROWS and not any(fits(question.numbers, row.case) for row in rows)
    if question.numbers or any(held(called, row.case) >= SURE for row in rows for called in question.sought):
        return False
    return len(rows) >= ROWS and rows[0].score - rows[ROWS - 1].score <= ALIKE


def _favour(asks: Wanted, unit: Quotable, quote: Quotable, text: str, blocks: Sequence[Block]) -> float:
    """How much more a list is what is asked for than its best item says, in nats."""
    if asks == Wanted.ALL:
        return NAMED if unit.kind != LineKind.PROSE else 0.0
    if asks == Wanted.SEVERAL:
        return LISTED if unit.kind == LineKind.ITEM else 0.0
    if asks == Wanted.ACTIONS and unit.kind == LineKind.PROSE:
        return FIRST if _says_what_is_first(quote, text) else 0.0
    if asks != Wanted.ACTIONS or unit.kind != LineKind.ITEM:
        return 0.0
    label = blocks[quote.block].label
    ordered = ORDERED if label[:1].isdigit() else 0.0
    said = [text[a:b] for a, b in (*unit.lead, *quote.path[-1:])]
    named = NAMED if any(map(_ACTION.search, said)) else 0.0
    return ordered + (FIRST if any(map(AT_ONCE.search, said)) else named)


def _says_what_is_first(quote: Quotable, text: str) -> bool:
    """By its heading: "2. The first hour", "Meteen doen"."""
    return any(AT_ONCE.search(text[a:b]) for a, b in quote.path[-1:])


def _of(unit: Quotable, best: Candidate, text: str) -> Candidate:
    words = "".join(text[a:b] for a, b in (*unit.lead, (unit.start, unit.end)))
    return replace(best, start=unit.start, end=unit.end, lead=unit.lead, text=words)
