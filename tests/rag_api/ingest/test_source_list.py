"""sources.toml: several folders, and what is true of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_api.errors import InvalidInput
from rag_api.ingest.source_list import survey_list
from rag_api.ingest.sources.sources import Skipped
from tests.rag_api.made_files.pdfs import write

LIST = """
[[folder]]
path = "icu"
department = "Intensieve zorgen"
target_groups = ["adult", "child"]
valid_until = 2027-01-31
exclude = ["oud/*"]

[[folder]]
path = "apotheek"
include = ["*.pdf"]
"""


def test_folders_are_joined_and_say_what_is_true_of_their_documents(tmp_path: Path) -> None:
    for name in ("icu/a.pdf", "icu/b.pdf", "icu/oud/c.pdf", "apotheek/d.pdf", "apotheek/e.docx", "apotheek/f.png"):
        write(tmp_path, name, b"x")
    write(tmp_path, "icu/metadata.csv", b"source,department\nb.pdf,Spoed\n")
    found = survey_list(write(tmp_path, "sources.toml", LIST.encode()))
    given = {source.name: dict(source.given) for source in found.files}
    icu = {"department": "Intensieve zorgen", "target_groups": "adult;child", "valid_until": "2027-01-31"}
    assert given == {"a.pdf": icu, "b.pdf": icu | {"department": "Spoed"}, "d.pdf": {}}
    assert found.folders == (str(tmp_path / "icu"), str(tmp_path / "apotheek"))
    assert found.skipped == (Skipped("excluded", 2, ("oud/c.pdf", "e.docx")), Skipped(".png", 1, ("f.png",)))


def test_two_folders_with_files_of_one_name_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "icu/a.pdf", b"x")
    write(tmp_path, "apotheek/a.pdf", b"y")
    with pytest.raises(InvalidInput, match=r"would both be called a\.pdf"):
        survey_list(write(tmp_path, "sources.toml", LIST.encode()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("folder = 1", "holds .*folder.* tables"),
        ("[[folder]]\ndepartment='x'", "folder 1: needs a path"),
        ("[[folder]]\npath='x'\nafdeling='y'", "afdeling is not known"),
        ("[[folder]]\npath='x'\nvalid_from='morgen'", "valid_from is no date"),
        ("[[folder]]\npath='x'\nexclude='*.txt'", "exclude is a list of patterns"),
        ("[[folder]]\npath='nergens'", "no such folder; is it mounted"),
        ("[[folder", "cannot be read as TOML"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        survey_list(write(tmp_path, "sources.toml", text.encode()))
