"""Questions asked one after another, each in a conversation of its own: for commands and
measurements, which have no event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable

from rag_api.answering.ask import ask, new_question
from rag_api.answering.ask_container import AskContainer
from rag_api.domain import Answer, Done, Failed, Mode, PersonalChoice, Token, User
from rag_api.errors import BedsideError


def answers_to(
    questions: Iterable[str],
    user: User,
    container: AskContainer,
    mode: Mode | None = None,
    on_token: Callable[[str], None] | None = None,
) -> Generator[Answer]:
    """Yield the stored answers. Raises what ask() fails with."""
    with asyncio.Runner() as runner:
        try:
            for question in questions:
                yield runner.run(_asked(question, user, container, mode, on_token))
        finally:
            runner.run(container.generator.close())


async def _asked(
    question: str, user: User, container: AskContainer, mode: Mode | None, on_token: Callable[[str], None] | None
) -> Answer:
    async for event in ask(
        new_question(user, container, question, mode=mode, personal=PersonalChoice.KEEP), user, container
    ):
        if isinstance(event, Token) and on_token:
            on_token(event.text)
        if isinstance(event, Done):
            return event.answer
        if isinstance(event, Failed):
            raise BedsideError(event.message)
    raise AssertionError("ask() ended without Done or Failed")
