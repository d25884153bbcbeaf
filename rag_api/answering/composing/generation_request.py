"""An answer's sources -> what the generator is asked: passages to write from, or sentences to
quote. Knows no HTTP."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag_api.answering.builder import AnswerBuilder, AskedApart
from rag_api.answering.choosing.paragraphs import with_paragraphs
from rag_api.answering.choosing.read_documents import ReadDocuments
from rag_api.answering.choosing.span_selection import Section, sections
from rag_api.answering.choosing.two_asks import shortened, told_apart
from rag_api.answering.generator import client as gen
from rag_api.answering.generator.passage_completion import completed
from rag_api.answering.generator.prompt_passages import PromptPassage, passages_of_hits, to_quote
from rag_api.answering.quoting.citations import within_reach
from rag_api.answering.warnings.notice_texts import notice
from rag_api.answering.warnings.source_warnings import usable
from rag_api.db.documents import read_pages
from rag_api.db.questions.answers import said_of
from rag_api.domain import Candidate, Hit, Mode, User
from rag_api.retrieval.decision.calibration import calibration
from rag_api.retrieval.search.patient_ranking import RetrievalContainer
from services.contract import wire

# characters of a document before and behind a passage that are drafted from: reading more takes
# longer than it saves
AROUND = 8_000


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the generator is asked, and the passages that its spans will be places in, in the order
    of their wire ids."""

    request: gen.GeneratorRequest
    passages: tuple[PromptPassage, ...]


def requests_of(builder: AnswerBuilder, container: RetrievalContainer) -> list[Prepared]:
    """Return what to ask the generator for this answer, one after the other: what was asked apart,
    and what stands first, is chosen by itself. Blocks."""
    scope = scope_of(builder.user)
    return [replace(one, request=replace(one.request, scope=scope)) for one in _prepared(builder, container)]


def sections_of(builder: AnswerBuilder) -> tuple[Section, ...]:
    """Return what may be quoted from the sources, section by section; chosen once for what was
    asked."""
    if builder.sections is None:
        builder.sections = tuple(
            _sections(builder, [source.hit for source in usable(builder.sources, len(builder.sources))])
        )
    return builder.sections


def documents_of(builder: AnswerBuilder) -> ReadDocuments:
    """Return the documents of its sources, as a quote is chosen from them."""
    titles = {source.document.id: source.document.metadata.title for source in builder.sources}
    return ReadDocuments(builder.texts, builder.structures, titles)


def scope_of(user: User) -> str:
    """Return the same for all who may read the same, and something else for everyone else."""
    return hashlib.sha256("\n".join(sorted(set(user.groups))).encode()).hexdigest()[:32]


def _prepared(builder: AnswerBuilder, container: RetrievalContainer) -> list[Prepared]:
    settings, quoting = container.settings, builder.question.mode == Mode.VERBATIM
    # Quotes may come from every source that is shown; what a model reads before it writes is less.
    hits = [source.hit for source in usable(builder.sources, len(builder.sources) if quoting else settings.passages)]
    if quoting:
        prepared = _with_words(builder, [(one, _quoted(builder, hits, one, container)) for one in sections_of(builder)])
        builder.stats["candidates"] = [c.model_dump() for one in prepared for c in one.request.candidates or ()]
        builder.stats["verbatim"] = prepared[0].request.options
        return prepared
    if builder.question.whole:
        return [_whole(builder, hits, container)]
    read = _completed(builder, hits, container)
    passages = gen.passages_of([(hit.chunk.title, passage.text) for hit, passage in zip(hits, read, strict=True)])
    request = gen.GeneratorRequest(builder.query, builder.language, passages, max_tokens=settings.max_tokens)
    if settings.draft_from == "documents":
        request = replace(request, beside=_beside(builder, read, container))
    return [Prepared(request, read)]


def _whole(builder: AnswerBuilder, hits: Sequence[Hit], container: RetrievalContainer) -> Prepared:
    """The one document, and where in it something was found: a drafter that reads those places
    alone writes ahead (RAPID)."""
    passage = PromptPassage(builder.question.whole, 0, builder.texts[builder.question.whole])
    builder.pages[passage.document_id] = read_pages(container.db, passage.document_id)
    builder.stats["whole_document"] = passage.document_id
    builder.notices.append(notice("whole_document", builder.notices_in, title=hits[0].chunk.title))
    places = [wire.RetrievedRangeIn(document="0", start=hit.chunk.start, end=hit.chunk.end) for hit in hits]
    request = gen.GeneratorRequest(
        builder.query,
        builder.language,
        gen.passages_of([(hits[0].chunk.title, passage.text)]),
        max_tokens=container.settings.max_tokens,
        retrieved=tuple(sorted(places, key=lambda place: place.start)),
    )
    return Prepared(request, (passage,))


