"""An answer's sources -> what the generator is asked: passages to write from, or sentences to quote. Knows no HTTP."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from rag_api.answering import generator_client as gen
from rag_api.answering.builder import AnswerBuilder
from rag_api.answering.citations import within_reach
from rag_api.answering.passage_completion import completed
from rag_api.answering.prompt_passages import PromptPassage, passages_of_hits, to_quote
from rag_api.answering.source_warnings import usable
from rag_api.domain import Hit, Mode, User
from rag_api.retrieval.calibration import calibration
from rag_api.retrieval.patient_ranking import RetrievalContainer
from services.contract import wire


def request_of(builder: AnswerBuilder, container: RetrievalContainer) -> gen.Request:
    """Return what to ask the generator for this answer; the builder keeps the passages that spans will be places in. Blocks."""
    return replace(_request_of(builder, container), scope=scope_of(builder.user))


def scope_of(user: User) -> str:
    """Return the same for all who may read the same, and something else for everyone else."""
    return hashlib.sha256("\n".join(sorted(set(user.groups))).encode()).hexdigest()[:32]


def _request_of(builder: AnswerBuilder, container: RetrievalContainer) -> gen.Request:
    settings, quoting = container.settings, builder.question.mode == Mode.VERBATIM
    # Quotes may come from every source that is shown; what a model reads before it writes is less.
    hits = [source.hit for source in usable(builder.sources, max(settings.passages, settings.sources if quoting else 0))]
    if not quoting:
        builder.prompt_passages = _completed(builder, hits, container)
        passages = gen.passages_of([(hit.chunk.title, passage.text) for hit, passage in zip(hits, builder.prompt_passages, strict=True)])
        return gen.Request(builder.query, builder.language, passages, max_tokens=settings.max_tokens)
    writing = calibration(container.embedder.name, settings.data_dir).writing(settings.generator_model, builder.language)
    request, builder.prompt_passages = to_quote(
        builder.query, builder.language, hits, builder.sentences, writing, builder.texts, settings.max_tokens
    )
    _read_further(builder, request.candidates or (), container)
    builder.stats |= {"candidates": [candidate.model_dump() for candidate in request.candidates or ()], "verbatim": request.options}
    return request


def _completed(builder: AnswerBuilder, hits: Sequence[Hit], container: RetrievalContainer) -> tuple[PromptPassage, ...]:
    """The hits' passages, completed where the border of a chunk cuts them and where that can be cited."""
    passages = passages_of_hits(hits)
    whole = completed(passages, builder.texts)
    return tuple(
        one if within_reach(builder, one, [(0, len(one.text))], container.db) else cut for one, cut in zip(whole, passages, strict=True)
    )


def _read_further(builder: AnswerBuilder, candidates: Sequence[wire.CandidateIn], container: RetrievalContainer) -> None:
    """A sentence, or what leads it in, may stand on the page before or after its passage's."""
    for candidate in candidates:
        places = [(place.start, place.end) for place in (*candidate.lead, candidate)]
        within_reach(builder, builder.prompt_passages[int(candidate.document)], places, container.db)
