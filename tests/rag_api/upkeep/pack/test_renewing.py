"""A downtime pack made anew in the place of another: what is there after one that is right, that
answers otherwise, that cannot be made, and that was interrupted."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_api.container import Container
from rag_api.domain import Judged
from rag_api.errors import InvalidInput
from rag_api.upkeep.pack.last_check import LastCheck, last_check
from rag_api.upkeep.pack.making import PackOrder
from rag_api.upkeep.pack.manifest import NAME
from rag_api.upkeep.pack.renewing import in_place_of, renew
from tests.rag_api.upkeep.pack.test_pack import QUESTIONS, hospital, page, silent

__all__ = ["hospital", "page"]


def noted(container: Container) -> LastCheck:
    found = last_check(container.settings.data_dir)
    assert found is not None
    return found


def test_a_new_one_takes_the_place_once_it_answered_and_one_that_cannot_be_made_does_not(
    hospital: Container, tmp_path: Path, page: Path
) -> None:
    folder, key_file = tmp_path / "packs" / "today", hospital.settings.data_dir / "pack.key"
    asked = [Judged(str(n), text, "") for n, text in enumerate(QUESTIONS[:2])]
    made = []
    for _ in range(2):
        order = PackOrder(page, ("everyone",), 7, carry_runtime=False)
        manifest, found = renew(hospital, folder, order, asked, key_file, silent, silent)
        assert (found.asked, found.differing) == (2, ())
        assert (noted(hospital).folder, noted(hospital).asked, noted(hospital).problem) == (str(folder), 2, "")
        made.append((folder / NAME).read_bytes())
    with pytest.raises(InvalidInput, match="No document may be read by nobody"):
        renew(hospital, folder, PackOrder(page, ("nobody",), 7, False), asked, key_file, silent, silent)
    assert "nobody" in noted(hospital).problem
    assert noted(hospital).folder == str(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["today"]
    assert (folder / NAME).read_bytes() == made[1]
    assert manifest.index.documents == 3


def test_what_an_interruption_left_is_cleared_and_the_pack_that_was_there_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "today"
    for kind in ("new", "former"):
        (tmp_path / f"today.{kind}").mkdir()
        (tmp_path / f"today.{kind}" / kind).touch()
    with pytest.raises(NotADirectoryError):
        _half_made(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["today"]
    with in_place_of(folder) as new:
        new.mkdir()
        (new / "new").touch()
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["today", "today/new"]


def _half_made(folder: Path) -> None:
    with in_place_of(folder) as new:
        new.mkdir()  # a leftover would be in the way
        (folder / "former" / "more").mkdir()
