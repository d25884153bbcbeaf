"""Gate: the product as it is and an adapter that reads, on the same questions about the same
documents, in one run.

Documents are ingested as an installation ingests its own. Each question is asked through the whole
product; what its search found, guarded as the product guards it, is then read by the adapter. Both
answers are judged by the same words. The questions' file has the columns id, question, kind,
before, document, answer (its parts parted by " | "); a near miss needs a question alone.
"""

from __future__ import annotations

import asyncio
import csv
import json
import math
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import torch
from pydantic import SecretStr

from rag_api.answering.ask import ask, new_question
from rag_api.answering.choosing.agreement import Agreement
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.domain import AnswerStatus, Done, Filters, Mode, PersonalChoice, User
from rag_api.errors import BedsideError
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.sources import survey
from rag_api.query.analysis import analyse
from rag_api.retrieval.decision.calibration import FILE, Calibration, WithReader, calibration, shipped
from rag_api.retrieval.decision.calibration import write as write_calibration
from rag_api.retrieval.find import Retrieval, find
from rag_api.retrieval.reader_model.passages import ReadingPassage, passages_of
from rag_api.retrieval.reader_model.pointing_reader import READ, PointedReading, order
from services.reader.adapter import ReadingModel
from services.reader.measure import area
from services.reader.packing import pack
from services.reader.questions import AskedPassage, TrainingQuestion

WHOLE, HALF = 0.85, 0.34  # share of the expected answer's parts that stand in an answer


@dataclass(frozen=True, slots=True)
class GatedAnswer:
    """One question, answered by one of the two. verdict: right, half, wrong, refused."""

    id: str
    kind: str
    verdict: str
    said: str
    odds: float = 0.0


KEPT = 64  # passages whose keys are kept: about 20 MB each


class InProcess:
    """A reader in this process: for measuring. What it read is kept, and the keys of the last
    passages."""

    def __init__(self, reading: ReadingModel) -> None:
        self.name, self._reading = "in process", reading
        self._told = dict[tuple[str, ReadingPassage], PointedReading]()
        self._keys = dict[ReadingPassage, Any]()
        reading.model.eval()

    def close(self) -> None:
        """It is shared by containers: what it read stays."""

    @torch.no_grad()
    def point(self, question: str, passages: Sequence[ReadingPassage]) -> list[PointedReading]:
        for passage in passages:
            if (question, passage) not in self._told:
                self._told[question, passage] = self._read(question, passage)
        return [self._told[question, passage] for passage in passages]

    def _keys_of(self, passage: ReadingPassage, prefix: torch.Tensor) -> Any:
        if passage not in self._keys:
            self._keys[passage] = self._reading.keys_of(prefix)
            if len(self._keys) > KEPT:
                del self._keys[next(iter(self._keys))]
        return self._keys[passage]

    def _read(self, question: str, passage: ReadingPassage) -> PointedReading:
        lines = tuple(line.text for line in passage.lines)
        asked = AskedPassage("", passage.document_id, "", "", passage.title, passage.heading, lines, (), ())
        packed = pack(asked, [TrainingQuestion(question, reason="other")], self._reading.vocabulary, longest=4_096)
        keys = self._keys_of(passage, packed.prefix)
        told = self._reading.tell(packed, keys)
        none = float(told.first[0, self._reading.vocabulary.none])
        some = math.log(max(1e-9, -math.expm1(none)))
        first = int(told.first[0, : len(lines)].argmax())
        ends = self._reading.tell(
            pack(asked, [TrainingQuestion(question, first, first, first)], self._reading.vocabulary, longest=4_096),
            keys,
        )
        end = ends.last[0, first : len(lines)]
        sure = float(told.first[0, first]) - some + float(end.max())
        begins = tuple(min(0.0, float(value) - some) for value in told.first[0, : len(lines)])
        return PointedReading(some - none, first, first + int(end.argmax()), min(0.0, sure), begins)


@dataclass(frozen=True, slots=True)
class Captured:
    """A question as the product answered it, and what it found."""

    row: dict[str, str]
    answered: bool
    said: str
    cited: tuple[str, ...]  # file names
    query: str
    found: Retrieval
    sources: dict[str, str]  # file names by document id
    agreement: Agreement = field(default_factory=Agreement)  # of the reader that must agree


