"""Does each part answer, and how fast? `degraded` means that questions still get sources."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from rag_api.api.schemas import Health, PartHealth, SentencesAhead
from rag_api.api.watch import apart
from rag_api.container import Container
from rag_api.db.documents import count_indexed
from rag_api.domain import Scope, User
from rag_api.errors import BedsideError

PATIENCE = 5.0  # seconds


async def health(container: Container, user: User) -> Health:
    checks: dict[str, Callable[[], Awaitable[str]]] = {
        "database": lambda: apart(lambda: f"PostgreSQL {container.db.ping()}"),
        "store": lambda: apart(lambda: f"{container.settings.store}: {container.store.count()} passages"),
        "embedder": lambda: apart(lambda: f"{container.embedder.name}: {len(container.embedder.query('health'))} dimensions"),
    }
    asked = asyncio.gather(*(_checked(name, check) for name, check in checks.items()))
    generators, others = await asyncio.gather(_generators(container), asked)
    found = [*others, *generators]
    ok = {part.name: part.ok for part in found}
    status: Literal["ok", "degraded", "down"] = "ok"
    if not all(part.ok for part in others):
        status = "down"
    elif not any(part.ok for part in generators):
        status = "degraded"
    documents = await apart(lambda: count_indexed(container.db, user)) if ok["database"] else None
    kept = container.sentences
    told_all = user.is_admin and user.within(Scope.MONITOR)
    return Health(
        status=status,
        version=own_version(),
        parts=found if told_all else [],
        documents=documents,
        demo=container.is_demo,
        model=container.settings.generator_model,
        sentences=SentencesAhead(state=kept.state.value, documents=kept.documents, of=kept.of, sentences=kept.sentences)
        if told_all
        else SentencesAhead(state="off"),
    )


async def ready(container: Container) -> bool:
    """Whether questions get at least their sources: all but the generator answer."""
    parts: list[Callable[[], object]] = [container.db.ping, container.store.count, lambda: container.embedder.query("ready")]
    try:
        await asyncio.wait_for(asyncio.gather(*(asyncio.to_thread(part) for part in parts)), PATIENCE)
    except (TimeoutError, BedsideError):
        return False
    return True


async def _generators(container: Container) -> list[PartHealth]:
    """The one, or each of several by its address: with one of them questions are answered."""
    try:
        found = await container.generator.health(PATIENCE)
    except BedsideError as error:  # it has no address yet
        return [PartHealth(name="generator", ok=False, detail=error.message, milliseconds=0.0)]
    return [
        PartHealth(
            name=f"generator {one.name}" if len(found) > 1 else "generator",
            ok=one.problem is None,
            detail=one.models if one.problem is None else one.problem.message,
            milliseconds=round(one.milliseconds, 1),
        )
        for one in found
    ]


async def _checked(name: str, check: Callable[[], Awaitable[str]]) -> PartHealth:
    began = time.perf_counter()
    try:
        detail, ok = await asyncio.wait_for(check(), PATIENCE), True
    except TimeoutError:
        detail, ok = f"no answer in {PATIENCE:.0f} s", False
    except BedsideError as error:
        detail, ok = error.message, False
    return PartHealth(name=name, ok=ok, detail=detail, milliseconds=round((time.perf_counter() - began) * 1000, 1))


def own_version() -> str:
    try:
        return version("bedside")
    except PackageNotFoundError:
        return "0"
