"""The gate: both are asked the same, judged by the same words, and compared where they refuse as much."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from services.reader.__main__ import main
from services.reader.adapter import open_model, save
from services.reader.gate import Judged, judged, report

HANDBOOK = Path(__file__).parents[2] / "rag_api" / "handbook" / "pdf"
ROW = {"document": "Folder A.pdf; Folder C.pdf", "answer": "Drug | 2 g | iv"}


@pytest.mark.parametrize(
    ("said", "cited", "verdict"),
    [
        ("Drug\t2 g\tiv", ["Folder A.pdf"], "right"),
        ("Drug: 2 g", ["Folder A.pdf"], "half"),
        ("Drug\t2 g\tiv", ["Folder B.pdf"], "wrong"),
        ("Call the pharmacy.", ["Folder A.pdf"], "wrong"),
    ],
)
def test_an_answer_is_judged_by_its_document_and_the_parts_that_it_holds(said: str, cited: list[str], verdict: str) -> None:
    assert judged(ROW, True, said, cited) == verdict
    assert judged(ROW, False, said, cited) == "refused"


def test_the_reader_is_compared_where_it_refuses_as_many_near_misses() -> None:
    today = [Judged("1", "row", "right", "a"), Judged("2", "row", "wrong", "b")]
    reader = [Judged("1", "row", "right", "a", 2.0), Judged("2", "row", "wrong", "b", -1.0)]
    told = report(today, reader, [True, False], [-2.0, 1.0], [True, False], [False, True])
    assert told["today"]["near_refused"] == 0.5
    assert told["reader"]["without_a_threshold"]["wrong"] == 1
    half = told["reader"]["by_near_refused"]["0.50"]
    assert (half["right"], half["refused"]) == (1, 1)
    assert told["reader"]["area"] == 1.0
    agreeing = told["agreeing"]
    assert (agreeing["right"], agreeing["refused"], agreeing["near_refused"]) == (1, 1, 0.5), "where it does not agree, it is refused"


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
@pytest.mark.slow
def test_both_answer_the_same_questions_about_real_documents(tiny_model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for file in sorted(HANDBOOK.glob("*.pdf"))[:2]:
        shutil.copy(file, folder)
    _write(
        tmp_path / "asked.csv",
        ["id", "question", "kind", "before", "document", "answer"],
        ["1", "what is to be done first?", "list", "", "other.pdf", "y"],
    )
    _write(tmp_path / "near.csv", ["id", "question"], ["1", "opening hours of the swimming pool"])
    save(open_model(tiny_model, layers=1), tmp_path / "adapter", {"model": "tiny"})
    words = [
        "--model",
        tiny_model,
        "--adapter",
        str(tmp_path / "adapter"),
        "--documents",
        str(folder),
        "--json",
        str(tmp_path / "out.json"),
    ]
    assert main(["gate", *words, "--questions", str(tmp_path / "asked.csv"), "--near-misses", str(tmp_path / "near.csv")]) == 0
    told = json.loads((tmp_path / "out.json").read_text())
    assert told["today"]["n"] == told["reader"]["without_a_threshold"]["n"] == 1
    assert told["today"]["near"] == 1
    assert told["agreeing"]["refused"] >= told["today"].get("refused", 0)
    read = told["rows"]["reader"][0]
    assert read["said"], "an untrained reader points somewhere, and to words of a document"
    assert read["verdict"] == "wrong"


def _write(file: Path, names: list[str], values: list[str]) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([names, values])
