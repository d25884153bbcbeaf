"""An admin's abbreviations and synonyms -> further words for BM25. Knows no store, no embedder and
no language model.

`abbreviations.csv` (columns abbreviation, expansion, language) and `synonyms.csv` (term, synonym,
language) lie in the data directory, or where the settings say. Each row holds in both directions:
"SIC" finds what says "spoed intensive care", and the reverse.
"""

from __future__ import annotations

import csv
import logging
import re
import shutil
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from rag_api.config import Settings
from rag_api.errors import ConfigurationError
from rag_api.text.bm25_analyzer import STOP_WORDS, words
from rag_api.text.csv_cells import harmless, read_cell

log = logging.getLogger(__name__)

COLUMNS = {"abbreviations": ("abbreviation", "expansion"), "synonyms": ("term", "synonym")}
LANGUAGES = ("nl", "en", "")
LONGEST = 200  # characters of a cell


@dataclass(frozen=True, slots=True)
class Pair:
    """Two ways to say the same thing."""

    one: str
    other: str
    language: str = ""  # of `other`


def read_pairs(path: Path, kind: str) -> list[Pair]:
    """kind: "abbreviations" or "synonyms". Raises ConfigurationError with the line that is
    wrong."""
    first, second = COLUMNS[kind]
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in (first, second) if name not in (reader.fieldnames or ())]
            if missing:
                raise ConfigurationError(f"{path}: there is no column {' or '.join(missing)}")
            return [_pair(path, reader.line_num, row, first, second) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigurationError(f"{path}: cannot be read as CSV: {error}") from error


def _pair(path: Path, line: int, row: dict[str, str | None], first: str, second: str) -> Pair:
    one, other, language = (read_cell(row.get(name) or "").strip() for name in (first, second, "language"))
    for name, value in ((first, one), (second, other)):
        if not words(value):
            raise ConfigurationError(f"{path}, line {line}: {name} is empty")
        if len(value) > LONGEST:
            raise ConfigurationError(f"{path}, line {line}: {name} is longer than {LONGEST} characters")
    if language not in LANGUAGES:
        raise ConfigurationError(f"{path}, line {line}: language is {language!r}, not nl or en")
    if words(one) == words(other):
        raise ConfigurationError(f"{path}, line {line}: {first} and {second} are the same")
    if len(words(one)) == 1 and words(one)[0] in STOP_WORDS["nl"] | STOP_WORDS["en"]:
        raise ConfigurationError(f"{path}, line {line}: {one!r} is a word that stands in every question")
    return Pair(one, other, language)


class Expander:
    """Looks up every run of words of a question."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._others: dict[tuple[str, ...], list[str]] = {}
        for pair in pairs:
            self._add(pair.one, pair.other)
            self._add(pair.other, pair.one)
        self._longest = max(map(len, self._others), default=0)

    def expand(self, question: str) -> list[str]:
        """What else the question's words are called, each once, in the question's order. The
        longest run that is known counts."""
        asked, found, at = words(question), [], 0
        while at < len(asked):
            for length in range(min(self._longest, len(asked) - at), 0, -1):
                others = self._others.get(tuple(asked[at : at + length]))
                if others:
                    found += others
                    at += length - 1
                    break
            at += 1
        said = set(asked)
        return [other for other in dict.fromkeys(found) if not set(words(other)) <= said]

    def _add(self, one: str, other: str) -> None:
        others = self._others.setdefault(tuple(words(one)), [])
        if other not in others:
            others.append(other)


class SynonymLists:
    """The expander of two files, read again when they change. A file that becomes wrong is
    reported, and what it said before stays."""

    def __init__(self, paths: dict[str, Path]) -> None:
        self._paths = paths
        self._lock = threading.Lock()
        self._stamps: tuple[int, ...] | None = None
        self._expander = Expander(())

    def get(self) -> Expander:
        """Raises ConfigurationError when the files are wrong at first sight."""
        stamps = tuple(path.stat().st_mtime_ns if path.is_file() else 0 for path in self._paths.values())
        with self._lock:
            if stamps != self._stamps:
                try:
                    pairs = [
                        pair for kind, path in self._paths.items() if path.is_file() for pair in read_pairs(path, kind)
                    ]
                    self._expander = Expander(pairs)
                except ConfigurationError as error:
                    if self._stamps is None:
                        raise
                    log.error("%s; what it said before stays", error.message)
                self._stamps = stamps
            return self._expander


def paths_of(settings: Settings) -> dict[str, Path]:
    """By kind: the files in the data directory, which may be absent."""
    return {kind: settings.data_dir / f"{kind}.csv" for kind in COLUMNS}


def lists_of(settings: Settings) -> SynonymLists:
    """Return those in the data directory; they add nothing where there are none."""
    return SynonymLists(paths_of(settings))


def put_lists(folder: Path, data_dir: Path) -> None:
    """A folder's lists into the data directory, where it has none: for the demo."""
    data_dir.mkdir(parents=True, exist_ok=True)
    for kind in COLUMNS:
        if not (data_dir / f"{kind}.csv").exists():
            shutil.copyfile(folder / f"{kind}.csv", data_dir / f"{kind}.csv")


_SHORT = re.compile(r"\(([^()]{2,12})\)")
_LONG = re.compile(r"\b([A-Z][A-Za-z0-9-]{1,11})\s+\(([^()]{4,120})\)")


@dataclass(frozen=True, slots=True)
class Proposal:
    abbreviation: str
    expansion: str
    documents: int  # that say so


def propose(texts: Iterable[str], known: Iterable[Pair] = ()) -> list[Proposal]:
    """Abbreviations that documents explain ("spoed intensive care (SIC)", "SIC (spoed intensive
    care)") and no list holds yet.

    After Schwartz and Hearst (2003): each of the short form's characters is found, from the end
    backwards, in the words beside it, the first at the beginning of a word. texts: one a
    document."""
    held = {(tuple(words(pair.one)), tuple(words(pair.other))) for pair in known}
    counts: dict[tuple[str, str], int] = {}
    for text in texts:
        for short, long in {*_explained(text)}:
            if (tuple(words(short)), tuple(words(long))) not in held:
                counts[short, long] = counts.get((short, long), 0) + 1
    return [Proposal(*key, count) for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _explained(text: str) -> Iterable[tuple[str, str]]:
    flat = re.sub(r"\s+", " ", text)
    for match in _SHORT.finditer(flat):
        short = match[1].strip()
        if _is_short(short):
            before = flat[: match.start()].rstrip().split(" ")[-min(len(short) + 5, 2 * len(short)) :]
            if long := _long_form(short, " ".join(before)):
                yield short, long
    for match in _LONG.finditer(flat):
        if _is_short(match[1]) and (long := _long_form(match[1], match[2].strip())) and long == match[2].strip():
            yield match[1], long


def _is_short(text: str) -> bool:
    """One word of 2 to 10 characters, at least two of them capitals and half of its letters."""
    letters = [c for c in text if c.isalpha()]
    capitals = sum(c.isupper() for c in letters)
    return bool(re.fullmatch(r"[\w-]{2,10}", text)) and capitals >= 2 and 2 * capitals >= len(letters)


def _long_form(short: str, before: str) -> str | None:
    """The shortest end of `before` that holds the short form's characters in order."""
    at = len(before)
    for position, character in reversed(list(enumerate(c for c in short.casefold() if c.isalnum()))):
        at -= 1
        while at >= 0 and (
            before[at].casefold() != character or (position == 0 and at > 0 and before[at - 1].isalnum())
        ):
            at -= 1
        if at < 0:
            return None
    long = before[at:].strip(" ,;:")
    if (
        len(long) <= len(short)
        or short.casefold() in (word.casefold() for word in long.split())
        or len(long.split()) > len(short) + 5
    ):
        return None
    return long


def write_proposals(file: TextIO, proposals: Sequence[Proposal]) -> None:
    """Rows of an abbreviations.csv, with how many documents say so; the language is the admin's to
    fill in."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["abbreviation", "expansion", "language", "documents"])
    writer.writerows([harmless(p.abbreviation), harmless(p.expansion), "", p.documents] for p in proposals)
