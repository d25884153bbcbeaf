"""The commands that measure on judged questions, `judged` and `gaps`: files in and out,
comparisons, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.cli import app as cli
from tests.rag_api.cli.test_cli import as_json, run
from tests.support.scripted_server import Scripted, piece

LINES = {
    "naaldcontainers.pdf": "Een naaldcontainer wordt vervangen wanneer hij voor drie vierde gevuld is.",
    "restaurant.pdf": "Het restaurant is open van half twaalf tot twee uur.",
}
ROWS = """id,question,language,document,page,span,split,function,department,conversation
q1,Wanneer wordt een naaldcontainer vervangen?,nl,naaldcontainers.pdf,1,voor drie vierde gevuld,validate,nurse,Heelkunde,c1
q2,Hoe laat sluit het restaurant?,nl,restaurant.pdf,1,tot twee uur,validate,,,c1
q3,How many moons does Jupiter have?,en,,,,validate,,,
"""


@pytest.fixture(scope="module")
def environment(dsn: str, scripted: Scripted, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    data, folder = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("documents")
    made = {
        "BEDSIDE_DATA_DIR": str(data),
        "BEDSIDE_DATABASE_URL": dsn,
        "BEDSIDE_GENERATOR_URL": scripted.url,
        "COLUMNS": "200",
    }
    for name, line in LINES.items():
        canvas = Canvas(str(folder / name))
        canvas.drawString(72, 720, line)
        canvas.save()
    run(made, "ingest", str(folder))
    return made


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    (tmp_path / "judged.csv").write_text(ROWS)
    return tmp_path / "judged.csv"


def test_it_is_said_what_the_askers_function_changes(environment: dict[str, str], judged: Path) -> None:
    found = as_json(run(environment, "quality", "evaluate", "--set", str(judged), "--json"))["askers"]
    assert (found["n"], found["with"]["wrong_group_first"], found["without"]["hit@1"]) == (1, 0, 1.0)
    printed = (
        run(environment, "quality", "evaluate", "--set", str(judged)).stdout
        + run(environment, "quality", "evaluate", "--set", str(judged)).stderr
    )
    assert "first hits for other patients, with the asker's function: 0" in printed


def test_each_asker_is_measured_with_and_without_boosts(environment: dict[str, str], judged: Path) -> None:
    found = as_json(run(environment, "quality", "askers", "--set", str(judged), "--json"))
    assert len(found) == 8
    assert all(set(row) == {"as set", "no function boost", "no boost"} for row in found.values())
    assert found["midwife, everything"]["no boost"] == {
        "hit@1": 1.0,
        "hit@3": 1.0,
        "mrr": 1.0,
        "wrong_group_first": 0,
        "n": 3,
    }
    assert "a department at random" in run(environment, "quality", "askers", "--set", str(judged)).stdout


def test_follow_ups_are_measured_as_typed_and_as_rewritten(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text(
        "id,question,previous,language,document,page,span,split\n"
        "f1,en wanneer sluit het?,hoe laat opent het restaurant?,nl,restaurant.pdf,1,tot twee uur,validate\n"
    )
    found = as_json(
        run(environment, "quality", "follow-ups", "--set", str(tmp_path / "pairs.csv"), "--split", "validate", "--json")
    )
    assert "restaurant" in found["queries"][0]["query"]
    assert (found["literal"]["n"], found["rewritten"]["hit@1"], found["rewritten_share"]) == (1, 1.0, 1.0)


def test_figures_come_with_departments_intervals_and_each_question(environment: dict[str, str], judged: Path) -> None:
    found = as_json(run(environment, "quality", "evaluate", "--set", str(judged), "--json"))
    assert (found["hit@1"], found["hit@3"], found["mrr"], found["n"]) == (1.0, 1.0, 1.0, 3)
    assert set(found["departments"]) == {"Heelkunde"}
    assert found["languages"]["nl"]["intervals"]["mrr"] == [1.0, 1.0]
    assert [(row["id"], row["rank"]) for row in found["questions"]] == [("q1", 1), ("q2", 1), ("q3", None)]


def test_a_set_imported_exported_and_evaluated_by_name_gives_the_files_figures(
    environment: dict[str, str], judged: Path, tmp_path: Path
) -> None:
    assert as_json(run(environment, "judged", "import", "ronde 1", str(judged), "--json")) == {"questions": 3, "new": 3}
    assert as_json(run(environment, "judged", "import", "ronde 1", str(judged), "--json")) == {"questions": 3, "new": 0}
    run(environment, "judged", "export", "ronde 1", str(tmp_path / "out.csv"))
    assert run(environment, "judged", "export", "ronde 1").stdout == (tmp_path / "out.csv").read_text()
    (one,) = as_json(run(environment, "judged", "list", "--json"))["sets"]
    assert (one["name"], one["questions"], one["validate"], one["no_answer"]) == ("ronde 1", 3, 3, 1)
    assert "ronde 1" in run(environment, "judged", "list").stdout
    of_file, of_export = (
        as_json(run(environment, "quality", "evaluate", "--set", str(f), "--json"))
        for f in (judged, tmp_path / "out.csv")
    )
    of_name = as_json(run(environment, "quality", "evaluate", "--stored", "ronde 1", "--json"))
    assert of_file == of_export == of_name
    assert "letters, digits" in run(environment, "judged", "import", "a/b", str(judged), code=1).stderr
    (tmp_path / "bad.csv").write_text(ROWS + "q4,,nl,,,,validate,,,\nq5,Hoe?,nl,x.pdf,drie,,validate,,,\n")
    refused = run(environment, "judged", "import", "ronde 1", str(tmp_path / "bad.csv"), code=1).stderr
    assert "  line 5: id and question" in refused
    assert "  line 6: page is 'drie'" in refused
    assert "no set of reviewed questions" in run(environment, "judged", "export", "ronde 9", code=1).stderr
    assert (
        "not both"
        in run(environment, "quality", "evaluate", "--stored", "ronde 1", "--set", str(judged), code=1).stderr
    )


def test_runs_and_settings_are_compared_question_by_question(
    environment: dict[str, str], judged: Path, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(
            run(environment, "quality", "evaluate", "--set", str(judged), "--json").stdout
        )
    runs = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    assert as_json(run(environment, "quality", "compare", *runs, "--json"))["questions"] == []
    assert "difference" in run(environment, "quality", "compare", *runs).stdout
    found = as_json(run(environment, "quality", "try", "not_found_threshold=2.0", "--set", str(judged), "--json"))
    assert found["figures"]["decision"]["a"] != found["figures"]["decision"]["b"] == pytest.approx(1 / 3)  # all refused
    assert found["figures"]["hit@1"]["difference"] == 0.0
    (tmp_path / "bad.json").write_text("[]")
    assert "not what" in run(environment, "quality", "compare", runs[0], str(tmp_path / "bad.json"), code=1).stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("alpha", "NAME=VALUE"),
        ("colour=red", "NAME=VALUE"),
        ("embedder=bge-m3", "another index"),
        ("alpha=7", "less than or equal"),
    ],
)
def test_a_setting_that_cannot_be_tried_is_refused(
    environment: dict[str, str], judged: Path, change: str, said: str
) -> None:
    assert said in run(environment, "quality", "try", change, "--set", str(judged), code=1).stderr


def test_settings_are_tried_on_the_validate_half_alone(environment: dict[str, str], judged: Path) -> None:
    judged.write_text(ROWS.replace("tot twee uur,validate", "tot twee uur,test"))
    found = as_json(run(environment, "quality", "try", "alpha=0.5", "--set", str(judged), "--json"))
    assert found["figures"]["hit@1"]["b"] == 1.0
    assert found["n"] == 2
    judged.write_text(ROWS.replace(",validate", ",test"))
    assert (
        "never on its test half" in run(environment, "quality", "try", "alpha=0.5", "--set", str(judged), code=1).stderr
    )


def test_a_command_that_stands_in_a_group_now_is_told_with_its_new_spelling(environment: dict[str, str]) -> None:
    for name in cli.MOVED:
        assert f"quality {name}" in " ".join(run(environment, name, "--json", code=2).stderr.split())
        run(environment, "quality", name, "--help")


def test_a_report_in_html_is_written(environment: dict[str, str], judged: Path, tmp_path: Path) -> None:
    run(environment, "quality", "report", str(tmp_path / "report.html"), "--set", str(judged))
    page = (tmp_path / "report.html").read_text()
    assert page.count("<svg") == 5
    assert "Heelkunde" in page
    assert "Hit@3 1.00" in page


def test_prompts_are_exported_with_judged_words_or_the_models_answers(
    environment: dict[str, str], scripted: Scripted, judged: Path, tmp_path: Path
) -> None:
    out = tmp_path / "prompts.jsonl"
    table = as_json(run(environment, "quality", "export-prompts", str(out), "--set", str(judged)))
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert (table["prompts"], [row["id"] for row in rows]) == (2, ["q1", "q2"])
    assert rows[0]["answer"] == "voor drie vierde gevuld"
    assert table["bleu"] == pytest.approx(1.0)
    scripted.script = lambda request: [
        piece(f"Antwoord op {len(request['messages'][0]['content'])} tekens."),
        piece(finish="stop"),
    ]
    arguments = ("quality", "export-prompts", str(out), "--set", str(judged), "--answers", "--limit", "1")
    table = as_json(run(environment, *arguments))
    (row,) = [json.loads(line) for line in out.read_text().splitlines()]
    assert row["answer"] == f"Antwoord op {len(row['prompt'])} tekens."
    assert table["answers_from"] == {"demo": 1}
    sent = scripted.requests[-1]
    assert (sent["messages"][0]["content"], sent["temperature"]) == (row["prompt"], 0)


def test_what_was_asked_in_vain_is_listed(environment: dict[str, str]) -> None:
    question = "Hoeveel manen heeft Jupiter?"
    threshold = environment | {"BEDSIDE_NOT_FOUND_THRESHOLD": "2.0"}
    for text in (question, "hoeveel manen heeft jupiter"):
        run(threshold, "ask", text, "--mode", "sources")
    found = as_json(run(environment, "gaps", "--json"))
    assert [(gap["times"], gap["question"]) for gap in found["gaps"]] == [(2, question)]
    assert question in run(environment, "gaps").stdout
    (row,) = csv.DictReader(io.StringIO(run(environment, "gaps", "--csv").stdout))
    assert (row["times"], row["question"]) == ("2", question)
    assert as_json(run(environment, "gaps", "--department", "Nergens", "--json"))["questions"] == 0
    assert "expected a day" in run(environment, "gaps", "--since", "gisteren", code=1).stderr


def test_feedback_is_taken_into_a_set(environment: dict[str, str]) -> None:
    assert "0 questions with a place" in run(environment, "judged", "feedback", "log").stderr
