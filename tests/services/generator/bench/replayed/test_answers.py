"""answers: a model's own answers to ward questions, plainly decoded, are records to replay."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from services.generator.bench.__main__ import main
from services.generator.bench.common.recorded import BadRecords
from services.generator.bench.common.ward import WARDQA, ward
from tests.services.generator.engine.test_engine import reference
from tests.services.generator.engines import tiny_target
from tests.services.generator.tiny import tiny_checkpoint


def asked(question: str, line: int, answer: str, *, alone: bool = True) -> dict[str, object]:
    return {"question": question, "line": line, "answer": answer, "alone": alone}


ROW: dict[str, object] = {
    "id": "p1",
    "document": "d1",
    "split": "train",
    "title": "Handen",
    "heading": "Was",
    "lines": ["Was uw handen.", "dose | 5 mg"],
    "questions": [
        asked("En hoe?", 1, "handen", alone=False),
        asked("Wat was ik?", 1, "handen"),
        asked("How much?", 2, "5 mg"),
        asked("Wat moet ik nu wassen?", 1, "handen"),
    ],
    "follow_ups": [{"before": "Hoeveel mg?", "question": "En dan?", "means": "Hoeveel mg moet ik dan geven?"}],
}


def written(folder: Path, *rows: dict[str, object]) -> Path:
    file = folder / "ward.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    return file


def test_what_has_the_same_words_for_an_answer_is_asked_again_and_a_follow_up_stands_alone(tmp_path: Path) -> None:
    jobs = ward(written(tmp_path, ROW, ROW | {"id": "p2", "split": "test"}))
    assert [(job.fields["kind"], job.question) for job in jobs] == [
        ("asked", "Wat was ik?"),
        ("asked again", "Wat moet ik nu wassen?"),
        ("asked", "Hoeveel mg?"),
        ("follow-up", "Hoeveel mg moet ik dan geven?"),
    ]
    assert {job.fields["language"] for job in jobs} == {"nl"}
    assert {job.passages for job in jobs} == {jobs[0].passages}
    assert (jobs[0].passages[0].id, jobs[0].passages[0].text) == ("d1:p1", "Was\nWas uw handen.\ndose 5 mg")
    assert len({job.id for job in jobs}) == 4


def test_what_is_no_set_of_ward_questions_is_named(tmp_path: Path) -> None:
    (tmp_path / "not.gz").write_text("not packed")
    for name in ("not.gz", "none.gz"):
        with pytest.raises(BadRecords, match=name):
            ward(tmp_path / name)


@pytest.mark.skipif(not WARDQA.exists(), reason="evaluation/sets is in a checkout only")
def test_both_languages_and_kinds_take_turns() -> None:
    first = Counter((job.fields["language"], job.fields["kind"]) for job in ward()[1:80:2])
    assert first == {(language, kind): 10 for language in ("nl", "en") for kind in ("asked again", "follow-up")}


def test_a_run_goes_on_where_it_was_and_writes_what_the_model_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, file = tiny_checkpoint(tmp_path, "llama", 0), tmp_path / "said.jsonl"
    data = written(tmp_path, ROW)
    options = [
        *("answers", "--model", str(model), "--set", "ward", "--data", str(data), "--template", "demo"),
        *("--device", "cpu", "--dtype", "fp32", "--threads", "1", "--max-tokens", "8", "--out", str(file), "--json"),
    ]
    for limit, added in (("1", 1), ("3", 2), ("3", 0)):
        assert main([*options, "--limit", limit]) == 0
        assert json.loads(capsys.readouterr().out) == {"answers": added}
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(row["kind"], row["documents"]) for row in rows] == [
        (kind, ["d1"]) for kind in ("asked", "asked again", "asked")
    ]
    for row in rows:
        assert row["answer_tokens"] == reference(tiny_target(), row["source_tokens"], 8)
    replayed = ["replay", "--data", str(file), "--tokenizer", str(model), "--drafter", "RASD", "--small", str(model)]
    assert main([*replayed, "--by", "language", "kind", "--said", "4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["results"]
    assert [(own["language"], own["kind"]) for own in told] == [("nl", "asked"), ("nl", "asked again")]
    assert main([*options[:-2], str(tmp_path), "--limit", "1"]) == 2  # a folder is no file to add to
