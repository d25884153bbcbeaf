"""Accounts and keys by command, on a real database: what each does is seen by the next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from rag_api.cli.app import app
from rag_api.cli.quality.whole_answers import print_whole


@pytest.fixture
def environment(dsn: str, tmp_path: Path) -> dict[str, str]:
    return {"BEDSIDE_DATABASE_URL": dsn, "BEDSIDE_DATA_DIR": str(tmp_path), "BEDSIDE_STORE": "memory"}


def run(environment: dict[str, str], *arguments: str, code: int = 0, said: str = "") -> Result:
    result = CliRunner().invoke(app, list(arguments), env=environment, input=said)
    assert result.exit_code == code, f"{result.stdout}\n{result.stderr}\n{result.exception!r}"
    return result


def accounts(environment: dict[str, str]) -> dict[str, dict[str, object]]:
    told = json.loads(run(environment, "users", "list", "--json").stdout.strip().splitlines()[-1])
    return {one["login"]: one for one in told["accounts"]}


def test_an_account_is_made_changed_and_suspended(environment: dict[str, str]) -> None:
    run(environment, "users", "add", "ann", "--name", "Ann", "--groups", "icu", said="een heel lang wachtwoord\n")
    run(environment, "users", "roles", "ann", "reader,judge")
    run(environment, "users", "groups", "ann", "icu,surgery")
    run(environment, "users", "password", "ann", said="een ander lang wachtwoord\n")
    found = accounts(environment)["ann"]
    assert (found["name"], found["roles"], found["suspended"]) == ("Ann", ["judge", "reader"], False)
    assert {"icu", "surgery"} <= set(found["groups"])  # type: ignore[call-overload]
    run(environment, "users", "suspend", "ann")
    assert accounts(environment)["ann"]["suspended"]
    assert "suspended" in run(environment, "users", "list").stdout
    run(environment, "users", "suspend", "ann", "--undo")
    assert not accounts(environment)["ann"]["suspended"]
    run(environment, "users", "add", "half", "--issuer", "https://id.example", code=2)


def test_an_account_of_a_provider_is_called_by_its_login_too(environment: dict[str, str]) -> None:
    run(environment, "users", "add", "bea", "--name", "Bea", "--issuer", "https://id.example", "--subject", "b-1")
    run(environment, "users", "roles", "bea", "admin")
    assert accounts(environment)["bea"]["roles"] == ["admin", "reader"]
    assert run(environment, "users", "password", "bea", code=1, said="een heel lang wachtwoord\n").stdout == ""


def test_a_key_is_shown_once_listed_without_its_secret_and_revoked(environment: dict[str, str]) -> None:
    run(environment, "users", "add", "scanner", "--machine")
    key = (
        run(environment, "keys", "add", "scanner", "--name", "nightly", "--scopes", "ingest, read")
        .stdout.strip()
        .splitlines()[-1]
    )
    listed = run(environment, "keys", "list").stdout
    assert "nightly" in listed
    assert "scanner" in listed
    assert key not in listed
    prefix = next(word for word in listed.split() if key.startswith(word))
    run(environment, "keys", "revoke", prefix)
    assert "revoked" in run(environment, "keys", "list").stdout
    run(environment, "keys", "add", "scanner", "--name", "wrong", "--scopes", "everything", code=2)


def test_whole_answers_are_told_by_kind(capsys: pytest.CaptureFixture[str]) -> None:
    row = {"n": 4, "answered": 3, "whole": 2, "misleading": 1, "right": 2}
    print_whole({**row, "kinds": {"list": row}})
    told = capsys.readouterr()
    assert "list" in told.out + told.err
