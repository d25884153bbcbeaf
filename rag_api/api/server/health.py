"""Does each part answer, and how fast? `degraded` means that questions still get sources."""

from __future__ import annotations

import asyncio
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from rag_api.api.schemas import Health, SentencesAhead
from rag_api.api.server.watch import SOON, Watch, apart
from rag_api.container import Container
from rag_api.db.documents import count_indexed
from rag_api.domain import Scope, User
from rag_api.errors import BedsideError


async def health(watch: Watch, container: Container, user: User) -> Health:
    generators, others, documents = await asyncio.gather(
        watch.generators(), watch.parts(), _documents(watch, container, user)
    )
    status: Literal["ok", "degraded", "down"] = "ok"
    if not all(part.ok for part in others):
        status = "down"
    elif not any(part.ok for part in generators):
        status = "degraded"
    kept = container.sentences
    told_all = user.is_admin and user.within(Scope.MONITOR)
    return Health(
        status=status,
        version=own_version(),
        parts=[*others, *generators] if told_all else [],
        documents=documents,
        demo=container.is_demo,
        model=container.settings.generator_model,
        sentences=SentencesAhead(state=kept.state.value, documents=kept.documents, of=kept.of, sentences=kept.sentences)
        if told_all
        else SentencesAhead(state="off"),
    )


async def ready(watch: Watch) -> bool:
    """Whether questions get at least their sources: all but the generator answer."""
    return all(part.ok for part in await watch.parts())


async def _documents(watch: Watch, container: Container, user: User) -> int | None:
    """How many this user may read; None where the database takes its time. Counted while the parts
    are looked at, not behind them: whoever asks waits once."""
    if not watch.database_answered:
        return None
    try:
        return await asyncio.wait_for(apart(lambda: count_indexed(container.db, user)), SOON)
    except (TimeoutError, BedsideError):
        return None


def own_version() -> str:
    try:
        return version("bedside")
    except PackageNotFoundError:
        return "0"
