"""The decode bench: its prompts, its arithmetic, and a run of every method on a small model; nothing is timed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from services.generator.bench import decode, ours, plots, prompts, setting, timing
from services.generator.bench.__main__ import main
from services.generator.bench.peers import Limits, NoPeer, llama_peer
from services.generator.bench.projection import tokens_per_second
from services.generator.bench.recorded import BadRecords
from services.generator.bench.timing import Measured, Run
from tests.generator.tiny import tiny_checkpoint, tiny_tokenizer


def test_handbook_prompts_are_english_questions_whose_passages_mostly_come_from_the_judged_procedure() -> None:
    jobs = prompts.handbook()
    judged = {row.split(",")[0]: row for row in (prompts.HANDBOOK / "judged.csv").read_text(encoding="utf-8").splitlines()}
    found = [any(passage.id.split(":")[0] + ".pdf" in judged[job.id] for passage in job.passages) for job in jobs]
    assert len(jobs) > 50
    assert sum(found) > 0.8 * len(jobs)
    assert all(len(job.passages) == 3 and len(passage.text) <= 800 for job in jobs for passage in job.passages)


def test_a_tables_rows_are_lines_and_layout_hints_are_gone() -> None:
    text = prompts._plain("## Dose\n\n<!-- widths: 1 2 -->\n\n| Drug | Dose |\n|---|---|\n| A | 5 mg |\n\n- **one**\n")
    assert text == "Dose\nDrug Dose\nA 5 mg\none"


def test_chunks_overlap_and_hold_the_whole_text() -> None:
    text = " ".join(f"word{n}" for n in range(400))
    parts = [passage.text for passage in prompts._chunks("a", "A", text)]
    assert {word for part in parts for word in part.split()} == set(text.split())
    assert all(len(part) <= prompts.CHUNK for part in parts)
    assert parts[0][-40:] in parts[1]


def test_squad_questions_come_with_their_paragraph_and_two_others_of_the_article(tmp_path: Path) -> None:
    article = {"title": "A_B", "paragraphs": [{"context": f"text {n}", "qas": [{"id": f"q{n}", "question": " why? "}]} for n in range(5)]}
    file = tmp_path / "squad.json"
    file.write_text(json.dumps({"data": [article]}))
    jobs = prompts.squad(file)
    assert sorted(job.id for job in jobs) == [f"q{n}" for n in range(5)]
    for job in jobs:
        texts = [passage.text for passage in job.passages]
        assert len(set(texts)) == 3
        assert f"text {job.id[1]}" in texts
    assert prompts.squad(file) == jobs


def test_a_file_of_another_format_is_named(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text('{"data": [{"title": "x"}]}')
    with pytest.raises(BadRecords, match=r"bad\.json: not in SQuAD's format"):
        prompts.squad(file)


def run(tokens: int, first: float, seconds: float, opening: int = 1, steps: int = 0) -> Run:
    return Run(tuple(range(tokens)), opening, first, seconds, steps, drafted=3 * steps)


def test_tokens_per_second_leave_out_what_came_with_the_first_step() -> None:
    measured = [Measured("plain", "a", 1, run(11, 1.0, 2.0)), Measured("plain", "b", 1, run(25, 1.0, 3.0, opening=5))]
    own = timing.figures(measured)["plain"]
    assert own.tokens_per_second == pytest.approx(30 / 3)
    assert own.seconds_to_answer == pytest.approx(2.5)
    assert own.seconds_to_first_token == pytest.approx(1.0)
    assert own.tau is None


def test_figures_are_medians_over_repeats_and_compared_with_the_best_peer() -> None:
    measured = [Measured("plain", "a", n, run(11, 1.0, 1.0 + seconds, steps=11)) for n, seconds in enumerate((1.0, 2.0, 9.0))]
    measured += [Measured("llama.cpp", "a", 1, run(11, 1.0, 5.0)), Measured("llama.cpp, prompt lookup", "a", 1, run(11, 1.0, 2.0))]
    found = timing.figures(measured)
    assert found["plain"].tokens_per_second == pytest.approx(5.0)
    assert found["plain"].vs_llama_cpp == pytest.approx(0.5)
    assert found["plain"].vs_transformers is None
    assert (found["plain"].tau, found["plain"].nodes_per_step) == (1.0, 3.0)


def test_runs_written_down_are_read_back_as_they_were(tmp_path: Path) -> None:
    one = Measured("auto", "h1", 2, Run((1, 2), 1, 0.5, 1.0, 2, 9, {"copy": 1}, {"copy": {1: 2}}))
    timing.append(one, tmp_path / "raw.jsonl")
    assert timing.read(tmp_path / "raw.jsonl") == [one]


def test_computed_speeds_say_that_a_higher_tau_pays_and_a_head_costs() -> None:
    assert tokens_per_second("plain", 1.0, 0) == pytest.approx(158)
    assert tokens_per_second("CASD", 2.0, 10) > tokens_per_second("EAGLE", 2.0, 10)


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is measured of small models is not kept among the user's."""
    monkeypatch.setattr(setting, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(ours, "CACHE", tmp_path / "cache")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tiny_checkpoint(tmp_path_factory.mktemp("model"), "llama", 0)
    tiny_tokenizer().save_pretrained(folder)
    return folder


def squad_file(folder: Path) -> Path:
    paragraphs = [
        {"context": f"Wash your hands. The dose is {n} mg per kg. Remove the catheter.", "qas": [{"id": f"q{n}", "question": "Dose?"}]}
        for n in range(4)
    ]
    (folder / "squad.json").write_text(json.dumps({"data": [{"title": "A", "paragraphs": paragraphs}]}))
    return folder / "squad.json"


def test_every_method_of_a_small_model_answers_alike_and_is_printed(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    size = ["--limit", "2", "--repeats", "2", "--max-tokens", "8", "--context", "400", "--template", "demo"]
    how = ["--model", str(checkpoint), "--device", "cpu", "--dtype", "fp32", "--threads", "1"]
    raw = tmp_path / "raw.jsonl"
    assert main(["decode", "--data", str(squad_file(tmp_path)), *how, *size, "--raw", str(raw), "--json"]) == 0
    captured = capsys.readouterr()
    printed = json.loads(captured.out)
    assert "left out: llama.cpp: reads GGUF files only" in captured.err
    peers = {"transformers", "transformers, prompt lookup"}
    assert set(printed["methods"]) == {"plain", "prompt lookup", "CASD", "auto without EAGLE"} | peers
    assert (printed["repeats"], printed["prompts"], printed["same_answers"]) == (2, 2, 2)
    assert printed["methods"]["plain"]["vs_plain"] == 1
    assert printed["methods"]["plain"]["tau"] == 1
    answers = {(one.job, one.run.tokens) for one in timing.read(raw)}
    assert len(answers) == 2, "transformers says what we say"
    assert decode.main(["--report", str(raw)]) == 0
    assert "computed, not measured" in capsys.readouterr().out


def test_verbatim_mode_is_measured_with_and_without_its_drafts(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    how = ["--model", str(checkpoint), "--device", "cpu", "--dtype", "fp32", "--threads", "1", "--template", "demo"]
    arguments = ["--data", str(squad_file(tmp_path)), *how, "--mode", "verbatim", "--limit", "1", "--repeats", "1", "--json"]
    assert main(["decode", *arguments]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed["methods"]) == {"plain", "auto"}
    assert printed["same_answers"] == printed["prompts"] == 1
    assert printed["methods"]["auto"]["tau"] > printed["methods"]["plain"]["tau"] == 1
    assert printed["methods"]["auto"]["tokens_per_second"] > 0, "also when the whole answer came in one step"


def test_control_prompts_have_no_passages(tmp_path: Path) -> None:
    file = tmp_path / "control.jsonl"
    file.write_text('{"id": 4, "source": "Name three colours."}\n')
    assert prompts.control(file) == [prompts.Job("4", "Name three colours.")]


def test_a_peer_that_is_not_there_is_left_out_with_a_word(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    limits = Limits(max_tokens=4, context=64, threads=1, ends=(2,))
    with pytest.raises(NoPeer, match="GGUF files only"), llama_peer(str(tmp_path), None, limits):
        pass
    with pytest.raises(NoPeer, match="not installed"), llama_peer("some.gguf", None, limits):
        pass


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decode", "--report", "/nowhere.jsonl"]) == 2
    assert "/nowhere.jsonl" in capsys.readouterr().err


def test_a_second_question_on_the_same_passages_finds_its_prefix(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    how = ["--model", str(checkpoint), "--device", "cpu", "--dtype", "fp32", "--threads", "1"]
    assert main(["prefix", "--data", str(squad_file(tmp_path)), *how, "--limit", "2", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["pairs"], printed["same_answers"]) == (2, 2)
    assert printed["prompt_tokens"] > printed["cached_tokens"] >= 64


def test_plots_are_drawn_from_what_was_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    assert main(["plots", "--folder", str(tmp_path)]) == 2
    assert "no decode-<set>.json" in capsys.readouterr().err
    methods = {"plain": {"tokens_per_second": 5.0}, "EAGLE + CASD": {"tokens_per_second": 9.0}}
    accepted = {"EAGLE + CASD": {"copy": {"0": 3, "2": 1, "14": 1}, "eagle": {"1": 5}}}
    printed = {"methods": methods, "repeats": 5, "prompts": 3, "accepted_lengths": accepted}
    (tmp_path / "decode-handbook.json").write_text(json.dumps(printed))
    replayed = [{"set": "s", "drafter": name, "nodes_per_step": n * 1.0, "tau": 1 + n / 9} for name in ("blend", "suffix") for n in (3, 5)]
    (tmp_path / "methods.json").write_text(json.dumps({"replayed": replayed}))
    assert main(["plots", "--folder", str(tmp_path)]) == 0
    drawn = [(tmp_path / name).read_bytes() for name in ("decode.svg", "accepted.svg", "methods.svg")]
    assert all(b"<svg" in picture for picture in drawn)
    assert main(["plots", "--folder", str(tmp_path)]) == 0
    assert drawn == [(tmp_path / name).read_bytes() for name in ("decode.svg", "accepted.svg", "methods.svg")]


def test_runs_longer_than_the_longest_are_counted_with_it() -> None:
    assert plots.histogram({0: 1, 10: 1, 14: 2}) == [0.25, *[0.0] * 9, 0.75]
