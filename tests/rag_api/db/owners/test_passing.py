"""Questions that quality staff pass on: to an account that reads, and then its own to answer."""

from __future__ import annotations

import pytest

from rag_api.container import Container
from rag_api.db.owners.questions import ask_owner, work_of
from rag_api.domain import Document, Role
from rag_api.errors import NotFound
from tests.rag_api.db.owners.test_questions import TEXT, container, document, hire

__all__ = ["container", "document"]


def test_nothing_is_passed_on_to_an_account_whose_roles_do_not_read(container: Container, document: Document) -> None:
    roles = {"staff": frozenset({Role.READER})}  # who is in no such group is no reader
    judge = hire(container, "judge", roles=(Role.JUDGE,))
    hire(container, "maes", roles=(Role.AUDITOR,))
    hire(container, "machine")
    reader = hire(container, "reader", "staff")
    for one in ("maes", "machine"):
        with pytest.raises(NotFound):
            ask_owner(container.db, judge, document.id, "question", TEXT, to=one, role_groups=roles)
    assert container.db.all("select 1 from owner_questions") == []
    question, _ = ask_owner(container.db, judge, document.id, "question", TEXT, to="reader", role_groups=roles)
    assert [one.id for one in work_of(container.db, reader)] == [question.id]
