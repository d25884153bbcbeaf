"""An app on a real port, in a thread: what streams, breaks off and is measured in bytes needs real
HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from tests.support.waiting import until


class Server(uvicorn.Server):
    """Ends as soon as it may: uvicorn's own looks ten times a second whether it should, and waits a
    tenth for what is open, also when nothing is."""

    def end(self) -> None:
        self.loop.call_soon_threadsafe(self.told.set)

    async def main_loop(self) -> None:
        await self.told.wait()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop, self.told = asyncio.get_running_loop(), asyncio.Event()
        await self.on_tick(0)
        await super().startup(sockets)

    async def _all_gone(self) -> None:
        state = self.server_state
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while state.connections or state.tasks:  # noqa: ASYNC110 - nothing tells when the last is gone
                    await asyncio.sleep(0.005)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in (listener for server in self.servers for listener in server.sockets):
            self.loop.remove_reader(listener.fileno())
        for _ in range(10):  # by then who was let in last is a connection: asyncio loses it where the server closed
            await asyncio.sleep(0)
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await self._all_gone()
        for task in self.server_state.tasks:
            task.cancel()
        for connection in list(self.server_state.connections):
            connection.transport.abort()  # else the loop ends with it open
        await self._all_gone()
        await self.lifespan.shutdown()


@contextlib.contextmanager
def served(app: ASGIApp, port: int = 0) -> Iterator[str]:
    """Its base URL; on a free port where none is given."""
    # asyncio sends at once only where the protocol is named: else a body waits for the receipt
    # of its head, 40 ms
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    server = Server(uvicorn.Config(app, log_level="warning", loop="asyncio", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    until(lambda: server.started or not thread.is_alive())
    assert server.started, "the server ended while starting"
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.end()
        thread.join(timeout=10)
        listener.close()
