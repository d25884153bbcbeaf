"""Cells of CSV files that people open in a spreadsheet: none is a formula, and what Bedside wrote
it reads back as it was."""

from __future__ import annotations

BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def harmless(cell: str) -> str:
    """With an apostrophe before it where a spreadsheet would compute it, and before apostrophes
    that stood there already."""
    return f"'{cell}" if cell.lstrip(" ").startswith(BEGINS_A_FORMULA) or _guarded(cell) else cell


def read_cell(cell: str) -> str:
    """Return what was written: without the apostrophe that `harmless` put there."""
    return cell[1:] if _guarded(cell) else cell


def _guarded(cell: str) -> bool:
    """Apostrophes, then what begins a formula."""
    return cell.startswith("'") and cell.lstrip("'").lstrip(" ").startswith(BEGINS_A_FORMULA)
