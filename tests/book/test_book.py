"""The book holds: its length, its sentences, its links, its commands; tables and picture are what
commands make of today's files."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from evaluation import tables
from evaluation.retrieval import growth
from tests.book import commands, picture, prose, settings_table

pytestmark = pytest.mark.quick

ROOT = tables.ROOT
PAGES = tables.pages()
LENGTHS = {
    "README.md": 500,
    "architecture.md": 900,
    "ingestion.md": 700,
    "retrieval.md": 700,
    "reading-and-guards.md": 700,
    "generator.md": 700,
    "install.md": 1000,
    "settings.md": 1000,
    "runbook.md": 1000,
    "security.md": 1500,
    "intended-use.md": 500,
    "operations.md": 1400,
    "evaluation.md": 1200,
    "benchmarks.md": 1200,
}
OTHERS = [  # read for their links alone
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *(path for folder in ("rag_api", "services") for path in sorted((ROOT / folder).rglob("*.md"))),
]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors(text: str) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_the_whole_book_has_at_most_twelve_thousand_words() -> None:
    assert sum(prose.words(page.read_text(encoding="utf-8")) for page in PAGES) <= 12_000


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_is_no_longer_than_it_may_be(page: Path) -> None:
    most = 150 if page.parent.name == "decisions" else LENGTHS.get(page.name, 1000)
    assert prose.words(page.read_text(encoding="utf-8")) <= most


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_nine_of_ten_sentences_are_short(page: Path) -> None:
    sentences = prose.sentences(page.read_text(encoding="utf-8"))
    long = [sentence for sentence in sentences if len(sentence.split()) > prose.LONGEST]
    assert len(long) <= len(sentences) / 10, "\n".join(long)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_figures_stand_in_tables_and_not_in_prose(page: Path) -> None:
    assert prose.figures(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`]*`", "", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{target} leads nowhere"
        assert not anchor or anchor in anchors(there.read_text(encoding="utf-8")), f"{target}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    text = prose.written(page.read_text(encoding="utf-8"))
    for path in re.findall(
        r"`((?:rag_api|services|web|tests|evaluation|migrations|nginx|examples|docs)/[\w./-]+)`", text
    ):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_exists_and_is_covered_by_a_test(page: Path) -> None:
    text, known = page.read_text(encoding="utf-8"), commands.covers()
    typed = commands.commands(text)
    assert [command for command in typed if commands.cover_of(command, known) is None] == [], (
        "add a row to tests/book/commands/commands.csv"
    )
    assert [said for command in [*typed, *commands.in_line(text)] if (said := commands.missing(command))] == []


@pytest.mark.parametrize("cover", commands.covers(), ids=lambda cover: cover.command)
def test_a_test_that_covers_a_command_is_there_and_names_it(cover: commands.Cover) -> None:
    assert cover.names in (ROOT / cover.test).read_text(encoding="utf-8")


def test_tables_are_what_the_results_say() -> None:
    assert tables.stale() == [], "run `make book`"


def test_every_result_says_how_it_was_made() -> None:
    with (tables.RESULTS / "made.csv").open(newline="", encoding="utf-8") as file:
        made = {row["file"] for row in csv.DictReader(file)}
    shown = {match["file"] for page in PAGES for match in tables.MARK.finditer(page.read_text(encoding="utf-8"))}
    assert shown <= made
    assert [file for file in made if not (tables.RESULTS / file).exists()] == []


def test_a_changed_result_makes_a_page_stale(tmp_path: Path) -> None:
    (tmp_path / "made.csv").write_text("file,command,date,on\na.csv,make it,2026-01-01,a machine\n", encoding="utf-8")
    (tmp_path / "a.csv").write_text("what,n\nfound,1\n", encoding="utf-8")
    page = tables.written("<!-- table a.csv columns what | n=count -->\n<!-- end -->\n", "../", tmp_path)
    assert "| what | count |\n| --- | --- |\n| found | 1 |\n" in page
    assert tables.written(page, "../", tmp_path) == page
    (tmp_path / "a.csv").write_text("what,n\nfound,2\n", encoding="utf-8")
    assert tables.written(page, "../", tmp_path) != page


def test_the_settings_are_those_that_are_declared() -> None:
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert settings_table.written(text) == text, "run `make book`"


@pytest.mark.longer
def test_the_picture_shows_todays_imports() -> None:
    assert (ROOT / "docs" / "architecture.svg").read_text(encoding="utf-8") == picture.draw(), "run `make book`"


def test_a_line_that_others_imply_is_not_drawn() -> None:
    uses = {"a": frozenset({"b", "c"}), "b": frozenset({"c"}), "c": frozenset[str]()}
    assert picture.needed(uses) == [("a", "b"), ("b", "c")]


def test_the_growth_of_a_search_is_drawn_from_its_figures() -> None:
    drawn = growth.plot(growth.read_figures(tables.RESULTS / "retrieval" / "search.jsonl"))
    assert drawn == (tables.RESULTS / "retrieval" / "search-growth.svg").read_text(encoding="utf-8")


def test_the_changelog_has_twenty_short_lines_a_version() -> None:
    versions = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1:]
    lines = [[line for line in version.splitlines() if line.startswith("- ")] for version in versions]
    assert max(map(len, lines)) <= 20
    assert [line for version in lines for line in version if prose.words(line) > 60] == []


def test_long_sentences_and_figures_are_seen() -> None:
    long = "word " * 26
    assert len(prose.sentences(f"{long}. Short.\n\n| a table 12 |\n\n    code 3\n")) == 2
    assert prose.figures("It takes 12 ms.\n\nPython 3.11 is enough, `7` is code.\n\n1. A step.\n") == [
        "It takes 12 ms."
    ]
