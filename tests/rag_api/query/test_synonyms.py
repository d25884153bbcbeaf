"""An admin's lists: what they add to a question, what is wrong with them, and what documents
propose."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner, Result

from rag_api import handbook
from rag_api.cli.app import app
from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.documents import PgDocuments
from rag_api.domain import LOCAL_USER, Chunk, Document, DocumentStatus, Filters, Indexed, Metadata, Page
from rag_api.errors import ConfigurationError
from rag_api.query.analysis import analyse
from rag_api.query.synonyms import Expander, Pair, lists_of, propose, put_lists, read_pairs, write_proposals
from rag_api.retrieval.search.retriever import retrieve
from rag_api.stores.memory import MemoryStore

PAIRS = [
    Pair("SIC", "spoed intensive care"),
    Pair("IV", "intraveneus"),
    Pair("Perfusalgan", "paracetamol IV"),
    Pair("IV", "intravenous"),
]


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("Wie beslist op de SIC?", ["spoed intensive care"]),
        ("wie beslist op de sic", ["spoed intensive care"]),
        ("op spoed intensive care", ["SIC"]),
        ("perfusalgan bij kind", ["paracetamol IV"]),
        ("paracetamol iv bij kind", ["Perfusalgan"]),  # the longest run counts: not IV alone
        ("Klas IV", ["intraveneus", "intravenous"]),
        ("SIC of spoed intensive care", []),  # both are said already
        ("musical", []),
        ("", []),
    ],
)
def test_each_row_holds_in_both_directions(question: str, others: list[str]) -> None:
    assert Expander(PAIRS).expand(question) == others


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "abbreviations.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


class TestReading:
    @pytest.mark.parametrize(
        ("rows", "wrong"),
        [
            ("abbreviation\nSIC", "no column expansion"),
            ("abbreviation,expansion,language\nSIC,spoed,nl\n,leeg,nl", r"line 3: abbreviation is empty"),
            ("abbreviation,expansion,language\nSIC,...,nl", r"line 2: expansion is empty"),
            ("abbreviation,expansion,language\nSIC,spoed,fr", r"line 2: language is 'fr'"),
            ("abbreviation,expansion,language\nSIC,sic,nl", r"line 2: .* are the same"),
            ("abbreviation,expansion,language\nde,dat,nl", r"line 2: 'de' is a word that stands in every question"),
            ("abbreviation,expansion,language\nSIC," + "x" * 201 + ",nl", r"line 2: expansion is longer than 200"),
        ],
    )
    def test_what_is_wrong_is_said_with_its_line(self, written: Callable[[str], Path], rows: str, wrong: str) -> None:
        with pytest.raises(ConfigurationError, match=wrong):
            read_pairs(written(rows), "abbreviations")

    def test_a_file_of_another_encoding_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "x.csv").write_bytes("abbreviation,expansion\nK,kaliërend\n".encode("latin-1"))
        with pytest.raises(ConfigurationError, match="cannot be read as CSV"):
            read_pairs(tmp_path / "x.csv", "abbreviations")

    @pytest.mark.parametrize("kind", ["abbreviations", "synonyms"])
    def test_the_handbooks_own_lists_are_right(self, kind: str) -> None:
        assert len(read_pairs(Path(handbook.__file__).parent / f"{kind}.csv", kind)) >= 60


class TestSettings:
    def test_lists_of_the_data_directory_are_read_again_when_they_change(
        self, written: Callable[[str], Path], tmp_path: Path
    ) -> None:
        lists = lists_of(Settings(data_dir=tmp_path))
        assert lists.get().expand("SIC") == []
        path = written("abbreviation,expansion\nSIC,spoed intensive care\n")
        assert lists.get().expand("SIC") == ["spoed intensive care"]
        path.write_text("abbreviation,expansion\nSIC,iets anders\n")
        os.utime(path, ns=(1, 1))
        assert lists.get().expand("SIC") == ["iets anders"]

    def test_a_list_that_becomes_wrong_changes_nothing_and_is_logged(
        self, written: Callable[[str], Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        lists = lists_of(Settings(data_dir=tmp_path))
        path = written("abbreviation,expansion\nSIC,spoed intensive care\n")
        assert lists.get().expand("SIC") == ["spoed intensive care"]
        path.write_text("abbreviation,expansion\nSIC,\n")
        os.utime(path, ns=(1, 1))
        assert lists.get().expand("SIC") == ["spoed intensive care"]
        assert "line 2: expansion is empty" in caplog.text

    def test_a_list_that_is_wrong_from_the_start_is_refused(
        self, written: Callable[[str], Path], tmp_path: Path
    ) -> None:
        written("abbreviation,expansion\nSIC,\n")
        with pytest.raises(ConfigurationError, match="line 2"):
            lists_of(Settings(data_dir=tmp_path)).get()

    def test_a_question_in_the_short_form_finds_what_says_the_long_one(
        self, written: Callable[[str], Path], tmp_path: Path
    ) -> None:
        class Blind:
            name, dim = "blind", 2

            def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
                return np.tile(np.array([1.0, 0.0], np.float32), (len(texts), 1))

            def query(self, text: str) -> NDArray[np.float32]:
                return np.array([1.0, 0.0], np.float32)

        store = MemoryStore(2)
        for name, text in {"a": "verhuis naar de afdeling", "b": "spoed intensive care"}.items():
            one = Chunk(name, name, name, (1,), 0, len(text), text, Metadata(title=name))
            store.replace_document(name, [one], Blind().passages([text]))
        settings = Settings(data_dir=tmp_path, store="memory")

        def first() -> str:
            question = analyse("SIC", lists_of(settings).get())
            return (
                retrieve(question, LOCAL_USER, Filters(), embedder=Blind(), store=store, settings=settings)
                .hits[0]
                .chunk.id
            )

        assert first() == "a"  # a tie
        written("abbreviation,expansion\nSIC,spoed intensive care\n")
        assert first() == "b"


def test_the_demo_brings_its_lists_and_keeps_an_admins_own(tmp_path: Path) -> None:
    (tmp_path / "synonyms.csv").write_text("term,synonym\nroesje,sedatie\n")
    put_lists(Path(handbook.__file__).parent, tmp_path)
    found = lists_of(Settings(data_dir=tmp_path)).get()
    assert "spoed intensive care" in found.expand("SIC")
    assert (found.expand("roesje"), found.expand("dafalgan")) == (["sedatie"], [])


@pytest.fixture
def bedside(data_dir: Path, dsn: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    for name, value in {"DATA_DIR": str(data_dir), "DATABASE_URL": dsn, "STORE": "memory"}.items():
        monkeypatch.setenv(f"BEDSIDE_{name}", value)
    return lambda *words: CliRunner().invoke(app, ["abbreviations", *words])


class TestCommand:
    def test_says_what_the_lists_hold_and_what_is_wrong_with_them(
        self, bedside: Callable[..., Result], data_dir: Path
    ) -> None:
        assert json.loads(bedside("--json").stdout) == {"abbreviations": 0, "synonyms": 0}
        put_lists(Path(handbook.__file__).parent, data_dir)
        assert json.loads(bedside("--json").stdout)["abbreviations"] > 60
        assert bedside("--try", "sic").stdout.splitlines() == ["spoed intensive care", "intensive care"]
        (data_dir / "synonyms.csv").write_text("term,synonym\nroesje,\n")
        wrong = bedside()
        assert (wrong.exit_code, "line 2: synonym is empty" in wrong.stderr) == (1, True)

    def test_proposes_what_the_documents_explain(
        self, bedside: Callable[..., Result], dsn: str, data_dir: Path
    ) -> None:
        text = "Verhuis naar de spoed intensive care (SIC) na een diepe veneuze trombose (DVT)."
        page = Page(1, 595.0, 842.0, 0, 0, text, np.full((len(text), 4), np.nan, np.float32))
        about = Document(
            "d" * 32, "a.pdf", "0" * 64, "application/pdf", DocumentStatus.INDEXED, "", Metadata(title="A"), 1, 1, 9
        )
        database = Database(dsn)
        PgDocuments(database).save_indexed([Indexed(about, [page])])
        database.close()
        (data_dir / "abbreviations.csv").write_text("abbreviation,expansion\nSIC,spoed intensive care\n")
        rows = list(csv.DictReader(bedside("--propose").stdout.splitlines()))
        assert rows == [
            {"abbreviation": "DVT", "expansion": "diepe veneuze trombose", "language": "", "documents": "1"}
        ]


EXPLAINED = [
    ("Verhuis naar de spoed intensive care (SIC).", [("SIC", "spoed intensive care")]),
    ("Verhuis naar de spoed\nintensive   care (SIC).", [("SIC", "spoed intensive care")]),
    ("Bel het MIT (mobiel interventieteam) op.", [("MIT", "mobiel interventieteam")]),
    ("laagmoleculairgewichtheparine (LMWH)", [("LMWH", "laagmoleculairgewichtheparine")]),
    (
        "high flow nasal cannula (HFNC) en de Numeric Rating Scale (NRS)",
        [("HFNC", "high flow nasal cannula"), ("NRS", "Numeric Rating Scale")],
    ),
    ("diepe veneuze trombose (DVT), zie DVT", [("DVT", "diepe veneuze trombose")]),
    ("Geef piperacilline (Tazocin) of paracetamol (zie boven).", []),
    ("De dosis (15 mg/kg) en de duur (3x/d).", []),
    ("Bij koorts (NB) nooit.", []),
    ("SIC (zie de lijst)", []),
    ("(SIC)", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), EXPLAINED, ids=[text[:30] for text, _ in EXPLAINED])
def test_explained_abbreviations_are_proposed(text: str, expected: list[tuple[str, str]]) -> None:
    assert sorted((p.abbreviation, p.expansion) for p in propose([text])) == sorted(expected)


def test_known_ones_are_not_proposed_and_those_of_most_documents_come_first() -> None:
    texts = [
        "spoed intensive care (SIC), diepe veneuze trombose (DVT)",
        "diepe veneuze trombose (DVT)",
        "mobiel interventieteam (MIT)",
    ]
    found = propose(texts, [Pair("sic", "Spoed Intensive Care")])
    assert [(p.abbreviation, p.documents) for p in found] == [("DVT", 2), ("MIT", 1)]


def test_a_proposal_is_a_row_of_the_admins_list(tmp_path: Path) -> None:
    path = tmp_path / "abbreviations.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        write_proposals(file, propose(["spoed intensive care (SIC)"]))
    with open(path, encoding="utf-8") as file:
        assert [row["documents"] for row in csv.DictReader(file)] == ["1"]
    assert read_pairs(path, "abbreviations") == [Pair("SIC", "spoed intensive care")]
