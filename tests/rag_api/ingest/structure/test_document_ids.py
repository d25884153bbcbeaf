"""Lines that tell of the document itself, and what only looks like it."""

from __future__ import annotations

import pytest

from rag_api.ingest.structure.document_ids import bare, codes, has_imprint, keys

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    "date", ["2.5.2010", "02.05.10", "31.12.2024", "2-5-10", "2/5/2010", "2010-05-02", "2 mei 2010"]
)
def test_dates_are_told(date: str) -> None:
    assert bare(f"Herzien {date}") == "herzien ‹date›"


@pytest.mark.parametrize("version", ["2.5.10", "1.12.4", "10.20.30", "2.5.10.1", "1.02.05.10"])
def test_the_parts_of_a_version_are_no_date(version: str) -> None:
    assert not has_imprint(f"Onderzoek van de app {version} voor telefoons")


def test_versions_apart_are_two_lines() -> None:
    assert keys("Handleiding 2.5.10", 1) != keys("Handleiding 2.5.11", 1)


def test_codes_are_read_without_version_date_or_drug() -> None:
    text = "KLI-2041_v3 van 2-5-2010, versie 2.5.10, pagina 3 van 12; CT-12, Sint-2a; zie ook PRO/2019/12."
    assert codes(text.replace("_", " ")) == {"kli-2041", "pro/2019/12"}
