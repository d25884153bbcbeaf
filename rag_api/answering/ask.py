"""question -> answer: understand, find, show the sources, write, cite, store. What ask() yields is
what the reader sees, in order.

Whether there is an answer at all is decided from retrieval (answerability.py), and by a reader
where one must agree (agreement_decision.py), before and whatever the model writes. A span is cited
only when its characters equal the document's. Everything asked is stored, also what failed or was
stopped half-way. Knows no HTTP and no SQL.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import unicodedata
from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict, replace
from datetime import date
from typing import Any
from uuid import UUID, uuid4, uuid5

from rag_api.answering.agreement_decision import is_agreed, is_read_again, is_second_choice
from rag_api.answering.ask_container import AskContainer
from rag_api.answering.builder import AnswerBuilder, AskedApart, Question
from rag_api.answering.composing.writing import write
from rag_api.answering.question.failed_suggestions import fitting
from rag_api.answering.question.lapsed_suggestions import lapsed_fitting
from rag_api.answering.question.personal import checked
from rag_api.answering.question.separate_asks import found_apart
from rag_api.answering.quoting.citations import source_of
from rag_api.answering.record import keep_failure, save, save_failure, save_stopped
from rag_api.answering.refusal_reason import UNRESOLVED_FOLLOW_UP, WITHHELD, Refusal, code_of, reason_of
from rag_api.answering.warnings import source_warnings
from rag_api.answering.warnings.notice_texts import expired, lapsed, minute_of, notice, unread, withheld
from rag_api.db.documents import count_indexed, get_document, read_pages, read_text
from rag_api.db.questions.answers import get_conversation, given_before, queries_of
from rag_api.domain import (
    AnswerEvent,
    AnswerStatus,
    Done,
    Failed,
    Filters,
    Found,
    Mode,
    Nearest,
    Notice,
    PersonalChoice,
    Stage,
    User,
)
from rag_api.errors import (
    BedsideError,
    Conflict,
    DatabaseUnavailable,
    DocumentTooLong,
    GeneratorUnavailable,
    InvalidInput,
)
from rag_api.query.analysis import Analysis, analyse
from rag_api.query.followup import refers_back_only, standalone
from rag_api.query.question_parts import Ask, asks_of
from rag_api.query.small_talk import small_talk
from rag_api.retrieval.find import Retrieval, find, merged
from rag_api.text.language import Language, detect
from rag_api.text.quotable.prompt_injection import visible

log = logging.getLogger(__name__)

LONGEST_QUESTION = 2_000  # characters in NFKC, as embedders read it; the API's own limit is as many as they are typed

LONGEST_WHOLE = 200_000  # characters of a document that the model reads whole
QUESTIONS = UUID("0b3f6a52-6d0c-4d7e-9c1e-6a1f6f0f5a11")  # ids that follow from a question's key are made within it


def new_question(
    user: User,
    container: AskContainer,
    text: str,
    *,
    mode: Mode | None = None,
    filters: Filters | None = None,
    conversation_id: str | None = None,
    literal: bool = False,
    personal: PersonalChoice = PersonalChoice.STOP,
    key: str = "",
    whole: str = "",
    notices_in: Language | None = None,
    earlier: Sequence[str] = (),
) -> Question:
    """Check what can be checked before anything is streamed. `literal`: search for these words,
    whatever was asked before. `key`: what its asker calls it; asked again under that, after the
    connection broke, it is answered and stored once. `whole`: the document that the model reads
    whole, and that alone is searched. `notices_in`: the language of the page; without one, notices
    are in the question's. `earlier`: what its asker asked before it, oldest first, where no
    conversation of Bedside's says it.

    Raises InvalidInput, PersonalDataFound, NotFound, DocumentTooLong, Conflict,
    DatabaseUnavailable. Blocks."""
    text = visible(text).strip()
    if not text:
        raise InvalidInput("The question is empty.")
    # one character may stand for eighteen: what is embedded is bounded
    if len(unicodedata.normalize("NFKC", text)) > LONGEST_QUESTION:
        raise InvalidInput(
            f"The question is longer than {LONGEST_QUESTION:,} characters once its characters are written out. Ask in "
            f"fewer words."
        )
    said = checked(text, personal, container.settings.personal_data)
    unanswered = False
    mode = mode or (Mode.ANSWER if whole else container.settings.mode)
    if whole:
        filters = _of_whole(whole, mode, filters or Filters(), user, container)
    if mode == Mode.VERBATIM and container.settings.generator_kind == "openai":
        raise InvalidInput(
            "The configured generator cannot be held to exact quotes. Ask with mode `answer` or `sources`."
        )
    if conversation_id is not None:
        get_conversation(container.db, user, conversation_id)
        before = queries_of(container.db, user, conversation_id)
        earlier = tuple(query for query, _ in before)
        unanswered = bool(before) and before[-1][1] == AnswerStatus.NOT_FOUND
    if literal or container.settings.follow_ups == "off":
        earlier, unanswered = (), False
    own, conversation = (
        (uuid5(QUESTIONS, f"{part} {user.id} {key}") for part in ("answer", "conversation"))
        if key
        else (uuid4(), uuid4())
    )
    asked = Question(
        str(own),
        conversation_id or str(conversation),
        conversation_id is None,
        said.text,
        mode,
        filters or Filters(),
        whole,
        tuple(earlier),
        unanswered,
    )
    asked = replace(asked, removed=said.removed, kept=said.kept, notices_in=notices_in)
    return _asked_again(asked, user, container) if key else asked


def _of_whole(document_id: str, mode: Mode, filters: Filters, user: User, container: AskContainer) -> Filters:
    """These filters for that document alone. Raises InvalidInput, NotFound, DocumentTooLong."""
    if mode != Mode.ANSWER:
        raise InvalidInput("A document is read whole for a written answer only. Ask with mode `answer`.")
    get_document(container.db, user, document_id)
    if read_text(container.db, document_id, LONGEST_WHOLE) is None:
        raise DocumentTooLong("The document is too long to be read whole.")
    return replace(filters, document_ids=(document_id,))


def _asked_again(question: Question, user: User, container: AskContainer) -> Question:
    """With its answer, where it was given already."""
    given = given_before(container.db, user, question.id)
    if given is not None and given.question != question.text:
        raise Conflict("Another question was asked under this Idempotency-Key: each needs a new one.")
    return replace(question, given=given)


async def ask(question: Question, user: User, container: AskContainer) -> AsyncGenerator[AnswerEvent]:
    """Yield Stage*, Nearest at most once, Stage*, Found, (Token | Cited)*, then Done or Failed;
    either carries the stored answer.

    Closing the iterator, or cancelling its task, stops the generator and stores what was there.
    """
    if (given := question.given) is not None:
        yield Found(given.sources, given.notices, given.query, given.status, "en" if given.language == "en" else "nl")
        yield Done(given)
        return
    builder = AnswerBuilder(question, user, detect(question.text), question.text)
    _tell_of_pack(builder, container)
    _tell_of_identity(builder)
    try:
        with container.in_flight:
            if (talk := small_talk(question.text)) is not None:  # no document is asked for, and none is looked for
                builder.note(talk.value)
                yield Found((), tuple(builder.notices), builder.query)
                yield Done(await asyncio.to_thread(save, builder, container))
                return
            yield Stage("retrieving")
            _understand(builder)
            retrieval = await asyncio.to_thread(_retrieve, builder, container)
            if await asyncio.to_thread(_gather_sources, builder, retrieval, container):
                yield Nearest(builder.sources, builder.query)
                yield Stage("reading", len(builder.sources))
            await asyncio.to_thread(_decide, builder, retrieval, container)
            yield Found(builder.sources, tuple(builder.notices), builder.query, builder.status, builder.language)
            if builder.status == AnswerStatus.ANSWERED:
                async with contextlib.aclosing(write(builder, container)) as events:
                    async for event in events:
                        yield event
            answer = await asyncio.to_thread(save, builder, container)
        yield Done(answer)
    except GeneratorUnavailable as error:  # in mid-sentence: what is half written is kept, and called failed
        builder.status = AnswerStatus.FAILED
        builder.note("broken_off")
        yield Failed(error.code, error.message, await asyncio.to_thread(save, builder, container))
    except (asyncio.CancelledError, GeneratorExit):
        save_stopped(builder, container)
        raise
    except DatabaseUnavailable as error:  # it was waited for already: a reader is told within seconds
        log.warning("an answer failed: %s", error.code)
        yield Failed(error.code, error.message, await asyncio.to_thread(keep_failure, builder, container))
    except BedsideError as error:
        log.warning("an answer failed: %s", error.code)
        yield Failed(error.code, error.message, await asyncio.to_thread(save_failure, builder, container))
    except Exception:  # a bug: what was asked is kept to find it by
        await asyncio.to_thread(save_failure, builder, container)
        raise


def _tell_of_pack(builder: AnswerBuilder, container: AskContainer) -> None:
    """Each answer of a downtime pack says how old it is."""
    if (pack := container.settings.pack) is not None:
        made, until = (minute_of(one) for one in (pack.made_at, pack.valid_until))
        builder.notices.append(notice("pack", builder.notices_in, made=made, until=until))


def _tell_of_identity(builder: AnswerBuilder) -> None:
    """The reader sees that words of theirs are gone; the record says which kinds there were, not
    what they were."""
    removed, kept = builder.question.removed, builder.question.kept
    if removed:
        builder.note("identity_removed")
    if removed or kept:
        builder.stats["personal_data"] = {
            "removed": [kind.value for kind in removed],
            "kept": [kind.value for kind in kept],
        }


def _understand(builder: AnswerBuilder) -> None:
    """A follow-up question becomes what it means; from here on that is the question. What follows a
    question that found nothing, and is about nothing else, has nothing to be answered from."""
    builder.unresolved_follow_up = builder.question.unanswered and refers_back_only(builder.question.text)
    if builder.question.earlier:
        builder.query = standalone(builder.question.text, builder.question.earlier[-1])
        if builder.query != builder.question.text:
            builder.stats["rewritten_by"] = "rules"


def chosen(question: Question, user: User, container: AskContainer) -> tuple[AnswerBuilder, Retrieval]:
    """Return what would be quoted, whatever is made of it: for measuring. Nothing is written or
    kept. Blocks."""
    builder = AnswerBuilder(question, user, detect(question.text), question.text)
    retrieval = _retrieve(builder, container)
    _gather_sources(builder, retrieval, container)
    return builder, retrieval


def _retrieve(builder: AnswerBuilder, container: AskContainer) -> Retrieval:
    builder.embedder = container.embedder.name
    analysis = builder.analysis = analyse(builder.query, container.expander, builder.question.text)
    retrieval = find(analysis, builder.user, builder.question.filters, container)
    builder.asked = (AskedApart(analysis, retrieval),)
    if builder.question.mode == Mode.VERBATIM and len(asks := asks_of(builder.query)) > 1:
        retrieval = find_apart(asks, retrieval, builder, container)
    builder.texts, builder.structures = dict(retrieval.texts), dict(retrieval.structures)
    if retrieval.hits and retrieval.hits[0].chunk.metadata.language == "en":
        builder.language = analysis.language or "en"
    builder.stats |= _stats_of(retrieval, builder, container)
    return retrieval


def find_apart(asks: Sequence[Ask], whole: Retrieval, builder: AnswerBuilder, container: AskContainer) -> Retrieval:
    """What is found for two questions in one, each by itself; what neither finds an answer to is
    decided for the whole."""

    def search(analysis: Analysis, document_ids: frozenset[str]) -> Retrieval:
        filters = (
            replace(builder.question.filters, document_ids=tuple(sorted(document_ids)))
            if document_ids
            else builder.question.filters
        )
        return find(analysis, builder.user, filters, container)

    found = found_apart(asks, whole, container.expander, search)
    answered = [one for one in found if one is not None]
    if not answered:
        return whole
    told = list(zip(asks, found, strict=True))
    # One that is only nearly sure is an answer beside another of its document.
    sure = [(ask, one.analysis, replace(one.retrieval, answerable=True)) for ask, one in told if one is not None]
    builder.asked = tuple(AskedApart(analysis, retrieval, ask.said) for ask, analysis, retrieval in sure)
    builder.not_found = tuple(ask.said for ask, one in told if one is None)
    builder.stats["asked_apart"] = [one.analysis.text for one in answered]
    return merged([whole, *(one.retrieval for one in answered)], container.settings.sources)


def _stats_of(retrieval: Retrieval, builder: AnswerBuilder, container: AskContainer) -> dict[str, Any]:
    settings, filters = container.settings, builder.question.filters
    return {
        "retrieve_seconds": builder.seconds(),
        "confidence": round(retrieval.confidence, 6),
        "signals": {name: round(value, 6) for name, value in retrieval.signals.items()},
        "settings": {
            "store": settings.store,
            "alpha": retrieval.alpha,
            "fusion": settings.fusion,
            "passages": settings.passages,
            "sources": settings.sources,
            "not_found_threshold": settings.not_found_threshold,
            "valid_on": (filters.valid_on or date.today()).isoformat(),
            "include_expired": filters.include_expired,
            "filters": {
                name: list(value)
                for name, value in asdict(filters).items()
                if isinstance(value, tuple) and value and name not in ("groups", "hidden_document_ids")
            },
        },
    }


def _gather_sources(builder: AnswerBuilder, retrieval: Retrieval, container: AskContainer) -> bool:
    """The sources with their places and warnings. Returns whether they are read again before
    anything is quoted."""
    assert builder.analysis is not None, "what was retrieved was asked for"
    hits, db = retrieval.hits, container.db
    for document_id in {hit.chunk.document_id for hit in hits}:
        touched = sorted({page for hit in hits if hit.chunk.document_id == document_id for page in hit.chunk.pages})
        builder.pages[document_id] = read_pages(db, document_id, touched)
    sources = [
        source_of(
            hit, retrieval.documents[name], builder.pages[name], retrieval.uncertain.get(name, ()), retrieval.sentences
        )
        for hit in hits
        for name in [hit.chunk.document_id]
    ]
    # best first: the best one stays
    likely = {sentence.document_id: sentence.score for sentence in reversed(retrieval.sentences)}
    filters = builder.question.filters
    warned = source_warnings.warned(
        sources, builder.analysis, builder.user, filters, builder.notices_in, container, likely
    )
    other = source_warnings.of_other_drugs(
        warned.sources, builder.analysis, retrieval.of_other_drugs, builder.notices_in
    )
    elsewhere = retrieval.of_other_complications
    builder.sources = source_warnings.of_other_complications(
        other.sources, builder.analysis, elsewhere, builder.notices_in
    )
    builder.notices = [*builder.notices, *warned.notices, *other.notices]
    return (
        _may_write(builder, container)
        and not builder.unresolved_follow_up
        and is_read_again(builder, retrieval, container)
    )


def _may_write(builder: AnswerBuilder, container: AskContainer) -> bool:
    return builder.question.mode != Mode.SOURCES and bool(
        source_warnings.usable(builder.sources, container.settings.passages)
    )


def _refusal(
    builder: AnswerBuilder, retrieval: Retrieval, second: bool, container: AskContainer
) -> tuple[Refusal, Notice]:
    """Why nothing is quoted, for the record and for the asker: a passage near the question that
    cannot be quoted is named, since it may hold the answer. second: what would be quoted is the
    second choice."""
    if builder.unresolved_follow_up:
        return Refusal(by=UNRESOLVED_FOLLOW_UP), notice(UNRESOLVED_FOLLOW_UP, builder.notices_in)
    refused = Refusal(by=WITHHELD) if second else reason_of(retrieval, builder.stats.get("agreement", ()))
    near = retrieval.withheld(container.settings.passages)
    shown = (one for one in builder.sources if one.hit.chunk.id in near)
    # what speaks to a machine holds no answer: it is told only where it stands first
    if said := next((one for one in shown if retrieval.best_is_withheld or not one.addressed), None):
        return refused, withheld(said, builder.notices_in)
    code = code_of(refused)
    if not builder.sources:
        code = "nothing_readable" if count_indexed(container.db, builder.user) else "empty_index"
    return refused, notice(code, builder.notices_in)


def _decide(builder: AnswerBuilder, retrieval: Retrieval, container: AskContainer) -> None:
    """What is made of the sources: an answer, themselves alone, or a refusal."""
    assert builder.analysis is not None, "what was retrieved was asked for"
    first, db = container.settings.passages, container.db
    written = _may_write(builder, container)
    quotes = not builder.unresolved_follow_up and (
        is_agreed(builder, retrieval, container) if written else retrieval.answerable
    )
    second = bool(quotes) and written and is_second_choice(builder, retrieval)
    if quotes is False or second:
        builder.status = AnswerStatus.NOT_FOUND
        refused, said = _refusal(builder, retrieval, second, container)
        builder.stats["refused"] = refused
        builder.notices = [*source_warnings.of_refusal(builder.notices, builder.sources), said]
        builder.notices += [
            unread(document, builder.notices_in) for document in fitting(builder.analysis, builder.user, db)
        ]
        found = lapsed_fitting(builder.analysis, builder.question.filters, builder.user, db)
        builder.notices += [lapsed(document, builder.notices_in) for document in found]
        return
    builder.status = AnswerStatus.ANSWERED if written and quotes else AnswerStatus.SOURCES_ONLY
    if quotes is None:
        builder.note("generator_down")
    if builder.unsure:
        builder.note("unsure")
    builder.notices += expired(builder.sources[:first], date.today(), builder.notices_in)
    builder.notices += [notice("part_not_found", builder.notices_in, part=part) for part in builder.not_found]
