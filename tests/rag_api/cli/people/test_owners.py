"""The owners of documents by command: a table is exported, filled in and imported again."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from rag_api.config import Settings
from rag_api.container import Container
from tests.rag_api.cli.people.test_users import run
from tests.support.world import empty, load


@pytest.fixture
def environment(dsn: str, tmp_path: Path) -> dict[str, str]:
    return {"BEDSIDE_DATABASE_URL": dsn, "BEDSIDE_DATA_DIR": str(tmp_path), "BEDSIDE_STORE": "memory"}


def test_the_table_is_exported_filled_in_and_imported(environment: dict[str, str], dsn: str, tmp_path: Path) -> None:
    run(environment, "users", "add", "ann", "--name", "Ann", said="een heel lang wachtwoord\n")
    with Container(Settings(database_url=dsn, data_dir=tmp_path, store="memory")) as container:
        load(container, "para.pdf", "Paracetamol. ", owner="=Werkgroep Pijn", department="Apotheek")
        listed = run(environment, "owners", "list").stdout
        rows = list(csv.DictReader(io.StringIO(listed)))
        assert [(row["owner"], row["documents"]) for row in rows] == [("'=Werkgroep Pijn", "1"), ("Apotheek", "1")]
        file = tmp_path / "owners.csv"
        file.write_text(listed.replace("Pijn,,,", "Pijn,pijn@hospital.example,ann,"))
        assert "2 owners kept" in run(environment, "owners", "import", str(file)).stderr
        told = json.loads(run(environment, "owners", "list", "--json").stdout.strip().splitlines()[-1])["owners"]
        assert told == [
            {"owner": "Apotheek", "mail": "", "accounts": [], "documents": 1},
            {"owner": "=Werkgroep Pijn", "mail": "pijn@hospital.example", "accounts": ["ann"], "documents": 1},
        ]
        file.write_text("owner,mail,accounts\nApotheek,apotheek@hospital.example,\nNobody,a@b.example,\n")
        wrong = run(environment, "owners", "import", str(file), code=1)
        assert "line 3 (Nobody)" in str(wrong.exception)
        assert "apotheek@hospital.example" in run(environment, "owners", "list").stdout  # the right row is kept
        file.write_text("name\nApotheek\n")
        run(environment, "owners", "import", str(file), code=1)
        empty(container)
