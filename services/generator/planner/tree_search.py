"""The search for the fixed tree that gives the most tokens a second: READER's search (supplement
A.1). Pure: rates and seconds in, a tree out.

A tree that is too large is tried first and each node's rate of acceptance counted; the nodes that
are accepted least are left out, and how many stay is searched by golden section, for speed rises
with the first nodes and falls with the last. A child is never accepted more often than its parent,
so what stays is a tree. The paper measures the speed of every size; here it follows from the rates
and from what verifying so many nodes and drafting so deep take, which are measured once: the same
optimum, without a benchmark's noise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

Path = tuple[int, ...]  # ranks: (0, 1) is the second child of the first child
GOLDEN = (5**0.5 - 1) / 2


def largest(width: int, depth: int) -> tuple[Path, ...]:
    """Return the tree that the search begins with: of every depth the paths of small ranks, the
    deeper the fewer. Parents first."""
    paths: list[Path] = []
    level: list[tuple[Path, int]] = [((), 1)]
    for number in range(1, depth + 1):
        most = max(1, 2 * width // number)
        level = [
            ((*path, rank), size * (rank + 1))
            for path, size in level
            for rank in range(width)
            if size * (rank + 1) <= most
        ]
        paths += [path for path, _ in level]
    return tuple(paths)


def width_of(paths: tuple[Path, ...]) -> int:
    """Return how many children of a node, and how many nodes with children in a level, a head must
    draft for this tree."""
    inner = Counter(len(path) for path in {path[:-1] for path in paths if len(path) > 1})
    return max(1, *(path[-1] + 1 for path in paths), *inner.values()) if paths else 1


def best_of(rates: Mapping[Path, float], count: int) -> tuple[Path, ...]:
    """Return the `count` paths that are accepted most; a parent before its children, also where
    they are accepted as often."""
    ranked = sorted(rates, key=lambda path: (-rates[path], len(path), path))[:count]
    return tuple(sorted(ranked, key=lambda path: (len(path), path)))


def speed(rates: Mapping[Path, float], paths: tuple[Path, ...], verify: Callable[[int], float], level: float) -> float:
    """Return tokens a second of steps with this tree: `verify` seconds of so many nodes, `level`
    seconds of a level of the draft."""
    seconds = verify(1 + len(paths)) + level * max(map(len, paths), default=0)
    return (1.0 + sum(rates[path] for path in paths)) / seconds


def golden_section(of: Callable[[int], float], low: int, high: int) -> int:
    """Return where between two whole numbers a function with one hill is highest; where it has
    several, one of them."""
    known: dict[int, float] = {}

    def value(at: int) -> float:
        if at not in known:
            known[at] = of(at)
        return known[at]

    first, last = low, high
    while high - low > 2:
        left, right = high - round(GOLDEN * (high - low)), low + round(GOLDEN * (high - low))
        left, right = (left, right) if left < right else (left, left + 1)
        low, high = (left, high) if value(left) < value(right) else (low, right)
    best: int = max({first, last, *range(low, high + 1)}, key=value)
    return best


def search(rates: Mapping[Path, float], verify: Callable[[int], float], level: float) -> tuple[Path, ...]:
    """Return the tree of the size that gives the most tokens a second."""
    size = golden_section(lambda count: speed(rates, best_of(rates, count), verify, level), 0, len(rates))
    return best_of(rates, size)
