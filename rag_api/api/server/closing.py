"""Shutdown of the service: answers that are being given may finish for a while, then they are told
that it ends; nobody is cut off in silence.

uvicorn tells the app of its end only when all requests are done, so its server tells us here when
it is asked to stop.
"""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn
from fastapi import FastAPI

FINISH = 5.0  # seconds for answers that are being given, where nothing else is said (BEDSIDE_DRAIN_SECONDS)
LAST = 3  # seconds more for telling those that did not, and for storing them


class Closing:
    """Of one application."""

    def __init__(self, patience: float = FINISH) -> None:
        self.patience = patience
        self._begun = asyncio.Event()

    @property
    def begun(self) -> bool:
        return self._begun.is_set()

    def begin(self) -> None:
        self._begun.set()

    async def over(self) -> None:
        """Return when answers have had their time."""
        await self._begun.wait()
        await asyncio.sleep(self.patience)


class Server(uvicorn.Server):
    """Says when it is asked to stop."""

    async def shutdown(self, sockets: list[Any] | None = None) -> None:
        app = self.config.app
        assert isinstance(app, FastAPI)
        app.state.closing.begin()
        await super().shutdown(sockets)
