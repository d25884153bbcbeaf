"""The hospital's own drugs: they add to the table, and a line that is wrong is named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.errors import ConfigurationError
from rag_api.guard import drugs
from rag_api.guard.drug_list import read_drugs
from rag_api.upkeep import component_checks as parts

pytestmark = pytest.mark.quick


@pytest.fixture(autouse=True)
def afterwards() -> Iterator[None]:
    yield
    drugs.use(())


def written(folder: Path, *lines: str) -> Path:
    file = folder / "drugs.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_a_new_substance_is_known_by_all_its_names_and_no_other_is_taken_for_it(tmp_path: Path) -> None:
    assert drugs.drugs_in("hoeveel zorbaliq?") == ()
    known = len(drugs.substances())
    own = read_drugs(written(tmp_path, "names,class", "quvexor|Zorbaliq,"))
    drugs.use(own.rows)
    assert len(own.version) == 8
    assert len(drugs.substances()) == known + 1
    assert drugs.drugs_in("hoeveel Zorbaliq?") == ("zorbaliq",)
    assert drugs.names("Quvexor 20 mg", ["zorbaliq"])
    assert not drugs.names("Abatacept 20 mg", ["zorbaliq"])


def test_a_row_that_shares_a_name_adds_to_the_known_substance(tmp_path: Path) -> None:
    known = len(drugs.substances())
    drugs.use(read_drugs(written(tmp_path, "names;class", "abatacept|Zorbaliq;")).rows)
    assert len(drugs.substances()) == known
    assert drugs.names("Orencia 125 mg", ["zorbaliq"])
    drugs.use(())
    assert drugs.drugs_in("zorbaliq") == (), "what is taken away is gone"


def test_without_a_file_nothing_is_added(tmp_path: Path) -> None:
    assert read_drugs(tmp_path / "drugs.csv").rows == ()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["naam", "x"], "there is no column names"),
        (["names,class", "quvexor,", ","], "line 3: names is empty"),
        (["names,class", "de,"], "line 2: 'de' is no name of a drug"),
        (["names,class", "quvexor,sorcery"], "line 2: class is 'sorcery', not one of ACE inhibitor"),
        (["names,class", "quvexor,", "zorbaliq|quvexor,"], "line 3: 'quvexor' stands in line 2 too"),
    ],
)
def test_a_line_that_is_wrong_is_named(tmp_path: Path, lines: list[str], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        read_drugs(written(tmp_path, *lines))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "drugs.csv"
    file.write_bytes(b"\xff\xfe\x00names")
    with pytest.raises(ConfigurationError, match="cannot be read as CSV"):
        read_drugs(file)


@pytest.mark.longer
def test_questions_use_it_from_the_start_and_the_doctor_tells_of_it(settings: Settings, tmp_path: Path) -> None:
    container = Container(settings.model_copy(update={"data_dir": tmp_path}))
    written(tmp_path, "names,class", "quvexor|zorbaliq,")
    assert container.expander.expand("zorbaliq?") == []
    assert drugs.is_drug("zorbaliq")
    assert "1 of them or their names from drugs.csv" in parts.drugs(container).what
