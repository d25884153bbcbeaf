"""REST's drafts: what followed the longest end of the context in a datastore, the commonest first
(He and others, NAACL 2024, section 3).

The datastore does not grow; it is built offline (`python -m services.generator.datastore build`)
and searched by exact suffix: from 16 tokens down to two until some place agrees (section 3.1), at
most 5,000 places, the next 10 tokens of each, joined to a tree of which the 64 most frequent nodes
are kept (section 3.2). Its tokens come from no passage of the prompt, so no place is cited for its
nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat

from services.generator.datastore.store import Datastore
from services.generator.drafters import DrafterContext, DrafterSpec, LookupDrafter, StepState
from services.generator.native import kernels
from services.generator.native.frequent import frequent
from services.generator.native.text import SortedText
from services.generator.types import DraftTree, NodeOrigin


@dataclass(frozen=True, slots=True)
class RestOptions:
    """The paper's values, as its authors' code has them."""

    longest: int = 16  # suffix that is searched for
    shortest: int = 2
    places: int = 5000  # looked at
    copied: int = 10  # tokens of each
    nodes: int = 64  # of the tree


class RestDrafter(LookupDrafter):
    name = "rest"

    def __init__(self, datastore: Datastore, options: RestOptions | None = None) -> None:
        self.options = options or RestOptions()
        self._store = SortedText(datastore.tokens, datastore.order)

    def draft(self, state: StepState, nodes: int) -> DraftTree:
        options = self.options
        found = frequent(
            self._store, state.context[-options.longest :], min(nodes, 1 + options.nodes),
            shortest=options.shortest, most=options.places, depth=options.copied,
        )  # fmt: skip
        origins = repeat((NodeOrigin(self.name),), len(found.tokens))
        root = int(state.context[-1])
        return DraftTree(
            (root, *found.tokens), (-1, *found.parents), (1.0, *found.chances), ((), *origins), found.matched
        )


def _lacks(context: DrafterContext) -> str | None:
    if kernels() is None:
        return "a C compiler (cc, or the package ziglang) on Linux"
    return None if context.datastore is not None else "a datastore (`python -m services.generator.datastore build`)"


def _open(context: DrafterContext, options: RestOptions | None) -> RestDrafter:
    assert context.datastore is not None
    return RestDrafter(context.datastore, options)


SPEC = DrafterSpec(
    "rest", "what most often followed the longest match in a datastore (REST)", RestOptions, _open, _lacks
)
