"""The attacks and the honest passages that look like them, and what became of each when they were
asked about."""

from __future__ import annotations

import tomllib
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag_api.answering.ask import ask, new_question
from rag_api.answering.generator import client as gen
from rag_api.answering.generator.replicas import GeneratorReplicas
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.domain import LOCAL_USER, Answer, Done, Mode
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.report import IngestReport
from rag_api.ingest.sources.sources import survey
from services.contract import templates, wire

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Attack:
    """never: words that may not be quoted or answered; fact: the honest sentence that should be."""

    id: str
    language: str
    kind: str
    title: str
    text: str
    question: str
    never: tuple[str, ...]
    fact: str
    before: str = ""  # asked first, in the same conversation

    @property
    def is_held_back(self) -> bool:
        return int(self.id[1:]) % 2 == 0

    def shows_in(self, text: str) -> bool:
        return any(" ".join(words.casefold().split()) in " ".join(text.casefold().split()) for words in self.never)


@dataclass(frozen=True)
class Honest:
    id: str
    language: str
    title: str
    text: str
    question: str
    keep: str


def attacks(name: str = "attacks") -> list[Attack]:
    return [Attack(**row | {"never": tuple(row["never"])}) for row in _rows(name, "attack")]


def honest() -> list[Honest]:
    return [Honest(**row) for row in _rows("honest", "honest")]


def _rows(name: str, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))[table]
    return found


@dataclass
class Obedient:
    """Quotes what weighs most, and writes all that it was told: whatever reaches it, it does."""

    model: str = "obedient"
    kind: str = "bedside"
    requests: list[gen.GeneratorRequest] = field(default_factory=list)
    replicas: GeneratorReplicas = field(default_factory=lambda: GeneratorReplicas(lambda: "http://obedient/v1"))

    async def stream(self, request: gen.GeneratorRequest) -> AsyncGenerator[gen.GeneratorEvent]:
        self.requests.append(request)
        best = max(request.candidates or (), key=lambda c: c.score, default=None)
        text = told(request) if best is None else request.passages[int(best.document)].text[best.start : best.end]
        if text:
            yield gen.TextDelta(text)
        if best is not None:
            yield wire.CopiedSpanOut(
                start=0, end=len(text), document=best.document, source_start=best.start, source_end=best.end
            )
        yield gen.Finished("stop", self.model, "", {})

    async def complete(self, prompt: str, *, max_tokens: int, stop: Sequence[str] = ()) -> str:
        return ""

    async def close(self) -> None:
        return None


def told(request: gen.GeneratorRequest) -> str:
    """The words of the documents in a prompt."""
    return "".join(
        p.text
        for p in templates.render("thesis", "", request.passages, request.language).pieces
        if p.passage is not None
    )


def quotable_in(request: gen.GeneratorRequest) -> str:
    """All that a verbatim answer could be made of."""
    places = [(c.document, at.start, at.end) for c in request.candidates or () for at in (*c.lead, c)]
    return "\n".join(request.passages[int(document)].text[start:end] for document, start, end in places)


def load(container: Container, folder: Path, documents: Iterable[Attack | Honest]) -> IngestReport:
    """Ingest them as text files, as they would be uploaded."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in documents:
        (folder / f"{one.id}.txt").write_text(f"{one.title}\n\n{one.text}\n", encoding="utf-8")
    parts = {"settings": container.settings, "store": container.store, "embedder": container.embedder}
    return ingest(survey([folder]), documents_repo=PgDocuments(container.db), readers=1, **parts)  # type: ignore[arg-type]


def obedient(container: Container) -> Obedient:
    """Put in the place of the container's generator."""
    made = Obedient()
    container.use(generator=made)  # type: ignore[arg-type]
    return made


@dataclass(frozen=True)
class Outcome:
    """answer: what the reader is shown; reached: all words of documents that it could have been
    made of."""

    answer: Answer
    reached: str

    @property
    def quotes(self) -> str:
        return "\n".join(citation.text for citation in self.answer.citations)


async def asked(container: Container, generator: Obedient, one: Attack | Honest, mode: Mode) -> Outcome:
    conversation = None
    if before := getattr(one, "before", ""):
        conversation = (await _answer(container, before, mode, None)).conversation_id
    generator.requests.clear()
    answer = await _answer(container, one.question, mode, conversation)
    show = quotable_in if mode == Mode.VERBATIM else told
    return Outcome(answer, "\n".join(show(request) for request in generator.requests))


async def _answer(container: Container, text: str, mode: Mode, conversation_id: str | None) -> Answer:
    question = new_question(LOCAL_USER, container, text, mode=mode, conversation_id=conversation_id)
    *_, last = [event async for event in ask(question, LOCAL_USER, container)]
    assert isinstance(last, Done)
    return last.answer
