"""Drafters are declared, opened when they are wanted, and asked in stages; a further one is one
file and one line."""

from __future__ import annotations

import json
from collections.abc import Sequence as Seq
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from services.generator.bench.replayed.replay import main as replay_command
from services.generator.drafters import DrafterContext, DraftStage, StepState, registry
from services.generator.drafters.copies.blend import BlendDrafter
from services.generator.drafters.copies.copy import CopyConfig, CopyDrafter
from services.generator.drafters.eagle import EagleDrafter
from services.generator.drafters.registry import available, open_drafter, open_drafters, parse
from services.generator.engine.drafting import Drafting
from services.generator.engine.features import Features
from services.generator.engine.replay import Recorded, replay
from services.generator.errors import BadRequest
from services.generator.speculation.eagle_tree import TreeShape
from services.generator.text.kinds import token_kinds
from services.generator.types import DraftTree, SamplingParams
from tests.services.generator import repeat_drafter
from tests.services.generator.bench.replayed.test_replay import folder  # noqa: F401
from tests.services.generator.engine.test_eagle_engine import WORDS, random_head, text
from tests.services.generator.engines import RandomDrafter, engine, generate, request, tiny_target
from tests.services.generator.tiny import tiny_checkpoint

NOTHING = DrafterContext()


@pytest.fixture
def with_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.DRAFTERS, "repeat", repeat_drafter.SPEC)


@pytest.mark.usefixtures("with_repeat")
def test_a_drafter_is_added_by_one_file_and_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    assert "repeat" in available(NOTHING)
    target, prompt = tiny_target(), text(WORDS)
    plain = generate(engine(target), [request(prompt)])[0]
    job = request(prompt, drafters=("copy", "repeat"))
    assert generate(engine(target, open_drafter("repeat", NOTHING)), [job])[0] == plain
    assert any("repeat" in names for names in job.sequence.stats.accepted_lengths)
    command = ["--data", str(folder / "answers.jsonl"), "--tokenizer", str(folder), "--drafter", "repeat", "--json"]
    assert replay_command(command) == 0
    assert json.loads(capsys.readouterr().out)["tau"] >= 1


@pytest.mark.usefixtures("with_repeat")
def test_options_are_the_drafters_own() -> None:
    drafter: Any = open_drafters(["repeat"], NOTHING, {"repeat": repeat_drafter.RepeatOptions(period=3)})["repeat"]
    state = StepState(request([1, 2, 3, 4]).sequence, np.array([1, 2, 3, 4], np.int32))
    assert drafter.propose([state], 9)[0].token_ids == (4, 2, 3, 4, 2)
    with pytest.raises(AssertionError, match="repeat takes RepeatOptions"):
        open_drafter("repeat", NOTHING, CopyConfig())


def test_only_what_is_named_is_opened_and_what_it_lacks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "services.generator.drafters.eagle.open_head", lambda *_: pytest.fail("a head was opened that nobody named")
    )
    context = DrafterContext(tiny_target(), Path("head"))
    assert list(open_drafters(["copy-prompt", "copy"], context)) == ["copy-prompt", "copy"]
    with pytest.raises(BadRequest, match="the drafter 'eagle' needs a model and an EAGLE head"):
        open_drafters(["copy", "eagle"], DrafterContext(tiny_target()))
    with pytest.raises(BadRequest, match="no drafter 'magic' here; there are: none, copy"):
        open_drafters(["magic"], context)
    with pytest.raises(BadRequest, match="no drafter 'eagle' here; there are: none, copy, and"):
        parse("copy+eagle", ["copy"])


def test_each_drafter_carries_the_name_it_is_registered_by() -> None:
    for name in available(NOTHING):
        drafter = open_drafter(name, NOTHING)
        assert drafter.name == name
        assert drafter.stage is not DraftStage.MODEL
    with pytest.raises(AssertionError, match="counted by the name"):
        Drafting({"another": CopyDrafter()}, 8)


def heads(*names: str) -> dict[str, EagleDrafter]:
    versions = {"eagle1": 1, "eagle3": 3}
    return {
        name: EagleDrafter(random_head(versions[name], "llama", 0), TreeShape(3, 9, 2), name=name) for name in names
    }


class Recording:
    """Remembers what a drafter proposed."""

    def __init__(self, drafter: EagleDrafter) -> None:
        self.drafter, self.name, self.stage, self.wants_features = (
            drafter,
            drafter.name,
            drafter.stage,
            drafter.wants_features,
        )
        self.start, self.finish, self.feedback = drafter.start, drafter.finish, drafter.feedback
        self.proposed: list[DraftTree] = []

    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        trees = self.drafter.propose(states, nodes)
        self.proposed += trees
        return trees


def test_two_heads_that_want_different_features_run_side_by_side() -> None:
    """Each proposes, wherever both have come, just what it proposes alone; a cached prefix brings
    both what they want."""
    target, prompt = tiny_target(), text(WORDS * 4)
    plain = generate(engine(target), [request(prompt)])[0]
    firsts: dict[str, DraftTree] = {}
    for name in ("eagle1", "eagle3"):
        alone = Recording(heads(name)[name])
        assert generate(engine(target, alone), [request(prompt, drafters=(name,))])[0] == plain
        firsts[name] = alone.proposed[0]
    both = {name: Recording(drafter) for name, drafter in heads("eagle1", "eagle3").items()}
    together = engine(target, *both.values())
    jobs = [request(prompt, drafters=("eagle1", "eagle3", "copy")) for _ in range(2)]
    for job in jobs:
        assert generate(together, [job])[0] == plain
    assert {name: recording.proposed[0] for name, recording in both.items()} == firsts
    again = {name: recording.proposed[jobs[0].sequence.stats.steps] for name, recording in both.items()}
    assert jobs[1].sequence.stats.cached_tokens > 0
    for name, tree in again.items():
        assert tree.token_ids == firsts[name].token_ids


