"""Verbatim mode: every sentence of the answer is an exact span of the passages.

Decoding is constrained to a trie over the candidate sentences' tokens. Where sentences part, the
logits are replaced by the sentences' weights (prior + likelihood_weight * log p(question |
sentence)); a sentence once begun has one way on, so it is one long draft, verified like any other
(verify.py). No character is invented: what joins two sentences is the white space that follows the
one or precedes the other in its source.
"""

from __future__ import annotations

import math
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from services.contract.wire import ChatRequest
from services.generator.errors import BadRequest
from services.generator.speculation.tree import TreeBuilder
from services.generator.types import DraftTree, NodeOrigin, Passage, SamplingParams
from services.generator.verbatim.quotes import (
    ExactCodec,
    Form,
    Place,
    Quote,
    before,
    overlap,
    same_words,
    split_sentences,
    to_quote,
)

if TYPE_CHECKING:  # where no model runs there is no torch
    from torch import Tensor

    from services.generator.models import Target
    from services.generator.verbatim.likelihood import QuestionLikelihood

CONSTRAINT = (NodeOrigin("constraint"),)
_ABOVE = 1e-3  # nats: more than float32 rounds to, less than any choice turns on


@dataclass(frozen=True, slots=True)
class VerbatimLimits:
    sentences: int
    margin: float  # nats below the best weight, 0: any
    one_document: bool = False  # all sentences are of the first one's passage


class WrittenSentence(NamedTuple):
    """A sentence of the answer, and the places of its passage that were written for it, in
    order."""

    quote: int
    places: tuple[Place, ...]


class VerbatimState(NamedTuple):
    """Sentences that are written, those that the current one can still become, and its tokens so
    far."""

    written: tuple[WrittenSentence, ...]
    alive: tuple[int, ...]
    led: bool  # the current sentence brings its leading white space
    depth: int