def _beside(
    builder: AnswerBuilder, passages: Sequence[PromptPassage], container: RetrievalContainer
) -> tuple[str, ...]:
    """Return what the answer may repeat beside its passages, the likeliest last: their documents
    around them, and what this user was told of those before. Nobody else's answers: a draft that
    fits makes an answer quicker, and the time would tell of them."""
    around = dict[str, str]()
    for passage in reversed(passages):
        text, end = builder.texts.get(passage.document_id, ""), passage.start + len(passage.text)
        around[passage.document_id] = text[max(0, passage.start - AROUND) : end + AROUND]
    said = said_of(container.db, builder.user, list(around))
    return (*(text for text in around.values() if text), *(text[:AROUND] for text in said))


def _sections(builder: AnswerBuilder, hits: Sequence[Hit]) -> list[Section]:
    """Of each thing that is asked, what may be quoted; nothing is said twice."""
    documents, read = {hit.chunk.document_id for hit in hits}, documents_of(builder)
    own = [
        _sections_for(asked, [c for c in asked.sentences if c.document_id in documents], read)
        for asked in builder.asked
    ]
    if all(asked.pointed for asked in builder.asked):
        return told_apart(own) or [Section(())]
    if len(own) > 1:  # each in few words, and nothing twice
        own = [[shortened(one) for one in its] for its in own]
    return with_paragraphs(told_apart(own), read) or [Section(())]


def _sections_for(asked: AskedApart, candidates: list[Candidate], read: ReadDocuments) -> list[Section]:
    """What a reader pointed to is quoted as it is."""
    if asked.pointed:
        return [Section(tuple(candidates[:1]), 1, asked.question)] if candidates else []
    return sections(asked.question, candidates, read)


def _quoted(builder: AnswerBuilder, hits: Sequence[Hit], section: Section, container: RetrievalContainer) -> Prepared:
    settings = container.settings
    writing = calibration(container.embedder.name, settings.data_dir).writing(
        settings.generator_model, builder.language
    )
    if section.most is not None:
        writing = replace(writing, sentences=section.most)
    for candidate in section.candidates:
        if candidate.said is not None:
            builder.said.setdefault(candidate.document_id, []).append(candidate.said)
    longest = sorted((len(c.text) for c in section.candidates), reverse=True)[: writing.sentences]
    most = max(settings.max_tokens, sum(longest))  # every token has a character at least: no quote is cut short
    query = section.asked.text if section.asked is not None and len(builder.asked) > 1 else builder.query
    request, passages = to_quote(query, builder.language, hits, section.candidates, writing, builder.texts, most)
    _read_further(builder, request.candidates or (), passages, container)
    return Prepared(request, passages)


def _with_words(builder: AnswerBuilder, prepared: Sequence[tuple[Section, Prepared]]) -> list[Prepared]:
    """Those that hold something to quote, which is all that a generator can be asked; all, where
    none does. What is asked for and lost so is said."""
    kept = [(section, one) for section, one in prepared if one.request.candidates]
    if not kept:
        return [one for _, one in prepared]
    said = {section.asked.text for section, _ in kept if section.asked is not None}
    lost = dict.fromkeys(section.asked.text for section, _ in prepared if section.asked is not None)
    builder.notices += [notice("part_not_found", builder.notices_in, part=text) for text in lost if text not in said]
    return [one for _, one in kept]


def _completed(builder: AnswerBuilder, hits: Sequence[Hit], container: RetrievalContainer) -> tuple[PromptPassage, ...]:
    """The hits' passages, completed where the border of a chunk cuts them and where that can be
    cited."""
    passages = passages_of_hits(hits)
    whole = completed(passages, builder.texts)
    return tuple(
        one if within_reach(builder, one, [(0, len(one.text))], container.db) else cut
        for one, cut in zip(whole, passages, strict=True)
    )


def _read_further(
    builder: AnswerBuilder,
    candidates: Sequence[wire.CandidateIn],
    passages: Sequence[PromptPassage],
    container: RetrievalContainer,
) -> None:
    """A sentence, or what leads it in, may stand on the page before or after its passage's."""
    for candidate in candidates:
        places = [(place.start, place.end) for place in (*candidate.lead, candidate)]
        within_reach(builder, passages[int(candidate.document)], places, container.db)
