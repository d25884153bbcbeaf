"""The risk that an admin chose on the page, if anybody did: it counts before the setting."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from rag_api.db import Database
from rag_api.db.choices import RISK, chosen
from rag_api.errors import Unavailable
from rag_api.retrieval.decision.calibration import RISKS

log = logging.getLogger(__name__)
LASTS = 5.0  # seconds after which what was chosen elsewhere is in force here too


class ChosenRisk:
    """Safe from several threads: at worst two ask at once. db: may raise Unavailable; what was
    known last holds then."""

    def __init__(self, db: Callable[[], Database]) -> None:
        self._db = db
        self._known: str | None = None
        self._until = 0.0  # time.monotonic()

    def now(self) -> str | None:
        """Return a name of RISKS, None where nobody chose one. Blocks."""
        if time.monotonic() >= self._until:
            try:
                choice = chosen(self._db(), RISK)
                self._known = choice.value if choice and choice.value in RISKS else None
            except Unavailable as error:
                log.warning("%s", error.message)
            self._until = time.monotonic() + LASTS
        return self._known

    def forget(self) -> None:
        """What this process changed is in force at once."""
        self._until = 0.0
