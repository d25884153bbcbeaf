"""Limits on what one person may ask in a minute, how many questions wait, cells that are no
formulas, and figures that tell of nobody else."""

from __future__ import annotations

import asyncio
import csv
import gc
import io
import re
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from rag_api.api.limits import AGAIN, LONGEST_WAIT, MOST_KEPT, Admission, Buckets
from rag_api.api.mapping import answer_out
from rag_api.db import Database
from rag_api.db.questions.gaps import NearDocument, Unanswered
from rag_api.domain import Answer, AnswerStatus, Judged, Mode, Place
from rag_api.errors import DatabaseUnavailable, TooBusy, TooManyRequests
from rag_api.evaluate.gaps import gaps_csv, gaps_of
from rag_api.evaluate.judged import judged_csv, parse_judged
from rag_api.query.synonyms import Proposal, write_proposals
from rag_api.text.csv_cells import harmless, read_cell

pytestmark = pytest.mark.quick


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_is_emptied_by_its_owner_alone_and_fills_again() -> None:
    clock = Clock()
    buckets = Buckets(6, "questions", clock)
    for _ in range(6):
        buckets.take("nurse")
    with pytest.raises(TooManyRequests) as raised:
        buckets.take("nurse")
    assert raised.value.retry_after == pytest.approx(10)
    buckets.take("pharmacist")
    clock.now = 10.0
    buckets.take("nurse")


def test_zero_is_no_limit() -> None:
    buckets = Buckets(0, "questions")
    for _ in range(100):
        buckets.take("nurse")


def test_buckets_of_people_who_left_are_forgotten() -> None:
    clock = Clock()
    buckets = Buckets(60, "questions", clock)
    for number in range(3 * MOST_KEPT):
        clock.now += 0.001
        buckets.take(str(number))
    assert buckets.kept <= MOST_KEPT + 1


def test_without_the_database_each_process_counts_and_asks_it_again_later() -> None:
    clock, asked = Clock(), 0

    def gone() -> Database:
        nonlocal asked
        asked += 1
        raise DatabaseUnavailable("The database does not answer.")

    buckets = Buckets(2, "questions", clock, gone)
    buckets.take("nurse")
    buckets.take("nurse")
    with pytest.raises(TooManyRequests):
        buckets.take("nurse")
    assert asked == 1, "nobody waits for a database that was just found gone"
    clock.now = AGAIN
    buckets.take("pharmacist")
    assert asked == 2


def test_no_more_wait_than_may_and_nobody_waits_too_long() -> None:
    async def run() -> None:
        admission = Admission(at_once=1, waiting=1, patience=0.01, seconds=0.0)
        first = await admission.enter()
        waiting = asyncio.ensure_future(admission.enter())
        await asyncio.sleep(0)
        with pytest.raises(TooBusy) as raised:
            await admission.enter()
        assert raised.value.retry_after >= 1
        with pytest.raises(TooBusy):
            await waiting
        admission.patience = 3600.0
        following = asyncio.ensure_future(admission.enter())
        await asyncio.sleep(0)
        first.leave()
        first.leave()
        second = await following
        second.leave()
        (await admission.enter()).leave()

    asyncio.run(run())


