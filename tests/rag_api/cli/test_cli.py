"""`bedside`: what the commands print, where, and how they fail."""

from __future__ import annotations

import contextlib
import csv
import json
import math
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from reportlab.pdfgen.canvas import Canvas
from typer.main import get_command
from typer.testing import CliRunner, Result

from evaluation.calibration.rows import shipped_rows
from rag_api.cli import app as cli
from rag_api.cli.console import make_data_dir, opened
from rag_api.cli.serving.demo import SAMPLE
from rag_api.config import Settings
from rag_api.evaluate.judged import HANDBOOK, read_judged
from rag_api.retrieval.reader_model.reader import PassageJudgement, ReaderPassage
from rag_api.text.language import detect
from services.contract.dropped_settings import DROPPED
from tests.rag_api.made_files.docx_files import docx, p, r
from tests.rag_api.made_files.pdfs import write
from tests.support.ports import free_port
from tests.support.scripted_server import Scripted

ROOT = Path(__file__).parents[3]
QUESTION = "Wanneer wordt een naaldcontainer vervangen?"
COMMANDS = get_command(cli.app).commands  # type: ignore[attr-defined]
LINES = {
    "naaldcontainers.pdf": "Een naaldcontainer wordt vervangen wanneer hij voor drie vierde gevuld is.",
    "restaurant.pdf": "Het restaurant is open van half twaalf tot twee uur.",
}


