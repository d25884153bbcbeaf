"""The decode bench: its prompts, its arithmetic, and a run of every method on a small model;
nothing is timed."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from services.generator.bench.__main__ import main
from services.generator.bench.common import prompts, timing
from services.generator.bench.common.recorded import BadRecords
from services.generator.bench.common.timing import MeasuredRun, TimedRun
from services.generator.bench.decoding import decode
from services.generator.bench.engines import llama_worker, ours, setting
from services.generator.bench.engines.peers import NoPeer, PeerLimits, llama_peer
from services.generator.bench.report import plots
from services.generator.bench.report.projection import tokens_per_second
from tests.services.generator.tiny import tiny_checkpoint, tiny_tokenizer


@pytest.mark.parametrize("language", ["en", "nl"])
def test_handbook_prompts_are_of_a_language_and_their_passages_mostly_come_from_the_judged_procedure(
    language: str,
) -> None:
    jobs = prompts.handbook(language)
    assert all(job.fields["language"] == language for job in jobs)
    judged = {
        row.split(",")[0]: row for row in (prompts.HANDBOOK / "judged.csv").read_text(encoding="utf-8").splitlines()
    }
    found = [any(passage.id.split(":")[0] + ".pdf" in judged[job.id] for passage in job.passages) for job in jobs]
    assert len(jobs) > 50
    assert sum(found) > 0.8 * len(jobs)
    assert all(len(job.passages) == 3 and len(passage.text) <= 800 for job in jobs for passage in job.passages)


def test_a_tables_rows_are_lines_and_layout_hints_are_gone() -> None:
    text = prompts.plain("## Dose\n\n<!-- widths: 1 2 -->\n\n| Drug | Dose |\n|---|---|\n| A | 5 mg |\n\n- **one**\n")
    assert text == "Dose\nDrug Dose\nA 5 mg\none"


def test_chunks_overlap_and_hold_the_whole_text() -> None:
    text = " ".join(f"word{n}" for n in range(400))
    parts = [passage.text for passage in prompts.chunks("a", "A", text)]
    assert {word for part in parts for word in part.split()} == set(text.split())
    assert all(len(part) <= prompts.CHUNK for part in parts)
    assert parts[0][-40:] in parts[1]


def test_squad_questions_come_with_their_paragraph_and_two_others_of_the_article(tmp_path: Path) -> None:
    article = {
        "title": "A_B",
        "paragraphs": [{"context": f"text {n}", "qas": [{"id": f"q{n}", "question": " why? "}]} for n in range(5)],
    }
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


def run(tokens: int, first: float, seconds: float, opening: int = 1, steps: int = 0) -> TimedRun:
    return TimedRun(tuple(range(tokens)), opening, first, seconds, steps, drafted=3 * steps)


def test_tokens_per_second_leave_out_what_came_with_the_first_step() -> None:
    measured = [
        MeasuredRun("plain", "a", 1, run(11, 1.0, 2.0)),
        MeasuredRun("plain", "b", 1, run(25, 1.0, 3.0, opening=5)),
    ]
    own = timing.figures(measured)["plain"]
    assert own.tokens_per_second == pytest.approx(30 / 3)
    assert own.seconds_to_answer == pytest.approx(2.5)
    assert own.seconds_to_first_token == pytest.approx(1.0)
    assert own.tau is None


def test_figures_are_medians_over_repeats_and_compared_with_the_best_peer() -> None:
    measured = [
        MeasuredRun("plain", "a", n, run(11, 1.0, 1.0 + seconds, steps=11)) for n, seconds in enumerate((1.0, 2.0, 9.0))
    ]
    measured += [
        MeasuredRun("llama.cpp", "a", 1, run(11, 1.0, 5.0)),
        MeasuredRun("llama.cpp, prompt lookup", "a", 1, run(11, 1.0, 2.0)),
    ]
    found = timing.figures(measured)
    assert found["plain"].tokens_per_second == pytest.approx(5.0)
    assert found["plain"].against["llama.cpp"].method == "llama.cpp, prompt lookup"
    assert found["plain"].against["llama.cpp"].speed == pytest.approx(0.5)
    assert "transformers" not in found["plain"].against
    assert (found["plain"].tau, found["plain"].nodes_per_step) == (1.0, 3.0)


def test_our_way_that_is_named_after_a_peer_is_none() -> None:
    found = timing.figures(
        [
            MeasuredRun("plain", "a", 1, run(11, 1.0, 2.0, steps=11)),
            MeasuredRun("llama.cpp's order", "a", 1, run(9, 1, 2, steps=9)),
        ]
    )
    assert found["llama.cpp's order"].nodes_per_step == 3
    assert set(found["plain"].against) == {"plain"}
    assert [name for name in (*timing.PEERS, "transformers, prompt lookup", "plain") if timing.is_peer(name)] == [
        *timing.PEERS,
        "transformers, prompt lookup",
    ]


def test_a_method_is_compared_on_the_prompts_and_rounds_that_both_have() -> None:
    """Speeds 2 and 4 on prompt a, 10 on b, where the other's is 1; c is one's only, and d came all
    at once."""
    own = [("a", 1, 6.0), ("a", 2, 3.5), ("b", 1, 2.0), ("c", 1, 1.5)]
    measured = [MeasuredRun("auto", job, repeat, run(11, 1.0, seconds)) for job, repeat, seconds in own]
    measured += [
        MeasuredRun("plain", job, repeat, run(11, 1.0, 11.0))
        for job, repeat in (("a", 1), ("a", 2), ("b", 1), ("b", 2))
    ]
    measured += [
        MeasuredRun("auto", "d", 1, run(5, 1.0, 1.0, opening=5)),
        MeasuredRun("plain", "d", 1, run(5, 1.0, 2.0)),
    ]
    measured.append(MeasuredRun("planner", "b", 1, run(11, 1.0, 6.0)))
    figures = timing.figures(measured)
    assert figures["auto"].against["planner"].speed == pytest.approx(5)
    found = figures["auto"].against["plain"]
    assert (found.lowest, found.speed, found.highest) == pytest.approx((3, 6.5, 10))
    assert found.answer == pytest.approx(((11 / 6 + 11 / 3.5) / 2 + 5.5) / 2)
    assert (found.method, found.prompts, found.same) == ("plain", 2, 2)


def test_by_the_processor_only_what_was_counted_is_told() -> None:
    counted = replace(run(11, 1.0, 2.0), processor=8.0, processor_first=3.0)
    [told] = timing.by_processor(
        [MeasuredRun("plain", "a", 1, counted), MeasuredRun("auto", "a", 1, run(11, 1.0, 2.0))]
    )
    assert (told.method, told.run.first, told.run.seconds) == ("plain", 3.0, 8.0)


def test_a_watch_tells_time_that_passed_from_time_that_was_computed() -> None:
    watch = timing.Stopwatch(time.perf_counter)
    time.sleep(0.2)
    watch.came(1)
    until = time.process_time() + 0.1
    while time.process_time() < until:
        pass
    watch.came(2)
    told = watch.run((1, 2), 2)
    assert told.opening == 1
    assert told.first >= 0.2 > told.processor_first
    assert told.processor - told.processor_first >= 0.09


class Counter:
    """Stands where llama-cpp-python's model does: says the tokens after the prompt's last, two a
    step after the first."""

    def __init__(self) -> None:
        self.evaluated: list[list[int]] = []

    def reset(self) -> None:
        self.evaluated = []

    def eval(self, tokens: list[int]) -> None:
        self.evaluated.append(tokens)

    def generate(self, prompt: list[int], **how: object) -> Iterator[int]:
        assert how == {"top_k": 1, "temp": 0.0, "repeat_penalty": 1.0}
        self.eval(prompt)
        yield prompt[-1] + 1
        for token in range(prompt[-1] + 2, 100, 2):
            self.eval([token - 1, token])
            yield from (token, token + 1)


@pytest.mark.parametrize(("ends", "max_tokens", "said"), [([7], 9, [4, 5, 6, 7]), ([], 3, [4, 5, 6])])
def test_the_worker_of_llama_cpp_counts_steps_and_its_own_processor_time(
    ends: list[int], max_tokens: int, said: list[int]
) -> None:
    model = Counter()
    for _ in range(2):  # counting is taken off again
        told = llama_worker.answer(model, [1, 2, 3], max_tokens, ends, "wall")
        assert (told["tokens"], told["steps"]) == (said, len(model.evaluated))
        assert 0 <= told["processor_first"] <= told["processor"]
        assert 0 < told["first"] <= told["seconds"]


def test_a_smaller_model_drafts_for_llama_cpp_as_far_as_the_context_goes() -> None:
    class Small(Counter):
        def n_ctx(self) -> int:
            return 8

    draft = llama_worker.written_ahead(Small(), 3)
    assert draft(np.array([1, 2, 3], np.intc)).tolist() == [4, 5, 6]
    assert draft(np.arange(5, dtype=np.intc)).tolist() == [5, 6]
    assert draft(np.arange(8, dtype=np.intc)).tolist() == []


def test_only_the_first_prompts_warm_up_where_told_so() -> None:
    ran: list[str] = []

    def method(job: prompts.PromptJob) -> TimedRun:
        ran.append(job.id)
        return run(5, 1.0, 2.0)

    jobs = [prompts.PromptJob(name, "Why?") for name in "abc"]
    options = decode.options_of(["--repeats", "1", "--warm-up", "1"])
    measured = decode.in_rounds(jobs, {"plain": method}, options, None)
    assert ran == ["a", "a", "b", "c"]
    assert [each.job for each in measured] == ["a", "b", "c"]


def test_runs_written_down_are_read_back_as_they_were(tmp_path: Path) -> None:
    one = MeasuredRun("auto", "h1", 2, TimedRun((1, 2), 1, 0.5, 1.0, 2, 9, {"copy": 1}, {"copy": {1: 2}}))
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
        {
            "context": f"Wash your hands. The dose is {n} mg per kg. Remove the catheter.",
            "qas": [{"id": f"q{n}", "question": "Dose?"}],
        }
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
    peers = {"transformers", "transformers, prompt lookup", "transformers, early exit"}
    assert set(printed["methods"]) == {"plain", "prompt lookup", "CASD", "auto without EAGLE"} | peers
    assert (printed["repeats"], printed["prompts"], printed["same_answers"]) == (2, 2, 2)
    for told in (printed["methods"], printed["by_processor"]):
        assert set(told) == set(printed["methods"])
        assert told["plain"]["against"]["plain"] | {"prompts": 2, "same": 2} == told["plain"]["against"]["plain"]
        assert told["plain"]["against"]["plain"]["speed"] == told["plain"]["against"]["plain"]["answer"] == 1
        assert all(own["against"]["plain"]["same"] == 2 for own in told.values()), (
            "transformers says what we say, drafting or not"
        )
    assert printed["methods"]["plain"]["tau"] == printed["methods"]["transformers"]["tau"] == 1
    assert printed["methods"]["transformers"]["nodes_per_step"] is None
    answers = {(one.job, one.run.tokens) for one in timing.read(raw)}
    assert len(answers) == 2, "transformers says what we say"
    assert decode.main(["--report", str(raw)]) == 0
    told = capsys.readouterr().out
    assert "computed, not measured" in told
    assert "by the processor's time" in told
    assert decode.main(["--report", str(raw), "--clock", "cpu", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    for name, own in printed["by_processor"].items():
        assert (
            reported["methods"][name]["tokens_per_second"]
            == own["tokens_per_second"]
            == reported["by_processor"][name]["tokens_per_second"]
        )


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_smaller_model_assists_transformers(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assisted = "transformers, small model"
    size = ["--limit", "2", "--repeats", "1", "--max-tokens", "8", "--context", "400", "--template", "demo"]
    how = ["--model", str(checkpoint), "--small", str(checkpoint), "--dtype", "fp32", "--threads", "1"]
    which = ["--method", "plain", "--method", assisted]
    assert main(["decode", "--data", str(squad_file(tmp_path)), *how, *size, *which, "--json"]) == 0
    methods = json.loads(capsys.readouterr().out)["methods"]
    assert methods[assisted]["against"]["plain"]["same"] == 2
    assert methods[assisted]["tau"] > 1.5  # a model agrees with itself


def test_verbatim_mode_is_measured_with_and_without_its_drafts(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    how = ["--model", str(checkpoint), "--device", "cpu", "--dtype", "fp32", "--threads", "1", "--template", "demo"]
    arguments = [
        "--data",
        str(squad_file(tmp_path)),
        *how,
        "--mode",
        "verbatim",
        "--limit",
        "1",
        "--repeats",
        "1",
        "--json",
    ]
    assert main(["decode", *arguments]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed["methods"]) == {"plain", "auto"}
    assert printed["same_answers"] == printed["prompts"] == 1
    assert printed["methods"]["auto"]["tau"] > printed["methods"]["plain"]["tau"] == 1
    assert printed["methods"]["auto"]["tokens_per_second"] > 0, "also when the whole answer came in one step"


def test_control_prompts_have_no_passages(tmp_path: Path) -> None:
    file = tmp_path / "control.jsonl"
    file.write_text('{"id": 4, "source": "Name three colours."}\n')
    assert prompts.control(file) == [prompts.PromptJob("4", "Name three colours.")]


def test_a_peer_that_is_not_there_is_left_out_with_a_word(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    limits = PeerLimits(max_tokens=4, context=64, threads=1, ends=(2,))
    with pytest.raises(NoPeer, match="GGUF files only"), llama_peer(str(tmp_path), None, limits):
        pass
    with pytest.raises(NoPeer, match="not installed"), llama_peer("some.gguf", None, limits):
        pass


PYTHON = """#!{python}
import json, os, signal, sys
if {dies_at} == 0:
    os.kill(os.getpid(), signal.SIGSEGV)