@dataclass(frozen=True, slots=True)
class Agreeing:
    """Who must agree, and what was measured for it with the embedder of that name: nobody, where
    there is no reader."""

    reader: InProcess | None = None
    measured: Callable[[str], WithReader | None] = lambda _embedder: None


def capture(
    documents: Path, files: Sequence[Path], on_progress: Callable[[int], None], ways: Sequence[Agreeing]
) -> list[list[list[Captured]]]:
    """Ask every question of each file in each of these ways, on one installation of its own."""
    with tempfile.TemporaryDirectory(prefix="bedside-gate-") as folder:
        settings = Settings().model_copy(update={"data_dir": Path(folder), "database_url": None, "store": "lance"})
        with Container(settings) as installed:
            ingest(
                survey([documents]),
                settings=settings,
                documents_repo=PgDocuments(installed.db),
                store=installed.store,
                embedder=installed.embedder,
            )
            installed.store.tidy()
            installed.start_generator()
            installed.wait_for_generator()
            running = {"database_url": SecretStr(installed.dsn()), "generator_url": installed.generator_url()}
            shared, asked = settings.model_copy(update=running), count(1)
            found: list[list[list[Captured]]] = []
            for way in ways:
                with Container(shared, agreeing=way.reader) as container, asyncio.Runner() as runner:
                    name = container.embedder.name
                    if way.reader is not None and (measured := way.measured(name)) is not None:
                        kept = replace(calibration(name), agreeing={way.reader.name: measured})
                        write_calibration(shared.data_dir / FILE, name, kept)
                    own: list[list[Captured]] = []
                    for file in files:
                        own.append([])
                        with file.open(encoding="utf-8-sig", newline="") as rows:
                            for row in csv.DictReader(rows):
                                own[-1].append(runner.run(_ask(row, container)))
                                on_progress(next(asked))
                    found.append(own)
                    runner.run(container.generator.close())
    return found


async def _ask(row: dict[str, str], container: Container) -> Captured:
    """In a conversation of its own, behind the question that it follows; then searched again, for
    what the adapter reads."""
    user, conversation, answer = User(id="gate", name="Gate", groups=("everyone",)), None, None
    for text in filter(None, (row.get("before"), row["question"])):
        question = new_question(
            user, container, text, mode=Mode.VERBATIM, conversation_id=conversation, personal=PersonalChoice.KEEP
        )
        async for event in ask(question, user, container):
            answer = event.answer if isinstance(event, Done) else answer
        if answer is None:
            raise BedsideError(f"{row['id']} was not answered")
        conversation = answer.conversation_id
    assert answer is not None
    names = {source.document.id: source.document.source for source in answer.sources}
    cited = tuple(dict.fromkeys(names.get(one.document_id, "") for one in answer.citations))
    found = find(analyse(answer.query, container.expander, row["question"]), user, Filters(), container)
    names |= {name: document.source for name, document in found.documents.items()}
    told = next(iter(answer.stats.get("agreement", ())), None)
    return Captured(
        row,
        answer.status == AnswerStatus.ANSWERED,
        answer.text,
        cited,
        answer.query,
        found,
        names,
        Agreement(told["points"], told["answers"]) if told is not None else Agreement(),
    )


def read_by(reader: InProcess, captured: Captured) -> GatedAnswer:
    """What the adapter points to in what the product found."""
    row, found = captured.row, captured.found
    passages = passages_of(found.may_be_quoted, found.texts, found.structures, READ)
    readings = reader.point(captured.query or row["question"], passages)
    for n in order(readings):
        one, passage = readings[n], passages[n]
        quote = passage.quoted(one.first, one.last, found.texts[passage.document_id], one.odds)
        if quote is not None:
            verdict = judged(row, True, quote.text, [captured.sources.get(passage.document_id, "")])
            return GatedAnswer(row["id"], row.get("kind") or "", verdict, quote.text, one.odds)
    return GatedAnswer(row["id"], row.get("kind") or "", "refused", "", -20.0)


