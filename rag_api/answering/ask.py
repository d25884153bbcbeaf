"""question -> answer: retrieve, decide, generate, cite. What ask() yields is what the reader sees, in order.

Whether there is an answer at all is decided from retrieval, before and whatever the model says. A span is cited only when its
characters equal the document's. Everything asked is stored, also what failed or was stopped half-way. Knows no HTTP and no SQL.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any, Protocol
from uuid import uuid4

from rag_api.answering import generator_client as gen
from rag_api.answering import source_warnings as cautions
from rag_api.answering.highlight import page_of, rects
from rag_api.answering.notices import expired, not_found, notice
from rag_api.answering.passage_completion import completed
from rag_api.answering.prompt_passages import Told, to_quote, told
from rag_api.answering.rewriting import query_of
from rag_api.db.answers import get_conversation, queries_of, save_answer
from rag_api.db.documents import count_indexed, get_documents, read_pages, read_text
from rag_api.db.sentences import vectors_of
from rag_api.domain import (
    Answer,
    AnswerEvent,
    AnswerStatus,
    Candidate,
    Citation,
    Cited,
    Document,
    DocumentStatus,
    Done,
    Failed,
    Filters,
    Found,
    Hit,
    Mode,
    Notice,
    Page,
    Source,
    Stage,
    Token,
    Unsupported,
    User,
)
from rag_api.embed.kept import Kept
from rag_api.errors import BedsideError, GeneratorRefused, GeneratorUnavailable, InvalidInput
from rag_api.retrieval import patient_ranking as safety
from rag_api.retrieval.answerability import decided
from rag_api.retrieval.calibration import calibration
from rag_api.retrieval.in_flight import Asking
from rag_api.retrieval.multi_query import alternatives, options_of, widened
from rag_api.retrieval.retriever import Retrieval
from rag_api.text.language import Language, detect
from services.contract import wire

log = logging.getLogger(__name__)

# Beyond this a document's sentences are looked for in its chunks alone: cutting a whole book into sentences takes seconds.
LONGEST_TEXT = 200_000
# Answers of connections that went away are stored from here, after their request is gone.
_afterwards = ThreadPoolExecutor(1, thread_name_prefix="store stopped answers")


class AskParts(safety.FindParts, Protocol):
    """What asking needs; rag_api.container.Parts is one. Opening a part may take a while and may raise, so: in a thread."""

    asking: Asking

    @property
    def generator(self) -> gen.Generator: ...
    @property
    def is_demo(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, checked: the conversation is the user's own (or new), the mode is one that the generator can do."""

    id: str  # of the answer to be
    conversation_id: str
    is_new: bool  # the conversation exists from the first stored answer on
    text: str
    mode: Mode
    filters: Filters
    earlier: tuple[str, ...] = ()  # what was searched for before in this conversation; empty: this question stands alone


@dataclass(slots=True)
class Draft:
    """An answer on its way. Mutates until `finished` freezes it."""

    question: Question
    user: User
    language: Language
    query: str  # what is searched for and answered: the question, or what a follow-up means
    also: tuple[str, ...] = ()  # what is searched for beside it
    began: float = field(default_factory=time.perf_counter)
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    status: AnswerStatus = AnswerStatus.SOURCES_ONLY
    text: str = ""
    sources: tuple[Source, ...] = ()
    pages: dict[str, list[Page]] = field(default_factory=dict)  # by document: those that its sources touch
    sentences: tuple[Candidate, ...] = ()  # of the sources, best first
    texts: Mapping[str, str] = field(default_factory=dict)  # of their documents, by id
    told: tuple[Told, ...] = ()  # the passages as the generator got them, in the order of their wire ids
    citations: list[Citation] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    model: str = ""
    embedder: str = ""
    prompt_version: str = ""
    stats: dict[str, Any] = field(default_factory=dict)
    saving: bool = False
    unsupported: tuple[Unsupported, ...] = ()

    def note(self, code: str) -> None:
        self.notices.append(notice(code, self.language))

    def seconds(self) -> float:
        return round(time.perf_counter() - self.began, 4)

    def finished(self) -> Answer:
        question = self.question
        return Answer(
            id=question.id,
            conversation_id=question.conversation_id,
            user_id=self.user.id,
            question=question.text,
            query=self.query,
            language=self.language,
            mode=question.mode,
            status=self.status,
            text=self.text,
            sources=self.sources,
            citations=tuple(self.citations),
            notices=tuple(self.notices),
            model=self.model,
            embedder=self.embedder,
            prompt_version=self.prompt_version,
            stats={"seconds": self.seconds(), **self.stats},
            created_at=self.created_at,
            unsupported=self.unsupported,
        )


