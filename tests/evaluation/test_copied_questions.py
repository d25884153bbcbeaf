"""Questions that Bedside is judged by stand in no test of a unit: a rule made to fit one would
otherwise be judged by itself."""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterator
from pathlib import Path

from services.reader.questions import read_passages

ROOT = Path(__file__).parents[2]
SPLITS = ("train", "validate", "test", "test_trades", "test_later")
SHORTEST = 4  # words: who asks less than that is bound to be met by chance


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def judged() -> Iterator[str]:
    for folder in ("rag_api/handbook", "evaluation/sets"):
        for file in (ROOT / folder).rglob("*.csv"):
            with file.open(encoding="utf-8-sig", newline="") as rows:
                yield from (row.get("question") or "" for row in csv.DictReader(rows))
    for passage in read_passages([ROOT / "evaluation/sets/wardqa/wardqa.jsonl.gz"], SPLITS):
        yield from (one.question for one in passage.asked)


def test_no_judged_question_is_a_case_of_a_unit() -> None:
    known = {words for words in map(plain, judged()) if len(words.split()) >= SHORTEST}
    assert len(known) > 15_000
    copied = [
        f"{file.relative_to(ROOT)}:{node.lineno} {node.value!r}"
        for file in (ROOT / "tests").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and plain(node.value) in known
    ]
    assert not copied, copied