def judged(row: dict[str, str], answered: bool, said: str, cited: Sequence[str]) -> str:
    """Return right, half, wrong or refused, by the parts of the expected answer that stand in what
    is said."""
    if not answered:
        return "refused"
    parts = [_plain(part) for part in (row.get("answer") or "").split(" | ") if _plain(part)]
    wanted = [name.strip() for name in (row.get("document") or "").split(";")]
    if not parts or not any(name and cite.endswith(name) for name in wanted for cite in cited):
        return "wrong"
    text = _plain(said)
    share = sum(part in text for part in parts) / len(parts)
    return "right" if share >= WHOLE else "half" if share >= HALF else "wrong"


_MARKS = str.maketrans({"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'", "–": "-", "−": "-", "|": " "})


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).translate(_MARKS).casefold()
    return " ".join(re.sub(r"[•▪☐●■]|(?<!\S)\d{1,2}[.)](?=\s)", " ", text).split())


def report(
    today: Sequence[GatedAnswer],
    reader: Sequence[GatedAnswer],
    agreeing: Sequence[GatedAnswer],
    near: Sequence[bool],
    near_odds: Sequence[float],
    near_agreeing: Sequence[bool],
) -> dict[str, Any]:
    """All, JSON-ready; the reader at the thresholds that refuse as many near misses as today's
    product, and .70 of them. near, near_agreeing: whether the product refuses a near miss, alone
    and where the reader must agree."""

    def share(refused: Sequence[bool]) -> float:
        return round(sum(refused) / max(1, len(refused)), 4)

    return {
        "today": _counts(today) | {"near_refused": share(near), "near": len(near)},
        "reader": {
            "without_a_threshold": _counts(reader),
            "area": round(area([one.odds for one in reader if one.verdict in ("right", "half")], near_odds), 4),
            "by_near_refused": {
                f"{part:.2f}": _at(reader, near_odds, part) for part in dict.fromkeys((round(share(near), 2), 0.7))
            },
        },
        "agreeing": _counts(agreeing) | {"near_refused": share(near_agreeing)},
        "rows": {
            name: [asdict(one) for one in own]
            for name, own in (("today", today), ("reader", reader), ("agreeing", agreeing))
        },
    }


def _at(reader: Sequence[GatedAnswer], near_odds: Sequence[float], share: float) -> dict[str, Any]:
    ordered = sorted(near_odds)
    threshold = ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)))] if ordered else 0.0
    kept = [
        one if one.odds >= threshold else GatedAnswer(one.id, one.kind, "refused", one.said, one.odds) for one in reader
    ]
    return {"threshold": round(threshold, 3), **_counts(kept)}


def _counts(judgements: Sequence[GatedAnswer]) -> dict[str, Any]:
    kinds = {
        kind: dict(Counter(one.verdict for one in judgements if one.kind == kind))
        for kind in sorted({j.kind for j in judgements})
    }
    return {"n": len(judgements), **dict(Counter(one.verdict for one in judgements)), "kinds": kinds}


def measure(
    documents: Path,
    questions: Path,
    near_misses: Path,
    reading: ReadingModel,
    on_progress: Callable[[int], None],
    name: str = "",
) -> dict[str, Any]:
    """Return the figures of both, JSON-ready. name: whose weights of agreement hold; without one,
    those of a reader never measured."""
    reader = InProcess(reading)
    ways = [Agreeing(), Agreeing(reader, lambda embedder: shipped().get(embedder, Calibration()).agreeing.get(name))]
    (asked, missed), (agreed, agreed_near) = capture(documents, [questions, near_misses], on_progress, ways)
    read, near = [read_by(reader, one) for one in asked], [read_by(reader, one) for one in missed]
    refused = [not one.answered for one in missed]
    today = [answered(one) for one in asked]
    return report(
        today,
        read,
        [answered(one) for one in agreed],
        refused,
        [one.odds for one in near],
        [not one.answered for one in agreed_near],
    )


def answered(one: Captured) -> GatedAnswer:
    verdict = judged(one.row, one.answered, one.said, one.cited)
    return GatedAnswer(one.row["id"], one.row.get("kind") or "", verdict, one.said if one.answered else "")


def write(figures: dict[str, Any], file: Path | None) -> None:
    if file is not None:
        file.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps({name: value for name, value in figures.items() if name != "rows"}, indent=1))
