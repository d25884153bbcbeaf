"""The footnotes that what was quoted points to: a dose is not read without the exception that its
mark stands for."""

from __future__ import annotations

from rag_api.answering.builder import AnswerBuilder
from rag_api.answering.generator.prompt_passages import PromptPassage
from rag_api.answering.quoting.citations import within_reach
from rag_api.domain import Mode
from rag_api.retrieval.search.patient_ranking import RetrievalContainer
from rag_api.text.blocks import structure_of
from rag_api.text.quotable.footnotes import footnotes, marks_in
from rag_api.text.quotable.uncertain import BLANK


def footnotes_of(builder: AnswerBuilder, known: int, container: RetrievalContainer) -> list[PromptPassage]:
    """Return those of the citations from this one on that the answer does not quote yet, of quotes
    alone. Blocks."""
    if builder.question.mode != Mode.VERBATIM:
        return []
    found: list[PromptPassage] = []
    for citation in builder.citations[known:]:
        id_, text = citation.document_id, builder.texts.get(citation.document_id)
        if text is None or not marks_in(text[citation.source_start : citation.source_end]):
            continue
        blocks = structure_of(text, builder.structures.get(id_, ""))
        for a, b in footnotes(text, blocks, citation.source_start, citation.source_end):
            passage = PromptPassage(id_, a, text[a:b])
            quoted = any(
                one.document_id == id_ and one.source_start < b and a < one.source_end for one in builder.citations
            )
            if not quoted and passage not in found and BLANK not in passage.text:
                found.append(passage)
    return [one for one in found if within_reach(builder, one, [(0, len(one.text))], container.db)]
