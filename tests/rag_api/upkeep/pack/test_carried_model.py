"""A downtime pack with the model that must agree: it answers as the server that reads with the same
one, and the check tells a pack that reads otherwise."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from rag_api.container import Container
from rag_api.domain import Judged
from rag_api.errors import InvalidInput
from rag_api.upkeep.pack import carried_model
from rag_api.upkeep.pack import manifest as signed
from rag_api.upkeep.pack.checking import check
from rag_api.upkeep.pack.making import PackOrder, make
from services.contract.reading_prompt import NONE, TO
from tests.rag_api.upkeep.conftest import Install
from tests.rag_api.upkeep.pack.test_pack import QUESTIONS, silent
from tests.services.reader.conftest import tiny_model
from tests.support.world import load_hospital

__all__ = ["tiny_model"]
WEIGHTS = Path("adapters", "reading", "adapter_model.safetensors")
HEAD = "lm_head.weight"


@pytest.fixture
def model(tmp_path: Path, tiny_model: str) -> Path:
    """The tiny one, which is surer of what it says, and ends."""
    folder = Path(shutil.copytree(tiny_model, tmp_path / "tiny"))
    weights = load_file(folder / "model.safetensors")
    save_file(weights | {HEAD: 100 * weights[HEAD]}, folder / "model.safetensors")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"eos_token_id": vocabulary(folder)[f"Ġ{TO.strip()}"]}))
    return folder


@pytest.fixture
def adapters(tmp_path: Path, model: Path) -> Path:
    """One that says of every passage that it answers, or of none: its sign decides which."""
    folder = tmp_path / WEIGHTS.parent
    folder.mkdir(parents=True)
    (folder / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "lora_alpha": 1, "r": 1}))
    head = load_file(model / "model.safetensors")[HEAD]
    up = 1e4 * (head[vocabulary(model)[NONE]] - head.mean(0)).unsqueeze(1).contiguous()
    at = "base_model.model.model.layers.2.mlp.down_proj.lora_"
    save_file({f"{at}A.weight": torch.ones(1, 96), f"{at}B.weight": up}, tmp_path / WEIGHTS)
    return folder.parent


def vocabulary(model: Path) -> dict[str, int]:
    found: dict[str, int] = json.loads((model / "tokenizer.json").read_text())["model"]["vocab"]
    return found


@pytest.fixture
def reads(install: Install, adapters: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Container]:
    monkeypatch.setenv("BEDSIDE_GENERATOR_ADAPTERS", str(adapters))
    chosen = {"generator_model": str(model), "generator_url": None, "reader": "agreeing:reading"}
    with Container(install(ready=True).model_copy(update=chosen)) as container:
        load_hospital(container)
        container.start_generator()
        yield container


def test_it_reads_as_the_server_does_and_the_check_fails_where_it_reads_otherwise(
    reads: Container, tmp_path: Path
) -> None:
    folder, said = tmp_path / "pack", list[str]()
    (tmp_path / "built").mkdir()
    (tmp_path / "built" / "index.html").write_text("<title>Bedside</title>")
    key_file = tmp_path / "pack.key"
    key = signed.read_private(key_file)
    order = PackOrder(tmp_path / "built", ("everyone",), 7, carry_runtime=False)
    made = make(reads, folder, order, key, said.append, silent)
    assert made.settings["reader"] == "agreeing:reading"
    assert "the model that reads" in said[1]
    assert carried_model.size(reads.settings) == sum(one.bytes for one in made.files if one.path.startswith("reader/"))
    assert {one.path for one in made.files} >= {f"reader/{WEIGHTS}", "reader/model/tokenizer.json"}
    asked = [Judged(str(n), text, "") for n, text in enumerate(QUESTIONS[:2])]
    alike = check(reads, folder, asked, key_file, silent)
    assert alike.differing == ()
    weights = load_file(folder / "reader" / WEIGHTS)
    save_file({name: -one if "lora_B" in name else one for name, one in weights.items()}, folder / "reader" / WEIGHTS)
    signed.write_signed(folder, replace(made, files=tuple(signed.listed(folder))), key)
    otherwise = check(reads, folder, asked, key_file, silent)
    assert otherwise.differing
    assert sorted((alike.answered, otherwise.answered))[0] == 0


def test_what_cannot_be_carried_is_said_with_what_can_be_done(reads: Container, adapters: Path) -> None:
    other = reads.settings.model_copy(update={"generator_kind": "openai"})
    with pytest.raises(InvalidInput, match=r"another program's.*--without-reader"):
        carried_model.size(other)
    (adapters / "reading" / "adapter_config.json").unlink()
    with pytest.raises(InvalidInput, match=r"no adapter 'reading'.*--without-reader"):
        carried_model.size(reads.settings)