class Verbatim:
    """The constraint. A request's own; `state` moves with every emitted token."""

    def __init__(
        self,
        quotes: Seq[Quote],
        weights: Seq[float],
        limits: VerbatimLimits,
        end: int,
        likelihoods: Seq[float] | None = None,
    ) -> None:
        """Begin. `likelihoods` are part of the weights already, and kept to be reported."""
        self.quotes = quotes
        self.weights = weights
        self.likelihoods = likelihoods
        self._limits = limits
        self._end = end
        self._usable = _prefix_free(quotes, weights)
        self._best = self._best_set()
        # In reading order a lighter one of the best may have to come first: what is not among them
        # must not outweigh it then.
        heaviest = {quotes[index].passage: weights[index] + _ABOVE for index in reversed(self._best)}
        self._chances = [heaviest[quotes[i].passage] if i in self._best else weight for i, weight in enumerate(weights)]
        self.state = self._start(())

    def draft(self, root: int, nodes: int) -> DraftTree:
        """Return the heaviest continuation: at temperature 0 exactly what will be accepted."""
        builder, node, state = TreeBuilder(root), 0, self.state
        while len(builder.token_ids) < nodes and (ways := self.ways(state)):
            token = max(ways, key=lambda t: self._weight(ways[t].alive, 0.0))
            node = builder.add(node, token, 1.0, CONSTRAINT)
            if token == self._end:
                break
            state = self._after(ways[token])
        return builder.build()

    def allowed(self, tree: DraftTree) -> DraftTree:
        """Return the nodes of another's draft that may follow, all of them."""
        builder, states, places = TreeBuilder(tree.token_ids[0]), {0: self.state}, {0: 0}
        for node, (token, parent) in enumerate(zip(tree.token_ids, tree.parents, strict=True)):
            way = self.ways(states[parent]).get(token) if parent in states else None
            if way is not None:
                places[node] = builder.add(places[parent], token, tree.scores[node], tree.origins[node])
                if token != self._end:
                    states[node] = self._after(way)
        return builder.build()

    def apply(self, logits: Tensor, tree: DraftTree, sampling: SamplingParams) -> None:
        import torch

        states: list[VerbatimState | None] = [self.state]
        for token, parent in zip(tree.token_ids[1:], tree.parents[1:], strict=True):
            before = states[parent]
            way = self.ways(before).get(token) if before is not None else None
            states.append(self._after(way) if way is not None and token != self._end else None)
        nodes, tokens, values = [], [], []
        for node, state in enumerate(states):
            for token, way in (self.ways(state) if state is not None else {self._end: self.state}).items():
                nodes.append(node)
                tokens.append(token)
                values.append(self._weight(way.alive, sampling.temperature))
        logits.fill_(-math.inf)
        logits[torch.tensor(nodes), torch.tensor(tokens)] = torch.tensor(
            values, dtype=logits.dtype, device=logits.device
        )

    def advance(self, token: int) -> None:
        if token != self._end:
            self.state = self._after(self.ways(self.state)[token])

    def begun(self, state: VerbatimState) -> WrittenSentence:
        """Return the unfinished sentence of a state; any of those that it can become, as they begin
        alike."""
        return WrittenSentence(state.alive[0], self._form(state.alive[0], state).places)

    def ways(self, state: VerbatimState) -> dict[int, VerbatimState]:
        """Return the tokens that may follow; each with the sentences that it leaves possible. Never
        empty: the end token is one."""
        grouped: dict[int, list[int]] = {}
        for index in state.alive:
            grouped.setdefault(self._form(index, state).ids[state.depth], []).append(index)
        if not grouped:
            return {self._end: VerbatimState(state.written, (), False, 0)}
        return {
            token: VerbatimState(state.written, tuple(alive), state.led, state.depth + 1)
            for token, alive in grouped.items()
        }

    def _after(self, way: VerbatimState) -> VerbatimState:
        """Move on: a sentence whose last token was taken is written, and the next may start."""
        if way.depth < len(self._form(way.alive[0], way).ids):
            return way
        assert len(way.alive) == 1, "no sentence is the beginning of another"
        return self._start((*way.written, self.begun(way)))

    def _start(self, written: tuple[WrittenSentence, ...]) -> VerbatimState:
        """Return the sentences that may come next; none: the answer ends."""
        if len(written) >= self._limits.sentences:
            return VerbatimState(written, (), False, 0)
        led = bool(written) and not self.quotes[written[-1].quote].closed
        eligible = [index for index in self._usable if self._eligible(index, written, led)]
        # Reading order: of the sentences that a greedy answer takes from one passage, the earlier
        # is written first.
        best = [self.quotes[index] for index in eligible if index in self._best]
        alive = tuple(
            i for i in eligible if i not in self._best or not any(before(other, self.quotes[i]) for other in best)
        )
        return VerbatimState(written, alive, led, 0)

    def _eligible(self, index: int, written: tuple[WrittenSentence, ...], led: bool) -> bool:
        quote = self.quotes[index]
        if quote.form(led, self._brief(index, written)) is None:
            return False
        if written and not self._near(index, written[0].quote):
            return False
        return not any(overlap(quote, self.quotes[sentence.quote]) for sentence in written)

    def _near(self, index: int, first: int) -> bool:
        """Say whether it is close enough to the answer's first sentence to stand beside it."""
        if self._limits.one_document and self.quotes[index].passage != self.quotes[first].passage:
            return False
        return not self._limits.margin or self.weights[index] >= max(self.weights) - self._limits.margin

    def _brief(self, index: int, written: tuple[WrittenSentence, ...]) -> bool:
        """Say whether what leads it in has been written for another sentence: a table's header
        stands above its rows once."""
        quote = self.quotes[index]
        others = (self.quotes[sentence.quote] for sentence in written)
        return any(other.passage == quote.passage and other.lead == quote.lead for other in others)

    def _best_set(self) -> tuple[int, ...]:
        """Return the sentences that a greedy answer takes, whatever their order."""
        best: list[int] = []
        for index in sorted(self._usable, key=lambda i: -self.weights[i]):
            near = not best or self._near(index, best[0])
            if (
                near
                and len(best) < self._limits.sentences
                and not any(overlap(self.quotes[index], self.quotes[b]) for b in best)
            ):
                best.append(index)
        return tuple(best)

    def _form(self, index: int, state: VerbatimState) -> Form:
        form = self.quotes[index].form(state.led, self._brief(index, state.written))
        assert form is not None, "only what can be written is alive"
        return form

    def _weight(self, alive: tuple[int, ...], temperature: float) -> float:
        """Weigh a choice that leaves these sentences possible: the best one's at temperature 0,
        else what sums their chances."""
        if not alive:
            return 0.0
        best = max(self._chances[index] for index in alive)
        if temperature == 0:
            return best
        return best + temperature * math.log(
            sum(math.exp((self._chances[index] - best) / temperature) for index in alive)
        )


