"""A dense datastore gives what followed the likest states, belongs to one model, and changes no
text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.generator.datastore import dense
from services.generator.datastore.dense import BadDenseDatastore, DenseDatastore
from services.generator.drafters import DrafterContext, StepState
from services.generator.drafters.datastores.dresd import DresdDrafter
from services.generator.drafters.registry import available, open_drafter
from services.generator.types import SamplingParams
from tests.services.generator.engine.test_engine import WORDS, prompts, samplings, text
from tests.services.generator.engines import check_same, engine, generate, request, tiny_target
from tests.services.generator.tiny import tiny_checkpoint

OTHERS = (
    "De dosis is 5 mg per kg. Was uw handen.",
    "Remove the catheter. De dosis is 2 mg.",
    "Wash your hands before each patient.",
)


def store_of(*texts: list[int]) -> DenseDatastore:
    return dense.build(tiny_target(), [(each, 0) for each in texts])


@pytest.fixture(scope="module")
def store() -> DenseDatastore:
    return store_of(text(WORDS * 3), *map(text, OTHERS))


def test_a_state_finds_itself_and_what_followed_it(store: DenseDatastore) -> None:
    tokens = text(OTHERS[1])
    states = dense.hidden_states(tiny_target(), tokens)
    for place in range(1, len(tokens) - 1):
        (found, cosine), *_ = store.nearest(tokens[place], states[place - 1], 3)
        assert cosine == pytest.approx(1, abs=1e-2)
        assert store.tokens[found] == tokens[place]
        assert store.following(found, 4) == tokens[place + 1 : place + 5]


def test_only_places_of_the_next_token_are_found_the_likest_first(store: DenseDatastore) -> None:
    state = dense.hidden_states(tiny_target(), text(WORDS))[4]
    for token in set(text(WORDS)):
        found = store.nearest(token, state, 5)
        assert all(store.tokens[place] == token for place, _ in found)
        assert [cosine for _, cosine in found] == sorted((cosine for _, cosine in found), reverse=True)
    assert store.nearest(next(token for token in range(400) if token not in store.tokens), state, 5) == []


def test_no_draft_goes_over_the_end_of_a_text(store: DenseDatastore) -> None:
    ends = np.flatnonzero(store.tokens == dense.BETWEEN)
    assert store.following(int(ends[0]) - 1, 9) == []
    assert len(store.following(int(ends[0]) - 4, 9)) == 3


def test_a_first_token_that_may_be_drafted_leaves_out_what_is_before_it() -> None:
    prompt, answer = text(WORDS), text(OTHERS[0])
    one = dense.build(tiny_target(), [([*prompt, *answer], len(prompt))])
    assert one.tokens.tolist() == [*answer, dense.BETWEEN]
    assert len(one.keys) == len(answer)


@given(st.lists(st.tuples(prompts, samplings), min_size=1, max_size=8))
@settings(max_examples=8, deadline=None)
def test_the_text_is_the_targets_own(jobs: list[tuple[list[int], SamplingParams]]) -> None:
    target = tiny_target()
    plain = [generate(engine(target), [request(prompt, sampling)])[0] for prompt, sampling in jobs]
    drafter = DresdDrafter(
        store_of(*(prompt + answer for (prompt, _), answer in zip(jobs, plain, strict=True)), text(WORDS))
    )
    batch = [request(prompt, sampling, ("dresd", "copy")) for prompt, sampling in jobs]
    check_same(target, jobs, plain, generate(engine(target, drafter, prefill_chunk=16), batch))


def test_answers_that_it_was_built_from_come_in_few_steps() -> None:
    """A state that was seen before is followed by what followed it: drafts of 20 tokens are taken
    nearly whole."""
    target, prompt = tiny_target(), text(WORDS)
    plain = generate(engine(target), [request(prompt)])[0]
    job = request(prompt, drafters=("dresd",))
    drafter = DresdDrafter(dense.build(target, [([*prompt, *plain], len(prompt)), (text(OTHERS[0]), 0)]))
    assert generate(engine(target, drafter), [job])[0] == plain
    assert job.sequence.stats.tokens / job.sequence.stats.steps > 4


def test_sampled_answers_get_more_and_shorter_drafts(store: DenseDatastore) -> None:
    tokens = text(WORDS)
    features = dense.hidden_states(tiny_target(), tokens)
    import torch

    def nodes(sampling: SamplingParams) -> tuple[int, int]:
        state = StepState(
            request(tokens, sampling).sequence, np.array(tokens[:6], np.int32), torch.from_numpy(features[:5])
        )
        (tree,) = DresdDrafter(store).propose([state], 256)
        return len(tree), sum(parent == 0 for parent in tree.parents)

    assert nodes(SamplingParams())[0] <= 61
    assert nodes(SamplingParams(temperature=0.7))[0] <= 101


def test_it_is_read_as_it_was_written_and_refused_for_another_model(store: DenseDatastore, tmp_path: Path) -> None:
    dense.write(tmp_path / "store", store)
    again = dense.read(tmp_path / "store", tiny_target())
    assert again.tokens.tolist() == store.tokens.tolist()
    assert np.array_equal(again.keys, store.keys)
    with pytest.raises(BadDenseDatastore, match="built for another model"):
        dense.read(tmp_path / "store", tiny_target(seed=1))
    with pytest.raises(BadDenseDatastore, match="of another size"):
        dense.read(tmp_path / "store", tiny_target(hidden_size=64))
    with pytest.raises(BadDenseDatastore, match="no dense datastore"):
        dense.read(tmp_path, tiny_target())
    manifest = tmp_path / "store" / dense.MANIFEST
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"format": 0}))
    with pytest.raises(BadDenseDatastore, match="build it again"):
        dense.read(tmp_path / "store", tiny_target())
    with pytest.raises(BadDenseDatastore, match="no text"):
        dense.build(tiny_target(), [])


def test_what_it_lacks_is_said(store: DenseDatastore) -> None:
    assert "dresd" not in available(DrafterContext(tiny_target()))
    assert isinstance(open_drafter("dresd", DrafterContext(tiny_target(), dense=store)), DresdDrafter)


def test_the_command_builds_one_that_the_service_drafts_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from services.generator.datastore.__main__ import main
    from services.generator.server.config import GeneratorSettings
    from services.generator.server.service import load

    model = str(tiny_checkpoint(tmp_path, "llama", seed=2))
    rows = tmp_path / "answers.jsonl"
    rows.write_text("\n".join(json.dumps({"prompt": "Hoeveel?", "answer": answer}) for answer in OTHERS) + "\n")
    assert main(["dense", str(tmp_path / "store"), str(rows), "--model", model]) == 0
    assert f"{sum(len(text(answer)) for answer in OTHERS)} tokens" in capsys.readouterr().out
    settings = GeneratorSettings(
        model=model, dtype="fp32", threads=1, drafter="dresd", dense_datastore=tmp_path / "store"
    )
    assert "dresd" in load(settings).engine.drafters
    other = str(tiny_checkpoint(tmp_path, "llama", seed=3))
    with pytest.raises(BadDenseDatastore, match="built for another model"):
        load(settings.model_copy(update={"model": other}))
    assert main(["dense", str(tmp_path / "none"), str(tmp_path / "missing.jsonl"), "--model", model]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_a_small_model_with_another_tokenizer_is_refused(tmp_path: Path) -> None:
    from services.generator.errors import ModelError
    from services.generator.server.config import GeneratorSettings
    from services.generator.server.service import load

    model, small = (str(tiny_checkpoint(tmp_path, "llama", seed=seed)) for seed in (2, 3))
    settings = GeneratorSettings(model=model, small_model=small, dtype="fp32", threads=1, drafter="small-model")
    assert "small-model" in load(settings).engine.drafters
    tokenizer = Path(small) / "tokenizer.json"
    said = json.loads(tokenizer.read_text())
    vocabulary = said["model"]["vocab"]
    first, second = list(vocabulary)[10:12]
    vocabulary[first], vocabulary[second] = vocabulary[second], vocabulary[first]
    tokenizer.write_text(json.dumps(said))
    with pytest.raises(ModelError, match="another tokenizer"):
        load(settings)