@pytest.fixture(scope="module")
def environment(dsn: str, scripted: Scripted, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return {
        "BEDSIDE_DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "BEDSIDE_DATABASE_URL": dsn,
        "BEDSIDE_GENERATOR_URL": scripted.url,
        "COLUMNS": "200",
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("documents")
    for name, line in LINES.items():
        canvas = Canvas(str(made / name))
        canvas.setTitle(name.removesuffix(".pdf").capitalize())
        canvas.drawString(72, 720, line)
        canvas.save()
    (made / "broken.pdf").write_bytes(b"%PDF-1.4 nothing more")
    return made


PRODUCTION = {
    "BEDSIDE_ENVIRONMENT": "production",
    "BEDSIDE_SIGN_IN": "local",
    "BEDSIDE_PUBLIC_URL": "https://bedside.example",
    "BEDSIDE_DATABASE_URL": "postgresql://bedside:0a1b2c3d4e5f60718293a4b5c6d7e8f9@127.0.0.1:1/none?connect_timeout=1",
    "BEDSIDE_GENERATOR_URL": "http://127.0.0.1:1/v1",
}


def run(environment: dict[str, str], *arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(cli.app, list(arguments), env=environment)
    assert result.exit_code == code, f"{result.stdout}\n{result.stderr}\n{result.exception!r}"
    return result


def as_json(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout.strip().splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def loaded(environment: dict[str, str], folder: Path) -> dict[str, Any]:
    return as_json(run(environment, "ingest", str(folder), "--json"))


def test_every_command_explains_itself() -> None:
    overview = run({}, "--help").stdout
    assert len(COMMANDS) > 15
    for name in COMMANDS:
        assert name in overview
        assert len(run({"COLUMNS": "200"}, name, "--help").stdout.split()) > 15


def test_ingest_reports_each_file_and_goes_on_after_a_bad_one(loaded: dict[str, Any]) -> None:
    assert (loaded["indexed"], loaded["unchanged"], loaded["failed"]) == (2, 0, 1)
    (failed,) = [item for item in loaded["items"] if item["outcome"] == "failed"]
    assert failed["source"] == "broken.pdf"
    assert failed["reason"] in ("broken", "empty")
    assert failed["advice"].startswith("Open it in the program that made it, save it as PDF")


def test_notes_are_seen_in_the_report_and_in_the_list(
    environment: dict[str, str], folder: Path, loaded: dict[str, Any], tmp_path: Path
) -> None:
    docx(tmp_path / "notitie.docx", p(r("Geef 10 mg"), r(" niet 100 mg", "<w:vanish/>"), r(" per dag aan iedereen.")))
    write(tmp_path, "foto.png", b"x")
    result = run(environment, "ingest", str(tmp_path), "--json")
    assert "note: notitie.docx: hidden words are not read; show or remove them in Word: “niet 100 mg”" in result.stderr
    assert "not read: 1 .png (foto.png)" in result.stderr
    (item,) = as_json(result)["items"]
    assert "hidden words" in item["warnings"][0]
    assert "1 unchanged documents have notes" in run(environment, "ingest", str(tmp_path)).stderr
    listed = run(environment, "documents").stdout
    assert "hidden words are not read" in listed
    assert "save it as PDF, then load that" in listed  # of broken.pdf
    (tmp_path / "notitie.docx").unlink()
    result = run(environment, "ingest", str(tmp_path), "--json")
    assert [missing["source"] for missing in as_json(result)["missing"]] == ["notitie.docx"]
    assert "missing: notitie.docx" in result.stderr
    assert "is it mounted" in run(environment, "ingest", str(tmp_path), "--retire-missing", code=1).stderr
    assert as_json(run(environment, "ingest", str(tmp_path), "--retire-missing", "--yes", "--json"))["retired"] == 1


@pytest.mark.usefixtures("loaded")
def test_a_list_of_folders_is_ingested_with_what_it_says_of_them(environment: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path, "spoed/wachten.txt", b"Bij drukte wacht iedereen in de gang tot de verpleegkundige roept.")
    listed = write(tmp_path, "sources.toml", b"[[folder]]\npath = 'spoed'\ndepartment = 'Spoed'\n")
    assert as_json(run(environment, "ingest", "--sources", str(listed), "--json"))["indexed"] == 1
    found = as_json(run(environment, "documents", "--search", "wachten", "--json"))["documents"]
    assert [document["department"] for document in found] == ["Spoed"]
    assert "or a list of folders with --sources" in run(environment | {"COLUMNS": "200"}, "ingest", code=2).stderr
    (tmp_path / "spoed" / "wachten.txt").unlink()
    run(environment, "ingest", "--sources", str(listed), "--retire-missing", "--yes")


def test_ingesting_again_changes_nothing(environment: dict[str, str], folder: Path, loaded: dict[str, Any]) -> None:
    result = run(environment, "ingest", str(folder), "--json")
    again = as_json(result)
    assert (again["indexed"], again["unchanged"], again["pages"]) == (0, 2, 0)
    assert "broken.pdf" in result.stderr


def test_a_folder_that_is_not_there_is_a_sentence(environment: dict[str, str]) -> None:
    assert "no such file or folder" in run(environment, "ingest", "/no/such/place", code=1).stderr


def test_a_list_in_a_pipe_cuts_no_name_off(environment: dict[str, str], folder: Path, loaded: dict[str, Any]) -> None:
    narrow = environment | {"COLUMNS": "40"}
    lines = run(narrow, "documents").stdout.splitlines()
    assert len(lines) == 1 + len(list(folder.iterdir()))
    assert all(any(file.name in line for line in lines) for file in folder.iterdir())


def test_documents_are_listed(environment: dict[str, str], loaded: dict[str, Any]) -> None:
    listed = as_json(run(environment, "documents", "--json"))
    assert sorted(d["source"] for d in listed["documents"]) == ["broken.pdf", *sorted(LINES)]
    table = run(environment, "documents", "--status", "failed").stdout
    assert "broken.pdf" in table
    assert "restaurant.pdf" not in table
    run(environment, "documents", "--status", "lost", code=2)


def test_ask_prints_the_answer_on_standard_output_and_its_sources_beside_it(
    environment: dict[str, str], loaded: dict[str, Any]
) -> None:
    result = run(environment, "ask", QUESTION)
    assert result.stdout.strip() == LINES["naaldcontainers.pdf"]
    assert "*1. Naaldcontainers, page 1" in result.stderr


def test_ask_as_json_has_spans_of_the_answer(environment: dict[str, str], loaded: dict[str, Any]) -> None:
    answer = as_json(run(environment, "ask", QUESTION, "--json"))
    assert answer["status"] == "answered"
    assert answer["sources"][0]["document"] == "naaldcontainers.pdf"
    assert [answer["answer"][s["start"] : s["end"]] for s in answer["spans"]] == [s["text"] for s in answer["spans"]]
    assert {"tokens_per_step", "tokens", "seconds"} <= answer["stats"].keys()


def test_ask_for_sources_needs_no_model(
    environment: dict[str, str], scripted: Scripted, loaded: dict[str, Any]
) -> None:
    before = len(scripted.requests)
    answer = as_json(run(environment, "ask", QUESTION, "--mode", "sources", "--json"))
    assert (answer["status"], len(scripted.requests)) == ("sources_only", before)
    run(environment, "ask", QUESTION, "--mode", "guess", code=2)


def test_evaluate_measures_a_judged_set(environment: dict[str, str], loaded: dict[str, Any], tmp_path: Path) -> None:
    judged = tmp_path / "judged.csv"
    rows = [
        ("q1", QUESTION, "nl", "naaldcontainers.pdf", "1", LINES["naaldcontainers.pdf"], "test"),
        ("q2", "Hoe laat sluit het restaurant?", "nl", "restaurant.pdf", "1", LINES["restaurant.pdf"], "validate"),
        ("q3", "How many moons does Jupiter have?", "en", "", "", "", "test"),
    ]
    with judged.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "question", "language", "document", "page", "span", "split"), *rows])
    figures = as_json(run(environment, "quality", "evaluate", "--set", str(judged), "--answers", "--json"))
    assert (figures["hit@1"], figures["hit@3"], figures["mrr"], figures["n"]) == (1.0, 1.0, 1.0, 3)
    assert figures["not_found"].keys() >= {"precision", "recall"}
    assert (figures["answers"]["accuracy"], figures["answers"]["exact"], figures["answers"]["answered"]) == (1.0, 2, 2)
    assert figures["splits"]["validate"]["n"] == 1
    assert as_json(run(environment, "quality", "evaluate", "--set", str(judged), "--split", "test", "--json"))["n"] == 2
    assert "validate" in run(environment, "quality", "evaluate", "--set", str(judged)).stdout


def test_evaluate_measures_a_set_that_nothing_answers(
    environment: dict[str, str], loaded: dict[str, Any], tmp_path: Path
) -> None:
    judged = tmp_path / "judged.csv"
    judged.write_text("id,question,document,split,note\nq1,How many moons does Jupiter have?,,test,off-topic\n")
    found = as_json(run(environment, "quality", "evaluate", "--set", str(judged), "--json"))["not_found"]
    assert (found["recall"], found["off_topic"]["n"]) == (1.0, 1)


class Evenly:
    """A reader to whom every sentence answers alike."""

    name = "evenly"

    def judge(self, question: str, passages: Sequence[ReaderPassage]) -> list[PassageJudgement]:
        return [PassageJudgement(0.0, tuple(-math.log(len(p.spans)) for _ in p.spans)) for p in passages]

    def close(self) -> None: ...


def test_calibrate_keeps_what_it_fitted_and_refuses_the_test_half(
    environment: dict[str, str], loaded: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, kept = tmp_path / "judged.csv", tmp_path / "kept.json"
    rows = [["1", QUESTION, "nl", "naaldcontainers.pdf", "1", LINES["naaldcontainers.pdf"], "validate"]]
    rows += [["2", "Wanneer is het restaurant open?", "nl", "restaurant.pdf", "1", LINES["restaurant.pdf"], "validate"]]
    rows += [["3", "dosis colchicine bij jicht", "nl", "", "", "", "validate"]]

    def write(rows: list[list[str]]) -> None:
        with open(file, "w", newline="") as handle:
            csv.writer(handle).writerows([["id", "question", "language", "document", "page", "span", "split"], *rows])

    write(
        [*rows, ["4", "Hoe laat sluit het restaurant?", "nl", "restaurant.pdf", "1", LINES["restaurant.pdf"], "test"]]
    )
    found = as_json(run(environment, "quality", "calibrate", "--set", str(file), "--out", str(kept), "--json"))
    assert found["questions"] == 3  # the fourth is of the test half
    assert json.loads(kept.read_text())[found["embedder"]] == found["values"]
    other = as_json(
        run(
            {**environment, "BEDSIDE_ALPHA": "0.3"},
            "quality",
            "calibrate",
            "--set",
            str(file),
            "--out",
            str(kept),
            "--json",
        )
    )
    assert found["values"]["alpha"] != other["values"]["alpha"] == 0.3  # the one that it was fitted with
    monkeypatch.setattr("rag_api.qa_readers.llm.open_llm_reader", lambda settings, url: Evenly())
    read = [
        replace(row, signals={**row.signals, "reader": 0.0, "reader_span": 0.0})
        for row in shipped_rows(found["embedder"])
    ]
    monkeypatch.setattr("evaluation.calibration.rows.shipped_rows", lambda embedder, reader="": read)
    with_reader = as_json(
        run(
            {**environment, "BEDSIDE_READER": "llm"},
            "quality",
            "calibrate",
            "--set",
            str(file),
            "--out",
            str(kept),
            "--json",
        )
    )
    (read,) = with_reader["values"]["readers"].values()
    assert {"reader", "reader_span"} <= set(read["not_found"]["coefficients"])
    write([[*row[:-1], "test"] for row in rows])
    assert (
        "never on its test half"
        in run(environment, "quality", "calibrate", "--set", str(file), "--out", str(kept), code=1).stderr
    )


def test_an_evaluation_is_nobodys_conversation(
    environment: dict[str, str], loaded: dict[str, Any], tmp_path: Path, dsn: str
) -> None:
    judged = tmp_path / "judged.csv"
    judged.write_text(f"id,question,document,span\nq1,{QUESTION},naaldcontainers.pdf,gevuld\n")
    with psycopg.connect(dsn) as connection:
        count = "select count(*) from conversations where user_id = 'local'"
        before = connection.execute(count).fetchone()
        run(environment, "quality", "evaluate", "--set", str(judged), "--answers", "--json")
        assert connection.execute(count).fetchone() == before


def test_evaluating_what_is_not_indexed_says_what_to_do(environment: dict[str, str], loaded: dict[str, Any]) -> None:
    assert "bedside demo --once" in run(environment, "quality", "evaluate", "--json", code=1).stderr


def test_migrate_says_what_it_did(postgres_server: str, environment: dict[str, str]) -> None:
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute("create database fresh")
        fresh = environment | {"BEDSIDE_DATABASE_URL": postgres_server.replace("/bedside?", "/fresh?")}
        assert "Run `bedside migrate` first" in run(fresh, "documents", code=1).stderr
        assert "0001_documents" in run(fresh, "migrate").stderr
        assert "up to date" in run(fresh, "migrate").stderr
        run(fresh, "documents")
        connection.execute("drop database fresh with (force)")


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("BEDSIDE_ALPHA", "2", "BEDSIDE_ALPHA"),
        ("BEDSIDE_CHUNK_OVERLAP", "9000", "BEDSIDE_CHUNK_OVERLAP must be smaller"),
        ("BEDSIDE_STORE", "weaviate", "needs BEDSIDE_WEAVIATE_URL"),
        ("BEDSIDE_ENVIRONMENT", "production", "production needs BEDSIDE_DATABASE_URL, BEDSIDE_GENERATOR_URL"),
    ],
)
def test_nonsense_in_the_environment_is_refused_by_name(variable: str, value: str, said: str) -> None:
    result = run({variable: value}, "documents", code=2)
    assert said in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"BEDSIDE_ALFA": "0.5", "BEDSIDE_ALPHA": "2"}, "BEDSIDE_ALPHA: Input should be less than or equal to 1"),
        ({"BEDSIDE_DATA_DIR": "/dev/null/data"}, "/dev/null/data cannot be made or is no folder"),
    ],
)
def test_why_a_service_does_not_start_is_in_production_a_line_of_its_log(
    tmp_path: Path, variables: dict[str, str], said: str
) -> None:
    lines, ended = logged(
        ["-m", "rag_api.cli.app", "serve"], PRODUCTION | {"BEDSIDE_DATA_DIR": str(tmp_path)} | variables
    )
    assert ended == 2
    assert lines[-1]["level"] == "error"
    assert said in lines[-1]["message"]
    assert any("did you mean BEDSIDE_ALPHA?" in line["message"] for line in lines) == ("BEDSIDE_ALFA" in variables)


