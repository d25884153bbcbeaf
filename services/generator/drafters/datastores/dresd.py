"""DReSD's drafts: what followed the states of a datastore that were most like the target's own
state now (dense retrieval).

The key is the target's last hidden state, of the token before the root; the root, which the target
has just chosen, is the next token that the paper filters by (section 3.5). Drafts of 3 x 20 tokens
for greedy answers, 10 x 10 for sampled ones (section 5.4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import repeat

from services.generator.datastore.dense import DenseDatastore
from services.generator.drafters import DrafterContext, DrafterSpec, LookupDrafter, StepState
from services.generator.models import FeatureKind
from services.generator.speculation.tree import TreeBuilder, root_only
from services.generator.types import DraftTree, NodeOrigin

ACCEPTANCE = 0.85  # of one more token; a guide for merging only


@dataclass(frozen=True, slots=True)
class DresdOptions:
    greedy: tuple[int, int] = (3, 20)  # drafts, tokens of each
    sampled: tuple[int, int] = (10, 10)


@dataclass(slots=True)
class DresdDrafter(LookupDrafter):
    store: DenseDatastore
    options: DresdOptions = field(default_factory=DresdOptions)
    name: str = "dresd"
    wants_features: FeatureKind | None = "hidden"

    def draft(self, state: StepState, nodes: int) -> DraftTree:
        root = int(state.context[-1])
        if state.features is None or not len(state.features):  # a prompt of one token
            return root_only(root)
        drafts, length = self.options.sampled if state.sequence.sampling.temperature > 0 else self.options.greedy
        found = self.store.nearest(root, state.features[-1].float().cpu().numpy(), drafts)
        builder = TreeBuilder(root)
        for place, cosine in found:
            copied = self.store.following(place, length)
            scores = (max(cosine, 0.0) * ACCEPTANCE ** (depth + 1) for depth in range(len(copied)))
            builder.add_chain(0, copied, scores, repeat(NodeOrigin(self.name), len(copied)))
        return builder.build(nodes)


def _open(context: DrafterContext, options: DresdOptions | None) -> DresdDrafter:
    assert context.dense is not None
    return DresdDrafter(context.dense, options or DresdOptions())


SPEC = DrafterSpec(
    "dresd",
    "what followed the most similar states of a dense datastore (DReSD)",
    DresdOptions,
    _open,
    lambda context: "a dense datastore built for this model" if context.dense is None else None,
)
