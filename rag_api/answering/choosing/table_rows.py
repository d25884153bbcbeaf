"""Rows of a table that answer: none for another case; also those that overrule it for some
patients; all where none stands out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag_api.answering.choosing.read_documents import ReadDocuments
from rag_api.domain import Candidate
from rag_api.guard.concepts import is_named
from rag_api.guard.drugs import drugs_in
from rag_api.guard.indication import ills_in
from rag_api.query.analysis import Analysis
from rag_api.query.followup import patients_in
from rag_api.query.question_parts import Wanted, wanted
from rag_api.text.quotable.quotable_spans import Quotable, wholes
from rag_api.text.ranges import days, fits, fits_age, ranges, since
from rag_api.text.sentence_splitter import LineKind
from rag_api.text.word_match import held

SURE = 0.85
LONGEST_LIST = 2_000  # characters, of a table too; a longer one is a document, and its items or rows are quoted alone
APART = 0.4  # nats behind a row from which another one of its table is one for somebody else
TOGETHER = 2.0  # nats behind the best within which rows would be quoted together
_AGES = {"year", "month", "week", "day"}
_PATIENTS = {"age", "kg"}
_DIGIT = re.compile(r"\d")
ROWS = 3  # of a table of which none stands out
_MOST_SPECIAL = 2
_SHORTEST = 5  # letters of a word for which another row may be quoted
SHORTEST_CONDITION = 6  # letters of a word that can name a condition


def without_other_rows(question: Analysis, left: Sequence[Candidate], read: ReadDocuments) -> list[Candidate]:
    """Beside a row stands none of its table that is for another weight, age or level, nor one for
    another case than the question names: "knieprothese" is not answered by the row of the
    heupprothese too; nor, where one thing is asked, one that fits clearly less. But what else the
    question names may stand in another row."""
    place, row = next(((n, q) for n, c in enumerate(left) if (q := _row_of(c, read)) is not None), (0, None))
    if row is None:
        return list(left)
    best = left[place]
    measured = _measured(best)
    alone = wanted(question.text) == Wanted.ONE
    # What is new in a follow-up is what is asked: its row does not bring the one of the question
    # before.
    sought = question.fresh if any(held(called, best.case) >= SURE for called in question.fresh) else question.sought
    cases = [called for called in sought if held(called, best.case) >= SURE] if alone else []
    unsaid = [called for called in sought if _may_be_elsewhere(called[0][0]) and held(called, best.text) < SURE]
    kept = list(left[: place + 1])
    for candidate in left[place + 1 :]:
        other = read.quote(candidate) if candidate.document_id == best.document_id else None
        if (
            other is not None
            and other.group == row.group
            and not any(held(called, candidate.text) >= SURE for called in unsaid)
        ):
            another = bool(cases) and not any(held(called, candidate.case) >= SURE for called in cases)
            if another or measured & _measured(candidate) or (alone and best.score - candidate.score > APART):
                continue
        kept.append(candidate)
    return kept


def without_other_cases(question: Analysis, left: Sequence[Candidate], read: ReadDocuments) -> list[Candidate]:
    """Without the rows for another germ or disease, of a table that has one for what the question
    names: how measles are isolated is not what stands in the row of influenza, however alike the
    rest of it is. A list that is asked for keeps them all."""
    asked = ills_in(question.text)
    if not asked or wanted(question.text) in (Wanted.SEVERAL, Wanted.ALL):
        return list(left)
    rows = [(c, quote.group, ills_in(c.case)) for c in left if (quote := _row_of(c, read)) is not None]
    telling = {(c.document_id, group) for c, group, case in rows if asked & case}
    wrong = [
        c
        for c, group, case in rows
        if (c.document_id, group) in telling
        and case
        and not any(is_named(line, case) or is_named(one, asked) for line in asked for one in case)
        and not any(held(called, c.case) >= SURE for called in question.sought)
    ]
    return [c for c in left if c not in wrong]


def without_other_times(question: Analysis, left: Sequence[Candidate], read: ReadDocuments) -> list[Candidate]:
    """Of two rows of a table that are for what was less long ago and what was longer ago ("within 7
    days", "after 7 days") the one for the time that the question names."""
    times = [time for number in question.numbers if (time := days(number)) is not None]
    if len(times) != 1:
        return list(left)
    (time,) = times
    rows = [
        (c, quote.group, told)
        for c in left
        if (told := since(c.case)) is not None and (quote := _row_of(c, read)) is not None
    ]
    wrong = [
        c
        for c, group, (border, late) in rows
        if late != (time > border) and any(group == its and (border, not late) == told for _, its, told in rows)
    ]
    return [c for c in left if c not in wrong]


def _row_of(candidate: Candidate, read: ReadDocuments) -> Quotable | None:
    quote = read.quote(candidate)
    return quote if quote is not None and quote.kind == LineKind.ROW else None


def _may_be_elsewhere(word: str) -> bool:
    """It can tell that another row is asked for too: "geen" stands in many."""
    return len(word) >= _SHORTEST or any(character.isdigit() for character in word)


def _measured(row: Candidate) -> set[str]:
    """Return what its case is a range of; months and years are both an age."""
    return {"age" if one.unit in _AGES else one.unit for one in ranges(row.case)}


def special_rows(question: Analysis, first: Sequence[Candidate], read: ReadDocuments) -> list[Candidate]:
    """Return the rows of the best one's table that may overrule it. That one holds for the age or
    weight asked about, but says nothing of what else is told of the patient; a row for patients of
    whom it gives no number ("child after tonsillectomy") may be the one for that, by whatever
    name."""
    best, row = first[0], _row_of(first[0], read)
    if row is None or not _measured(best) & _PATIENTS or fits(question.numbers, best.case) <= 0:
        return []
    told = [
        called for called in question.sought if len(called[0][0]) >= SHORTEST_CONDITION and not drugs_in(called[0][0])
    ]
    if all(held(called, f"{read.titles.get(best.document_id, '')} {best.text}") >= SURE for called in told):
        return []
    of_table = [c for c in first[1:] if (other := _row_of(c, read)) is not None and other.group == row.group]
    return [c for c in of_table if patients_in(c.case) and not _DIGIT.search(c.case)][:_MOST_SPECIAL]


def tied_table(question: Analysis, first: Sequence[Candidate], read: ReadDocuments) -> Quotable | None:
    """Return the table of which several rows would be quoted though the question names the case of
    none: any three of them mislead. So does one row that is for some numbers, where none of the
    question's is known to be such a number: it has no unit, or another."""
    best = _row_of(first[0], read)
    if best is None:
        return None
    if question.numbers:
        is_open = is_for_unknown_numbers(question, first[0])
        return unit_of(first[0].document_id, best.group, read) if is_open else None
    near = [c for c in first[1:ROWS] if c.score >= first[0].score - TOGETHER]
    rows = [first[0], *(c for c in near if (other := _row_of(c, read)) is not None and other.group == best.group)]
    enough = 2 if first[0].score - rows[-1].score <= APART else ROWS
    # What the header says of all rows tells none of them.
    sought = [called for called in question.sought if held(called, first[0].before) < SURE]
    if len(rows) < enough or any(held(called, row.case) >= SURE for row in rows for called in sought):
        return None
    return unit_of(first[0].document_id, best.group, read)


def is_for_unknown_numbers(question: Analysis, row: Candidate) -> bool:
    """Whether a row is for some numbers, and none of the question's is known to be such a
    number."""
    told = question.numbers if row.is_row else ()
    return bool(told and ranges(row.case)) and not fits(told, row.case) and not fits_age(told, row.case)


def tied_list(first: Sequence[Candidate], read: ReadDocuments) -> Quotable | None:
    """Return the list of which two items would be quoted: what stands between them may be what
    makes them right."""
    best = read.quote(first[0])
    if best is None or best.kind != LineKind.ITEM or best.group < 0:
        return None
    near = [c for c in first[1:ROWS] if c.score >= first[0].score - TOGETHER]
    if not any((other := read.quote(c)) is not None and other.group == best.group for c in near):
        return None
    return unit_of(first[0].document_id, best.group, read)


def unit_of(document_id: str, group: int, read: ReadDocuments) -> Quotable | None:
    """A list or table, unless it is a document rather."""
    whole = wholes(read.texts[document_id], read.blocks(document_id)).get(group)
    return whole if whole is not None and whole.end - whole.start <= LONGEST_LIST else None
