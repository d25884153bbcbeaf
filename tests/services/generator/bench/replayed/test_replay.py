"""replay measures what a target that says the recorded answer would accept."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Metaspace

from services.generator.bench.__main__ import main as bench
from services.generator.bench.common.recorded import (
    BadRecords,
    Record,
    Where,
    read_records,
    read_tokenizer,
    with_said,
)
from services.generator.bench.replayed.replay import longest_runs, main, measure, training_free
from services.generator.drafters import Drafter, DrafterContext
from services.generator.drafters.registry import open_drafters
from services.generator.speculation.tree import follow
from services.generator.types import DraftTree
from tests.services.generator.tiny import tiny_tokenizer

SHARED = Path(__file__).parents[5].parent / "shared" / "data"
RECORDED = SHARED / "recorded" / "faithbench.jsonl"
LLAMA_3 = SHARED / "tokenizers" / "llama3.tokenizer.json.gz"

tokens = st.lists(st.integers(0, 3), min_size=1, max_size=30).map(tuple)


def opened(*names: str) -> dict[str, Drafter]:
    return open_drafters(names, DrafterContext())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tokenizer.json").write_text(tiny_tokenizer().backend_tokenizer.to_str())
    rows = [
        {
            "id": "a",
            "model": "large-1",
            "source": "Wash your hands before and after each patient.",
            "answer": "Wash your hands before and after.",
        },
        {"id": "b", "model": "small", "prompt": "What does the nurse write?", "answer": "The time and the dose."},
        {"id": "c", "model": "large-2", "source": "Nothing.", "answer": ""},
    ]
    (tmp_path / "answers.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n\n")
    return tmp_path


def test_the_walk_descends_along_the_answer_and_leaves_its_last_token_to_the_target() -> None:
    tree = DraftTree((9, 1, 2, 2, 3, 4), (-1, 0, 0, 1, 3, 4), (1.0,) * 6, ((),) * 6)
    assert follow(tree, (1, 2, 3, 7, 7)) == [0, 1, 3, 4]
    assert follow(tree, (2, 2)) == [0, 2]
    assert follow(tree, (5, 1)) == [0]
    assert follow(tree, (1, 2, 3)) == [0, 1, 3]


def test_the_oracle_counts_runs_and_their_bonus_tokens() -> None:
    assert longest_runs((1, 2, 3, 4), (2, 3, 4, 9)) == 1  # the run 2 3 4, and 9
    assert longest_runs((1, 2, 3, 4), (9, 9, 2, 3)) == 3  # nothing and 9; the run 9, and 2; the run 3
    assert longest_runs((1,), (5, 6, 7)) == 3


@settings(max_examples=100, deadline=None)
@given(tokens, tokens, st.integers(1, 12))
def test_every_drafter_stays_in_its_budget_and_below_the_oracle(
    source: tuple[int, ...], answer: tuple[int, ...], nodes: int
) -> None:
    for label, name in training_free().items():
        result = measure(label, opened(name), [Record("0", source, answer)], nodes)
        assert result.tokens == len(answer)
        assert 1 <= result.tau <= nodes
        assert result.tau <= result.oracle or name == "blend"  # whose paths go on from one run to another
        assert result.nodes_per_step <= nodes - 1


def test_a_single_node_decodes_plainly() -> None:
    result = measure("prompt-lookup", opened("prompt-lookup"), [Record("0", (1, 2, 3), (1, 2, 3, 1, 2))], nodes=1)
    assert (result.tau, result.nodes_per_step) == (1.0, 0.0)


def test_prompt_lookup_copies_after_the_first_longest_match() -> None:
    """... 1 2 3 and then 4 or 5: three tokens match at the first 1 2 3; only 3 matches after a
    9."""
    result = measure(
        "prompt-lookup",
        opened("prompt-lookup"),
        [Record("0", (1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3), (4, 1, 2, 3, 5))],
        nodes=60,
    )
    assert result.tau == 5.0  # one step: the draft 4 1 2 3 and the bonus token


def test_records_are_filtered_limited_and_read_from_source_or_prompt(folder: Path) -> None:
    tokenizer = read_tokenizer(folder)
    assert [record.id for record in read_records(folder / "answers.jsonl", tokenizer)] == ["a", "b"]
    assert [record.id for record in read_records(folder / "answers.jsonl", tokenizer, limit=1)] == ["a"]
    assert [
        record.id for record in read_records(folder / "answers.jsonl", tokenizer, [Where.parse("model=small")])
    ] == ["b"]
    (record,) = read_records(folder / "answers.jsonl", tokenizer, [Where.parse("model=large")])
    assert tokenizer.decode(list(record.answer)) == "Wash your hands before and after."


def test_tokens_are_read_as_a_model_wrote_them(folder: Path) -> None:
    row = {"source_tokens": [5, 6], "answer_tokens": [7, 8, 9], "answer": "not read", "documents": ["a", "a"]}
    (folder / "tokens.jsonl").write_text(json.dumps(row | {"language": "nl"}))
    (record,) = read_records(folder / "tokens.jsonl", read_tokenizer(folder))
    assert (record.source, record.answer, sorted(record.documents)) == ((5, 6), (7, 8, 9), ["a"])
    assert record.fields == {"language": "nl"}


def test_earlier_answers_come_from_the_same_documents_and_are_the_latest() -> None:
    records = [
        Record(f"{n}", (1,), (n,), documents=frozenset(names))
        for n, names in enumerate(["a", "b", "ab", "a", "c", "a"])
    ]
    assert [record.beside for record in with_said(records, 2)] == [(), (), ((0,), (1,)), ((0,), (2,)), (), ((2,), (3,))]
    assert all(record.beside == () for record in with_said(records, 0))


@pytest.mark.parametrize("name", ["suffix", "automaton", "suffix+automaton"])
def test_an_earlier_answer_that_is_said_again_is_drafted_and_counted_apart(name: str) -> None:
    """What follows its first token stands in no prompt; a text beside it ends where it ends."""
    said = (4, 5, 6, 7, 8, 9)
    record = Record("", (1, 2, 3), said, beside=((20, 21), said, (9, 30)))
    known = measure("", opened(*name.split("+")), [record], nodes=60)
    alone = measure("", opened(*name.split("+")), [replace(record, beside=())], nodes=60)
    assert (alone.tau, known.tau) == (1.0, 3.0)  # the target's first token, then all that follows it and a bonus
    assert set(known.sources) == {"target", "+".join(f"{own}:beside" for own in sorted(name.split("+")))}


def test_a_gzipped_tokenizer_is_read(folder: Path) -> None:
    packed = folder / "packed.tokenizer.json.gz"
    packed.write_bytes(gzip.compress((folder / "tokenizer.json").read_bytes()))
    assert read_tokenizer(packed).get_vocab() == read_tokenizer(folder).get_vocab()


@pytest.mark.parametrize(
    ("line", "reason"),
    [("{", ":1: "), ("[]", "not an object"), ('{"answer": "a"}', "`source` or `prompt`"), ("", "no record is left")],
)
def test_what_cannot_be_measured_is_named(folder: Path, line: str, reason: str) -> None:
    (folder / "bad.jsonl").write_text(line)
    with pytest.raises(BadRecords, match=reason):
        read_records(folder / "bad.jsonl", read_tokenizer(folder))
    with pytest.raises(BadRecords, match="no such file"):
        read_records(folder / "none.jsonl", read_tokenizer(folder))
    with pytest.raises(BadRecords, match="not a tokenizer"):
        read_tokenizer(folder / "bad.jsonl")
    with pytest.raises(BadRecords, match="FIELD=SUBSTRING"):
        Where.parse("model")


def test_the_command_prints_one_json_object(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "--data",
        str(folder / "answers.jsonl"),
        "--tokenizer",
        str(folder),
        "--drafter",
        "casd",
        "--nodes",
        "30",
    ]
    assert main([*arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {
        *("drafter", "tau", "nodes_per_step", "microseconds_per_draft", "oracle", "answers", "tokens"),
        *("sources", "lengths"),
    }
    assert sum(printed["sources"].values()) == pytest.approx(printed["tau"])
    assert printed["answers"] == 2
    assert printed["drafter"] == "casd"
    assert main([*arguments, "--drafter", "prompt_lookup"]) == 0
    assert "bonus token counted" in capsys.readouterr().out
    assert main([*arguments[:4], "--drafter", "casd", "suffix", "--by", "model", "--json"]) == 0
    compared = json.loads(capsys.readouterr().out)["results"]
    assert [(one["model"], one["drafter"]) for one in compared] == [
        ("large-1", "casd"), ("large-1", "suffix"), ("small", "casd"), ("small", "suffix"),
    ]  # fmt: skip
    assert main([*arguments[:4], "--drafter", "best:copy"]) == 2
    assert "no policy 'best'" in capsys.readouterr().err
    assert main([*arguments[:4], "--drafter", "RASD"]) == 2
    assert "needs a small model" in capsys.readouterr().err
    assert main([*arguments[:4], "--drafter", "plan:copy"]) == 2
    assert "verified whole and exactly" in capsys.readouterr().err
    assert main([*arguments, "--where", "model=nobody"]) == 2
    assert "no record is left" in capsys.readouterr().err


def test_the_command_knows_which_tokens_are_one_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, answer = "On each ward the nurse washes her hands and her feet", "THE NURSE washes HER hands and HER feet"
    words = dict.fromkeys(f"\u2581{word}" for word in f"{source} {answer}".split())
    tokenizer = Tokenizer(WordLevel({word: n for n, word in enumerate(words)}, "\u2581On"))
    tokenizer.pre_tokenizer = Metaspace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "answers.jsonl").write_text(json.dumps({"source": source, "answer": answer}))
    arguments = [
        "--data",
        str(tmp_path / "answers.jsonl"),
        "--tokenizer",
        str(tmp_path),
        "--drafter",
        "planner",
        "--nodes",
        "4",
        "--json",
    ]
    assert main(arguments) == 0
    records = read_records(tmp_path / "answers.jsonl", tokenizer)
    assert json.loads(capsys.readouterr().out)["tau"] > measure("", opened("blend"), records, nodes=4).tau


@pytest.mark.skipif(not RECORDED.exists(), reason="../shared/data/recorded/faithbench.jsonl is missing")
@pytest.mark.parametrize(
    ("name", "tau", "nodes"),
    [
        ("prompt-lookup", 1.436, 6.5),
        ("casd", 1.460, 10.5),
        pytest.param("planner", 1.913, 59.0, marks=pytest.mark.skipif("blend" not in training_free(), reason="no C")),
    ],
)
def test_the_reference_points_on_recorded_summaries_are_reproduced(name: str, tau: float, nodes: float) -> None:
    records = read_records(RECORDED, read_tokenizer(LLAMA_3), [Where("model", "Llama-3.1")], limit=150)
    result = measure(name, opened(training_free()[name]), records, nodes=60)
    assert result.tau == pytest.approx(tau, abs=0.001)
    assert result.nodes_per_step == pytest.approx(nodes, abs=0.05)
    assert result.oracle == pytest.approx(2.391, abs=0.001)


@pytest.mark.skipif(not RECORDED.exists(), reason="../shared/data/recorded/faithbench.jsonl is missing")
@pytest.mark.skipif("blend" not in training_free(), reason="no C compiler on this machine")
def test_the_planner_accepts_more_than_any_single_way_to_copy() -> None:
    """Of one LLM's answers about the sources that its constants were not chosen on, every second
    one."""
    records = read_records(RECORDED, read_tokenizer(LLAMA_3), [Where("model", "Llama-3.1-8B")])
    chosen_on = set(sorted({record.source for record in records})[::2])
    unseen = [record for record in records if record.source not in chosen_on][:20]
    taus = {name: measure(name, opened(name), unseen, nodes=60).tau for name in training_free().values()}
    assert taus["blend"] > 1.1 * max(tau for name, tau in taus.items() if name != "blend")


@pytest.mark.skipif(not RECORDED.exists(), reason="../shared/data/recorded/faithbench.jsonl is missing")
@pytest.mark.skipif("blend" not in training_free(), reason="no C compiler on this machine")
def test_with_as_few_nodes_as_the_best_single_way_the_planner_accepts_more(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "--data",
        str(RECORDED),
        "--tokenizer",
        str(LLAMA_3),
        "--where",
        "model=Llama-3.1-8B",
        "--limit",
        "40",
        "--json",
    ]
    assert main([*arguments, "--drafter", "suffix"]) == 0
    single = json.loads(capsys.readouterr().out)
    assert main([*arguments, "--drafter", "planner", "--mean", f"{single['nodes_per_step'] - 0.2}"]) == 0
    planner = json.loads(capsys.readouterr().out)
    assert planner["nodes_per_step"] <= single["nodes_per_step"]
    assert planner["tau"] > 1.03 * single["tau"]


def test_copying_is_measured_by_context(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench(["copying", "--context", "64", "256", "--steps", "5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["contexts"]
    assert [one["context"] for one in found] == [64, 256]
    assert all(one["draft"] > 0 and one["merge"] > 0 and one["nodes"] > 0 for one in found)