print(json.dumps({{"ready": True}}), flush=True)
for line in sys.stdin:
    os.kill(os.getpid(), signal.SIGSEGV)
"""


@pytest.mark.parametrize("dies_at", [0, 1])
def test_a_peer_whose_process_ends_is_named_with_how(tmp_path: Path, dies_at: int) -> None:
    """As a build for another processor does, at its first step."""
    python = tmp_path / "python"
    python.write_text(PYTHON.format(python=sys.executable, dies_at=dies_at))
    python.chmod(0o755)
    (tmp_path / "model.gguf").touch()
    limits = PeerLimits(max_tokens=4, context=64, threads=1, ends=(2,))
    with pytest.raises(NoPeer, match="ended with -11"):
        asked_of_llama(str(tmp_path / "model.gguf"), str(python), limits)


def asked_of_llama(model: str, python: str, limits: PeerLimits) -> TimedRun:
    with llama_peer(model, python, limits) as ways:
        return ways[0][1]((1, 2, 3))


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
    (tmp_path / "peers-handbook.json").write_text(
        json.dumps(printed | {"methods": {"planner": {"tokens_per_second": 7.0}}})
    )
    replayed = [
        {"set": "s", "drafter": name, "nodes_per_step": n * 1.0, "tau": 1 + n / 9}
        for name in ("blend", "suffix")
        for n in (3, 5)
    ]
    (tmp_path / "methods.json").write_text(json.dumps({"replayed": replayed}))
    assert main(["plots", "--folder", str(tmp_path)]) == 0
    pictures = ("decode.svg", "peers.svg", "accepted.svg", "methods.svg")
    drawn = [(tmp_path / name).read_bytes() for name in pictures]
    assert all(b"<svg" in picture for picture in drawn)
    assert main(["plots", "--folder", str(tmp_path)]) == 0
    assert drawn == [(tmp_path / name).read_bytes() for name in pictures]


def test_runs_longer_than_the_longest_are_counted_with_it() -> None:
    assert plots.histogram({0: 1, 10: 1, 14: 2}) == [0.25, *[0.0] * 9, 0.75]