def test_who_would_wait_too_long_is_told_so_at_once() -> None:
    async def run() -> None:
        admission = Admission(at_once=1, waiting=100, patience=70, seconds=30.0)
        place = await admission.enter()
        waiting = [asyncio.ensure_future(admission.enter()) for _ in range(3)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert [task.done() for task in waiting] == [False, False, True]
        with pytest.raises(TooBusy):
            await waiting[2]
        place.leave()
        for task in waiting[:2]:
            (await task).leave()

    asyncio.run(run())


def test_those_who_are_sent_away_are_to_come_back_one_after_another() -> None:
    async def run() -> list[float]:
        clock = Clock()
        admission = Admission(at_once=1, waiting=0, patience=0.5, clock=clock)
        place = await admission.enter()
        told = []
        for _ in range(200):
            with pytest.raises(TooBusy) as raised:
                await admission.enter()
            told.append(raised.value.retry_after)
        place.leave()
        return told

    told = asyncio.run(run())
    assert told == sorted(told)
    assert (told[0], told[9], told[-1]) == (1.0, 2.0, LONGEST_WAIT)


def test_a_place_that_nobody_holds_any_more_is_free() -> None:
    async def run() -> None:
        admission = Admission(at_once=1, waiting=0, patience=0.05)
        place = await admission.enter()
        del place
        gc.collect()
        waiting = asyncio.ensure_future(admission.enter())
        await asyncio.sleep(0)
        waiting.cancel()
        held = await admission.enter() if not waiting.done() or waiting.cancelled() else waiting.result()
        held.leave()

    asyncio.run(run())


def test_one_who_gave_up_waiting_leaves_the_place_to_the_next() -> None:
    async def run() -> None:
        admission = Admission(at_once=1, waiting=2, patience=3600.0)
        first = await admission.enter()
        gone, stays = asyncio.ensure_future(admission.enter()), asyncio.ensure_future(admission.enter())
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        first.leave()
        (await stays).leave()

    asyncio.run(run())


@pytest.mark.parametrize(
    "cell", ["=1+1", "+32 4", "-5 mg", "@SUM(A1)", "'=1", "''-x", " =2", "gewoon", "'s nachts", ""]
)
def test_a_cell_is_no_formula_and_reads_back_as_it_was(cell: str) -> None:
    written = harmless(cell)
    assert not written.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))
    assert read_cell(written) == cell


def test_a_judged_set_holds_no_formula_and_reads_back() -> None:
    question = Judged(
        '=HYPERLINK("x")',
        "-5 graden, en nu?",
        document="+a.pdf",
        span="@ 3 mg",
        note="'=x",
        more=(Place("=b.pdf", 2, "- 1"),),
    )
    text = judged_csv([question])
    assert not any(
        cell.lstrip('"').startswith(("=", "+", "-", "@")) for line in text.splitlines() for cell in line.split(",")
    )
    assert parse_judged(text) == [question]


FORMULA = '=HYPERLINK("x")'


def cells(text: str) -> list[str]:
    return [cell for row in csv.reader(io.StringIO(text)) for cell in row]


def test_a_gap_report_holds_no_formula() -> None:
    """Questions and departments are their askers' own words, titles and owners the documents'."""
    near = NearDocument("+a.pdf", "@SUM(A1)", "-icu", "=owner")
    asked = [
        Unanswered(text, "nl", "=chief", "+icu", "reader", (near,), datetime(2026, 11, 22, tzinfo=UTC))
        for text in (FORMULA, "-5?")
    ]
    written = cells(gaps_csv(gaps_of(asked)))
    assert f"'{FORMULA}" in written
    assert [cell for cell in written if cell.startswith(("=", "+", "-", "@"))] == []


def test_proposed_abbreviations_hold_no_formula() -> None:
    out = io.StringIO()
    write_proposals(out, [Proposal(FORMULA, "@spoed", 2)])
    assert cells(out.getvalue())[4:] == [f"'{FORMULA}", "'@spoed", "", "2"]


def test_whatever_writes_csv_guards_its_cells() -> None:
    """A new export of rows that come from people or documents is one of these, or fails here."""
    root = Path(__file__).resolve().parents[3]
    writers = [
        path
        for path in (root / "rag_api").rglob("*.py")
        if re.search(r"csv\.(?:Dict)?[wW]riter\(", path.read_text("utf-8"))
    ]
    assert len(writers) >= 3
    assert [path.name for path in writers if "harmless(" not in path.read_text("utf-8")] == []


def test_what_tells_of_others_questions_is_in_no_answers_statistics() -> None:
    stats = {"cached_tokens": 448, "queue_seconds": 1.5, "confidence": 0.9}
    one, two = str(uuid4()), str(uuid4())
    answer = Answer(one, two, "u", "?", "?", "nl", Mode.SOURCES, AnswerStatus.NOT_FOUND, "", (), (), (), "m", "e", "p", stats,
                    datetime(2026, 11, 22, tzinfo=UTC))  # fmt: skip
    assert answer_out(answer).stats == {"confidence": 0.9}
