"""The values that flow through the generator. `Sequence` is the one that mutates. Imports nothing
of ours."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class Origin(NamedTuple):
    """Where a prompt token came from: characters [start, end) of passage number `passage` of the
    request."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class SamplingParams:
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 512
    seed: int = 0
    stop: tuple[str, ...] = ()
    logprobs: int = 0  # how many alternatives to report per token; 0: none
    # a model that writes ahead draws its tokens, where the rule of acceptance goes by their chances
    # (RAPID)
    draw_drafts: bool = False

    def __post_init__(self) -> None:
        assert self.temperature >= 0
        assert 0 < self.top_p <= 1
        assert self.max_tokens >= 1


@dataclass(frozen=True, slots=True)
class Prompt:
    """Tokens of the rendered prompt and, per token, its place in a passage (None: the template's
    own words)."""

    token_ids: tuple[int, ...]
    origins: tuple[Origin | None, ...]  # same length
    passages: tuple[Passage, ...]
    version: str  # of the template, e.g. "thesis-nl-1"
    # the same prompt with the retrieved parts of its passages alone; empty: nobody named them
    retrieved: tuple[int, ...] = ()
    # tokens of texts that are not shown to the model, but may be drafted from; the likeliest last
    beside: tuple[tuple[int, ...], ...] = ()


class NodeOrigin(NamedTuple):
    """One proposer of a node, by its name: statistics and the planner's counts are kept by it.
    "blend:beside" is one source of `blend`.

    `position` is the index of the copied token in prompt + output; -1: not copied from there.
    Provenance follows it, whoever copied.
    """

    drafter: str
    position: int = -1


@dataclass(frozen=True, slots=True)
class DraftTree:
    """A tree of proposed tokens. Node 0 is the root: the last token that is already decided.

    Parents come before children (`parents[i] < i`), siblings have different tokens, `parents[0] ==
    -1`; no node scores above its parent.
    """

    token_ids: tuple[int, ...]  # [nodes]
    parents: tuple[int, ...]  # [nodes]
    scores: tuple[float, ...]  # [nodes]: estimated probability that the node is accepted
    origins: tuple[tuple[NodeOrigin, ...], ...]  # [nodes]: everyone who proposed it
    match: int = 0  # of a copy: tokens that agree before the place it goes on from, where its drafter says so

    def __len__(self) -> int:
        return len(self.token_ids)


@dataclass(frozen=True, slots=True)
class Accepted:
    """What one verification decided.

    `path` holds the accepted nodes, root first (so it is never empty); `token_ids` is what is
    emitted: the tokens of path[1:] and then the bonus token, the target's own sample where the walk
    left the tree.
    """

    path: tuple[int, ...]
    token_ids: tuple[int, ...]  # len(path) of them
    logprobs: tuple[float, ...] = ()  # of token_ids, in nats, when asked for
    alternatives: tuple[tuple[tuple[int, float], ...], ...] = ()  # per token: the likeliest (token, log-probability)
    # in nats, of the distributions that token_ids were taken from, when a drafter wants them
    entropies: tuple[float, ...] = ()


class SequenceStatus(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    FINISHED = "finished"


class FinishReason(StrEnum):
    STOP = "stop"
    LENGTH = "length"
    CANCELLED = "cancelled"
    ERROR = "error"


@dataclass(slots=True)
class SequenceStats:
    """Per request. tau == tokens / steps, the bonus token included."""

    prompt_tokens: int = 0
    cached_tokens: int = 0  # of the prompt, taken from the prefix cache
    tokens: int = 0
    steps: int = 0  # target forwards after the prefill
    drafted: int = 0  # nodes verified, roots left out
    lossless: bool = True  # what is written is what plain decoding would have written
    accepted_by_source: dict[str, int] = field(default_factory=dict)
    accepted_lengths: dict[str, dict[int, int]] = field(default_factory=dict)  # source -> length -> steps
    queue_seconds: float = 0.0
    prefill_seconds: float = 0.0
    decode_seconds: float = 0.0
    joules: float | None = None


@dataclass(slots=True)
class Sequence:
    """A request on its way through the engine."""

    id: str
    prompt: Prompt
    sampling: SamplingParams
    token_ids: list[int] = field(default_factory=list)  # generated so far
    # per generated token: position in prompt+output it was copied from, or -1
    copied_from: list[int] = field(default_factory=list)
    status: SequenceStatus = SequenceStatus.WAITING
    finish_reason: FinishReason | None = None
    slot: int = -1  # row in the KV cache while running
    stats: SequenceStats = field(default_factory=SequenceStats)


@dataclass(frozen=True, slots=True)
class CopySpan:
    """answer[answer_start:answer_end] == passages[passage_id].text[start:end], character for
    character."""

    answer_start: int
    answer_end: int
    passage_id: str
    start: int
    end: int
