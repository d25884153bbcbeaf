"""Lines and arrows of a drawing, and which boxes they join.

What joins two boxes begins at a side of the one, ends at a side of the other, and lies in the white
between them; a table's rules do not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_NEAR, _POINTS_AT = 6.0, 10.0  # points: how near a line ends to what it joins, and an arrow
_TOUCH = 3.0  # points between two lines that go on in each other
_CORNER = 3.0  # points from a corner: there a table's rules end
_ACROSS = 0.3  # of its length: so much a line goes away from the side that it begins at
_SLIM = 0.6  # of a side: an arrow that points at it is no wider
_GAP = 4.0  # points of white between two boxes that are joined
_BOXES, _LINKS = 3, 2  # at least
_MANY = 4  # links between words without boxes
_PARTS = 5  # of what joins two boxes, for each of them, at most
_SAME = 2.0  # points: an arrow as near to a line's end is at it

BoxArray = NDArray[np.float64]


def middles_of(boxes: BoxArray) -> BoxArray:
    return (boxes[:, :2] + boxes[:, 2:]) / 2


def holds(boxes: BoxArray, points: BoxArray, pad: float = 1.0) -> NDArray[np.bool_]:
    """[b, p]"""
    return np.asarray(((points >= boxes[:, None, :2] - pad) & (points <= boxes[:, None, 2:] + pad)).all(axis=2))


def white_between(ones: BoxArray, others: BoxArray) -> BoxArray:
    """[n, m] the white between them; below 0: they overlap."""
    return np.asarray(np.maximum(ones[:, None, :2] - others[:, 2:], others[:, :2] - ones[:, None, 2:]).max(axis=2))


def around(boxes: BoxArray) -> BoxArray:
    return np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])


class Groups:
    """Things that belong together."""

    def __init__(self, count: int) -> None:
        self.of = list(range(count))

    def first(self, n: int) -> int:
        while self.of[n] != n:
            self.of[n] = self.of[self.of[n]]
            n = self.of[n]
        return n

    def join(self, n: int, m: int) -> None:
        self.of[self.first(n)] = self.first(m)

    def all(self) -> Iterable[list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for n in range(len(self.of)):
            found[self.first(n)].append(n)
        return found.values()


class Link(NamedTuple):
    """What goes on in itself, and which boxes it joins."""

    ends: frozenset[int]
    extent: BoxArray
    parts: int  # lines and arrows that it is made of
    arrow: bool  # some of it may point somewhere


class Nodes:
    """What may be joined: boxes around words; words without a box; words that are no chart's."""

    def __init__(self, boxes: BoxArray, blocks: BoxArray, free: BoxArray) -> None:
        self.count = len(boxes)
        self.all = np.concatenate([boxes, blocks])
        self.free = free

    def charts(self, links: Iterable[Link]) -> BoxArray:
        """[c, 4] around what is joined, where some of it is a chart."""
        joined = Groups(len(self.all))
        own: list[Link] = []
        others: list[BoxArray] = []
        for link in links:
            pairs = [(n, m) for n in link.ends for m in link.ends if n < m and self._are_joined(n, m, link.arrow)]
            if pairs and not self._is_grid(link):
                for n, m in pairs:
                    joined.join(n, m)
                own.append(link._replace(ends=frozenset(n for pair in pairs for n in pair)))
            elif link.ends and link.arrow:
                others.append(around(np.array([link.extent, *self.all[sorted(link.ends)]])))
        groups = [(nodes, [link for link in own if not link.ends.isdisjoint(nodes)]) for nodes in joined.all()]
        if not any(self._is_chart(nodes, links) for nodes, links in groups):
            return np.zeros((0, 4))
        found = [
            around(np.array([*self.all[nodes], *(one.extent for one in links)])) for nodes, links in groups if links
        ]
        return np.array(found + others)

    def _is_chart(self, nodes: Sequence[int], links: Sequence[Link]) -> bool:
        boxes = sum(n < self.count for n in nodes)
        enough = len(links) >= _LINKS or any(len(link.ends) >= _BOXES for link in links)
        return len(nodes) >= _BOXES and enough and (boxes >= 2 or len(links) >= _MANY)

    def _are_joined(self, n: int, m: int, by_arrow: bool) -> bool:
        """White parts them, in which no more than a word on the line stands: else it is a rule
        between cells."""
        one, two = self.all[n], self.all[m]
        between = np.concatenate([np.maximum(one[:2], two[:2]), np.minimum(one[2:], two[2:])])
        apart = between[:2] > between[2:]
        gap = np.concatenate([np.where(apart, between[2:], between[:2]), np.where(apart, between[:2], between[2:])])
        words = int(holds(gap[None], self.free, 0).sum())
        return float((between[:2] - between[2:]).max()) >= _GAP and (by_arrow or words <= 1)

    def _is_grid(self, link: Link) -> bool:
        """Too few or many parts for what it joins, or more words stand between: a table's rules."""
        ends = len(link.ends)
        between = int(holds(link.extent[None], self.free, 0).sum())
        return not ends - 1 <= link.parts <= _PARTS * ends or between > ends


