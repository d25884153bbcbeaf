"""Recorded answers and tokenizers for measurements without a model. Knows no drafter.

A record file is jsonl of objects with `answer` and `source` or `prompt`; whatever else they hold
can be filtered on.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer


class BadRecords(ValueError):
    """A file that cannot be measured on; the message names file, line and reason."""


@dataclass(frozen=True, slots=True)
class Record:
    id: str
    source: tuple[int, ...]  # tokens
    answer: tuple[int, ...]
    fields: Mapping[str, str] = field(default_factory=dict)  # what else its row says, in short


@dataclass(frozen=True, slots=True)
class Where:
    """Keeps records whose `field` contains `part`: `model=Llama-3.1`."""

    field: str
    part: str

    @classmethod
    def parse(cls, text: str) -> Where:
        field, sign, part = text.partition("=")
        if not (sign and field and part):
            raise BadRecords(f"--where {text!r}: expected FIELD=SUBSTRING")
        return cls(field, part)


def read_tokenizer(path: Path) -> Tokenizer:
    """Read a tokenizers JSON file, plain or gzipped, or a folder that holds tokenizer.json."""
    path = path / "tokenizer.json" if path.is_dir() else path
    if not path.exists():
        raise BadRecords(f"{path}: no such tokenizer file")
    data = path.read_bytes()
    try:
        return Tokenizer.from_str((gzip.decompress(data) if path.suffix == ".gz" else data).decode())
    except Exception as error:  # tokenizers raises bare Exception
        raise BadRecords(f"{path}: not a tokenizer: {error}") from None


def read_records(
    path: Path, tokenizer: Tokenizer, where: list[Where] | None = None, limit: int | None = None
) -> list[Record]:
    """Tokenize source and answer apart, without special tokens or a chat template; empty answers
    are left out."""
    records: list[Record] = []
    for number, row in json_rows(path):
        if any(condition.part not in str(row.get(condition.field, "")) for condition in where or ()):
            continue
        source, answer = row.get("source", row.get("prompt")), row.get("answer")
        if not isinstance(source, str) or not isinstance(answer, str):
            raise BadRecords(f"{path}:{number}: wants the texts `answer` and `source` or `prompt`")
        said = {name: str(value) for name, value in row.items() if name not in ("source", "prompt", "answer")}
        record = Record(str(row.get("id", number)), _tokens(tokenizer, source), _tokens(tokenizer, answer), said)
        if record.source and record.answer:
            records.append(record)
        if len(records) == limit:
            break
    if not records:
        raise BadRecords(f"{path}: no record is left to measure")
    return records


def json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line numbers and objects of a jsonl file."""
    if not path.exists():
        raise BadRecords(f"{path}: no such file")
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise BadRecords(f"{path}:{number}: {error}") from None
            if not isinstance(row, dict):
                raise BadRecords(f"{path}:{number}: not an object")
            yield number, row


def _tokens(tokenizer: Tokenizer, text: str) -> tuple[int, ...]:
    return tuple(tokenizer.encode(text, add_special_tokens=False).ids)
