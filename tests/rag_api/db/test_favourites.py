"""Favourites are their keeper's alone, follow a document through its versions and names, and show
nothing that may not be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.db.favourites import keep, let_go, list_favourites
from rag_api.domain import LOCAL_USER, User
from rag_api.errors import NotFound
from tests.support.world import load

NURSE = User("nurse", "Nurse", ("everyone",))


@pytest.fixture
def container(container: Container) -> Iterator[Container]:
    yield container
    container.db.run("truncate favourites")


def titles(container: Container, user: User = NURSE) -> list[str]:
    return [one.metadata.title for one in list_favourites(container.db, user)]


def test_the_one_kept_last_comes_first_and_each_sees_their_own(container: Container) -> None:
    pain, fall = load(container, "pain.pdf", "Pijn. Meet. "), load(container, "fall.pdf", "Val. Bel. ")
    for one in (pain, fall, pain):  # twice is once, and does not move it
        keep(container.db, NURSE, one.id)
    assert titles(container) == ["Val", "Pijn"]
    assert titles(container, replace(NURSE, id="other")) == []
    let_go(container.db, NURSE, fall.id)
    let_go(container.db, NURSE, fall.id)
    assert titles(container) == ["Pijn"]


def test_a_new_version_and_a_new_name_stay_a_favourite(container: Container) -> None:
    first = load(container, "pain.pdf", "Pijn. Meet. ")
    keep(container.db, NURSE, first.id)
    second = load(container, "pain.pdf", "Pijn, herzien. Meet. ")
    assert titles(container) == ["Pijn, herzien"]
    PgDocuments(container.db).rename("pain.pdf", "new/pain.pdf", ("Pijn", "Pijn"))
    assert titles(container) == ["Pijn, herzien"]
    let_go(container.db, NURSE, first.id)  # of any version
    assert titles(container) == []
    keep(container.db, NURSE, second.id)
    PgDocuments(container.db).retire(["new/pain.pdf"])
    assert titles(container) == []


def test_what_may_not_be_read_is_no_favourite(container: Container) -> None:
    secret = load(container, "secret.pdf", "Geheim. Lees. ")
    keep(container.db, NURSE, secret.id)
    container.db.run("update documents set groups = '{surgery}'")
    assert titles(container) == []
    for act in (keep, let_go):
        with pytest.raises(NotFound):
            act(container.db, replace(NURSE, id="other"), secret.id)
    assert titles(container, replace(LOCAL_USER, id="nurse", groups=("surgery",))) == ["Geheim"]