def new_question(
    user: User,
    parts: AskParts,
    text: str,
    *,
    mode: Mode | None = None,
    filters: Filters | None = None,
    conversation_id: str | None = None,
    literal: bool = False,
) -> Question:
    """Check what can be checked before anything is streamed. `literal`: search for these words, whatever was asked before.

    Raises InvalidInput, NotFound, DatabaseUnavailable. Blocks."""
    text = text.strip()
    if not text:
        raise InvalidInput("The question is empty.")
    mode = mode or parts.settings.mode
    if mode == Mode.VERBATIM and parts.settings.generator_kind == "openai":
        raise InvalidInput("The configured generator cannot be held to exact quotes. Ask with mode `answer` or `sources`.")
    earlier: tuple[str, ...] = ()
    if conversation_id is not None:
        get_conversation(parts.db, user, conversation_id)
        if not literal and parts.settings.follow_ups != "off":
            earlier = queries_of(parts.db, user, conversation_id)
    return Question(str(uuid4()), conversation_id or str(uuid4()), conversation_id is None, text, mode, filters or Filters(), earlier)


async def ask(question: Question, user: User, parts: AskParts) -> AsyncGenerator[AnswerEvent]:
    """Stage*, Found, (Token | Cited)*, then Done or Failed; either carries the stored answer.

    Closing the iterator, or cancelling its task, stops the generator and stores what was there.
    """
    draft = Draft(question, user, detect(question.text), question.text)
    try:
        with parts.asking:
            yield Stage("retrieving")
            await _stand_alone(draft, parts)
            retrieval = await asyncio.to_thread(_retrieve, draft, parts)
            await asyncio.to_thread(_decide, draft, retrieval, parts)
            yield Found(draft.sources, tuple(draft.notices), draft.query)
            if draft.status == AnswerStatus.ANSWERED:
                async with contextlib.aclosing(_write(draft, parts)) as events:
                    async for event in events:
                        yield event
            answer = await asyncio.to_thread(_save, draft, parts)
        yield Done(answer)
    except GeneratorUnavailable as error:  # in mid-sentence: what is half written is kept, and called failed
        draft.status = AnswerStatus.FAILED
        draft.note("broken_off")
        yield Failed(error.code, error.message, await asyncio.to_thread(_save, draft, parts))
    except (asyncio.CancelledError, GeneratorExit):
        _stopped(draft, parts)
        raise
    except BedsideError as error:
        log.warning("an answer failed: %s", error.code)
        yield Failed(error.code, error.message, await asyncio.to_thread(_save_failure, draft, parts))
    except Exception:  # a bug: what was asked is kept to find it by
        await asyncio.to_thread(_save_failure, draft, parts)
        raise


async def _stand_alone(draft: Draft, parts: AskParts) -> None:
    """A follow-up question becomes what it means; from here on that is the question. Then what to search for beside it, if anything."""
    if draft.question.earlier:
        generator = parts.generator if parts.settings.follow_ups == "llm" else None
        query = await query_of(draft.question.text, draft.question.earlier, generator)
        draft.query = query.text
        if query.by != "reader":
            draft.stats["rewritten_by"] = query.by
    if parts.settings.widen:
        draft.also = tuple(await alternatives(draft.query, options_of(parts.settings.widen), parts.generator))
        draft.stats["searched_also"] = list(draft.also)


def find(text: str, user: User, filters: Filters, parts: AskParts) -> Retrieval:
    """What a question of this user finds today, or on the filters' day, in an order that is safe for the patient, and whether it is
    answered. Blocks."""
    found = safety.find(text, user, filters, parts)
    hits, texts = may_answer(found.hits, text, filters, parts)
    measured = calibration(parts.embedder.name, parts.settings.data_dir)
    settings = parts.settings
    decision = decided(
        text, found, hits, kept_of(hits, parts), measured, texts, safety.other_names(settings), threshold=settings.not_found_threshold
    )
    return replace(decision, texts=texts)


