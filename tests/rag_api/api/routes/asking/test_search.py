"""Documents by meaning over HTTP: what words are about, beside the list of what holds them."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from rag_api.container import Container
from rag_api.domain import LOCAL_USER, Role, User
from tests.rag_api.api.routes.conftest import Asker
from tests.support.world import empty, load, load_hospital

NURSE = User("nurse", "Nurse", ("everyone",), roles=frozenset({Role.READER}))


@pytest.fixture
def client(url: str, asker: Asker, container: Container) -> Iterator[httpx.Client]:
    asker.user = LOCAL_USER
    load_hospital(container)
    with httpx.Client(base_url=f"{url}/api", timeout=30) as made:
        yield made
    empty(container)


def found(client: httpx.Client, search: str, **more: str) -> list[str]:
    said = client.get("/search", params={"search": search, **more}).raise_for_status().json()
    assert said["total"] == len(said["documents"]) <= 5
    return [one["source"] for one in said["documents"]]


def listed(client: httpx.Client, search: str) -> list[str]:
    said = client.get("/documents", params={"search": search}).raise_for_status().json()
    return [one["source"] for one in said["documents"]]


def test_a_document_is_found_by_what_it_is_about_in_whatever_language(client: httpx.Client) -> None:
    assert listed(client, "gevallen patiënt") == []
    assert found(client, "gevallen patiënt")[0] == "falls.pdf"


def test_what_holds_the_words_is_not_told_again_and_nothing_is_told_twice(
    client: httpx.Client, container: Container
) -> None:
    load(container, "valpreventie.pdf", *(f"Valpreventie {part}. Meet het risico op vallen. " for part in range(4)))
    assert listed(client, "valpreventie") == ["valpreventie.pdf"]
    assert "valpreventie.pdf" not in found(client, "valpreventie")
    assert found(client, "risico om te vallen meten").count("valpreventie.pdf") == 1


def test_at_most_five_and_those_that_the_filters_leave(client: httpx.Client, container: Container) -> None:
    for number in range(8):
        load(container, f"infuus-{number}.pdf", f"Infuus {number}. Spoel het infuus met fysiologisch water. ")
    assert len(found(client, "katheter doorspoelen")) == 5
    assert found(client, "katheter doorspoelen", department="Pediatrie") == ["paracetamol-kind.pdf"]
    assert found(client, "katheter doorspoelen", document_type="protocol") == []


def test_what_its_reader_may_not_read_is_not_found(client: httpx.Client, container: Container, asker: Asker) -> None:
    own = load(container, "heelkunde.pdf", "Hechtingen. Verwijder de draadjes na tien dagen. ")
    asker.user = NURSE
    assert "heelkunde.pdf" in found(client, "wondzorg")
    asker.user = LOCAL_USER
    client.put(f"/documents/{own.id}/access", json={"groups": ["surgery"]}).raise_for_status()
    asker.user = NURSE
    assert "heelkunde.pdf" not in found(client, "wondzorg")


def test_what_was_withdrawn_is_not_found_and_no_words_are_refused(client: httpx.Client) -> None:
    fall = next(one["id"] for one in client.get("/documents").json()["documents"] if one["source"] == "falls.pdf")
    client.post(f"/documents/{fall}/withdraw", json={"reason": ""}).raise_for_status()
    assert "falls.pdf" not in found(client, "gevallen patiënt")
    assert client.get("/search", params={"search": "  "}).status_code == 422
    assert client.get("/search").status_code == 422
