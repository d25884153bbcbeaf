"""The second reader: Debian's tesseract, where it is installed. It gets the lines that the first
one found, under each other on one sheet, so that both read the same and what they read can be
compared line by line.
"""

from __future__ import annotations

import contextlib
import csv
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from rag_api.ingest.ocr.picture import Grey
from rag_api.ingest.ocr.second import second_reader

_HEIGHT = 46  # pixels of a line on the sheet
_APART = 26  # pixels between lines
_MARGIN = 24
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Second:
    """A line as the second reader has it: its words with how sure it is of each, in [0, 1]."""

    words: tuple[tuple[str, float], ...] = ()


def read_again(crops: Sequence[Grey], seconds: float) -> list[Second] | None:
    """Each crop's words; None when tesseract is not there or does not manage in this time."""
    found = second_reader()
    if found is None or not crops:
        return None
    sheet, middles = _sheet(crops)
    program, languages = found
    said = _run(
        [program, "stdin", "stdout", "-l", languages, "--psm", "6", "--dpi", "300", "tsv"], _pgm(sheet), seconds
    )
    return None if said is None else _by_line(said, middles)


def _sheet(crops: Sequence[Grey]) -> tuple[Grey, list[float]]:
    """The crops under each other, and the height at which each has its middle."""
    sized = [
        cv2.resize(
            crop, (_width(crop), _HEIGHT), interpolation=cv2.INTER_AREA if crop.shape[0] > _HEIGHT else cv2.INTER_CUBIC
        )
        for crop in crops
    ]
    step = _HEIGHT + _APART
    sheet = np.full(
        (2 * _MARGIN + step * len(sized), 2 * _MARGIN + max(crop.shape[1] for crop in sized)), 255, np.uint8
    )
    for n, crop in enumerate(sized):
        top = _MARGIN + n * step
        sheet[top : top + _HEIGHT, _MARGIN : _MARGIN + crop.shape[1]] = crop
    return sheet, [_MARGIN + n * step + _HEIGHT / 2 for n in range(len(sized))]


def _width(crop: Grey) -> int:
    return int(min(_LONGEST, max(4, round(crop.shape[1] * _HEIGHT / crop.shape[0]))))


def _pgm(grey: Grey) -> bytes:
    return b"P5 %d %d 255\n" % (grey.shape[1], grey.shape[0]) + np.ascontiguousarray(grey).tobytes()


def _run(command: Sequence[str], data: bytes, seconds: float) -> str | None:
    environment = {
        name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "TESSDATA_PREFIX") if name in os.environ
    }
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**environment, "OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"},
    )
    _limit(process.pid, seconds)
    try:
        out, _ = process.communicate(data, timeout=10 * seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None
    return out.decode("utf-8", "replace") if process.returncode == 0 else None


def _limit(pid: int, seconds: float) -> None:
    """On its processor time, also when this process ends before it. Memory is limited as this
    process's is."""
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_CPU, (max(1, int(seconds)), max(1, int(seconds)) + 1))


def _by_line(said: str, middles: Sequence[float]) -> list[Second]:
    words: list[list[tuple[int, str, float]]] = [[] for _ in middles]
    step = _HEIGHT + _APART
    for row in csv.DictReader(said.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row.get("text") or "").strip()
        if row.get("level") != "5" or not text:
            continue
        middle = int(row["top"]) + int(row["height"]) / 2
        n = int((middle - _MARGIN + _APART / 2) // step)
        if 0 <= n < len(words):
            words[n].append((int(row["left"]), text, max(0.0, float(row["conf"])) / 100))
    return [Second(tuple((text, sure) for _, text, sure in sorted(line, key=lambda word: word[0]))) for line in words]
