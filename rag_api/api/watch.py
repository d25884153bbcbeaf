"""The threads of /health: whether Bedside is well must not wait behind those who ask it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

THREADS = ThreadPoolExecutor(8, thread_name_prefix="health")


async def apart(act: Callable[[], T]) -> T:
    """Return what `act` returns, done in a thread that no question uses."""
    return await asyncio.get_running_loop().run_in_executor(THREADS, act)
