"""The generator's words and its copied spans, as the reader sees them come. Knows no retrieval, no
SQL and no HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass

from rag_api.answering.ask_container import AskContainer
from rag_api.answering.builder import AnswerBuilder
from rag_api.answering.composing.generation_request import Prepared, requests_of
from rag_api.answering.composing.stream_gate import Held
from rag_api.answering.composing.usefulness import Usefulness, usefulness
from rag_api.answering.generator import client as gen
from rag_api.answering.generator.prompt_passages import PromptPassage
from rag_api.answering.quoting.citations import cite, part
from rag_api.answering.quoting.quoted_footnotes import footnotes_of
from rag_api.domain import AnswerEvent, AnswerStatus, Cited, Stage, Token
from rag_api.errors import DocumentTooLong, GeneratorRefused, GeneratorUnavailable, PromptTooLong
from services.contract import wire

log = logging.getLogger(__name__)


async def write(builder: AnswerBuilder, container: AskContainer) -> AsyncGenerator[AnswerEvent]:
    """The model's words as they come, once they say something, and the copied spans. No word at all
    is no failure: the sources stand."""
    prepared = await asyncio.to_thread(requests_of, builder, container)
    held = Held(_usefulness(builder, prepared[0].request))
    began = builder.seconds()
    yield Stage("reading", sum(len(one.passages) for one in prepared))
    try:
        async with contextlib.aclosing(_write_all(prepared, builder, held, container)) as written:
            async for said in written:
                yield said
        for shown in held.end(builder.text):
            yield shown
        _check_words(builder, container, says_something=held.released)
    except GeneratorUnavailable as error:
        if builder.text and held.released:
            raise
        _drop_words(builder)
        if builder.question.whole and isinstance(error, PromptTooLong):
            raise DocumentTooLong("The document is longer than the generator can read at once.") from error
        log.warning("no answer, only sources: %s", error.message)
        builder.status = AnswerStatus.SOURCES_ONLY
        builder.note("generator_refused" if isinstance(error, GeneratorRefused) else "generator_down")
        builder.stats["generator_problem"] = error.message
    builder.stats["generate_seconds"] = round(builder.seconds() - began, 4)


async def _write_all(
    prepared: Sequence[Prepared], builder: AnswerBuilder, held: Held, container: AskContainer
) -> AsyncGenerator[AnswerEvent]:
    """All sections. A generator that breaks off before anyone has seen a word of it is one that has
    not begun: another writes it anew."""
    for left in reversed(range(len(container.generator.replicas.all()))):
        try:
            for one in prepared:
                known = len(builder.citations)
                async with contextlib.aclosing(_write_on(one, builder, held, container)) as written:
                    async for said in written:
                        yield said
                for note in await asyncio.to_thread(footnotes_of, builder, known, container):
                    for said in _quoted(note, builder, held):
                        yield said
            return
        except GeneratorUnavailable as error:
            begun = "first_token_seconds" in builder.stats
            if held.released or not left or not begun or isinstance(error, GeneratorRefused):
                raise
            _drop_words(builder)
            held.forget()


async def _write_on(
    prepared: Prepared, builder: AnswerBuilder, held: Held, container: AskContainer
) -> AsyncGenerator[AnswerEvent]:
    """One section, behind what is written already: parted from it by the white space that follows
    that in its document."""
    if builder.text and (parting := part(builder)):
        for shown in held.add(parting, builder.text):
            yield shown
    builder.prompt_passages, shift = prepared.passages, len(builder.text)
    quotes = Quotes(builder) if prepared.request.mode == "verbatim" else None
    async with contextlib.aclosing(container.generator.stream(prepared.request)) as events:
        async for event in events:
            match event:
                case gen.TextDelta():
                    if "first_token_seconds" not in builder.stats:
                        builder.stats["first_token_seconds"] = builder.seconds()
                        yield Stage("writing", len(prepared.passages))
                    if quotes is not None:
                        quotes.written += event.text
                        continue
                    builder.text += event.text
                    for shown in held.add(Token(event.text), builder.text):
                        yield shown
                case wire.CopiedSpanOut():
                    for said in quotes.taken(event) if quotes is not None else _cited(event, shift, builder):
                        for shown in held.add(said, builder.text):
                            yield shown
                case gen.Finished():
                    _finish(builder, event, container)
    if quotes is not None:
        quotes.end()


@dataclass(slots=True)
class Quotes:
    """A section's words as the generator sends them: shown once they are known to be the document's
    own, never before."""

    builder: AnswerBuilder
    written: str = ""
    shown: int = 0  # characters of it
    differs: bool = False  # nothing more of it is shown: what follows may need what is missing

    def taken(self, span: wire.CopiedSpanOut) -> list[Token | Cited]:
        """Take the span into the answer, with the white space before it. Nothing where it differs
        from its document, or a word stands before it that is of none."""
        if self.differs:
            return []
        before, words = self.builder.text, self.written[self.shown : span.end]
        between = self.written[self.shown : span.start]
        self.builder.text += words
        cited = (
            [] if between.strip() or span.start < self.shown else _cited(span, len(before) - self.shown, self.builder)
        )
        if not cited:
            self.builder.text, self.differs = before, True
            return []
        self.shown = span.end
        return [Token(words), *cited]

    def end(self) -> None:
        """What was not shown is said in the log, and that the answer lacks it to whoever reads the
        rest."""
        if self.differs or self.written[self.shown :].strip():
            log.error(
                "%d characters of a quote are not shown: they are not their document's", len(self.written) - self.shown
            )
            if self.builder.text:
                self.builder.note("broken_off")


def _cited(span: wire.CopiedSpanOut, shift: int, builder: AnswerBuilder) -> list[Token | Cited]:
    """shift: from places of the section to places of the answer."""
    return [
        Cited(citation)
        for citation in cite(span.model_copy(update={"start": span.start + shift, "end": span.end + shift}), builder)
    ]


def _quoted(passage: PromptPassage, builder: AnswerBuilder, held: Held) -> Iterator[AnswerEvent]:
    """Words of a document that no choice is left about: they are written without the generator."""
    if parting := part(builder):
        yield from held.add(parting, builder.text)
    builder.prompt_passages, length = (passage,), len(passage.text)
    quotes = Quotes(builder, passage.text)
    for said in quotes.taken(wire.CopiedSpanOut(document="0", start=0, end=length, source_start=0, source_end=length)):
        yield from held.add(said, builder.text)
    quotes.end()


def _usefulness(builder: AnswerBuilder, request: gen.GeneratorRequest) -> Usefulness | None:
    """None for quotes: those are the sources' own words."""
    if request.mode == "verbatim":
        return None
    languages = {source.document.metadata.language for source in builder.sources} - {""}
    passages = [text for passage in request.passages for text in (passage.title, passage.text)]
    return usefulness(request.question, passages, one_language=languages <= {builder.language})


def _drop_words(builder: AnswerBuilder) -> None:
    builder.text = ""
    builder.citations.clear()


def _finish(builder: AnswerBuilder, finished: gen.Finished, container: AskContainer) -> None:
    builder.model = finished.model or container.generator.model
    builder.prompt_version = finished.prompt_version
    builder.stats |= finished.stats
    builder.cut_short = builder.cut_short or finished.reason == "length"


def _check_words(builder: AnswerBuilder, container: AskContainer, *, says_something: bool) -> None:
    if not builder.text.strip():
        builder.status = AnswerStatus.SOURCES_ONLY
        builder.note("no_text")
    elif not says_something:
        builder.stats["said_nothing"] = builder.text
        _drop_words(builder)
        builder.status = AnswerStatus.SOURCES_ONLY
        builder.note("no_use")
    elif builder.cut_short:
        builder.note("cut_short")
    if builder.text and container.is_demo:
        builder.note("demo_model")
