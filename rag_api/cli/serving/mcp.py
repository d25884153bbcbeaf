"""`bedside mcp`: Bedside as tools for a client of the Model Context Protocol, which starts this and
speaks to it by standard input.

It asks a running Bedside over HTTP, so it sees what its key sees, and each use is in the audit
trail.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.cli.console import say

if TYPE_CHECKING:
    import httpx
    from mcp.server.mcpserver import MCPServer

INSTRUCTIONS = (
    "Answers come from the hospital's own procedures, word for word, with the place of each quote. Show notices, and "
    "which document and "
    "page a quote is from. Where there is no answer, say so: do not fill it in."
)
PATIENCE = 300.0  # seconds: a written answer of a slow model


def mcp(
    url: Annotated[str, typer.Option(help="Where Bedside is.")] = "http://127.0.0.1:8000",
    key: Annotated[
        str, typer.Option(envvar="BEDSIDE_KEY", help="With the scopes ask and read; none where nobody signs in.")
    ] = "",
) -> None:
    """Serve the tools search, ask and open to a client of the Model Context Protocol, with the
    rights of a key (`bedside keys add`)."""
    try:
        import mcp.server.mcpserver  # noqa: F401
    except ModuleNotFoundError:
        say("bedside: the package `mcp` is not installed: pip install 'bedside[mcp]'")
        raise typer.Exit(2) from None
    import httpx

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with httpx.Client(base_url=f"{url.rstrip('/')}/api", headers=headers, timeout=PATIENCE) as client:
        server_of(client, url.rstrip("/")).run()


def server_of(client: httpx.Client, page: str) -> MCPServer[Any]:
    """The tools. `client` asks the API; `page`: where its people open the page."""
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    from rag_api.api.routes.asking.chat import place_url

    def sent(method: str, path: str, **more: Any) -> dict[str, Any]:
        import httpx

        try:
            response = client.request(method, path, **more)
            body: dict[str, Any] = response.json()
        except (httpx.HTTPError, json.JSONDecodeError) as error:
            raise ToolError(f"Bedside does not answer at {page}: is it running, and is that its address?") from error
        if not response.is_success:
            raise ToolError(str(body.get("detail", "Bedside refused this.")))
        return body

    def passage(source: dict[str, Any], text: str, number: int) -> dict[str, Any]:
        fields = {
            name: source[name]
            for name in ("title", "document_id", "version", "valid_from", "valid_until", "department", "owner")
        }
        cautions = [one["text"] for one in source["cautions"]]
        link = page + place_url(source["document_id"], number, text)
        return {"text": text, "page": number, "url": link, "cautions": cautions} | {
            name: value for name, value in fields.items() if value
        }

    server: MCPServer[Any] = MCPServer("bedside", instructions=INSTRUCTIONS)

    @server.tool()
    def search(query: str) -> dict[str, Any]:
        """Find the passages of the hospital's procedures that are nearest to a question in Dutch or
        English. Nothing is written."""
        found = sent("POST", "/ask", json={"question": query, "mode": "sources"})
        notices = [one["text"] for one in found["notices"]]
        return {"notices": notices, "passages": [passage(one, one["text"], one["page"]) for one in found["sources"]]}

    @server.tool()
    def ask(question: str, conversation_id: str = "") -> dict[str, Any]:
        """Ask a question in Dutch or English; `conversation_id` of an earlier answer makes it a
        follow-up. `answer` is empty where no document holds one."""
        asked = {"question": question} | ({"conversation_id": conversation_id} if conversation_id else {})
        found = sent("POST", "/ask", json=asked)
        by_rank = {source["rank"]: source for source in found["sources"]}
        return {
            "status": found["status"],
            "notices": [one["text"] for one in found["notices"]],
            "answer": found["answer"],
            "quotes": [passage(by_rank[span["rank"]], span["text"], span["page"]) for span in found["spans"]],
            "nearest": []
            if found["spans"]
            else [passage(one, one["text"], one["page"]) for one in found["sources"][:3]],
            "conversation_id": found["conversation_id"],
        }

    @server.tool(name="open")
    def open_page(document_id: str, page_number: int = 1) -> dict[str, Any]:
        """Read a page of a document that `search` or `ask` named; what could not be read with
        certainty is ▒."""
        found = sent("GET", f"/documents/{document_id}/place", params={"page": page_number})
        source = found["source"]
        newer = found["newer"] and {"title": found["newer"]["title"], "document_id": found["newer"]["id"]}
        shown = passage(source, found["page_text"], source["page"]) | {
            "url": page + place_url(document_id, source["page"])
        }
        return {"status": found["status"], "replaced_by": newer, **shown}

    return server
