"""Training a head: answers come out as the target gives them, the loss falls, work goes on where it
was stopped, the head drafts."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from services.generator.drafters import StepState
from services.generator.drafters.eagle import EagleDrafter
from services.generator.models import StepInput, Target
from services.generator.models.heads.eagle_format import load_head, save_head
from services.generator.models.loading import load_target
from services.generator.speculation.eagle_tree import TreeShape
from services.generator.text.codec import Codec
from services.generator.train import demo_prompts
from services.generator.train.__main__ import main
from services.generator.train.answers import AnswerOptions, BadPrompts, TokenQuestion, collect, read_prompts
from services.generator.train.chains import Recipe, chain_loss, make_batch
from services.generator.train.corpus import (
    AnswerCorpus,
    BadCorpus,
    CorpusAnswer,
    draft_vocabulary,
    held_out,
    write_shard,
)
from services.generator.train.fit import Fit, FitOptions, new_head, output_rows
from services.generator.train.measure import measure
from services.generator.train.progress import TrainingProgress
from services.generator.types import Prompt, SamplingParams, Sequence
from tests.services.generator.tiny import tiny_checkpoint, tiny_tokenizer

OPTIONS = AnswerOptions(rows=4, max_tokens=24, max_length=96, temperature=0.0, shard=8)
SHAPE = TreeShape(top_k=3, total=12, depth=3)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_checkpoint(tmp_path_factory.mktemp("target"))


@pytest.fixture(scope="module")
def target(checkpoint: Path) -> Target:
    return load_target(str(checkpoint), device="cpu", dtype="fp32")


@pytest.fixture(scope="module")
def questions() -> list[TokenQuestion]:
    """Few distinct prompts, so that a small head can learn what the target says to them."""
    texts = ["Wash your hands.", "The nurse writes the dose.", "Remove the catheter.", "Answer the question."]
    encode = tiny_tokenizer().encode
    return [TokenQuestion(f"{number}", tuple(encode(f"{texts[number % 4]} {number % 3}"))) for number in range(60)]


@pytest.fixture(scope="module")
def corpus(target: Target, questions: list[TokenQuestion], tmp_path_factory: pytest.TempPathFactory) -> AnswerCorpus:
    return collect(target, questions, tmp_path_factory.mktemp("answers"), OPTIONS)


def test_answers_are_the_targets_greedy_ones_with_the_features_of_one_forward(
    target: Target, corpus: AnswerCorpus
) -> None:
    for entry in corpus.entries[:6]:
        answer = corpus.read(entry)
        tokens = answer.tokens[None, :-1]
        length = tokens.shape[1]
        cache = target.new_cache(1, length)
        out = target.forward(StepInput(tokens, torch.arange(length)[None], (0,), (0,), (length,), None, 0, True), cache)
        said = out.logits[0, answer.prompt_length - 1 :].argmax(-1)
        assert said.tolist() == answer.answer
        assert out.hidden is not None
        assert out.streams is not None
        torch.testing.assert_close(answer.hidden.float(), out.hidden[0], rtol=0.02, atol=0.02)
        torch.testing.assert_close(answer.streams.float(), out.streams[0], rtol=0.02, atol=0.02)


def test_every_prompt_is_answered_once_and_answers_end(
    target: Target, corpus: AnswerCorpus, questions: list[TokenQuestion]
) -> None:
    assert sorted(entry.id for entry in corpus.entries) == sorted(question.id for question in questions)
    for entry in corpus.entries:
        said = corpus.read(entry).answer
        assert 1 <= len(said) <= OPTIONS.max_tokens
        assert len(said) == OPTIONS.max_tokens or said[-1] in target.config.eos_token_ids
        assert not set(said[:-1]) & set(target.config.eos_token_ids)


def test_stopped_collecting_goes_on_and_says_the_same(
    target: Target, corpus: AnswerCorpus, questions: list[TokenQuestion], tmp_path: Path
) -> None:
    collect(target, questions[:9], tmp_path, OPTIONS)
    (tmp_path / "partial.tmp").write_bytes(b"half a shard")
    resumed = collect(target, questions, tmp_path, OPTIONS)
    said = {entry.id: corpus.read(entry).tokens.tolist() for entry in corpus.entries}
    assert {entry.id: resumed.read(entry).tokens.tolist() for entry in resumed.entries} == said


def test_sampled_answers_depend_on_prompt_and_seed_not_on_the_batch(
    target: Target, questions: list[TokenQuestion], tmp_path: Path
) -> None:
    """Only held-out prompts are greedy at a temperature."""
    hot = AnswerOptions(rows=3, max_tokens=12, max_length=96, temperature=1.5, shard=8)
    alone = AnswerOptions(rows=1, max_tokens=12, max_length=96, temperature=1.5, shard=8)
    runs = {
        name: collect(target, questions[:12], tmp_path / name, options, seed)
        for name, options, seed in (("hot", hot, 0), ("alone", alone, 0), ("other", hot, 1))
    }
    said = {name: {entry.id: run.read(entry).answer for entry in run.entries} for name, run in runs.items()}
    assert said["hot"] == said["alone"]
    changed = {ident for ident in said["hot"] if said["hot"][ident] != said["other"][ident]}
    assert changed == {question.id for question in questions[:12] if not held_out(question.id)}


def test_output_rows_are_the_targets_output_layer(target: Target, checkpoint: Path) -> None:
    token_ids = torch.tensor([3, 7, 250])
    weights = load_file(checkpoint / "model.safetensors")["lm_head.weight"]
    torch.testing.assert_close(output_rows(target, token_ids), weights[token_ids])


def test_the_draft_vocabulary_is_what_answers_say_most(tmp_path: Path) -> None:
    features = torch.zeros(4, 2)
    answers = [CorpusAnswer(f"{number}", 2, torch.tensor([9, 9, 5, 6, 6]), features, features) for number in range(3)]
    assert not any(held_out(answer.id) for answer in answers)
    write_shard(tmp_path, answers)
    two, all_of_it = draft_vocabulary(AnswerCorpus(tmp_path), 2, 12)
    assert (two.tolist(), all_of_it) == ([5, 6], 1.0)
    best, covered = draft_vocabulary(AnswerCorpus(tmp_path), 1, 12)
    assert best.tolist() == [6]
    assert covered == pytest.approx(2 / 3)
    assert draft_vocabulary(AnswerCorpus(tmp_path), 5, 12)[0].tolist() == [0, 1, 5, 6, 9]


@pytest.mark.parametrize(("version", "normed"), [(1, False), (3, False), (3, True)])
def test_a_chain_computes_what_the_drafter_computes(
    version: int, normed: bool, target: Target, corpus: AnswerCorpus
) -> None:
    """Step s of a chain is the head's output that drafting the same tokens reaches: the keys,
    positions and features agree."""
    answer = next(corpus.read(entry) for entry in corpus.entries if entry.length - entry.prompt_length > 8)
    ids = torch.arange(target.config.vocab_size)
    rows = output_rows(target, ids)
    head = new_head(target, FitOptions(version=version, normed=normed), ids, rows).eval()
    batch = make_batch([answer], version, 0.0, torch.Generator(), torch.device("cpu"))
    logits: list[torch.Tensor] = []
    from services.generator.train import chains

    original = chains.draft_logits

    def recording(head, x, rows):  # type: ignore[no-untyped-def]
        logits.append(original(head, x, rows))
        return logits[-1]

    with pytest.MonkeyPatch.context() as patch, torch.no_grad():
        patch.setattr(chains, "draft_logits", recording)
        chain_loss(head, batch, rows, Recipe(3))
    drafter = EagleDrafter(head, TreeShape(top_k=1, total=4, depth=2))
    sequence = Sequence("a", Prompt((), (), (), "t"), SamplingParams())
    tokens = answer.tokens.numpy().astype(np.int32)
    features = answer.streams if version == 3 else answer.hidden
    start = answer.prompt_length - 1  # the first chain
    drafter.start(sequence)
    (tree,) = drafter.propose([StepState(sequence, tokens[: start + 2], features[: start + 1])], 4)
    assert tree.token_ids[1] == int(logits[0][0].argmax())
    if tree.token_ids[1] == int(tokens[start + 2]):  # then step 1 was fed the same token
        assert tree.token_ids[2] == int(logits[1][0].argmax())
    first = logits[0][0].softmax(-1).max()
    assert tree.scores[1] == pytest.approx(float(first), rel=1e-3)


def test_deeper_steps_of_a_chain_equal_one_long_forward_over_the_same_inputs(
    target: Target, corpus: AnswerCorpus
) -> None:
    """The head fed its own outputs, by hand and with a plain causal mask, for one chain of three
    steps."""
    answer = next(corpus.read(entry) for entry in corpus.entries if entry.length - entry.prompt_length > 8)
    ids = torch.arange(target.config.vocab_size)
    rows = output_rows(target, ids)
    head = new_head(target, FitOptions(), ids, rows).eval()
    batch = make_batch([answer], 3, 0.0, torch.Generator(), torch.device("cpu"))
    start = int(batch.starts[2])

    def causal(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)

    with torch.no_grad():
        inputs, outputs = head.fuse(batch.features[: start + 1])[None], []
        for step in range(3):
            length = start + 1 + step
            out = head(batch.tokens[None, :length], inputs, batch.positions[None, :length], causal)
            outputs.append(out[0, -1])
            inputs = torch.cat([inputs, out[:, -1:]], dim=1)
        from services.generator.train import chains

        seen: list[torch.Tensor] = []
        with pytest.MonkeyPatch.context() as patch:
            original = chains.draft_logits
            patch.setattr(chains, "draft_logits", lambda head, x, rows: seen.append(x) or original(head, x, rows))  # type: ignore[func-returns-value]
            chain_loss(head, batch, rows, Recipe(3))
    for step in range(3):
        torch.testing.assert_close(seen[step][2], outputs[step], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("version", "normed"), [(1, False), (3, False), (3, True)])
def test_training_lowers_the_loss_and_raises_tau_and_the_head_survives_its_file(
    version: int, normed: bool, target: Target, corpus: AnswerCorpus, tmp_path: Path
) -> None:
    """A target of random weights says nothing that generalises: its prompts repeat, and the head
    has to learn what it says to each."""
    options = FitOptions(
        version, 300, steps=3, epochs=20, positions=128, learning_rate=5e-3, warm_up=5, bf16=False, normed=normed
    )
    fit = Fit(target, corpus, tmp_path / "work", options)
    entries = corpus.testing()
    assert entries
    before = measure([EagleDrafter(fit.head, SHAPE)], map(corpus.read, entries), 12)
    fit.run()
    losses = [
        line["loss"]
        for line in map(json.loads, (tmp_path / "work" / "curve.jsonl").read_text().splitlines())
        if "loss" in line
    ]
    assert np.mean(losses[-4:]) < 0.8 * np.mean(losses[:4])
    save_head(fit.head, tmp_path / "head", 512)
    loaded = load_head(tmp_path / "head", target)
    assert torch.equal(loaded.target_ids, fit.head.target_ids)
    after = measure([EagleDrafter(loaded, SHAPE)], map(corpus.read, entries), 12)
    assert after.tokens == before.tokens == sum(entry.length - entry.prompt_length - 1 for entry in entries)
    assert after.tau > before.tau + 0.5
    assert sum(after.accepted.values()) * after.tau == pytest.approx(after.tokens)


def test_stopped_training_goes_on_to_the_same_head(target: Target, corpus: AnswerCorpus, tmp_path: Path) -> None:
    """In one go, and stopped after each of two epochs: the same batches in the same order, the same
    weights."""
    options: dict[str, Any] = {"draft_vocabulary": 200, "steps": 2, "positions": 300, "bf16": False, "warm_up": 1}
    whole = Fit(target, corpus, tmp_path / "whole", FitOptions(epochs=2, **options))
    whole.schedule = lambda: 1.0  # type: ignore[method-assign]
    whole.run()
    for epochs in (1, 2):
        part = Fit(target, corpus, tmp_path / "parts", FitOptions(epochs=epochs, **options))
        part.schedule = lambda: 1.0  # type: ignore[method-assign]
        part.run()
    assert part.step == whole.step
    for name, weight in whole.head.state_dict().items():
        torch.testing.assert_close(part.head.state_dict()[name], weight, msg=name)
    with pytest.raises(BadCorpus, match="draft vocabulary of 200, not 100"):
        Fit(target, corpus, tmp_path / "parts", FitOptions(**options | {"draft_vocabulary": 100}))


def test_minutes_end_training(target: Target, corpus: AnswerCorpus, tmp_path: Path) -> None:
    fit = Fit(
        target,
        corpus,
        tmp_path,
        FitOptions(draft_vocabulary=100, epochs=10_000, minutes=0.02, positions=64, bf16=False),
    )
    fit.run()
    assert fit.epoch < 10_000
    assert fit.seconds >= 1.2


def test_an_empty_corpus_is_named(target: Target, tmp_path: Path) -> None:
    with pytest.raises(BadCorpus, match=str(tmp_path)):
        Fit(target, AnswerCorpus(tmp_path), tmp_path, FitOptions())


def test_prompts_are_read_in_three_forms_and_bad_ones_named(tmp_path: Path) -> None:
    codec, path = Codec(tiny_tokenizer()), tmp_path / "prompts.jsonl"
    rows = [
        {"id": "a", "prompt": "Wash your hands."},
        {"messages": [{"role": "user", "content": "Wash your hands."}]},
        {
            "question": "What does the nurse write?",
            "documents": [{"text": "The nurse writes the dose."}],
            "template": "demo",
        },
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    first, second, third = read_prompts(path, codec)
    assert (first.id, second.id, third.id) == ("a", "2", "3")
    assert first.tokens == second.tokens
    assert "The nurse writes the dose." in codec.decode(third.tokens)
    bad = [
        ("", "no prompts"),
        ("{", ":1: JSONDecodeError"),
        ('{"question": "a"}', "KeyError: 'documents'"),
        ('{"messages": 3}', ":1: TypeError"),
    ]
    bad.append(('{"question": "a", "documents": [], "template": "none"}', "template 'none'"))
    for text, reason in bad:
        path.write_text(text)
        with pytest.raises(BadPrompts, match=reason):
            read_prompts(path, codec)


def test_the_demo_prompts_have_two_rounds_and_their_own_ids() -> None:
    first = list(demo_prompts.first_round())
    assert len({row["id"] for row in first}) == len(first) > 500
    text = "A passage tells things. " * 20 + "It does not end"
    explained = {row["id"]: f"{row['id']} {text}" for row in first[:60]}
    second = list(demo_prompts.second_round(explained))
    assert len({row["id"] for row in second}) == len(second) > 40
    for row in second:
        source = row["id"].removeprefix("ask-").rpartition("-")[0]
        assert len(row["documents"]) == 3
        assert sum(document["text"].startswith(source) for document in row["documents"]) == 1
        assert all(document["text"].endswith(".") for document in row["documents"])


def test_sentences_are_kept_whole() -> None:
    assert demo_prompts.shortened("One two. Three four. Five", 100) == "One two. Three four."
    assert demo_prompts.shortened("One two. Three four. Five six.", 3) == "One two. Three four."
    assert demo_prompts.shortened("Never ends", 100) == ""


def test_the_commands_make_a_head_from_a_prompt_file(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prompts, answers, head = tmp_path / "prompts.jsonl", tmp_path / "answers", tmp_path / "head"
    prompts.write_text("\n".join(json.dumps({"id": f"{n}", "prompt": f"Wash {n % 5}"}) for n in range(40)))
    common = ["--model", str(checkpoint)]
    assert (
        main(
            [
                "answers",
                *common,
                "--prompts",
                str(prompts),
                "--out",
                str(answers),
                "--max-tokens",
                "10",
                "--dtype",
                "fp32",
            ]
        )
        == 0
    )
    assert json.loads(capsys.readouterr().out)["answers"] == 40
    training = ["head", *common, "--answers", str(answers), "--work", str(tmp_path / "work"), "--out", str(head)]
    assert main([*training, "--draft-vocabulary", "200", "--epochs", "1", "--fp32"]) == 0
    capsys.readouterr()
    assert sorted(path.name for path in head.iterdir()) == ["config.json", "model.safetensors", "training.json"]
    record = json.loads((head / "training.json").read_text())
    assert record["answers"] + record["held_out_answers"] == 40
    assert record["curve"]
    measuring = ["measure", *common, "--answers", str(answers), "--nodes", "8", "--top-k", "3"]
    assert main([*measuring, "--head", str(head)]) == 0
    alone, copied, both = map(json.loads, capsys.readouterr().out.splitlines())
    assert both["drafter"] == f"copy + {head}"
    assert alone["tokens"] == copied["tokens"] == both["tokens"]
    assert both["nodes_per_step"] <= 7
    assert main([*measuring, "--version", "1", "--whole"]) == 0
    untrained = json.loads(capsys.readouterr().out.splitlines()[0])
    assert untrained["drafter"] == "untrained"
    assert untrained["answers"] > alone["answers"]
    assert (
        main(["head", *common, "--answers", str(tmp_path / "none"), "--work", str(tmp_path / "w"), "--out", str(head)])
        == 2
    )
    assert "no answers to train on" in capsys.readouterr().err
    assert main(["sing"]) == 2


def test_progress_shows_rate_and_time_left_of_this_run_only() -> None:
    out = io.StringIO()
    progress = TrainingProgress("work", 100, "answers", out=out, began=time.monotonic() - 10)
    progress.update(50, 0, force=True)
    progress.update(75, 1000, force=True)
    progress.finish()
    last = out.getvalue().splitlines()[-1]
    assert last.startswith("work 75/100 answers | 100 tokens/s | 0 min left")
