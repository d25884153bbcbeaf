"""Two things that together are a third: convulsions of a pregnant woman are eclampsia until shown otherwise, and her procedure is there.

Only what every hospital treats as that. It helps to find documents and sentences and leaves none out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from rag_api.domain import TargetGroup
from rag_api.guard.concepts import concepts, concepts_in, is_named

# For whom, what is the matter (the first name of a concept; a kind of it too), what that is called then.
_TOGETHER = (
    (TargetGroup.PREGNANCY, "convulsie", ("eclampsie", "eclampsia")),
    (TargetGroup.PREGNANCY, "hypertensie", ("pre-eclampsie", "pre-eclampsia")),
    (TargetGroup.PREGNANCY, "bloeding", ("fluxus", "postpartum haemorrhage")),
)


def together(groups: Collection[TargetGroup], text: str) -> Mapping[int, tuple[str, ...]]:
    """Return, by the concepts that the text names, what it is called that these patients have by them. Nothing where it leaves open who
    the patient is."""
    if len(groups) != 1:
        return {}
    there = concepts_in(text)
    return {line: words for group, line, words in _lines() if group in groups and is_named(line, there)}


@cache
def _lines() -> tuple[tuple[TargetGroup, int, tuple[str, ...]], ...]:
    line = {concept.names[0]: number for number, concept in enumerate(concepts())}
    return tuple((group, line[name], words) for group, name, words in _TOGETHER)
