"""Lines of docs/api.md for curl, `openai`, Python and a client of the Model Context Protocol, each
run as it stands there: on a real service, with a real key."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent
from openai import OpenAI

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import Scope
from rag_api.main import create_app
from tests.support.http_server import served
from tests.support.people import hired, key_of
from tests.support.scripted_server import Scripted, quote
from tests.support.world import load_hospital

ROOT = Path(__file__).resolve().parents[3]
BLOCKS = re.findall(r"(?:^ {4}.*\n|^\n(?= {4}))+", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
QUESTION = "Hoeveel paracetamol mag een kind van 12 kg?"
QUOTED = "Geef kinderen van 10 tot 50 kg 15 mg/kg paracetamol per gift."


@pytest.fixture(scope="module")
def given(dsn: str, scripted: Scripted, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What the lines leave to their reader."""
    place = tmp_path_factory.mktemp("data")
    scripted.script, scripted.status = quote, 200
    settings = Settings(
        data_dir=place, database_url=dsn, store="memory", generator_url=scripted.url, sign_in="local", web_dir=place
    )
    with Container(settings) as container, served(create_app(settings, container)) as url:
        load_hospital(container)
        people = hired(container.db)
        key = key_of(people.db, people.ids["colleague"], [Scope.ASK, Scope.READ])
        yield {"URL": url, "KEY": key, "QUESTION": QUESTION}


@pytest.fixture(scope="module")
def environment(given: dict[str, str]) -> dict[str, str]:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return given | {"PATH": programs, "PYTHONPATH": str(ROOT)}


def lines_with(words: str) -> str:
    """The one block of code that holds the words."""
    (block,) = [block for block in BLOCKS if words in block]
    return re.sub(r"^ {4}", "", block, flags=re.MULTILINE).strip()


def test_curls_line(environment: dict[str, str]) -> None:
    ran = subprocess.run(lines_with("curl"), shell=True, env=environment, capture_output=True, text=True, check=True)
    answer = json.loads(ran.stdout)
    assert answer["status"] == "answered"
    assert QUOTED in answer["spans"][0]["text"]


def test_the_lines_of_openais_client(given: dict[str, str]) -> None:
    names: dict[str, Any] = dict(given)
    exec(lines_with("from openai"), names)
    with names["client"] as client:
        assert isinstance(client, OpenAI)
        assert QUOTED in names["message"].content
        assert names["message"].annotations[0].url_citation.url.startswith(f"{given['URL']}/d/")


def test_the_lines_of_the_python_client(given: dict[str, str]) -> None:
    names: dict[str, Any] = dict(given)
    exec(lines_with("bedside.client"), names)
    with names["client"]:
        assert QUOTED in names["answer"].spans[0].text


async def test_the_line_that_a_client_of_the_model_context_protocol_starts(environment: dict[str, str]) -> None:
    started = StdioServerParameters(command="sh", args=["-c", lines_with("bedside mcp")], env=environment)
    async with Client(started) as client:
        (content,) = (await client.call_tool("ask", {"question": QUESTION})).content
    assert isinstance(content, TextContent)
    assert QUOTED in json.loads(content.text)["quotes"][0]["text"]