class VerbatimPreparation:
    """Scores the candidates with the model, then makes the constraint."""

    def __init__(
        self, quotes: Seq[Quote], likelihood: QuestionLikelihood | None, weight: float, limits: VerbatimLimits
    ) -> None:
        self.quotes = quotes
        self.constraint: Verbatim | None = None
        self._likelihood = likelihood
        self._weight = weight
        self._limits = limits

    def advance(self, target: Target) -> Verbatim | None:
        if self._likelihood is not None:
            self._likelihood.advance(target)
            if not self._likelihood.done:
                return None
        return self.weighed(
            self._likelihood.scores if self._likelihood is not None else None, target.config.eos_token_ids[0]
        )

    def weighed(self, likelihoods: Seq[float] | None, end: int) -> Verbatim:
        """Make the constraint of what the sentences weigh. `end`: the token that ends an answer."""
        weights = [
            q.prior + self._weight * score
            for q, score in zip(self.quotes, likelihoods or [0.0] * len(self.quotes), strict=True)
        ]
        self.constraint = Verbatim(self.quotes, weights, self._limits, end, likelihoods)
        return self.constraint


def prepare(ask: ChatRequest, codec: ExactCodec, passages: Seq[Passage]) -> VerbatimPreparation:
    """Raises BadRequest on a candidate that is no span of its document, and when nothing is left
    that can be quoted."""
    options = ask.bedside
    candidates = options.candidates if options.candidates is not None else split_sentences(passages)
    quotes = [quote for candidate in candidates if (quote := to_quote(candidate, codec, passages)) is not None]
    if not quotes:
        raise BadRequest("verbatim mode found no sentence in the documents that it can quote")
    titled = [(passages[quote.passage].title, quote.text) for quote in quotes]
    weight = options.likelihood_weight
    if weight is None:  # candidates bring a prior, and no calibration has found that the likelihood betters it
        weight = 0.0 if options.candidates is not None else 1.0
    likelihood = None
    if weight and len(quotes) > 1:
        from services.generator.text.codec import Codec
        from services.generator.verbatim.likelihood import QuestionLikelihood

        assert isinstance(codec, Codec), "a likelihood is a model's"
        likelihood = QuestionLikelihood(codec, ask.messages[-1].text, titled)
    return VerbatimPreparation(
        quotes, likelihood, weight, VerbatimLimits(options.max_sentences, options.margin, options.one_document)
    )


def _prefix_free(quotes: Seq[Quote], weights: Seq[float]) -> tuple[int, ...]:
    """Keep, of two sentences of which one begins with the other (or is the same), the heavier."""
    kept: list[int] = []
    for index in sorted(range(len(quotes)), key=lambda i: (-weights[i], i)):
        if not any(_clash(quotes[index], quotes[other]) for other in kept):
            kept.append(index)
    return tuple(sorted(kept))


def _clash(quote: Quote, other: Quote) -> bool:
    if quote.text.split() == other.text.split() or (quote.lead == other.lead and same_words(quote, other)):
        return True
    for (led, _), form in quote.forms.items():
        for (other_led, _), other_form in other.forms.items():
            size = min(len(form.ids), len(other_form.ids))
            if led == other_led and form.ids[:size] == other_form.ids[:size]:
                return True
    return False