class Drawing:
    """Lines and arrows, and what they join: boxes, or words without one where an arrow points at
    them."""

    def __init__(self, nodes: Nodes, lines: BoxArray, arrows: BoxArray, slanted: NDArray[np.bool_]) -> None:
        self.count, self.nodes = nodes.count, nodes.all
        self.lines, self.arrows, self.slanted = lines, arrows, slanted

    def links(self) -> Iterable[Link]:
        for parts in self._parts():
            yield Link(self._ends(parts), self._extent(parts), len(parts), self._points(parts))

    def _parts(self) -> Iterable[list[int]]:
        """Lines by their number, arrows behind them."""
        count = len(self.lines)
        groups = Groups(count + len(self.arrows))
        if count:
            ends = np.concatenate([self.lines[:, :2], self.lines[:, 2:]])
            for n, m in np.argwhere(_distances(ends, self.lines) < _TOUCH).tolist():
                groups.join(n % count, m)
            for m, n in np.argwhere(holds(self.arrows, ends, _SAME)).tolist():
                groups.join(n % count, count + m)
        for n, m in np.argwhere(white_between(self.arrows, self.arrows) < 1).tolist():
            groups.join(count + n, count + m)
        return groups.all()

    def _ends(self, parts: Sequence[int]) -> frozenset[int]:
        """What they join."""
        count = len(self.lines)
        points = self._points(parts)
        lines = any(n < count for n in parts)
        if not points and not lines:
            return frozenset()
        found: set[int] = set()
        for n in parts:
            found |= self._ends_of_line(self.lines[n]) if n < count else self._ends_of_arrow(self.arrows[n - count])
        return frozenset(n for n in found if n < self.count or (points and lines))

    def _points(self, parts: Sequence[int]) -> bool:
        """Some of it is an arrow's head, or an arrow."""
        count = len(self.lines)
        return any(n >= count and self.slanted[n - count] for n in parts)

    def _ends_of_line(self, line: BoxArray) -> set[int]:
        found: set[int] = set()
        way = np.abs(line[2:] - line[:2])
        for here, there in ((line[:2], line[2:]), (line[2:], line[:2])):
            for n in np.flatnonzero(holds(self.nodes, here[None], _NEAR)[:, 0]).tolist():
                low, high = self.nodes[n, :2], self.nodes[n, 2:]
                out = np.maximum(low - there, there - high)
                axis = int(out.argmax())
                level = low[1 - axis] + _CORNER < here[1 - axis] < high[1 - axis] - _CORNER
                if out[axis] > 1 and level and way[axis] > _ACROSS * float(np.hypot(*way)):
                    found.add(n)
        return found

    def _ends_of_arrow(self, arrow: BoxArray) -> set[int]:
        """What it stands beside, level with it, and is slimmer than; or overlaps."""
        white = np.maximum(self.nodes[:, :2] - arrow[2:], arrow[:2] - self.nodes[:, 2:])
        long, own = self.nodes[:, 2:] - self.nodes[:, :2], arrow[2:] - arrow[:2]
        found: set[int] = set()
        for axis in (0, 1):
            beside = (white[:, axis] > -own[axis]) & (white[:, axis] < _POINTS_AT + own[axis] / 2)
            level = white[:, 1 - axis] < -0.5 * own[1 - axis]
            slim = own[1 - axis] <= _SLIM * long[:, 1 - axis]
            found.update(np.flatnonzero(beside & level & slim).tolist())
        return found

    def _extent(self, parts: Sequence[int]) -> BoxArray:
        count = len(self.lines)
        lines = self.lines[[n for n in parts if n < count]]
        arrows = self.arrows[[n - count for n in parts if n >= count]]
        return around(np.concatenate([np.hstack([end, end]) for end in np.split(lines, 2, axis=1)] + [arrows]))


def _distances(points: BoxArray, lines: BoxArray) -> BoxArray:
    """[p, l] of points to straight lines."""
    start, way = lines[:, :2], lines[:, 2:] - lines[:, :2]
    from_start = points[:, None] - start
    along = (from_start * way).sum(axis=2) / np.maximum((way**2).sum(axis=1), 1e-9)
    near = from_start - np.clip(along, 0, 1)[..., None] * way
    return np.asarray(np.hypot(near[..., 0], near[..., 1]))
