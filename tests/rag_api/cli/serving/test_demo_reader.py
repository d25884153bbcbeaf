"""The demo starts its reader where the model is there, and says aloud where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_api.cli.serving.demo_reader import ADAPTERS, MODEL, WITHOUT, choose_reader, fetched


@pytest.mark.parametrize("model", ["", "qwen2.5-coder-1.5b"])
def test_the_adapter_of_a_model_that_is_there_must_agree(model: str) -> None:
    environment = {"BEDSIDE_GENERATOR_MODEL": model} if model else {}
    assert choose_reader(environment, lambda name: name == (model or MODEL)) == ""
    folder = Path(environment["BEDSIDE_GENERATOR_ADAPTERS"])
    assert (folder / "reading" / "adapter_model.safetensors").is_file()
    assert (environment["BEDSIDE_GENERATOR_MODEL"], folder.name) == (model or MODEL, model or MODEL)
    assert (environment["BEDSIDE_READER"], environment["BEDSIDE_RISK"]) == ("agreeing:reading", "balanced")


@pytest.mark.parametrize("model", ["", "demo", str(ADAPTERS)])
def test_without_its_model_nothing_is_chosen_and_how_to_have_it_is_said(model: str) -> None:
    environment = {"BEDSIDE_GENERATOR_MODEL": model} if model else {}
    before = dict(environment)
    assert choose_reader(environment, lambda name: name != MODEL) == WITHOUT
    assert environment == before
    assert "make demo" in WITHOUT


@pytest.mark.parametrize("chosen", [{"BEDSIDE_READER": ""}, {"BEDSIDE_GENERATOR_URL": "http://generator:8000/v1"}])
def test_what_somebody_chose_stays(chosen: dict[str, str]) -> None:
    environment = dict(chosen)
    assert choose_reader(environment, lambda name: True) == ""
    assert environment == chosen


def test_a_risk_that_was_chosen_stays() -> None:
    environment = {"BEDSIDE_RISK": "careful"}
    choose_reader(environment, lambda name: True)
    assert environment["BEDSIDE_RISK"] == "careful"


def test_a_model_that_was_not_fetched_is_not_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert not fetched(MODEL)
    file = tmp_path / ".cache" / "bedside" / "models" / f"{MODEL}.gguf"
    file.parent.mkdir(parents=True)
    with file.open("wb") as stream:
        stream.truncate(491_400_064)
    assert fetched(MODEL)
