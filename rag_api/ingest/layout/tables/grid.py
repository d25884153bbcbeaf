"""Cells of a table that the pieces of a page stand in, by the rules around it; cells over several
rows are said in each of these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_LEVEL = 1.5  # points between rules that are taken as one
_LINE = 0.5  # points between pieces of one rule, across it
_TOUCH = 3.0  # and along it: cells may stand a little apart
LONGEST = 300  # characters of a cell that are said again in each row
_MOST = 20_000  # on a page

Float = NDArray[np.float32]
Ends = Mapping[int, tuple[int, int]]  # by table, the levels of its outer sides
_ON = 2.0  # points that a rule may end before another one
_BLANK = 8.0  # points: a cell without words is wider
_HIGHEST = 80.0  # points: a row whose neighbours alone are coloured
_NO_TABLE = -1


class Band(NamedTuple):
    """What stands between two rules of a table: a row, or a cell over several. Numbers of levels
    from top to bottom."""

    table: int  # _NO_TABLE: one without rules down
    top: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Cell:
    """`left` and `right` number levels from left to right; they are -1 in tables without rules
    down. `rules`: which ones stand above and below; `narrow`: both reach past it, over other
    cells."""

    band: Band
    left: int
    right: int
    rules: tuple[int, int]
    narrow: bool = False


def joined(rules: Float) -> Float:
    """[n, 3] from, to, where: pieces that go on in each other as one; programs draw each cell's
    border by itself."""
    if not len(rules):
        return rules
    order = np.argsort(rules[:, 2], kind="stable")
    line = np.zeros(len(rules), np.int64)
    first = float(rules[order[0], 2])
    for n, at in enumerate(rules[order, 2].tolist()):
        fresh = at - first > _LINE
        first = at if fresh else first
        line[n] = line[n - 1] + fresh if n else 0
    whole: list[list[float]] = []
    last = -1
    for n in np.lexsort((rules[order, 0], line)).tolist():
        start, end, at = rules[order[n]].tolist()
        if line[n] == last and start <= whole[-1][1] + _TOUCH:
            whole[-1][1] = max(whole[-1][1], end)
        else:
            whole.append([start, end, at])
            last = int(line[n])
    return np.array(whole, np.float32)


def cells_of(boxes: Float, across: Float, down: Float) -> list[Cell | None]:
    """The cell of each piece; None: no rules above and below it, or those of two tables."""
    found: list[Cell | None] = [None] * len(boxes)
    across = across[~_underlines(across, down, boxes)]
    if len(across) < 2:
        return found
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    above, below = nearest(y, x, across, -1), nearest(y, x, across, +1)
    before, behind = (nearest(x, y, down, side) if len(down) else np.full(len(x), -1) for side in (-1, +1))
    rows, columns = levels(across[:, 2]), levels(down[:, 2])
    tables = _tables(across, down)
    for i in np.flatnonzero((above >= 0) & (below >= 0)).tolist():
        a, b = int(above[i]), int(below[i])
        if tables[a] != tables[b] and _NO_TABLE not in (tables[a], tables[b]):
            continue
        closed = before[i] >= 0 and behind[i] >= 0
        band = Band(min(tables[a], tables[b]), level_of(rows, across[a, 2]), level_of(rows, across[b, 2]))
        left, right = (level_of(columns, down[at[i], 2]) if closed else -1 for at in (before, behind))
        narrow = bool(closed) and _is_narrow(across[[a, b]], down[[before[i], behind[i]], 2])
        found[i] = Cell(band, left, right, (a, b), narrow)
    return found


def _is_narrow(rules: Float, sides: Float) -> bool:
    """Both rules reach past a cell's left side, or both past its right one."""
    return bool(rules[:, 0].max() < sides[0] - _BLANK or rules[:, 1].min() > sides[1] + _BLANK)


def _underlines(across: Float, down: Float, boxes: Float) -> NDArray[np.bool_]:
    """[n] the rules at the foot of words that reach no further than these do, and that end on no
    rules down."""
    x0, x1, y = across[:, None].transpose(2, 0, 1)
    left, top, right, foot = boxes.T
    below = (y > (top + foot) / 2) & (y < foot + _ON)
    ends, at = across[:, :2, None], across[:, 2, None, None]
    on = (abs(ends - down[:, 2]) < _ON) & (down[:, 0] < at + _ON) & (down[:, 1] > at - _ON)
    closed = np.asarray(on.any(axis=2)).all(axis=1)
    return np.asarray((below & (x0 > left - _ON) & (x1 < right + _ON)).any(axis=1) & ~closed)


