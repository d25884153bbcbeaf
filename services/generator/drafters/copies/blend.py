"""One tree from every earlier occurrence of the last words, grown best first: the planner over
copies.

The thesis's CASD copies from the two longest matches, SuffixDecoding from one pattern's tree,
SAM-Decoding from one place. Here each place that agrees with the last token or more says something
for what followed it; how much was calibrated, and follows what is said: by how many tokens agree,
by where it stands (just behind the last copied token, or elsewhere: an answer follows its source's
order) and by how many places agree as far. Tokens agree whatever their case and the spaces before
them (" The", "the"), where their kinds are known: an answer begins a sentence where its source does
not. Beside them stand the commonest tokens and what comes next in the prompt though nothing agrees
(a copy goes on behind a changed word). So every node has one chance, whoever proposed it, and the
tree holds the likeliest paths: they may go on from one place to another. Grown in C
(native/c/drafts/blend.h): microseconds, whatever the context's length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from functools import partial

import numpy as np

from services.generator.datastore.store import Datastore
from services.generator.drafters import DrafterContext, DrafterSpec, LookupDrafter, StepState
from services.generator.native import kernels
from services.generator.native.blend import Blended, Blender, EvidenceStruct
from services.generator.native.text import FORMS, NEAR, NativeText, SortedText, TokenKinds
from services.generator.types import DraftTree, NodeOrigin, Sequence

FIRST, STEER = 0.03, 0.012  # least chance of a node where an average is asked for, and how fast it follows
# share of a chance that counts there at each token of a path: the end of a long copy comes soon
# enough in the next step
FADE = 0.9


@dataclass(frozen=True, slots=True)
class BlendEvidence:
    """What a place says for the token behind it: the product of three. Fitted by likelihood, as
    docs/benchmarks.md says.

    The second rows are for places where two tokens or more agree.
    """

    order: tuple[float, ...] = (0.2, 0.36, 0.68, 1.0, 1.45, 1.45, 1.65, 1.75)
    """By how many tokens agree."""
    zone: tuple[tuple[float, ...], ...] = (
        (3.3, 1.05, 1.25, 0.8, 0.35, 0.95, 0.55, 1.35, 0.27),
        (1.75, 0.9, 1.0, 0.6, 0.7, 0.9, 1.0, 1.0, 0.5),
    )
    """At the pointer; up to 4, 15, 60 behind it; elsewhere; up to 15, or more, before it; where
    there is none yet; in the output."""
    seen: tuple[tuple[float, ...], ...] = ((2.9, 1.9, 1.45, 1.05, 0.63, 0.21), (1.7, 1.2, 1.3, 1.1, 0.65, 0.65))
    """By how many places agree: one, two, three, up to 7, up to 15, more."""
    shorter: tuple[float, ...] = (0.75, 0.9)  # where more tokens agree elsewhere
    form: tuple[tuple[float, ...], ...] = ((1.0,) * FORMS,) * FORMS
    """By the form of the last token and of what follows it: other; a small word, one with a
    capital; inside a word; a closing mark; space.

    Learnt from what is said, like the others; numbers fitted beforehand gained nothing beside
    that."""
    common: tuple[float, ...] = (0.3, 0.3, 0.48, 0.6, 0.72, 0.75, 0.9, 0.9, 1.05)
    """Of the commonest tokens together, by the longest agreement, from none on."""
    near: float = 0.0275  # of the next token in the prompt, of the one after it half as much, and so on
    near_of: tuple[float, ...] = (1.2, 1.2, 0.9, 1.2, 2.5, 4.2, 4.2, 5.3, 5.3)  # by the longest agreement

    def struct(self) -> EvidenceStruct:
        """Return it as blend.h reads it."""
        near = (self.near / (1 + ahead) for ahead in range(NEAR))
        return EvidenceStruct(
            self.order, self.zone, self.seen, self.shorter, self.form, self.common, tuple(near), self.near_of
        )


@dataclass(frozen=True, slots=True)
class BlendOptions:
    depth: int = 32  # of a path
    scan: int = 64  # places looked at per node, the latest first: bounds the time
    said: int = 5  # a generated token counts for so many of the prompt's among the commonest
    rate: float = 0.045  # by which the evidence follows what was said: how this model copies, of these texts
    least: float = 0.0  # chance of a path that is worth a node
    mean: float = 0.0  # nodes a step, on average, that `least` is steered to; 0: it stays as it is
    doubt: float = 1.0  # share that texts beside the prompt are believed, and its square the datastore
    evidence: BlendEvidence = BlendEvidence()

    def __post_init__(self) -> None:
        assert self.doubt > 0


_origin = partial(tuple.__new__, NodeOrigin)  # (drafter, position) -> NodeOrigin, a third of the time of calling it


class _Origins(dict[int, tuple[NodeOrigin, ...]]):
    """Of the nodes of one source, by place: made once for each place, for drafts ask for the same
    ones again and again."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __missing__(self, place: int) -> tuple[NodeOrigin, ...]:
        made = self[place] = (_origin((self._name, place)),)
        return made


