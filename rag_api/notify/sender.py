"""A thread of the server that sends what waits in the outbox, for as long as the server runs."""

from __future__ import annotations

from typing import Protocol

from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.outbox import send_next
from rag_api.embedded.background import Background, Pauses
from rag_api.notify.mail import send_mail

EVERY, AGAIN = 5.0, 30.0  # seconds until it looks again: when nothing waits, and after an error


class SenderContainer(Protocol):
    """What sending needs; rag_api.container.Container is one."""

    settings: Settings

    @property
    def db(self) -> Database: ...


class Sender:
    """Does nothing where no mail server is named: what waits is sent once one is."""

    def __init__(self, container: SenderContainer, every: float = EVERY) -> None:
        self._container = container
        self._thread = Background("send", self._send, Pauses(every, every, AGAIN), "nothing can be sent now")

    def start(self) -> None:
        if self._container.settings.smtp_host is not None:
            self._thread.start()

    def stop(self) -> None:
        """Returns when what is being sent is sent, or was not."""
        self._thread.stop()

    def _send(self) -> None:
        settings = self._container.settings
        while not self._thread.stopping.is_set() and send_next(self._container.db, lambda due: send_mail(settings, due)):
            pass
