"""A rule that accepts more than the target would have said is possible, and is told on: in the
response and in what is stored."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import replace

import pytest
from torch import Tensor

from services.contract import wire
from services.generator.errors import BadRequest
from services.generator.server import openai_chat as chat
from services.generator.speculation.acceptance import EXACT
from services.generator.types import Accepted, DraftTree, SamplingParams
from tests.services.generator.engines import RandomDrafter, engine, generate, request, tiny_codec, tiny_target
from tests.services.generator.server.test_app import DOCUMENTS


class Credulous:
    """Accepts the first branch whole, whatever the target says."""

    lossless = False

    def accept(self, tree: DraftTree, chosen: Seq[int], logits: Tensor) -> Accepted:
        path = [0]
        while (below := [node for node, parent in enumerate(tree.parents) if parent == path[-1]]) != []:
            path.append(below[0])
        assert logits.shape[0] >= len(tree)
        return Accepted(tuple(path), (*(tree.token_ids[node] for node in path[1:]), chosen[path[-1]]))


PROMPT, SAMPLING = (5, 6, 7, 8, 9, 10), SamplingParams(max_tokens=20)


def test_a_rule_that_is_not_lossless_says_so_in_the_response() -> None:
    target = tiny_target()
    plain, freely = (request(PROMPT, SAMPLING, ("random",)) for _ in range(2))
    freely.acceptance = Credulous()
    both = generate(engine(target, RandomDrafter(target.config.vocab_size)), [plain, freely])
    assert both[0] == generate(engine(target), [request(PROMPT, SAMPLING)])[0], (
        "its neighbour in the batch is exact as ever"
    )
    assert both[0] != both[1]
    stats = [chat.stats_out(job.sequence.stats, None) for job in (plain, freely)]
    assert [each.lossless for each in stats] == [True, False]
    assert stats[1].tokens_per_step > stats[0].tokens_per_step
    assert wire.StatsOut.model_validate(stats[1].model_dump(mode="json")).lossless is False


def test_what_was_accepted_freely_is_in_the_cache_as_it_was_written() -> None:
    """The next step's tokens are the target's own after the text that was written."""
    target = tiny_target()
    freely = request(PROMPT, SamplingParams(max_tokens=8), ("random",))
    freely.acceptance = Credulous()
    written = generate(engine(target, RandomDrafter(target.config.vocab_size)), [freely])[0]
    assert len(written) == 8
    for end in range(1, len(written)):
        following = generate(engine(target), [request((*PROMPT, *written[:end]), SamplingParams(max_tokens=1))])[0]
        if freely.sequence.copied_from[end] < 0:  # a bonus token: the target's own
            assert following == [written[end]]


def test_a_constrained_answer_is_verified_exactly() -> None:
    asked = {"model": "tiny", "messages": [{"role": "user", "content": "Hoeveel?"}], "documents": DOCUMENTS}
    ask = wire.ChatRequest.model_validate(asked | {"bedside": {"mode": "verbatim"}})
    built = chat.build_request(ask, tiny_codec(), {}, chat.Defaults("demo", "none", 8))
    with pytest.raises(BadRequest, match="verified exactly"):
        engine(tiny_target(), context=512).add(replace(built, acceptance=Credulous()))


def test_exact_is_the_rule_where_none_is_named() -> None:
    assert request(PROMPT).acceptance is EXACT
    assert EXACT.lossless
    assert request(PROMPT).sequence.stats.lossless
