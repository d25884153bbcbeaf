"""Recorded answers and tokenizers for measurements without a model. Knows no drafter.

A record file is jsonl of objects with `answer` and `source` or `prompt`, as texts or, with
`source_tokens` and `answer_tokens`, as a model read and wrote them; whatever else they hold can be
filtered on.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

TEXTS = ("source", "prompt", "answer", "source_tokens", "answer_tokens", "documents")


class BadRecords(ValueError):
    """A file that cannot be measured on; the message names file, line and reason."""


@dataclass(frozen=True, slots=True)
class Record:
    id: str
    source: tuple[int, ...]  # tokens
    answer: tuple[int, ...]
    fields: Mapping[str, str] = field(default_factory=dict)  # what else its row says, in short
    documents: frozenset[str] = frozenset()  # that its passages are of, where it says so
    beside: tuple[tuple[int, ...], ...] = ()  # texts that its answer may be drafted from, too


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
        source, answer = _read_texts(tokenizer, row, f"{path}:{number}")
        said = {name: str(value) for name, value in row.items() if name not in TEXTS}
        documents = frozenset(map(str, row.get("documents", ())))
        record = Record(str(row.get("id", number)), source, answer, said, documents)
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


def with_said(records: Iterable[Record], most: int) -> list[Record]:
    """Return them with the latest answers before each that are of one of its documents, the latest
    last."""
    by_document: dict[str, list[int]] = {}
    extended: list[Record] = []
    for number, record in enumerate(records):
        before = sorted({place for name in record.documents for place in by_document.get(name, ())})
        said = tuple(extended[place].answer for place in before[len(before) - most :]) if most else ()
        extended.append(replace(record, beside=said))
        for name in record.documents:
            by_document.setdefault(name, []).append(number)
    return extended


def _read_texts(tokenizer: Tokenizer, row: Mapping[str, Any], place: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return source and answer of a row."""
    tokens = row.get("source_tokens"), row.get("answer_tokens")
    if all(isinstance(own, list) and all(isinstance(token, int) for token in own) for own in tokens):
        return tuple(tokens[0] or ()), tuple(tokens[1] or ())
    source, answer = row.get("source", row.get("prompt")), row.get("answer")
    if not isinstance(source, str) or not isinstance(answer, str):
        raise BadRecords(f"{place}: wants the texts `answer` and `source` or `prompt`")
    return _tokens(tokenizer, source), _tokens(tokenizer, answer)


def _tokens(tokenizer: Tokenizer, text: str) -> tuple[int, ...]:
    return tuple(tokenizer.encode(text, add_special_tokens=False).ids)
