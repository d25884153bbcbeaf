"""A procedure's source: front matter and a small part of markdown. Knows nothing of PDF.

Understood: `##` and `###` headings (numbered here), paragraphs, `-` and `1.` lists, `|` tables, `>`
warnings, and layout hints in comments on a line of their own, such as `<!-- landscape -->` or `<!--
widths: 2 3 1 -->`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True, slots=True)
class Heading:
    number: str
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class ListBlock:
    items: tuple[str, ...]
    ordered: bool


@dataclass(frozen=True, slots=True)
class TableBlock:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Callout:
    text: str


@dataclass(frozen=True, slots=True)
class Hint:
    name: str
    value: str = ""


Block = Heading | Paragraph | ListBlock | TableBlock | Callout | Hint


@dataclass(frozen=True, slots=True)
class Procedure:
    """One source file. `layout` holds what is only about looks: size, align, theme, cover."""

    name: str
    title: str
    number: str
    version: str
    valid_from: date
    valid_until: date | None
    owner: str
    department: str
    document_type: str
    target_groups: tuple[str, ...]
    language: str
    supersedes: str
    layout: dict[str, Any]
    blocks: tuple[Block, ...]

    @property
    def file_name(self) -> str:
        return f"{self.name}.pdf"


_HINT = re.compile(r"<!--\s*([a-z-]+)(?::\s*(.*?))?\s*-->$")
_ITEM = re.compile(r"(-|\d+\.)\s+")


def read_procedure(path: Path) -> Procedure:
    """Raises KeyError when a field is missing from the front matter, ValueError when there is
    none."""
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    fields = yaml.safe_load(front)
    return Procedure(
        name=path.stem,
        title=fields["title"],
        number=fields["number"],
        version=str(fields["version"]),
        valid_from=fields["valid_from"],
        valid_until=fields.get("valid_until"),
        owner=fields["owner"],
        department=fields["department"],
        document_type=fields["type"],
        target_groups=tuple(fields.get("groups", ())),
        language=fields["language"],
        supersedes=fields.get("supersedes", ""),
        layout=fields.get("layout", {}),
        blocks=tuple(_number(parse_blocks(body))),
    )


def parse_blocks(body: str) -> list[Block]:
    """Blocks are parted by blank lines; a list, table or heading ends where its own kind of line
    ends."""
    blocks: list[Block] = []
    for part in re.split(r"\n\s*\n", body.strip()):
        lines = [line.rstrip() for line in part.splitlines()]
        while lines and (special := _leading(lines[0])):
            blocks.append(special)
            lines.pop(0)
        if lines:
            blocks.append(_block(lines))
    return blocks


def _leading(line: str) -> Block | None:
    if hint := _HINT.match(line):
        return Hint(hint[1], hint[2] or "")
    if line.startswith("## "):
        return Heading("", 1, line[3:])
    if line.startswith("### "):
        return Heading("", 2, line[4:])
    return None


def _block(lines: list[str]) -> Block:
    if lines[0].startswith("|"):
        cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
        assert all(len(row) == len(cells[0]) for row in cells), f"uneven table: {cells[0]}"
        return TableBlock(cells[0], tuple(cells[2:]))
    if lines[0].startswith("> "):
        return Callout(" ".join(line.removeprefix("> ") for line in lines))
    if _ITEM.match(lines[0]):
        return ListBlock(tuple(_items(lines)), ordered=not lines[0].startswith("-"))
    return Paragraph(" ".join(line.strip() for line in lines))


def _items(lines: list[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        if marker := _ITEM.match(line):
            items.append(line[marker.end() :])
        else:
            items[-1] += " " + line.strip()
    return items


def _number(blocks: list[Block]) -> list[Block]:
    section = sub = 0
    numbered: list[Block] = []
    for block in blocks:
        if isinstance(block, Heading) and block.level == 1:
            section, sub = section + 1, 0
            block = Heading(f"{section}.", 1, block.text)
        elif isinstance(block, Heading):
            sub += 1
            block = Heading(f"{section}.{sub}", 2, block.text)
        numbered.append(block)
    return numbered