def test_features_are_read_by_each_from_where_it_was_and_kept_whole() -> None:
    features = Features({"one": "hidden", "other": "hidden", "third": "streams"})
    features.add("hidden", torch.tensor([[1.0], [2.0]]))
    assert features.unread("one").flatten().tolist() == [1, 2]  # type: ignore[union-attr]
    features.add("hidden", torch.tensor([[3.0]]))
    assert features.unread("one").flatten().tolist() == [3]  # type: ignore[union-attr]
    assert features.unread("other").flatten().tolist() == [1, 2, 3]  # type: ignore[union-attr]
    assert features.unread("one") is None
    assert features.unread("third") is None
    assert features.unread("a drafter that wants none") is None
    assert features.all()["hidden"].flatten().tolist() == [1, 2, 3]
    assert features.kinds == {"hidden", "streams"}


class Model(RandomDrafter):
    """Says it runs a model; remembers how often it was asked."""

    name, stage = "model", DraftStage.MODEL
    asked = 0

    def propose(self, states: Seq[StepState], nodes: int) -> list[DraftTree]:
        self.asked += len(states)
        return super().propose(states, nodes)


class Free:
    def verify(self, nodes: int, context: int) -> float:
        return 1.0


def test_a_drafter_that_runs_a_model_is_not_asked_where_look_ups_are_sure() -> None:
    """The answer repeats its prompt, so copying gives many tokens a step; on a new text there is
    nothing to copy."""
    part = tuple(range(100, 130))
    asked = {}
    for name, answer in (("copied", part * 6), ("new", tuple(range(200, 380)))):
        model = Model(50)
        drafting = Drafting({"copy": CopyDrafter(), "model": model}, 16, Free(), {"copy": 1e-5, "model": 0.2})
        steps = 0
        for number in range(4):
            steps += len(list(replay(drafting, Recorded(f"{number}", part * 2, answer))))
        asked[name] = model.asked / steps
    assert asked["copied"] < 0.2
    assert asked["new"] > asked["copied"]


def test_look_ups_are_merged_before_models_are_asked_and_all_of_it_is_verified() -> None:
    target, prompt = tiny_target(), text(WORDS * 2)
    job = request(prompt, SamplingParams(max_tokens=12), ("copy", "model"))
    one = engine(target, Model(target.config.vocab_size))
    assert generate(one, [job])[0] == generate(engine(target), [request(prompt, SamplingParams(max_tokens=12))])[0]
    assert set(job.sequence.stats.accepted_lengths) >= {"copy", "model"}


def test_a_replay_asks_the_planner_too() -> None:
    """Nodes that are dear are not verified, though they were proposed."""

    class Dear:
        def verify(self, nodes: int, context: int) -> float:
            return float(nodes)

    recorded = Recorded("a", (1, 2, 3, 4, 1, 2, 9, 1, 2), (7, 8, 1, 2, 5))
    whole = list(replay(Drafting({"copy": CopyDrafter()}, 16), recorded))
    cut = list(replay(Drafting({"copy": CopyDrafter()}, 16, Dear()), recorded))
    assert sum(len(step.tree) for step in cut) < sum(len(step.tree) for step in whole)


@pytest.mark.parametrize(
    ("free", "head", "drafter"),
    [(("copy", "blend"), True, "blend+eagle"), (("copy", "blend"), False, "blend"), (("copy",), True, "copy+eagle")],
)
def test_all_that_is_looked_up_drafts_where_nobody_says_and_copies_where_there_are_no_kernels(
    free: tuple[str, ...], head: bool, drafter: str
) -> None:
    from services.generator.server.service import usual_drafter

    assert usual_drafter(free, head=head) == drafter


def test_the_service_opens_what_it_drafts_with_and_what_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from services.generator.server.config import GeneratorSettings
    from services.generator.server.service import load

    monkeypatch.setattr(
        "services.generator.drafters.eagle.open_head", lambda *_: pytest.fail("a head was opened that nobody named")
    )
    model = str(tiny_checkpoint(tmp_path, "llama", seed=2))
    loaded = load(GeneratorSettings(model=model, head=tmp_path, drafter="copy", dtype="fp32", threads=1))
    free = set(available(NOTHING))
    assert free >= {"copy", "copy-prompt", "prompt-lookup", "suffix", "automaton"}
    assert set(loaded.engine.drafters) == free | {"rag"}, "the model itself may read the retrieved parts ahead"
    assert loaded.defaults.drafter == "copy"
    if "blend" in free:
        blend, kinds = loaded.engine.drafters["blend"], token_kinds(loaded.codec.full)
        assert isinstance(blend, BlendDrafter)
        assert blend.kinds is not None
        assert blend.kinds.kind.tolist() == kinds.kind.tolist()
        assert (kinds.kind != np.arange(len(kinds.kind))).any()
    with pytest.raises(BadRequest, match="the drafter 'eagle' needs"):
        load(GeneratorSettings(model=model, drafter="eagle", dtype="fp32", threads=1))