def test_an_error_of_our_own_that_ends_a_service_is_in_production_a_line_of_its_log() -> None:
    code = (
        "from rag_api.cli.console import speaking_as_a_service\nwith speaking_as_a_service(): raise KeyError('of a "
        "patient')"
    )
    lines, _ = logged(["-c", code], PRODUCTION)
    assert lines[0]["level"] == "critical"
    assert "KeyError" in lines[0]["trace"]
    assert "of a patient" not in lines[0]["trace"]


def logged(arguments: list[str], variables: dict[str, str]) -> tuple[list[dict[str, Any]], int]:
    """What a process said before it ended, and with which code."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("BEDSIDE_")}
    done = subprocess.run(
        [sys.executable, *arguments], env=known | variables, capture_output=True, text=True, timeout=120
    )
    return [json.loads(line) for line in done.stderr.splitlines()], done.returncode


def test_a_variable_that_is_no_setting_is_named(environment: dict[str, str]) -> None:
    said = run(
        environment | {"BEDSIDE_ALFA": "0.5", "BEDSIDE_RERANK": "20", "BEDSIDE_GENERATOR_MAX_ROWS": "8"}, "documents"
    ).stderr
    assert "BEDSIDE_ALFA is no setting; did you mean BEDSIDE_ALPHA?" in said
    assert "BEDSIDE_RERANK is no setting any more and changes nothing: the reranker reads 20 hits" in said
    assert "MAX_ROWS" not in said  # the generator's


def test_every_setting_stands_on_the_settings_page() -> None:
    guide = (ROOT / "docs" / "settings.md").read_text()
    named = set(re.findall(r"`BEDSIDE_([A-Z_]+)`", guide))
    assert {name.upper() for name in Settings.model_fields} <= named
    assert not {f"BEDSIDE_{name}" for name in named} & DROPPED.keys()


def test_what_the_compose_file_sets_is_a_setting() -> None:
    compose = (ROOT / "docker-compose.yml").read_text()
    ours = compose[compose.index("environment: &rag-api-environment") : compose.index("x-generator")]
    assert {name.lower() for name in re.findall(r"^    BEDSIDE_([A-Z_]+):", ours, re.MULTILINE)} <= set(
        Settings.model_fields
    )


def test_a_data_directory_that_cannot_be_is_refused_by_name(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    result = run(environment | {"BEDSIDE_DATA_DIR": str(tmp_path / "file" / "data")}, "documents", code=2)
    assert result.stderr.startswith("BEDSIDE_DATA_DIR: ")
    assert "Traceback" not in result.output


def test_a_database_that_is_down_is_a_sentence(environment: dict[str, str]) -> None:
    down = environment | {"BEDSIDE_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1"}
    assert "The database does not answer" in run(down, "documents", code=1).stderr


def test_the_demo_does_not_run_in_production(environment: dict[str, str]) -> None:
    production = {
        "BEDSIDE_ENVIRONMENT": "production",
        "BEDSIDE_SIGN_IN": "local",
        "BEDSIDE_PUBLIC_URL": "https://bedside.example",
    }
    production["BEDSIDE_DATABASE_URL"] = "postgresql://bedside:0a1b2c3d4e5f60718293a4b5c6d7e8f9@database/bedside"
    assert "does not run in production" in run(environment | production, "demo", "--once", code=2).stderr


def test_the_sample_question_is_judged_and_answerable() -> None:
    (judged,) = [question for question in read_judged(HANDBOOK) if question.question == SAMPLE]
    assert judged.answerable
    assert detect(judged.question) == judged.language


def test_openapi_does_not_depend_on_the_environment(environment: dict[str, str]) -> None:
    plain = run({}, "openapi").stdout
    assert json.loads(plain)["paths"].keys() >= {"/ask", "/documents", "/health"}
    assert run(environment | {"BEDSIDE_ALPHA": "2"}, "openapi").stdout == plain


def test_serve_answers_until_it_is_told_to_stop(
    environment: dict[str, str], loaded: dict[str, Any], tmp_path: Path
) -> None:
    url = f"http://127.0.0.1:{(port := free_port())}"
    log = tmp_path / "log"
    with log.open("w") as output:
        command = [sys.executable, "-m", "rag_api.cli.app", "serve", "--port", str(port)]
        process = subprocess.Popen(command, env={**os.environ, **environment}, cwd=ROOT, stderr=output)
    try:
        until_it_serves(url, process, log)
        answer = httpx.post(f"{url}/api/ask", json={"question": QUESTION}, timeout=60).json()
        assert answer["status"] == "answered", log.read_text()
        httpx.get(f"{url}/documents", params={"search": "geheim"}, timeout=30).raise_for_status()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
    said = log.read_text()
    assert process.returncode in (0, 143, -signal.SIGTERM)
    assert "POST /api/ask" in said
    assert QUESTION not in said
    assert "geheim" not in said
    assert "Traceback" not in said


def until_it_serves(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    while True:  # as long as it runs: the test's own limit ends it
        with contextlib.suppress(httpx.TransportError):
            assert httpx.get(f"{url}/health", timeout=10).json()["status"] == "ok", log.read_text()
            return
        assert process.poll() is None, log.read_text()
        time.sleep(0.1)


def test_a_command_that_has_ended_leaves_sigterm_as_it_was(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    before = signal.getsignal(signal.SIGTERM)
    with opened():
        assert signal.getsignal(signal.SIGTERM) != before
        with pytest.raises(SystemExit) as ended:
            signal.raise_signal(signal.SIGTERM)
        assert ended.value.code == 143
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_new_data_directory_is_closed_to_other_users(tmp_path: Path) -> None:
    made = tmp_path / "new" / "data"
    make_data_dir(Settings(data_dir=made))
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    made.chmod(0o755)
    make_data_dir(Settings(data_dir=made))
    assert stat.S_IMODE(made.stat().st_mode) == 0o755  # as its owner wants it
