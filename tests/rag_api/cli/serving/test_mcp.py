"""Bedside's tools, by a client of the Model Context Protocol that starts them as any does, with the
rights of a key."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent

import rag_api
from rag_api.domain import Document, Scope
from rag_api.main import create_app
from tests.support.http_server import served
from tests.support.people import People, key_of, staffed
from tests.support.world import load

TEXT = "Thuisregels na een operatie. Geef na een operatie elke zes uur paracetamol en noteer de pijnscore. "
QUESTION = "Hoe vaak paracetamol na een operatie?"


@pytest.fixture(scope="module")
def world(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, People, Document]]:
    with staffed(dsn, tmp_path_factory.mktemp("staffed")) as (container, _, people):
        document = load(container, "thuisregels.pdf", TEXT, department="Chirurgie", language="nl")
        container.db.run(
            "update documents set groups = '{surgery}', indexed_groups = '{surgery}' where id = %(id)s",
            {"id": document.id},
        )
        with served(create_app(container.settings, container)) as url:
            yield url, people, document


def client_of(url: str, key: str) -> Client:
    arguments = ["-m", "rag_api.cli.app", "mcp", "--url", url]
    environment = {"BEDSIDE_KEY": key, "PYTHONPATH": str(Path(rag_api.__file__).parents[1])}
    return Client(StdioServerParameters(command=sys.executable, args=arguments, env=environment))


def reading(people: People, who: str) -> str:
    return key_of(people.db, people.ids[who], [Scope.ASK, Scope.READ])


async def said(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert not result.is_error, content.text
    return json.loads(content.text)


async def test_its_tools_find_answer_and_open_what_the_key_may_read(world: tuple[str, People, Document]) -> None:
    url, people, document = world
    async with client_of(url, reading(people, "owner")) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {"search", "ask", "open"}
        found = await said(client, "search", query=QUESTION)
        assert document.id in [one["document_id"] for one in found["passages"]]
        answered = await said(client, "ask", question=QUESTION)
        near = answered["quotes"] or answered["nearest"]
        assert near[0]["title"] == document.metadata.title
        assert near[0]["url"].startswith(f"{url}/d/{document.id}#page=1&quote=")
        again = await said(
            client, "ask", question="en hoe vaak de pijnscore?", conversation_id=answered["conversation_id"]
        )
        assert again["conversation_id"] == answered["conversation_id"]
        opened = await said(client, "open", document_id=document.id)
        assert (opened["text"], opened["replaced_by"], opened["status"]) == (TEXT, None, "indexed")


async def test_they_show_no_more_than_its_key_may_see_and_say_what_is_lacking(
    world: tuple[str, People, Document],
) -> None:
    url, people, document = world
    async with client_of(url, reading(people, "outsider")) as client:
        found = await said(client, "search", query=QUESTION)
        assert document.id not in [one["document_id"] for one in found["passages"]]
        refused = await client.call_tool("open", {"document_id": document.id})
        assert refused.is_error
        assert "no document" in refused.content[0].text.lower()  # type: ignore[union-attr]
    async with client_of(url, "of nobody") as client:
        refused = await client.call_tool("search", {"query": QUESTION})
        assert refused.is_error
        assert "Authorization: Bearer" in refused.content[0].text  # type: ignore[union-attr]
