"""The benches of all methods, of dense retrieval and of long documents run whole on a small model;
nothing is timed."""

from __future__ import annotations

import json
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from services.generator.bench.__main__ import main
from services.generator.bench.common.timing import MeasuredRun, TimedRun
from services.generator.bench.decoding import methods
from services.generator.bench.engines import ours, setting
from tests.services.generator.tiny import CORPUS, tiny_checkpoint, tiny_tokenizer


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    """Arguments: a small model, and questions on an article of its own words."""
    paragraphs = [
        {"context": f"{line} {number}", "qas": [{"id": f"q{number}", "question": "When?"}]}
        for number, line in enumerate(CORPUS * 2)
    ]
    file = tmp_path / "squad.json"
    file.write_text(json.dumps({"data": [{"title": "Wards", "paragraphs": paragraphs}]}))
    model = str(tiny_checkpoint(tmp_path, "llama", seed=2, max_position_embeddings=2048))
    return ["--data", str(file), "--model", model, "--threads", "1", "--max-tokens", "12"]


def test_both_ways_of_retrieving_drafts_are_told_of_the_same_answers(
    small: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    options = [*small, "--answers", "6", "--test", "3"]
    assert main(["dense", *options, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["answers"], told["replayed"]) == (6, 3)
    assert set(told["methods"]) == {"rest", "dresd"}
    for own in told["methods"].values():
        assert own["tau"] >= 1
        assert 0 <= own["acceptance"] <= 1
    assert main(["dense", *options]) == 0
    assert "datastores of" in capsys.readouterr().out


def test_long_documents_are_answered_in_every_way(small: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    options = [*small, "--context", "1200", "--limit", "2"]
    assert main(["long", *options, "--json"]) == 0
    told = {each["way"]: each for each in json.loads(capsys.readouterr().out)}
    assert set(told) == {"plain", "copy", "rag", "copy+rag"}
    assert told["plain"]["tau"] == 1
    assert 0 <= told["rag"]["accepted"] <= 1
    assert main(["long", *options]) == 0
    assert "x plain" in capsys.readouterr().out


def test_a_file_that_is_no_questions_is_named(
    small: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "squad.json").write_text("{}")
    for name in ("dense", "long"):
        assert main([name, *small]) == 2
        assert "not in SQuAD's format" in capsys.readouterr().err


class SuffixCache:
    """What the bench asks of arctic-inference's cache: says what stood behind the last token when
    it stood there before."""

    def __init__(self, _: int, max_cached_requests: int) -> None:
        assert max_cached_requests == 0
        self.tokens: dict[str, list[int]] = {}

    def start_request(self, name: str, prompt: list[int]) -> None:
        self.tokens[name] = list(prompt)

    def stop_request(self, name: str) -> None:
        del self.tokens[name]

    def add_active_response(self, name: str, tokens: list[int]) -> None:
        self.tokens[name] += tokens

    def speculate(self, name: str, context: list[int], most: int, *_: object) -> SimpleNamespace:
        own = self.tokens[name]
        assert own[-len(context) :] == context
        places = [at for at in range(len(own) - 1) if own[at] == own[-1]]
        found = own[places[-1] + 1 :][: min(4, most)] if places else []
        return SimpleNamespace(token_ids=found, parents=list(range(-1, len(found) - 1)), probs=[0.5] * len(found))


def test_all_methods_stand_in_one_table_with_and_without_a_model(
    small: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package = ModuleType("arctic_inference")
    package.__spec__ = ModuleSpec("arctic_inference", None)
    suffix = ModuleType("arctic_inference.suffix_decoding")
    vars(suffix)["SuffixDecodingCache"] = SuffixCache
    monkeypatch.setitem(sys.modules, "arctic_inference", package)
    monkeypatch.setitem(sys.modules, "arctic_inference.suffix_decoding", suffix)
    monkeypatch.setattr(setting, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(ours, "CACHE", tmp_path / "cache")
    (tmp_path / "said.jsonl").write_text(json.dumps({"source": " ".join(CORPUS), "answer": CORPUS[0]}) + "\n")
    tiny_tokenizer().save_pretrained(tmp_path / "tokenizer")
    recorded = [
        "--recorded",
        str(tmp_path / "said.jsonl"),
        "--tokenizer",
        str(tmp_path / "tokenizer"),
        "--nodes",
        "8",
        "60",
        "--where",
        "answer=e",
    ]
    options = [*small, "--sets", "squad", "--limit", "1", "--own-answers", "2", "--template", "demo", "--dtype", "fp32"]
    assert main(["methods", *options, *recorded, "--raw", str(tmp_path / "raw"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    told = {own["method"]: own for own in printed["sets"]["squad"]}
    drafters = {"blend", "suffix", "automaton", "respec", "rest", "dresd", "copy-prompt"}
    named = {"plain", "CASD", "prompt lookup", "plan:prompt-lookup", "auto without EAGLE", "trie and automaton"}
    assert drafters | {f"plan:{name}" for name in drafters} | named == set(told)
    assert told["plain"]["against"]["plain"] == 1
    assert all(own["same_answers"] == own["prompts"] == 1 and own["lossless"] for own in told.values())
    names = {own["drafter"] for own in printed["replayed"]}
    assert names > {"blend", "suffix", "arctic-inference", "arctic-inference, tree"}
    assert {own["nodes"] for own in printed["replayed"]} == {8, 60}
    assert all(own["tau"] > 1 for own in printed["replayed"] if own["drafter"].startswith("arctic"))
    assert main(["methods", "--sets", "squad", "--raw", str(tmp_path / "raw"), "--report"]) == 0
    assert "x CASD" in capsys.readouterr().out
    assert (
        main(
            [
                "methods",
                "--sets",
                "--recorded",
                str(tmp_path / "none.jsonl"),
                "--tokenizer",
                str(tmp_path / "tokenizer"),
            ]
        )
        == 2
    )
    assert "no such file" in capsys.readouterr().err


def test_what_a_method_accepts_is_the_same_where_its_steps_are_only_priced(
    small: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setting, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(ours, "CACHE", tmp_path / "cache")
    (tmp_path / "costs.json").write_text(json.dumps({"nodes": [1, 64], "contexts": [256], "seconds": [[1.0, 64.0]]}))
    names = ("plain", "CASD", "respec", "plan:suffix")
    options = [
        *small,
        "--sets",
        "squad",
        "--limit",
        "2",
        "--own-answers",
        "0",
        "--template",
        "demo",
        "--dtype",
        "fp32",
        "--json",
    ]
    options += [part for name in (*names, "ReSpec, relaxed") for part in ("--method", name)]
    lossless = [part for part in options if part != "ReSpec, relaxed"][:-1]
    assert main(["methods", *lossless, "--keep-prompts"]) == 0
    decoded = {own["method"]: own for own in json.loads(capsys.readouterr().out)["sets"]["squad"]}
    priced = ["--priced", "--costs", str(tmp_path / "costs.json"), "--raw", str(tmp_path / "raw")]
    assert main(["methods", *options, *priced]) == 0
    told = {own["method"]: own for own in json.loads(capsys.readouterr().out)["sets"]["squad"]}
    assert set(told) == set(names), "a relaxed rule writes another answer"
    for name in names[:3]:
        assert [told[name][key] for key in ("tau", "nodes_per_step")] == [
            decoded[name][key] for key in ("tau", "nodes_per_step")
        ]
        assert told[name]["accepted_lengths"] == decoded[name]["accepted_lengths"]
    assert told["plain"]["tokens_per_second"] == pytest.approx(1.0, rel=0.01)
    assert told["plan:suffix"]["nodes_per_step"] < 0.5, "where a node costs a step hardly any pays"
    (tmp_path / "costs.json").write_text("{}")
    assert main(["methods", *options, *priced]) == 2
    assert "not a table of step costs" in capsys.readouterr().err


def test_what_is_not_lossless_is_said_and_compared_on_the_same_prompts() -> None:
    def run(tokens: int, seconds: float) -> TimedRun:
        return TimedRun(tuple(range(tokens)), 1, 1.0, 1.0 + seconds, 2, drafted=6)

    measured = [MeasuredRun("plain", "a", 1, run(11, 1.0)), MeasuredRun("plain", "b", 1, run(11, 2.0))]
    measured += [
        MeasuredRun("ReSpec, relaxed", "a", 1, run(21, 1.0)),
        MeasuredRun("ReSpec, relaxed", "b", 1, run(11, 0.5)),
    ]
    plain, relaxed = methods.compared(measured)
    assert (plain.lossless, relaxed.lossless) == (True, False)
    assert relaxed.against == {"plain": 3.0}
    assert (plain.same_answers, relaxed.same_answers, relaxed.prompts) == (2, 1, 2)
