"""Statistics of what a verification says about its drafters, per request."""

from __future__ import annotations

from services.generator.types import Accepted, DraftTree, SequenceStats

TARGET = "target"
"""The bonus tokens: nobody drafted them."""


def count(stats: SequenceStats, tree: DraftTree, accepted: Accepted, taken: int) -> None:
    """Count a step; `taken` of the accepted tokens were emitted: an end token or a limit may cut
    them.

    `accepted_by_source` adds up to the tokens; a token that two drafted counts under both their
    names ("copy+eagle").

    `accepted_lengths`: per source that proposed anything, how many tokens from the root on were its
    own and accepted (thesis, figure 5.5; there the root counts as one more).
    """
    stats.steps += 1
    stats.tokens += taken
    stats.drafted += len(tree) - 1
    by_source = stats.accepted_by_source
    if taken == len(accepted.path):
        by_source[TARGET] = by_source.get(TARGET, 0) + 1
    sources = [frozenset(origin.drafter for origin in tree.origins[node]) for node in accepted.path[1 : taken + 1]]
    for proposers in sources:
        name = "+".join(sorted(proposers))
        by_source[name] = by_source.get(name, 0) + 1
    for source in {origin.drafter for origins in tree.origins for origin in origins}:
        length = next((n for n, proposers in enumerate(sources) if source not in proposers), len(sources))
        lengths = stats.accepted_lengths.setdefault(source, {})
        lengths[length] = lengths.get(length, 0) + 1