def _tables(across: Float, down: Float) -> list[int]:
    """For each rule across the number of the table that it is of: what is joined by rules down, or
    by a row between two of one width, or of which one ends within the other."""
    if not len(down):
        return [_NO_TABLE] * len(across)
    x, y = down[None, :, 2], across[:, None, 2]
    touch = (
        (across[:, None, 0] - _ON <= x)
        & (x <= across[:, None, 1] + _ON)
        & (down[None, :, 0] - _ON <= y)
        & (y <= down[None, :, 1] + _ON)
    )
    # how far one ends within another
    begins, ends = across[:, None, 0] - across[None, :, 0], across[None, :, 1] - across[:, None, 1]
    closed_ = np.asarray(touch.any(axis=1))
    within = (np.minimum(begins, ends) > -_TOUCH) & ~closed_[:, None]
    rows = (np.maximum(np.abs(begins), np.abs(ends)) < _TOUCH) | within | within.T
    rows &= np.abs(across[:, None, 2] - across[None, :, 2]) < _HIGHEST
    numbers = np.arange(len(across))
    while True:
        columns = np.where(touch, numbers[:, None], len(across)).min(axis=0)
        least = np.minimum(
            np.where(touch, columns[None], len(across)).min(axis=1),
            np.where(rows, numbers[None], len(across)).min(axis=1),
        )
        if (least == numbers).all():
            closed = set(numbers[closed_].tolist())
            return [n if n in closed else _NO_TABLE for n in numbers.tolist()]
        numbers = least


def said_again(
    bands: Mapping[Band, Sequence[int]], cells: Sequence[Cell | None], boxes: Float, long: Sequence[int]
) -> dict[Band, list[int]]:
    """For each band of rows the pieces of cells that stand beside it and reach over further rows.
    long: each piece's characters.

    A cell reaches over rows that fill it from its upper rule to its lower one, and stand in other
    columns between the same two rules. Lines that are underlined stand between rules too: without
    rules down rows have several cells."""
    again: dict[Band, list[int]] = defaultdict(list)
    left = _MOST
    for band, own in bands.items():
        rows, length = _within(band, bands), sum(long[i] for i in own)
        if len(rows) < 2 or length > LONGEST or length * len(rows) > left:
            continue
        inner = [i for row in rows for i in bands[row]]
        same = all(any(_one_table(cells[i], cells[k], band) for k in inner) for i in own)
        sure = all(_closed(cells[i]) for i in (*own, *inner)) or all(_side_by_side(bands[row], boxes) for row in rows)
        if same and sure and not any(_overlap(boxes[i], boxes[k]) for i in own for k in inner):
            left -= length * len(rows)
            for row in rows:
                again[row] += own
    return dict(again)


@dataclass(frozen=True, slots=True)
class Alone:
    """Pieces that have a row of a drawn table to themselves, where its rows have several cells.
    names: they stand over its whole width, or are bold in the first column where other names
    are not; rows: those of each row that is blank but for one cell."""

    names: frozenset[int]
    rows: tuple[tuple[int, ...], ...]


def alone(
    bands: Mapping[Band, Sequence[int]], cells: Sequence[Cell | None], boxes: Float, bold: Sequence[bool], known: Ends
) -> Alone:
    """known: the ends of tables that have several columns, whatever their words say."""
    ends = dict(known)
    # by table, what stands in the first column of rows of several cells
    first: dict[int, list[int]] = defaultdict(list)
    for band, own in bands.items():
        lefts, rights = _sides(own, cells)
        if _closed_all(own, cells):
            before = ends.get(band.table, (lefts[0], rights[-1]))
            ends[band.table] = min(before[0], lefts[0]), max(before[1], rights[-1])
    for band, own in bands.items():
        lefts, _ = _sides(own, cells)
        if len(set(lefts)) > 1 and band.table in ends and not all(bold[i] for i in own):
            first[band.table] += [
                i
                for i, cell in zip(own, (cells[i] for i in own), strict=True)
                if cell and cell.left == ends[band.table][0]
            ]
    names: set[int] = set()
    rows: list[tuple[int, ...]] = []
    beside_blanks = _beside_blanks(bands, cells)
    several = (band for band, own in bands.items() if band in beside_blanks or len(set(_sides(own, cells)[0])) > 1)
    parted = {*known, *(band.table for band in several)}
    for band, own in bands.items():
        lefts, rights = _sides(own, cells)
        if (
            band.table not in parted
            or not _closed_all(own, cells)
            or len(set(lefts)) > 1
            or any(_holds(band, one) for one in bands if one != band)
        ):
            continue
        others = [i for one in bands if one != band and one.table == band.table for i in bands[one]]
        if _is_level_with_others(own, others, boxes):
            continue
        left, right = ends[band.table]
        begins, apart = lefts[0] == left, all(bold[i] for i in own) and not all(bold[i] for i in first[band.table])
        if begins and ((rights[-1] == right and band not in beside_blanks) or apart):
            names.update(own)
        else:
            rows.append(tuple(own))
    return Alone(frozenset(names), tuple(rows))


