"""Metadata that a first page, its properties and its tables say."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from rag_api.domain import TargetGroup, code_of
from rag_api.ingest.common.described.dates import parse_date
from rag_api.ingest.common.described.expiry_notice import said_undated
from rag_api.ingest.common.described.first_page import from_first_page
from rag_api.ingest.common.described.metadata import describe, from_properties, metadata_from, target_groups
from rag_api.ingest.common.described.title_signs import NamingLine
from rag_api.ingest.common.described.words import language_of
from rag_api.ingest.readers.read import read

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2025-02-01", date(2025, 2, 1)),
        ("01/02/2025", date(2025, 2, 1)),
        ("1-2-2025", date(2025, 2, 1)),
        ("15.12.2021", date(2021, 12, 15)),
        ("15 december 2021", date(2021, 12, 15)),
        ("versie van 1 mrt 2024", date(2024, 3, 1)),
        ("3 October 2024", date(2024, 10, 3)),
        ("31/02/2025", None),
        ("tot herroeping", None),
        ("12/2025", None),
        ("", None),
    ],
)
def test_dates_are_read_as_belgian_dutch_and_british_documents_write_them(text: str, day: date | None) -> None:
    assert parse_date(text) == day


@pytest.mark.parametrize(
    ("title", "kept"),
    [
        ("Kaliumsubstitutie", "Kaliumsubstitutie"),
        ("Microsoft Word - Zorg voor de katheter.docx", "Zorg voor de katheter"),
        ("Werkinstructie AIRMET Versie 8.1.docx", "Werkinstructie AIRMET Versie 8.1"),
        ("document1.docx", ""),
        ("scan0012.pdf", ""),
        ("untitled", ""),
        ("Titel", ""),
        ("  ", ""),
        ("2024-03-01", ""),
        ("jan@example.org", ""),
        ("Dosis\x00 per\ud800 gift", "Dosis per gift"),
    ],
)
def test_a_title_property_counts_only_when_it_is_one(title: str, kept: str) -> None:
    assert from_properties({"Title": title}).get("title", "") == kept


def test_the_page_goes_before_the_properties() -> None:
    properties = {
        "Title": "Kalium",
        "Author": "sjabloon",
        "Version": "1.0",
        "Department": "ICT",
        "Supersedes": "kalium-2019.pdf",
    }
    page = [
        ["Versie", "3.2", "Dienst", "Apotheek"],
        ["Vervangt: Kalium 2019"],
        ["Geldig tot", "n.v.t."],
        ["Doelgroep", "zwangeren"],
    ]
    said = describe("kalium.pdf", properties, page, [NamingLine("Kaliumsubstitutie", larger=2.0)], "nl")
    assert (said.title, said.version, said.department, said.owner) == ("Kalium", "3.2", "Apotheek", "sjabloon")
    assert said.supersedes == "kalium-2019.pdf"
    assert said.valid_until is None
    assert said.target_groups == (TargetGroup.PREGNANCY,)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["Dienst: Geriatrie Eigenaar: Valteam"], {"department": "Geriatrie", "owner": "Valteam"}),
        (["Eigenaar", "Werkgroep Wonden Dienst", "Spoed"], {"owner": "Werkgroep Wonden", "department": "Spoed"}),
        (
            ["Eigenaar:", "Werkgroep Wonden Dienst:", "Spoed"],
            {"owner": "Werkgroep Wonden", "department": "Spoed"},
        ),
        (
            ["Wondzorg, versie: 4.0 | Geldig vanaf: 1 aug 2026 | Geldig tot: 31 jul 2031"],
            {"version": "4.0", "valid_from": "1 aug 2026", "valid_until": "31 jul 2031"},
        ),
        (["Versie: 2", "Pagina 1 van 3", "Dienst: Spoed"], {"version": "2", "department": "Spoed"}),
        (["Afdeling", "Acute Pain Service", "Spoed"], {"department": "Acute Pain Service"}),
        (["Eigenaar: Wondteam", "Bel de dienst: 4711"], {"owner": "Wondteam"}),
    ],
)
def test_fields_that_share_a_line_are_parted_by_their_labels(cells: list[str], said: dict[str, str]) -> None:
    assert from_first_page([cells]) == said


@pytest.mark.parametrize(
    "line",
    [
        "VERVALLEN OP 8 JANUARI 2025. Niet meer gebruiken. Vervangen door HYG-022 versie 3.0.",
        "Deze versie is ingetrokken sinds 08/01/2025",
        "Withdrawn on 8 January 2025",
        "This guideline is no longer valid since 2025-01-08.",
    ],
)
def test_a_first_page_that_says_since_when_it_has_lapsed_ends_there(line: str) -> None:
    assert from_first_page([["Geldig tot", "31/12/2027"], [line]])["valid_until"] == "2025-01-08"


@pytest.mark.parametrize(
    "line",
    [
        "Vervallen geneesmiddelen op 8 januari 2025 opgehaald",
        "Vervangt de versie van 8 januari 2025",
        "Expired drugs go to the pharmacy",
    ],
)
def test_what_has_lapsed_beside_the_document_ends_nothing(line: str) -> None:
    assert from_first_page([[line]]) == {}
    assert said_undated([line]) == ""


@pytest.mark.parametrize(
    "line", ["VERVALLEN", "Niet meer gebruiken. Bel de dienst.", "Superseded by PRO-012 version 3", "Oude versie"]
)
def test_a_first_page_that_says_so_without_a_day_is_told_of(line: str) -> None:
    assert said_undated(["Norovirus", line])


@pytest.mark.parametrize(
    ("line", "codes"),
    [("Niet meer gebruiken", ["says_lapsed"]), ("Ingetrokken op 8 januari 2025", []), ("Bel ons", [])],
)
def test_a_file_of_any_kind_is_told_of(line: str, codes: list[str], tmp_path: Path) -> None:
    path = tmp_path / "noro.md"
    path.write_text(
        f"# Norovirus\n\n{line}\n\nIsoleer de patiënt op een kamer en bel de ziekenhuishygiëne.\n", encoding="utf-8"
    )
    document = read(path, path.name, "text/markdown", 10)
    assert [code_of(warning) for warning in document.warnings] == codes
    assert (document.metadata.valid_until is not None) is line.startswith("Ingetrokken")


def test_labels_and_values_stand_in_cells_or_after_a_colon() -> None:
    assert from_first_page(
        [["Owner", "MR safety officer", "Valid until", "9 March 2029"], ["Target group: adults, children"]]
    ) == {
        "owner": "MR safety officer",
        "valid_until": "9 March 2029",
        "target_groups": "adults, children",
    }
    assert from_first_page([["Versie 8.1, 15 december 2021"]]) == {"version": "8.1"}
    assert from_first_page([["Let op: bel de arts"], ["Dienst"]]) == {}


def test_document_types_and_groups_have_one_name_in_both_languages() -> None:
    assert metadata_from({"document_type": "Richtlijn"}).document_type == "guideline"
    assert metadata_from({"document_type": "Patiëntenfolder"}).document_type == "leaflet"
    assert metadata_from({"document_type": "Zorgpad"}).document_type == "zorgpad"
    assert target_groups("Kinderen en zwangere vrouwen") == (TargetGroup.CHILD, TargetGroup.PREGNANCY)
    assert target_groups("iedereen") == ()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("De dosis wordt berekend op het gewicht van het kind en niet op de leeftijd.", "nl"),
        ("The dose is calculated from the weight of the child and not from the age.", "en"),
        ("Die Dosis wird nach dem Gewicht des Kindes berechnet und nicht nach dem Alter.", ""),
        ("Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod", ""),
        ("KCl 40 mmol", ""),
    ],
)
def test_the_language_is_dutch_english_or_not_said(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("title", "groups"),
    [
        ("Anafylaxie bij kinderen", (TargetGroup.CHILD,)),
        ("Vancomycin in adults and children", (TargetGroup.ADULT, TargetGroup.CHILD)),
        ("Icterus bij pasgeborenen", (TargetGroup.NEONATE,)),
        ("Zwangere medewerkers en cytostatica", ()),
        ("Brandinstructie van de kinderafdeling", ()),
        ("Procedure van 12 jaar", ()),
        ("Kaliumsubstitutie", ()),
    ],
)
def test_patients_that_only_the_title_names_are_the_documents(title: str, groups: tuple[TargetGroup, ...]) -> None:
    assert describe("a.pdf", {"Title": title}, [], (), "nl").target_groups == groups


def test_a_stated_target_group_counts_before_the_title() -> None:
    said = describe("a.pdf", {"Title": "Anafylaxie bij kinderen"}, [("Doelgroep", "volwassenen")], (), "nl")
    assert said.target_groups == (TargetGroup.ADULT,)


@pytest.mark.parametrize("label", ["Herzieningsdatum", "Revisiedatum", "Revision date"])
def test_a_review_after_the_first_day_is_the_end_and_an_earlier_one_says_how_old_it_is(label: str) -> None:
    begins = ["Ingangsdatum", "1-3-2024"]
    assert from_first_page([begins, [label, "1-3-2027"]]) == {"valid_from": "1-3-2024", "valid_until": "1-3-2027"}
    assert from_first_page([begins, [f"{label}: 12-1-2024"]]) == {"valid_from": "1-3-2024"}
    assert from_first_page([[label, "1-3-2027"]]) == {}  # it may be the last one
    said = from_first_page([begins, [label, "1-3-2027"], ["Geldig tot", "1-6-2026"]])
    assert said["valid_until"] == "1-6-2026"
    assert from_first_page([["Volgende herziening", "1-3-2027"]]) == {"valid_until": "1-3-2027"}
