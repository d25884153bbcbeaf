"""A link to words of a document: by the API, after the same content was loaded again, after a new
version, and for who may not read it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from datetime import date

import pytest
from fastapi.testclient import TestClient

from rag_api.container import Container
from rag_api.main import create_app
from tests.support.world import load

FIRST = "Voor de operatie. Weeg het kind en noteer het gewicht. "
DOSE = "Geef kinderen 15 mg/kg\nparacetamol per gift en wacht zes uur. "


@pytest.fixture
def client(container: Container) -> Iterator[TestClient]:
    with TestClient(create_app(container.settings, container)) as made:
        yield made


def place(client: TestClient, document: str, **query: object) -> dict[str, object]:
    response = client.get(f"/documents/{document}/place", params=query)  # type: ignore[arg-type]
    assert response.status_code == 200, response.text
    return dict(response.json())


def test_words_are_found_with_their_rectangles_however_lines_part_them_and_whatever_page_is_named(
    container: Container, client: TestClient
) -> None:
    document = load(container, "a.pdf", FIRST, DOSE)
    for page in (1, 2, 9):
        found = place(client, document.id, page=page, quote="15 mg/kg paracetamol  per gift")
        source = found["source"]
        assert isinstance(source, dict)
        assert (found["found"], source["page"], source["text"]) == (True, 2, "15 mg/kg\nparacetamol per gift")
        assert source["rects"][0]["page"] == 2
        assert source["rects"][0]["rects"]


def test_a_place_is_opened_on_the_page_that_is_named_not_at_its_heading_pages_before(
    container: Container, client: TestClient
) -> None:
    document = load(container, "a.pdf", FIRST, DOSE)
    words = "Voor de operatie.\nGeef kinderen 15 mg/kg"
    for page in (1, 2):
        source = place(client, document.id, page=page, quote=words)["source"]
        assert isinstance(source, dict)
        assert (source["page"], [at["page"] for at in source["rects"]]) == (page, [1, 2])


def short(words: str, first: int) -> str:
    letters = "".join(words.split())
    digits, rest = "", zlib.crc32(letters.encode())
    while rest:
        rest, at = divmod(rest, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[at] + digits
    return f"{words[:first]}~{len(letters)}-{digits}"


def test_words_that_a_link_shortens_are_found_in_full_and_only_as_they_were(
    container: Container, client: TestClient
) -> None:
    told = "Geef kinderen 15 mg/kg paracetamol per gift en wacht zes uur."
    link = short(told, 12)
    document = load(container, "a.pdf", FIRST, "Geef kinderen niets anders. " + DOSE)
    found = place(client, document.id, page=2, quote=link)
    assert (found["found"], found["quotes"]) == (True, [told])
    assert found["source"]["text"] == DOSE.strip()  # type: ignore[index]
    both = place(client, document.id, page=1, quote=f"{link}\nWeeg het kind")
    assert (both["found"], both["quotes"]) == (True, [told, "Weeg het kind"])
    other = load(container, "b.pdf", FIRST, DOSE.replace("15", "20"))
    lost = place(client, other.id, page=2, quote=link)
    assert (lost["found"], lost["quotes"]) == (False, [link]), "another dose is not what the link is about"
    for wrong in ("~5-abc", "Geef~0-0", "Geef~99999-zzzzzzz", f"{link}x"):
        assert not place(client, document.id, page=2, quote=wrong)["found"]
    literal = load(container, "c.pdf", "Code A~12-ab staat hier. ")
    assert place(client, literal.id, quote="Code A~12-ab staat")["found"]
    assert place(client, literal.id, quote="A~12-ab")["found"]


TABLES = (
    "Dosis bij kinderen\nGewicht\tDosis per gift\n10 kg\t150 mg\n12 kg\t180 mg\n",
    "Dosis bij volwassenen\nGewicht\tDosis per gift\n10 kg\t150 mg\n60 kg\t1000 mg\n",
)


def test_all_rows_of_a_quote_are_marked_with_its_caption_and_header_and_not_those_of_another_table(
    container: Container, client: TestClient
) -> None:
    document = load(container, "a.pdf", *TABLES)
    for index, rest in ((0, "12 kg 180 mg"), (1, "60 kg 1000 mg")):
        caption, *_ = TABLES[index].split("\n")
        quotes = [caption, "Gewicht Dosis per gift", rest]
        found = place(client, document.id, page=index + 1, quote="\n".join(quotes))
        source = found["source"]
        assert isinstance(source, dict)
        assert (found["found"], source["page"]) == (True, index + 1)
        assert source["text"].split() == " ".join(quotes).split()
        assert {one["page"] for one in source["rects"]} == {index + 1}
        assert sum(len(one["rects"]) for one in source["rects"]) >= len(quotes)
    assert place(client, document.id, quote="10 kg 150 mg\n11 kg 165 mg")["found"] is False


def test_the_same_content_loaded_again_is_the_same_link_with_the_same_place(
    container: Container, client: TestClient
) -> None:
    document = load(container, "a.pdf", FIRST, DOSE)
    before = place(client, document.id, page=2, quote="wacht zes uur")
    again = load(container, "a.pdf", FIRST, DOSE)
    assert again.id == document.id
    assert place(client, document.id, page=2, quote="wacht zes uur") == before


def test_words_that_are_not_there_lead_to_the_page(container: Container, client: TestClient) -> None:
    document = load(container, "a.pdf", FIRST, DOSE)
    found = place(client, document.id, page=1, quote="Geef 20 mg/kg")
    source = found["source"]
    assert isinstance(source, dict)
    assert (found["found"], source["page"], found["page_text"]) == (False, 1, FIRST)
    assert place(client, document.id)["page_text"] == FIRST


def test_an_old_document_says_what_holds_in_its_place(container: Container, client: TestClient) -> None:
    old = load(container, "a.pdf", FIRST, title="Pijn")
    newer = load(container, "b.pdf", DOSE, title="Pijn bij kinderen", supersedes="a.pdf", valid_from=date(2020, 1, 1))
    told = place(client, old.id)["newer"]
    assert isinstance(told, dict)
    assert told["id"] == newer.id
    assert place(client, newer.id)["newer"] is None


def test_what_was_read_in_doubt_is_blank_in_the_page(container: Container, client: TestClient) -> None:
    document = load(container, "scan.pdf", "Weeg het kind. §§Geef 75 mg.§§ Noteer het. ")
    text = str(place(client, document.id)["page_text"])
    assert "75" not in text
    assert "▒" in text


def test_a_link_to_what_is_gone_or_not_ones_own_is_a_404(container: Container, client: TestClient) -> None:
    document = load(container, "a.pdf", FIRST)
    container.db.run("update documents set groups = '{surgery}' where id = %(id)s", {"id": document.id})
    assert client.get(f"/documents/{document.id}/place").status_code == 404
    assert client.get("/documents/0123456789abcdef0123456789abcdef/place").status_code == 404
