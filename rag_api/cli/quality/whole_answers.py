"""`bedside quality evaluate --whole`: are answers whole, and nothing in them that misleads?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_api.cli.console import counting, wide_console

if TYPE_CHECKING:
    from rag_api.container import Container


def whole_figures(container: Container, file: Path | None) -> dict[str, Any]:
    """Each question is asked in a conversation of its own, behind the one that it follows; as a
    user of its own."""
    import asyncio

    from evaluation.quality.whole import HANDBOOK_WHOLE, outcome, read_whole, whole_report
    from rag_api.domain import AnswerStatus

    questions = read_whole(file or HANDBOOK_WHOLE)
    container.wait_for_generator()
    outcomes = []
    with asyncio.Runner() as runner, counting("whole answers", len(questions)) as tell:
        try:
            for question in questions:
                answer = runner.run(asked_in_turn(question.after, question.question, container))
                outcomes.append(outcome(question, answer.status == AnswerStatus.ANSWERED, answer.text))
                tell(len(outcomes))
        finally:
            runner.run(container.generator.close())
    return whole_report(outcomes)


async def asked_in_turn(after: str, question: str, container: Container) -> Any:
    """The answer to a question, in a conversation of its own in which the one before was asked
    first, where there is one."""
    from rag_api.answering.ask import ask, new_question
    from rag_api.domain import Done, Failed, Mode, PersonalChoice, User
    from rag_api.errors import BedsideError

    user = User(id="evaluation", name="Evaluation", groups=("everyone",))
    conversation: str | None = None
    answer = None
    for words in (after, question) if after else (question,):
        asked = new_question(
            user, container, words, mode=Mode.VERBATIM, conversation_id=conversation, personal=PersonalChoice.KEEP
        )
        async for event in ask(asked, user, container):
            if isinstance(event, Done):
                answer = event.answer
            if isinstance(event, Failed):
                raise BedsideError(event.message)
        assert answer is not None, "ask() ended without Done or Failed"
        conversation = answer.conversation_id
    return answer


def print_whole(figures: dict[str, Any]) -> None:
    """A row for each kind of question."""
    from rich.table import Table

    table = Table("", "n", "answered", "whole", "misleading", "whole, nothing misleading", box=None, pad_edge=False)
    for name, row in {"all": figures, **figures["kinds"]}.items():
        table.add_row(name, *(str(row[column]) for column in ("n", "answered", "whole", "misleading", "right")))
    wide_console().print(table)
