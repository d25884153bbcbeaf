"""A small SharePoint behind Microsoft Graph's documented protocol, over real HTTP: one site, one
drive, tokens, and any fault on demand.

It keeps a journal of changes: a delta link's token is a place in it. Items are told without their
paths, folders' children are not told when the folder is renamed, content is redirected to addresses
that open by themselves.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from rag_api.ingest.sharepoint.quick_xor import QuickXor

DRIVE, SITE, SECRET = "b!drive", "hospital.example.com,1111,2222", "s3cret~value"
VISITORS = {"roles": ["read"], "grantedToV2": {"siteGroup": {"id": "5", "displayName": "Procedures Visitors"}}}


@dataclass
class Stored:
    """A file or folder. versions: newest first, (id, content, level)."""

    id: str
    name: str
    parent: str = "root"
    versions: list[tuple[str, bytes, str]] = field(default_factory=list)
    permissions: list[dict[str, Any]] | int = field(default_factory=lambda: [VISITORS])  # a number: that status
    checked_out: bool = False
    moderation: int | None = None
    package: bool = False
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def is_folder(self) -> bool:
        return not self.versions and not self.package


@dataclass
class Answer:
    status: int
    body: dict[str, Any] | bytes = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Graph:
    """The running service. Change it through its methods: they keep the journal."""

    url: str = ""
    page_size: int = 3
    items: dict[str, Stored] = field(default_factory=dict)
    journal: list[str] = field(default_factory=list)  # ids of what changed, oldest first
    oldest: int = 0  # a token before this place has expired
    faults: list[tuple[str, Answer]] = field(default_factory=list)  # (pattern of a path, what it is answered once)
    asked: list[str] = field(default_factory=list)
    tokens: int = 0
    headers: list[dict[str, str]] = field(default_factory=list)
    token_answer: Answer | None = None
    permissions: list[dict[str, Any]] = field(default_factory=lambda: [VISITORS])  # of the library itself
    deleted: set[str] = field(default_factory=set)
    wrong_hash: bool = False

    def put(self, id: str, name: str, *contents: bytes, parent: str = "root", **more: Any) -> Stored:
        """contents: oldest first, each a major version."""
        versions = [(f"{number}.0", content, "published") for number, content in enumerate(contents, start=1)]
        self.items[id] = Stored(id, name, parent, versions[::-1], **more)
        self.deleted.discard(id)
        self.touch(id)
        return self.items[id]

    def touch(self, id: str) -> None:
        self.journal.append(id)

    def rename(self, id: str, name: str, parent: str | None = None) -> None:
        self.items[id].name = name
        self.items[id].parent = parent or self.items[id].parent
        self.touch(id)

    def delete(self, id: str) -> None:
        del self.items[id]
        self.deleted.add(id)
        self.touch(id)

    def expire(self) -> None:
        """Whoever comes with an old token starts anew; what was deleted is not told any more."""
        self.oldest = len(self.journal) + 1

    def fail(self, pattern: str, status: int, code: str = "", **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.faults.append((pattern, Answer(status, {"error": {"code": code}}, named)))

    def count(self, pattern: str) -> int:
        return sum(bool(re.search(pattern, path)) for path in self.asked)

    # What it answers

    def answer(self, path: str, query: dict[str, list[str]], headers: dict[str, str]) -> Answer:
        self.asked.append(path)
        self.headers.append(headers)
        for number, (pattern, answer) in enumerate(self.faults):
            if re.search(pattern, path):
                del self.faults[number]
                return answer
        if path.startswith("/raw/"):
            return self._raw(path, headers)
        if headers.get("authorization") != f"Bearer token-{self.tokens}":
            return Answer(401, {"error": {"code": "InvalidAuthenticationToken"}})
        return self._graph(path.removeprefix("/v1.0"), query)

    def _graph(self, path: str, query: dict[str, list[str]]) -> Answer:
        if path == "/sites/hospital.example.com:/sites/procedures":
            return Answer(200, {"id": SITE})
        if path in (f"/sites/{SITE}/drive", "/users/an@hospital.example.com/drive"):
            return Answer(200, {"id": DRIVE})
        if path == f"/sites/{SITE}/drives":
            return Answer(200, {"value": [{"id": "b!other", "name": "Archief"}, {"id": DRIVE, "name": "Documents"}]})
        if path == f"/drives/{DRIVE}/root/delta":
            return self._delta(int(query.get("token", ["0"])[0]), int(query.get("skip", ["0"])[0]))
        if path == f"/drives/{DRIVE}/root/permissions":
            return Answer(200, {"value": self.permissions})
        if found := re.fullmatch(rf"/drives/{re.escape(DRIVE)}/items/([^/]+)(/.*)?", path):
            item = self.items.get(found[1])
            return self._item(item, found[2] or "") if item else Answer(404, {"error": {"code": "itemNotFound"}})
        return Answer(404, {"error": {"code": "itemNotFound"}})

    def _delta(self, token: int, skip: int) -> Answer:
        if token and token < self.oldest:
            start = f"{self.url}/v1.0/drives/{DRIVE}/root/delta?token=0"
            return Answer(410, {"error": {"code": "resyncChangesApplyDifferences"}}, {"Location": start})
        ids = list(dict.fromkeys(self.journal[max(0, token - 1) :][::-1]))[::-1] if token else list(self.items)
        told = [self._root(), *(self._told(id) for id in ids if token or id in self.items)]
        page = told[skip : skip + self.page_size]
        base = f"{self.url}/v1.0/drives/{DRIVE}/root/delta"
        if skip + self.page_size < len(told):
            return Answer(200, {"value": page, "@odata.nextLink": f"{base}?token={token}&skip={skip + self.page_size}"})
        return Answer(200, {"value": page, "@odata.deltaLink": f"{base}?token={len(self.journal) + 1}"})

    def _root(self) -> dict[str, Any]:
        return {"id": "root", "name": "root", "root": {}, "folder": {}}

    def _told(self, id: str) -> dict[str, Any]:
        if id in self.deleted:
            return {"id": id, "deleted": {"state": "deleted"}, "parentReference": {"id": "root"}}
        item = self.items[id]
        kind = {"package": {"type": "oneNote"}} if item.package else {"folder": {}} if item.is_folder else {"file": {}}
        return {"id": id, "name": item.name, "parentReference": {"driveId": DRIVE, "id": item.parent}, **kind}

    def _item(self, item: Stored, rest: str) -> Answer:
        if not rest:
            return Answer(200, self._state(item))
        if rest == "/versions":
            value = [
                {"id": id, "size": len(content), "publication": {"level": level}}
                for id, content, level in item.versions
            ]
            return Answer(200, {"value": value})
        if rest == "/permissions":
            if isinstance(item.permissions, int):
                return Answer(item.permissions, {"error": {"code": "accessDenied"}})
            return Answer(200, {"value": item.permissions})
        if rest == "/content":
            return Answer(
                302, b"", {"Location": f"{self.url}/raw/{item.id}/{item.versions[0][0]}?tempauth=opens-by-itself"}
            )
        if found := re.fullmatch(r"/versions/([\d.]+)/content", rest):
            if found[1] == item.versions[0][0]:
                # of the current version this is not to be had
                return Answer(400, {"error": {"code": "invalidRequest"}})
            return Answer(302, b"", {"Location": f"{self.url}/raw/{item.id}/{found[1]}?tempauth=opens-by-itself"})
        return Answer(404)

    def _state(self, item: Stored) -> dict[str, Any]:
        id, content, _ = item.versions[0]
        digest = QuickXor()
        digest.update(content + (b"x" if self.wrong_hash else b""))
        said: dict[str, Any] = {
            "id": item.id,
            "name": item.name,
            "size": len(content),
            "file": {"hashes": {"quickXorHash": digest.digest()}},
        }
        said["publication"] = {"level": "checkout" if item.checked_out else "published", "versionId": id}
        if item.moderation is not None:
            said["listItem"] = {"fields": {"_ModerationStatus": item.moderation}}
        return said | item.extra

    def _raw(self, path: str, headers: dict[str, str]) -> Answer:
        if "authorization" in headers:
            return Answer(401)  # such an address refuses a token
        _, _, id, version = path.split("/")
        return Answer(200, next(content for number, content, _ in self.items[id].versions if number == version))

    def token(self, form: dict[str, list[str]]) -> Answer:
        if self.token_answer is not None:
            return self.token_answer
        assert form["grant_type"] == ["client_credentials"], form
        assert form["scope"] == [f"{self.url}/.default"], form
        if form["client_secret"] != [SECRET]:
            said = "AADSTS7000215: Invalid client secret provided."
            return Answer(401, {"error": "invalid_client", "error_codes": [7000215], "error_description": said})
        self.tokens += 1
        return Answer(200, {"token_type": "Bearer", "expires_in": 3599, "access_token": f"token-{self.tokens}"})


@contextmanager
def graph_server() -> Iterator[Graph]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            return None

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            with lock:
                answer = graph.answer(unquote(parts.path), parse_qs(parts.query), headers)
            self._send(answer)

        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
            with lock:
                self._send(graph.token(form))

        def _send(self, answer: Answer) -> None:
            body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    lock = threading.Lock()
    graph = Graph(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield graph
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