def may_answer(hits: Sequence[Hit], text: str, filters: Filters, parts: AskParts) -> tuple[list[Hit], dict[str, str]]:
    """The hits that may answer, neither for other patients nor of other drugs, and their documents' texts by id."""
    for_these = safety.for_these(hits, text, filters)
    texts = texts_of(for_these, parts)
    return safety.of_these_drugs(for_these, text, texts, parts.settings), texts


def kept_of(hits: Sequence[Hit], parts: safety.FindParts) -> Kept:
    """The embedder, which knows already what is kept of these hits' sentences."""
    document_ids = sorted({hit.chunk.document_id for hit in hits})
    return Kept(parts.embedder, lambda keys: vectors_of(parts.db, document_ids, keys))


def texts_of(hits: Sequence[Hit], parts: AskParts, known: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """The texts of the hits' documents by id, very long ones left out. Read are those that are not known yet."""
    wanted = {hit.chunk.document_id for hit in hits}
    read = {document_id: read_text(parts.db, document_id, LONGEST_TEXT) for document_id in wanted - known.keys()}
    found = {document_id: read.get(document_id, known.get(document_id)) for document_id in wanted}
    return {document_id: text for document_id, text in found.items() if text is not None}


def _retrieve(draft: Draft, parts: AskParts) -> Retrieval:
    draft.embedder = parts.embedder.name
    question, settings = draft.question, parts.settings
    retrieval = find(draft.query, draft.user, question.filters, widened(parts, draft.also))
    draft.sentences, draft.texts = retrieval.sentences, retrieval.texts
    if retrieval.hits and retrieval.hits[0].chunk.metadata.language == "en":
        draft.language = detect(draft.query, otherwise="en")
    draft.stats |= {
        "retrieve_seconds": draft.seconds(),
        "confidence": round(retrieval.confidence, 6),
        "signals": {name: round(value, 6) for name, value in retrieval.signals.items()},
        "settings": {
            "store": settings.store,
            "alpha": retrieval.alpha,
            "fusion": settings.fusion,
            "passages": settings.passages,
            "sources": settings.sources,
            "not_found_threshold": settings.not_found_threshold,
            "valid_on": (question.filters.valid_on or date.today()).isoformat(),
            "include_expired": question.filters.include_expired,
            "filters": {
                name: list(value)
                for name, value in asdict(question.filters).items()
                if isinstance(value, tuple) and value and name != "owner_groups"
            },
        },
    }
    return retrieval


def _decide(draft: Draft, retrieval: Retrieval, parts: AskParts) -> None:
    """The sources with their places, and whether they answer: here and nowhere else."""
    documents = get_documents(parts.db, draft.user, [hit.chunk.document_id for hit in retrieval.hits])
    hits = [hit for hit in retrieval.hits if _is_current(documents.get(hit.chunk.document_id))]
    for document_id in {hit.chunk.document_id for hit in hits}:
        touched = sorted({page for hit in hits if hit.chunk.document_id == document_id for page in hit.chunk.pages})
        draft.pages[document_id] = read_pages(parts.db, document_id, touched)
    draft.sources = tuple(_source(replace(hit, rank=rank), documents[hit.chunk.document_id], draft) for rank, hit in enumerate(hits, 1))
    warned = cautions.warned(draft.sources, draft.query, draft.user, draft.question.filters, draft.language, parts)
    draft.sources, draft.notices = warned.sources, [*draft.notices, *warned.notices]
    hits = [source.hit for source in draft.sources]
    other = cautions.of_other_drugs(draft.sources, draft.query, draft.language, lambda: texts_of(hits, parts, draft.texts), parts)
    draft.sources, draft.notices = other.sources, [*draft.notices, *other.notices]
    if not draft.sources or not retrieval.answerable or other.notices:
        draft.status = AnswerStatus.NOT_FOUND
        empty = not draft.sources and count_indexed(parts.db, draft.user) == 0
        draft.notices.append(notice("empty_index", draft.language) if empty else not_found(draft.sources, draft.language))
        return
    written = draft.question.mode != Mode.SOURCES and cautions.usable(draft.sources, parts.settings.passages)
    draft.status = AnswerStatus.ANSWERED if written else AnswerStatus.SOURCES_ONLY
    draft.notices += expired(draft.sources[: parts.settings.passages], date.today(), draft.language)


def _is_current(document: Document | None) -> bool:
    """The index may be ahead of or behind the list for a moment; the list decides."""
    return document is not None and document.status == DocumentStatus.INDEXED


def _source(hit: Hit, document: Document, draft: Draft) -> Source:
    chunk = hit.chunk
    pages = draft.pages[chunk.document_id]
    placed = rects(pages, chunk.start, chunk.end)
    return Source(hit, document, placed[0].page if placed else page_of(pages, chunk.start), placed)


async def _write(draft: Draft, parts: AskParts) -> AsyncGenerator[AnswerEvent]:
    """The model's words as they come, and the copied spans. No word at all is no failure: the sources stand."""
    request = await asyncio.to_thread(_request, draft, parts)
    began = draft.seconds()
    yield Stage("reading", len(request.passages))
    try:
        async with contextlib.aclosing(parts.generator.stream(request)) as events:
            async for event in events:
                match event:
                    case gen.Text():
                        if not draft.text:
                            draft.stats["first_token_seconds"] = draft.seconds()
                            yield Stage("writing", len(request.passages))
                        draft.text += event.text
                        yield Token(event.text)
                    case wire.SpanOut():
                        citation = _cite(event, draft)
                        if citation is not None:
                            draft.citations.append(citation)
                            yield Cited(citation)
                    case gen.Finished():
                        _finish(draft, event, parts)
    except GeneratorUnavailable as error:
        if draft.text:
            raise
        log.warning("no answer, only sources: %s", error.message)
        draft.status = AnswerStatus.SOURCES_ONLY
        draft.note("generator_refused" if isinstance(error, GeneratorRefused) else "generator_down")
        draft.stats["generator_problem"] = error.message
    draft.stats["generate_seconds"] = round(draft.seconds() - began, 4)


def _request(draft: Draft, parts: AskParts) -> gen.Request:
    settings, quoting = parts.settings, draft.question.mode == Mode.VERBATIM
    # Quotes may come from every source that is shown; what a model reads before it writes is less.
    hits = [source.hit for source in cautions.usable(draft.sources, max(settings.passages, settings.sources if quoting else 0))]
    if not quoting:
        draft.told = _told(draft, hits, parts)
        passages = gen.passages_of([(hit.chunk.title, passage.text) for hit, passage in zip(hits, draft.told, strict=True)])
        return gen.Request(draft.query, draft.language, passages, max_tokens=settings.max_tokens)
    writing = calibration(parts.embedder.name, settings.data_dir).writing(settings.generator_model, draft.language)
    request, draft.told = to_quote(
        draft.query, draft.language, hits, draft.sentences, writing, texts_of(hits, parts, draft.texts), settings.max_tokens
    )
    _read_further(draft, request.candidates or (), parts)
    draft.stats |= {"candidates": [candidate.model_dump() for candidate in request.candidates or ()], "verbatim": request.options}
    return request


def _told(draft: Draft, hits: Sequence[Hit], parts: AskParts) -> tuple[Told, ...]:
    """The hits' passages, completed where the border of a chunk cuts them and where that can be cited."""
    passages = told(hits)
    whole = completed(passages, texts_of(hits, parts, draft.texts))
    return tuple(one if _within_reach(draft, one, [(0, len(one.text))], parts) else cut for one, cut in zip(whole, passages, strict=True))


def _read_further(draft: Draft, candidates: Sequence[wire.CandidateIn], parts: AskParts) -> None:
    """A sentence, or what leads it in, may stand on the page before or after its passage's."""
    for candidate in candidates:
        places = [(place.start, place.end) for place in (*candidate.lead, candidate)]
        _within_reach(draft, draft.told[int(candidate.document)], places, parts)


def _within_reach(draft: Draft, passage: Told, places: Sequence[tuple[int, int]], parts: AskParts) -> bool:
    """These places of the passage stand on pages that are at hand; else the pages before and after those are read."""

    def at_hand() -> bool:
        pages = draft.pages[passage.document_id]
        return all(_text_at(pages, passage.start + a, passage.start + b) == passage.text[a:b] for a, b in places)

    if at_hand():
        return True
    numbers = {page.number for page in draft.pages[passage.document_id]}
    near = {number + step for number in numbers for step in (-1, 1)}
    draft.pages[passage.document_id] = read_pages(parts.db, passage.document_id, sorted(numbers | near))
    return at_hand()


def _cite(span: wire.SpanOut, draft: Draft) -> Citation | None:
    """The span as a place in a document, or None when its characters are not the document's."""
    passages, text = {str(index): passage for index, passage in enumerate(draft.told)}, draft.text[span.start : span.end]
    passage = passages.get(span.document)
    if passage is None or not 0 <= span.start < span.end <= len(draft.text):
        _dropped(draft)
        return None
    pages = draft.pages[passage.document_id]
    start, end = passage.start + span.source_start, passage.start + span.source_end
    if text != passage.text[span.source_start : span.source_end] or text != _text_at(pages, start, end):
        _dropped(draft)
        return None
    placed = rects(pages, start, end)
    page = placed[0].page if placed else page_of(pages, start)
    rank = _rank_of(passage.document_id, start, end, draft)
    return Citation(span.start, span.end, passage.document_id, start, end, text, page, placed, rank)


def _rank_of(document_id: str, start: int, end: int, draft: Draft) -> int:
    """Of the source that holds most of the span; the better one of two."""
    chunks = [source.hit for source in draft.sources if source.document.id == document_id]
    return max(chunks, key=lambda hit: (min(end, hit.chunk.end) - max(start, hit.chunk.start), -hit.rank)).rank


def _dropped(draft: Draft) -> None:
    log.error("a copied span does not equal its source and is not shown")
    draft.stats["dropped_spans"] = draft.stats.get("dropped_spans", 0) + 1


def _text_at(pages: Sequence[Page], start: int, end: int) -> str:
    """document_text[start:end], from the pages it touches."""
    return "".join(page.text[max(0, start - page.start) : max(0, end - page.start)] for page in pages)


def _finish(draft: Draft, finished: gen.Finished, parts: AskParts) -> None:
    draft.model = finished.model or parts.generator.model
    draft.prompt_version = finished.prompt_version
    draft.stats |= finished.stats
    if not draft.text.strip():
        draft.status = AnswerStatus.SOURCES_ONLY
        draft.note("no_text")
    elif finished.reason == "length":
        draft.note("cut_short")
    if draft.text and parts.is_demo:
        draft.note("demo_model")


def _check_numbers(draft: Draft, parts: AskParts) -> None:
    """Numbers that the passages do not hold, whoever wrote them and however far the answer came. A quote's stand in its document."""
    if draft.text and draft.text == "".join(citation.text for citation in draft.citations):
        return
    passages = cautions.usable(draft.sources, parts.settings.passages)
    completions = () if draft.question.mode == Mode.VERBATIM else draft.told
    draft.unsupported = cautions.unsupported_in(draft.text, passages, draft.query, draft.language, completions)
    draft.notices += cautions.unsupported_notice(draft.unsupported, draft.language)


def _save(draft: Draft, parts: AskParts) -> Answer:
    draft.saving = True
    _check_numbers(draft, parts)
    ranks = [citation.rank for citation in draft.citations]
    draft.notices += cautions.answered_from(ranks, draft.sources, draft.query, draft.user, draft.language)
    answer = draft.finished()
    save_answer(parts.db, draft.user, answer, new_conversation=draft.question.is_new)
    return answer


def _save_failure(draft: Draft, parts: AskParts) -> Answer | None:
    """None when it cannot be stored either: the database may be what failed, or the conversation was deleted meanwhile."""
    draft.status = AnswerStatus.FAILED
    try:
        return None if draft.saving else _save(draft, parts)
    except BedsideError:
        return None


def _stopped(draft: Draft, parts: AskParts) -> None:
    """The reader went away or pressed stop. Nothing can be awaited here any more, so another thread stores it."""
    if not draft.saving:
        draft.note("stopped")
        draft.stats["stopped"] = True
        _afterwards.submit(_save_failure, draft, parts)