def _beside_blanks(bands: Mapping[Band, Sequence[int]], cells: Sequence[Cell | None]) -> set[Band]:
    """The rows of one cell with words, beside which blank ones stand, where two and more of a table
    have it in one column."""
    found: dict[tuple[int, int], list[Band]] = defaultdict(list)
    for band, own in bands.items():
        lefts = {cell.left for cell in (cells[i] for i in own) if cell and cell.narrow}
        if len(lefts) == 1 and len(set(_sides(own, cells)[0])) == 1:
            found[band.table, lefts.pop()].append(band)
    return {band for several in found.values() if len(several) > 1 for band in several}


def _is_level_with_others(own: Sequence[int], others: Sequence[int], boxes: Float) -> bool:
    if not others:
        return False
    top, foot = boxes[own, 1].min(), boxes[own, 3].max()
    return bool((np.minimum(foot, boxes[others, 3]) - np.maximum(top, boxes[others, 1]) > 0.3 * (foot - top)).any())


def _sides(own: Iterable[int], cells: Sequence[Cell | None]) -> tuple[list[int], list[int]]:
    known = [cell for i in own if (cell := cells[i]) is not None]
    return sorted(cell.left for cell in known), sorted(cell.right for cell in known)


def _closed_all(own: Iterable[int], cells: Sequence[Cell | None]) -> bool:
    return all(_closed(cells[i]) for i in own)


def _within(band: Band, bands: Iterable[Band]) -> list[Band]:
    """The rows that fill it without a gap; none where they do not."""
    rows = sorted(other for other in bands if other != band and _holds(band, other))
    rows = [row for row in rows if not any(row != other and _holds(row, other) for other in rows)]
    fills = bool(rows) and [band.top, *(row.bottom for row in rows)] == [*(row.top for row in rows), band.bottom]
    return rows if fills else []


def _holds(band: Band, other: Band) -> bool:
    return band.table == other.table and band.top <= other.top and other.bottom <= band.bottom


def _one_table(cell: Cell | None, other: Cell | None, band: Band) -> bool:
    """A row at the upper or lower end of a cell has the same rule there."""
    if cell is None or other is None:
        return False
    above, below = other.band.top == band.top, other.band.bottom == band.bottom
    return (above and other.rules[0] == cell.rules[0]) or (below and other.rules[1] == cell.rules[1])


def _closed(cell: Cell | None) -> bool:
    return cell is not None and cell.left >= 0


def _side_by_side(row: Sequence[int], boxes: Float) -> bool:
    return any(boxes[i, 2] < boxes[k, 0] for i in row for k in row)


def _overlap(one: Float, two: Float) -> bool:
    return bool(one[0] < two[2] - 1 and two[0] < one[2] - 1)


def nearest(at: NDArray[np.float64], along: NDArray[np.float64], rules: Float, side: int) -> NDArray[np.int64]:
    """[p] the nearest rule on that side of each piece (-1 before, +1 after), -1 without one."""
    covers = (rules[None, :, 0] - 2 <= along[:, None]) & (along[:, None] <= rules[None, :, 1] + 2)
    beside = side * (rules[None, :, 2] - at[:, None]) > 0
    distance = np.where(covers & beside, np.abs(rules[None, :, 2] - at[:, None]), np.inf)
    return np.where(np.isinf(distance.min(axis=1)), -1, distance.argmin(axis=1))


def levels(values: Float) -> NDArray[np.float64]:
    """Where rules lie, those close to each other taken as one."""
    ordered = np.sort(values.astype(np.float64))
    return ordered[np.concatenate([[True], np.diff(ordered) > _LEVEL])] if len(ordered) else ordered


def level_of(levels: NDArray[np.float64], value: float) -> int:
    return int(np.searchsorted(levels, value + 0.01, side="right"))