@dataclass(slots=True)
class _SaidBefore:
    """What drafts for a sequence are grown from, and its sources' origins; the sequence itself is
    the last."""

    blender: Blender
    origins: tuple[_Origins, ...]


class BlendDrafter(LookupDrafter):
    name = "blend"

    def __init__(
        self, options: BlendOptions | None = None, datastore: Datastore | None = None, kinds: TokenKinds | None = None
    ) -> None:
        self.options = options or BlendOptions()
        self.kinds = kinds
        self._least = self.options.least or (FIRST if self.options.mean else 0.0)
        self._evidence = self.options.evidence.struct()
        self._store = None if datastore is None else SortedText(datastore.tokens, datastore.order)
        self._said: dict[str, _SaidBefore] = {}

    def start(self, sequence: Sequence) -> None:
        text = _text(sequence.prompt.token_ids, self.kinds, sequence.sampling.max_tokens + 1)
        text.end_prompt()
        beside = [_text(tokens, self.kinds) for tokens in sequence.prompt.beside if tokens]
        stores = [self._store] if self._store is not None else []
        names = [f"{self.name}:store"] * len(stores) + [f"{self.name}:beside"] * len(beside) + [self.name]
        doubts = [self.options.doubt**2] * len(stores) + [self.options.doubt] * len(beside) + [1.0]
        texts: list[NativeText | SortedText] = [*stores, *beside, text]
        options = self.options
        fade = FADE if options.mean else 1.0
        blender = Blender(
            texts,
            doubts,
            self._evidence,
            depth=options.depth,
            scan=options.scan,
            weight=options.said,
            rate=options.rate,
            fade=fade,
        )
        self._said[sequence.id] = _SaidBefore(blender, tuple(map(_Origins, names)))

    def finish(self, sequence: Sequence) -> None:
        self._said.pop(sequence.id, None)

    def draft(self, state: StepState, nodes: int) -> DraftTree:
        """Draft, and steer the least chance of a node to the average that was asked for."""
        said = self._said[state.sequence.id]
        found = said.blender.draft(state.context, nodes, max(self._least, state.least))
        if self.options.mean:
            self._least *= math.exp(STEER * ((len(found.tokens) - 1) / self.options.mean - 1))
        return _tree(found, said.origins)


def _text(tokens: tuple[int, ...], kinds: TokenKinds | None, room: int = 0) -> NativeText:
    text = NativeText(len(tokens) + room, kinds=kinds)
    text.extend(np.array(tokens, np.int32))
    return text


def _tree(found: Blended, origins: Seq[_Origins]) -> DraftTree:
    """Make nodes of what was found; only the context's places are places of the prompt and the
    output."""
    if len(origins) == 1:
        every: Iterable[tuple[NodeOrigin, ...]] = map(origins[0].__getitem__, found.origins[1:])
    else:
        own = len(origins) - 1
        every = (origins[s][at if s == own else -1] for s, at in zip(found.sources[1:], found.origins[1:], strict=True))
    return DraftTree(found.tokens, found.parents, found.chances, ((), *every))


def _lacks(_: DrafterContext) -> str | None:
    return None if kernels() is not None else "a C compiler (cc, or the package ziglang) on Linux"


def _open(context: DrafterContext, options: BlendOptions | None) -> BlendDrafter:
    return BlendDrafter(options, context.datastore, context.kinds)


SPEC = DrafterSpec(
    "blend",
    "the likeliest of what followed any earlier occurrence of the last words, as one tree",
    BlendOptions,
    _open,
    _lacks,
    reads_beside=True,
)
