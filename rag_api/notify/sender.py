"""A thread of the server that sends what waits in the outbox, for as long as the server runs."""

from __future__ import annotations

import time
from typing import Protocol

from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.outbox import send_next, send_next_message
from rag_api.db.webhooks import tell_of_expired
from rag_api.notify.mail import send_mail
from rag_api.notify.webhook import send_message
from rag_api.own_processes.background import Background, Pauses

EVERY, AGAIN = 5.0, 30.0  # seconds until it looks again: when nothing waits, and after an error
LOOK = 600.0  # seconds until it looks again for documents that expired


class SenderContainer(Protocol):
    """What sending needs; rag_api.container.Container is one."""

    settings: Settings

    @property
    def db(self) -> Database: ...


class Sender:
    """Mails wait where no mail server is named: they are sent once one is."""

    def __init__(self, container: SenderContainer, every: float = EVERY) -> None:
        self._container = container
        self._look_at = 0.0  # time.monotonic()
        self._thread = Background("send", self._send, Pauses(every, every, AGAIN), "nothing can be sent now")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Returns when what is being sent is sent, or was not."""
        self._thread.stop()

    def _send(self) -> None:
        settings, db, stopping = self._container.settings, self._container.db, self._thread.stopping
        if time.monotonic() >= self._look_at:
            tell_of_expired(db)
            self._look_at = time.monotonic() + LOOK
        while not stopping.is_set() and send_next_message(db, lambda due: send_message(due, settings.webhook_http)):
            pass
        while (
            settings.smtp_host is not None
            and not stopping.is_set()
            and send_next(db, lambda due: send_mail(settings, due))
        ):
            pass
