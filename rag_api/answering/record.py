"""An answer -> what is kept of it: in the database, or in a file until that takes it, also what
failed or was stopped half-way. Whoever reads an answer is told when it is not stored. Knows no SQL
and no HTTP."""

from __future__ import annotations

import logging
from dataclasses import replace

from rag_api.answering.ask_container import AskContainer
from rag_api.answering.builder import AnswerBuilder
from rag_api.answering.quoting.unnamed_words import not_named
from rag_api.answering.warnings import source_warnings
from rag_api.answering.warnings.partial_lists import partial_lists
from rag_api.db.questions.answers import save_answer
from rag_api.domain import Answer, AnswerStatus, Mode
from rag_api.errors import BedsideError, DatabaseUnavailable, DiskFull
from rag_api.query.analysis import Analysis

log = logging.getLogger(__name__)


def save(builder: AnswerBuilder, container: AskContainer) -> Answer:
    builder.saving = True
    if builder.analysis is not None:
        _check(builder, builder.analysis, container)
    answer = builder.finished()
    try:
        save_answer(container.db, builder.user, answer, new_conversation=builder.question.is_new)
    except (DatabaseUnavailable, DiskFull) as error:
        log.warning("an answer is not stored yet: %s", error.message)
        return _kept(builder, answer, container)
    return answer


def _kept(builder: AnswerBuilder, answer: Answer, container: AskContainer) -> Answer:
    """The answer as its reader sees it, who is told that it will not be among the conversations
    yet, or never."""
    later = container.unsaved.keep(builder.user, answer, new_conversation=builder.question.is_new)
    builder.note("stored_later" if later else "not_stored")
    return replace(answer, notices=tuple(builder.notices))


def _check(builder: AnswerBuilder, question: Analysis, container: AskContainer) -> None:
    """For whom the answer is; and its numbers that the passages do not hold, whoever wrote them and
    however far the answer came. A quote's numbers stand in its document."""
    if builder.text != "".join(citation.text for citation in builder.citations):
        passages = source_warnings.usable(builder.sources, container.settings.passages)
        completions = () if builder.question.mode == Mode.VERBATIM else builder.prompt_passages
        builder.unsupported = source_warnings.unsupported_in(
            builder.text, passages, question, builder.language, completions
        )
        builder.notices += source_warnings.unsupported_notice(builder.unsupported, builder.notices_in)
    ranks = [citation.rank for citation in builder.citations]
    builder.notices = source_warnings.of_used(builder.notices, ranks, builder.sources)
    builder.notices += source_warnings.answered_from(ranks, builder.sources, question, builder.user, builder.notices_in)
    builder.not_named = not_named(builder, question)
    builder.notices += source_warnings.in_doubt(builder.not_named, ranks, builder.sources, builder.notices_in)
    builder.notices += source_warnings.in_part(
        partial_lists(builder.citations, builder.texts, builder.structures), builder.notices_in
    )


def save_failure(builder: AnswerBuilder, container: AskContainer) -> Answer | None:
    """None when it cannot be stored either: the database may be what failed, or the conversation
    was deleted meanwhile."""
    builder.status = AnswerStatus.FAILED
    try:
        return None if builder.saving else save(builder, container)
    except BedsideError:
        return None


def keep_failure(builder: AnswerBuilder, container: AskContainer) -> Answer | None:
    """Without asking the database that does not answer. None when it was being stored already."""
    builder.status = AnswerStatus.FAILED
    return None if builder.saving else _kept(builder, builder.finished(), container)


def save_stopped(builder: AnswerBuilder, container: AskContainer) -> None:
    """The reader went away or pressed stop. Nothing can be awaited here any more, so another thread
    stores it."""
    if not builder.saving:
        builder.note("stopped")
        builder.stats["stopped"] = True
        container.afterwards(lambda: save_failure(builder, container))
