"""ReSpec's retriever: copies where the target is sure of itself, from the places that have proved
good (sections 3.2 and 3.3).

The key is the end of the context, one to three tokens, over which the mean entropy of the target's
own distributions plus a penalty for short keys is least; there is a draft only where that entropy
is low. Each place that the key stood at has a score, a moving average of how much of its drafts was
accepted. Which other drafter steps in where there is none is a policy; relaxed verification is a
rule of its own (speculation/relaxed.py). Recorded answers have no distributions: replayed, the
trigger is always open, and the key the longest known.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass, field
from itertools import repeat
from typing import Literal

from services.generator.drafters import DrafterSpec, LookupDrafter, StepState
from services.generator.speculation.tree import TreeBuilder
from services.generator.types import Accepted, DraftTree, NodeOrigin, Sequence

ACCEPTANCE = 0.85  # of one more token; a guide for merging only
START = 0.5  # the score of a place that nothing is known of (section 3.3)


@dataclass(frozen=True, slots=True)
class RespecOptions:
    longest: int = 3  # key (section 4.1)
    entropy: float = 1.5  # nats, theta_entropy (section 3.2.1)
    short: float = 0.5  # lambda_e (the paper names none)
    least_score: float = 0.2  # theta_score (the paper names none)
    places: int = 3  # drafts (section 3.3)
    copied: int = 20  # tokens of each: 60 in all (section 4.1)
    rate: float = 0.3  # alpha (the paper names none)
    # the paper's; "prefix": each place by what of its own draft was right
    credit: Literal["winner", "prefix"] = "winner"


@dataclass(slots=True)
class Known:
    """Of one sequence."""

    tokens: list[int] = field(default_factory=list)
    ends: dict[tuple[int, ...], list[int]] = field(default_factory=dict)  # where a key ended
    entropies: list[float] = field(default_factory=list)  # of the distributions that the last tokens were taken from
    scores: dict[int, float] = field(default_factory=dict)  # by place
    drafted: dict[int, list[int]] = field(default_factory=dict)  # in this step, by place

    def extend(self, tokens: Seq[int], longest: int) -> None:
        for token in tokens:
            self.tokens.append(token)
            for length in range(1, min(longest, len(self.tokens)) + 1):
                self.ends.setdefault(tuple(self.tokens[-length:]), []).append(len(self.tokens) - 1)


class RespecDrafter(LookupDrafter):
    name = "respec"
    wants_entropy = True

    def __init__(self, options: RespecOptions | None = None) -> None:
        self.options = options or RespecOptions()
        self.known: dict[str, Known] = {}  # by the sequences that are being written

    def start(self, sequence: Sequence) -> None:
        known = self.known[sequence.id] = Known()
        known.extend(sequence.prompt.token_ids, self.options.longest)

    def feedback(self, state: StepState, tree: DraftTree, accepted: Accepted) -> None:
        """Score the places that were drafted from (eq. 4 and 5), and remember how sure the target
        was."""
        known, options = self.known[state.sequence.id], self.options
        known.entropies = [*known.entropies, *accepted.entropies][-options.longest :]
        taken = accepted.token_ids[: len(accepted.path) - 1]
        right = {place: _shared(copied, taken) for place, copied in known.drafted.items()}
        winner = max(right, key=right.__getitem__, default=None)
        for place, copied in known.drafted.items():
            credited = right[place] if options.credit == "prefix" or place == winner else 0
            score = known.scores.get(place, START)
            known.scores[place] = score + options.rate * (credited / len(copied) - score)
        known.drafted = {}

    def finish(self, sequence: Sequence) -> None:
        self.known.pop(sequence.id, None)

    def draft(self, state: StepState, nodes: int) -> DraftTree:
        known, options = self.known[state.sequence.id], self.options
        known.extend(state.context[len(known.tokens) :].tolist(), options.longest)
        builder = TreeBuilder(known.tokens[-1])
        for place in self._places(known):
            copied = known.drafted[place] = known.tokens[place + 1 : place + 1 + options.copied]
            score = known.scores.get(place, START)
            scores = (score * ACCEPTANCE**depth for depth in range(len(copied)))
            builder.add_chain(
                0, copied, scores, map(NodeOrigin, repeat(self.name), range(place + 1, place + 1 + len(copied)))
            )
        return builder.build(nodes)

    def _places(self, known: Known) -> list[int]:
        """Return the best places of the chosen key; none where the target is unsure."""
        options, length = self.options, self.key_length(known)
        if not length:
            return []
        ends = known.ends[tuple(known.tokens[-length:])]
        good = [
            end for end in ends if end != len(known.tokens) - 1 and known.scores.get(end, START) >= options.least_score
        ]
        return sorted(good, key=lambda end: (-known.scores.get(end, START), -end))[: options.places]

    def key_length(self, known: Known) -> int:
        """Return the length of the key with the least C_k = H_k + lambda / k (eq. 1 to 3); 0: no
        draft."""
        recent = known.entropies[::-1]
        lengths = range(1, min(self.options.longest, len(known.tokens)) + 1)
        if not recent:
            return max((length for length in lengths if len(known.ends[tuple(known.tokens[-length:])]) > 1), default=0)
        means = {length: sum(recent[:length]) / len(recent[:length]) for length in lengths}
        best = min(means, key=lambda length: means[length] + self.options.short / length)
        return best if means[best] <= self.options.entropy else 0


def _shared(copied: Seq[int], taken: Seq[int]) -> int:
    """Return how many tokens both begin with."""
    count = 0
    while count < min(len(copied), len(taken)) and copied[count] == taken[count]:
        count += 1
    return count


SPEC = DrafterSpec(
    "respec",
    "copies where the target is sure, from places that proved good (ReSpec)",
    RespecOptions,
    lambda _, options: RespecDrafter(options),
)
