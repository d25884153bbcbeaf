"""The gate: both are asked the same, judged by the same words, and compared where they refuse as
much."""

from __future__ import annotations

import csv
import json
import math
import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.calibration.cases import QuestionKind
from evaluation.calibration.decision import DecisionRow
from rag_api.retrieval.decision.calibration import AGREED
from services.contract.wire import QUOTES
from services.reader.__main__ import main
from services.reader.adapter import open_model, save
from services.reader.gate import GatedAnswer, judged, report
from services.reader.weigh import WEIGHTS, fitted, written_out

HANDBOOK = Path(__file__).parents[3] / "rag_api" / "handbook" / "pdf"
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
def test_an_answer_is_judged_by_its_document_and_the_parts_that_it_holds(
    said: str, cited: list[str], verdict: str
) -> None:
    assert judged(ROW, True, said, cited) == verdict
    assert judged(ROW, False, said, cited) == "refused"


def test_the_reader_is_compared_where_it_refuses_as_many_near_misses() -> None:
    today = [GatedAnswer("1", "row", "right", "a"), GatedAnswer("2", "row", "wrong", "b")]
    reader = [GatedAnswer("1", "row", "right", "a", 2.0), GatedAnswer("2", "row", "wrong", "b", -1.0)]
    agreeing = [today[0], GatedAnswer("2", "row", "refused", "")]
    told = report(today, reader, agreeing, [True, False], [-2.0, 1.0], [True, False])
    assert told["today"]["near_refused"] == 0.5
    assert told["reader"]["without_a_threshold"]["wrong"] == 1
    half = told["reader"]["by_near_refused"]["0.50"]
    assert (half["right"], half["refused"]) == (1, 1)
    assert told["reader"]["area"] == 1.0
    counts = told["agreeing"]
    assert (counts["right"], counts["refused"], counts["near_refused"]) == (1, 1, 0.5)


@pytest.fixture
def without_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who writes is not compared: sentences are copied by the service that has no model."""
    monkeypatch.setenv("BEDSIDE_GENERATOR_MODEL", QUOTES)


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
@pytest.mark.slow
@pytest.mark.usefixtures("without_model")
def test_both_answer_the_same_questions_about_real_documents(
    tiny_model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
    assert (
        main(["gate", *words, "--questions", str(tmp_path / "asked.csv"), "--near-misses", str(tmp_path / "near.csv")])
        == 0
    )
    told = json.loads((tmp_path / "out.json").read_text())
    assert told["today"]["n"] == told["reader"]["without_a_threshold"]["n"] == 1
    assert told["today"]["near"] == 1
    assert told["agreeing"]["refused"] >= told["today"].get("refused", 0)
    read = told["rows"]["reader"][0]
    assert read["said"], "an untrained reader points somewhere, and to words of a document"
    assert read["verdict"] == "wrong"


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
@pytest.mark.slow
@pytest.mark.usefixtures("without_model")
def test_weights_are_fitted_on_collections_that_a_file_names(
    tiny_model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    with (HANDBOOK.parent / "judged.csv").open(encoding="utf-8", newline="") as lines:
        judged = list(csv.DictReader(lines))
    document = max(
        {row["document"] for row in judged if row["document"]}, key=[row["document"] for row in judged].count
    )
    shutil.copy(HANDBOOK / document, folder)
    own = [
        [row["id"], row["question"], "fact", "", document, row["span"]] for row in judged if row["document"] == document
    ]
    near = [[row["id"], row["question"]] for row in judged if row["note"] == "near-miss"]
    _write(tmp_path / "asked.csv", ["id", "question", "kind", "before", "document", "answer"], *own[:6])
    _write(tmp_path / "near.csv", ["id", "question"], *near[:10])
    _write(
        tmp_path / "all.csv",
        ["collection", "documents", "questions", "near_misses"],
        ["own", "documents", "asked.csv", "near.csv"],
    )
    save(open_model(tiny_model, layers=1), tmp_path / "adapter", {"model": "tiny"})
    words = ["weigh", "--model", tiny_model, "--adapter", str(tmp_path / "adapter"), "--collections"]
    capsys.readouterr()
    assert main([*words, str(tmp_path / "all.csv")]) == 0
    fitted = json.loads(capsys.readouterr().out)
    assert set(fitted["not_found"]["coefficients"]) == {"intercept", "crossed", *AGREED}
    assert fitted["span_weight"] in WEIGHTS
    _write(tmp_path / "bad.csv", ["collection", "documents"], ["own", "documents"])
    assert main([*words, str(tmp_path / "bad.csv")]) == 1
    assert "lacks the columns near_misses, questions" in capsys.readouterr().err


def test_passages_are_written_out_as_documents_with_their_questions(tmp_path: Path) -> None:
    passage = {
        "id": "a1",
        "document": "d1",
        "trade": "t",
        "split": "validate",
        "title": "Kalium & zo",
        "heading": "Toediening",
    }
    lines = ["Middel | Dosis", "KCl | 20 mmol", "Nooit onverdund."]
    near = {"question": "hoeveel magnesium", "changed": "drug"}
    asked = {"question": "hoeveel kcl", "answer": lines[1], "block": [2, 2], "line": 2, "near_misses": [near]}
    rows = [
        passage | {"lines": lines, "questions": [asked]} | change
        for change in ({}, {"split": "train", "document": "d2"})
    ]
    (tmp_path / "set.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    documents, questions, near_misses = written_out([tmp_path / "set.jsonl"], tmp_path / "out", 0)
    (page,) = documents.iterdir()
    assert page.read_text(encoding="utf-8").endswith(
        "<h1>Kalium &amp; "
        "zo</h1><h2>Toediening</h2><table><tr><th>Middel</th><th>Dosis</th></tr><tr><td>KCl</td><td>20 mmol</td></tr>"
        "</table><p>Nooit onverdund.</p></body></html>"
    )
    assert (
        questions.read_text(encoding="utf-8").splitlines()[1] == "a1-0,hoeveel kcl,row,set.jsonl-d1.html,KCl | 20 mmol"
    )
    assert near_misses.read_text(encoding="utf-8").splitlines()[1] == "a1-1,hoeveel magnesium"


def test_the_weights_learn_that_what_both_say_is_right() -> None:
    draw = random.Random(3)
    rows = []
    for number in range(400):
        points = draw.gauss(0, 2)
        kind = QuestionKind.NEAR_MISS if number % 2 else QuestionKind.ANSWERABLE
        right = kind == QuestionKind.ANSWERABLE and draw.random() < 1 / (1 + math.exp(-2 * points))
        rows.append(
            DecisionRow(
                "made",
                "fit",
                kind,
                str(number),
                True,
                right,
                {"confidence": draw.gauss(0, 1), "points": points, "answers": 0.0},
            )
        )
    worse = [replace(row, right=False) if number % 40 == 0 else row for number, row in enumerate(rows)]
    measured = fitted({0.0: worse, 0.5: rows, 2.0: rows})
    assert measured.span_weight == 0.5, "more right answers, and of equals the reader has less to say"
    found = measured.not_found
    assert found.coefficients["points"] > 3 * abs(found.coefficients["confidence"])
    assert found.by_risk["careful"] > found.by_risk["balanced"] > found.by_risk["ready"]


def _write(file: Path, names: list[str], *rows: list[str]) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([names, *rows])
