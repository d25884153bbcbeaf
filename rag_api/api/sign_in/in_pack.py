"""Requests to a downtime pack: answered within its dates. Nothing is stored but one's own
conversations and favourites, until it closes."""

from __future__ import annotations

from datetime import UTC, datetime

from rag_api.api.sign_in.access import Access
from rag_api.config import PackDates
from rag_api.errors import NotAllowed
from rag_api.upkeep.pack.manifest import refuse_out_of_date

KEPT_UNTIL_CLOSED = {"conversation.changed", "conversation.deleted", "favourite.kept", "favourite.let_go"}


def refuse_in_pack(pack: PackDates | None, access: Access, action: str, changes: bool) -> None:
    """action, changes: as the audit trail calls it, and whether it changes anything. Raises
    PackOutOfDate, also in the middle of a day's use, and NotAllowed."""
    if pack is None or access is Access.ANONYMOUS:
        return
    refuse_out_of_date(pack, datetime.now(UTC))
    if changes and action not in KEPT_UNTIL_CLOSED:
        raise NotAllowed(
            "This is a downtime pack: it answers, and stores nothing. Use Bedside itself for this once "
            "it is there again."
        )
