"""An answer on its way -> the question's specific words that the quoted block, its title and
headings do not name (query/unnamed.py)."""

from __future__ import annotations

from collections.abc import Iterable

from rag_api.answering.builder import AnswerBuilder
from rag_api.domain import Citation, Mode, Source
from rag_api.query.analysis import Analysis
from rag_api.query.unnamed import unnamed
from rag_api.text.quotable.quotable_spans import quotable_of


def not_named(builder: AnswerBuilder, question: Analysis) -> tuple[str, ...]:
    """Empty without an answer. Of a written answer the passages that it cites count, or all that
    the model was told."""
    if not builder.text.strip():
        return ()
    used = _used(builder)
    abouts = [source.document.metadata for source in used]
    languages = {about.language for about in abouts} - {""}
    return unnamed(
        question.text,
        question.sought,
        "\n".join((*(about.title for about in abouts), *_passages(builder, used))),
        crossed=question.language is not None and bool(languages) and question.language not in languages,
        about={group for about in abouts for group in about.target_groups},
    )


def _used(builder: AnswerBuilder) -> list[Source]:
    ranks = {citation.rank for citation in builder.citations}
    told = {passage.document_id for passage in builder.prompt_passages}
    return [s for s in builder.sources if (s.hit.rank in ranks if ranks else s.document.id in told)]


def _passages(builder: AnswerBuilder, used: Iterable[Source]) -> list[str]:
    if builder.question.mode == Mode.VERBATIM:
        return [builder.text, *(heading for citation in builder.citations for heading in _headings(citation, builder))]
    return [*(source.hit.chunk.text for source in used), *(passage.text for passage in builder.prompt_passages)]


def _headings(citation: Citation, builder: AnswerBuilder) -> list[str]:
    """What the quote stands below, and what it must not be read without."""
    text = builder.texts.get(citation.document_id)
    if text is None:
        return []
    above = [
        quote
        for quote in quotable_of(text, builder.structures.get(citation.document_id, ""))
        if quote.start < citation.source_end and quote.end > citation.source_start
    ]
    return [text[start:end] for quote in above for start, end in dict.fromkeys((*quote.lead, *quote.path))]
