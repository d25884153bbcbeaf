"""Users with random groups ask an index of everything, and one each that never held what they may
not read; whole responses are compared.

    python -m tests.support.leaks --questions 10000

Ids and times apart, a response must be the same to the last byte: sources, scores, counts,
statistics, notices, quoted words, places.
"""

from __future__ import annotations

import json
import math
import random
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

import httpx
import numpy as np
from numpy.typing import NDArray

from rag_api.api.deps import current_user
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.domain import LOCAL_USER, User
from rag_api.embed import Embedder
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.sources import survey
from rag_api.main import create_app
from rag_api.retrieval.precompute import make_all
from rag_api.text.bm25_analyzer import words
from tests.support.http_server import served
from tests.support.leaks.hospital import Hospital, Made, visible_sets, write

# Differ between any two answers to the same question.
PASSING = {"id", "conversation_id", "answer_id", "created_at", "updated_at", "first_at", "last_at"}
# seconds: before the server closes what lies idle, under the next request perhaps
FRESH = httpx.Limits(keepalive_expiry=2)
TIMES = "seconds"  # how the names of those end
FUNCTIONS = (None, None, "nurse", "midwife", "paediatrician")


class WordEmbedder:
    """Texts by their words on random axes; a text's vector does not depend on those beside it.
    Named as the usual one, whose decision and weights are then used."""

    name, dim = "multilingual-e5-small-int8+neutral", 96

    def __init__(self) -> None:
        self._axes: dict[str, NDArray[np.float64]] = {}

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.query(text) for text in texts]) if texts else np.empty((0, self.dim), np.float32)

    def query(self, text: str) -> NDArray[np.float32]:
        vector = np.full(self.dim, 0.4)
        for word in words(text):
            if word not in self._axes:
                self._axes[word] = np.random.default_rng(crc32(word.encode())).normal(size=self.dim)
            vector += self._axes[word]
        unit: NDArray[np.float32] = (vector / np.linalg.norm(vector)).astype(np.float32)
        return unit


@dataclass
class Index:
    """A running Bedside over some documents, and who asks it next."""

    client: httpx.Client
    asker: list[User]
    last: str = ""  # the id of the last answer

    def get(self, user: User, path: str) -> Any:
        self.asker[0] = user
        response = self.client.get(path)
        kind = response.headers.get("content-type", "")
        return [response.status_code, _stable(response.json()) if "json" in kind else response.content.hex()]

    def send(self, user: User, method: str, path: str, body: dict[str, Any]) -> Any:
        """An answer's id is that of the last one given here."""
        self.asker[0] = user
        response = self.client.request(method, path.format(answer=self.last), json=body)
        found = response.json() if "json" in response.headers.get("content-type", "") else {}
        self.last = found.get("id", "") if path == "/ask" else self.last
        return [response.status_code, _stable(found)]

    def ask(self, user: User, body: dict[str, Any], stream: bool) -> Any:
        self.asker[0] = user
        response = self.client.post(
            "/ask", json=body, headers={"accept": "text/event-stream" if stream else "application/json"}
        )
        if not stream or response.status_code != 200:
            return [response.status_code, _stable(response.json())]
        lines = [line for line in response.text.splitlines() if line and not line.startswith(":")]
        return [
            response.status_code,
            [_stable(json.loads(line[6:])) if line.startswith("data: ") else line for line in lines],
        ]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with all that comes with it."""

    user: User
    body: dict[str, Any]
    stream: bool
    also: str = ""  # a path that is read beside it


@dataclass
class Tally:
    asked: Counter[str] = field(default_factory=Counter)
    status: Counter[str] = field(default_factory=Counter)
    users: set[str] = field(default_factory=set)
    differing: list[dict[str, Any]] = field(default_factory=list)
    # Notices and cautions, by code: that what could tell is there.
    warned: Counter[str] = field(default_factory=Counter)

    @property
    def questions(self) -> int:
        return self.asked["json"] + self.asked["stream"]


@contextmanager
def opened(
    documents: Sequence[Made], settings: Settings, folder: Path, embedder: Embedder, keep_vectors: bool = False
) -> Iterator[Index]:
    """settings: with a database, a store and a generator of its own. keep_vectors: as a service
    that has been running has them."""
    write(documents, folder)
    with ExitStack() as stack:
        container = stack.enter_context(Container(settings))
        container.use(embedder=embedder)
        repo = PgDocuments(container.db, LOCAL_USER)
        ingest(
            survey([folder]),
            settings=settings,
            documents_repo=repo,
            store=container.store,
            embedder=embedder,
            readers=1,
        )
        if keep_vectors:
            make_all(container, lambda: True, lambda kept: None)
        asker = [LOCAL_USER]
        app = create_app(settings, container)
        app.dependency_overrides[current_user] = lambda: asker[0]
        url = stack.enter_context(served(app))
        client = httpx.Client(base_url=url, timeout=120, limits=FRESH)
        yield Index(stack.enter_context(client), asker)


def drawn(hospital: Hospital, count: int, seed: int, sets: Sequence[tuple[str, ...]] = ()) -> Iterator[Asked]:
    dice = random.Random(seed)
    sets = sets or visible_sets()
    for number in range(count):
        groups = dice.choice(sets)
        user = User(
            f"user-{number % 997}-{'-'.join(groups)}", "Somebody", groups, function=dice.choice(FUNCTIONS) or ""
        )
        readable = hospital.readable(groups)
        also = (
            f"/documents?search={dice.choice(['', 'toedienen', 'ander', 'kopie'])}&limit={dice.choice([5, 50])}"
            if number % 5 == 0
            else ""
        )
        if number % 11 == 0:
            also = "/facets"
        if number % 7 == 0:
            also = f"/search?search={dice.choice(['toedienen', 'ander', 'kopie', 'pijn'])}"
        mode = dice.choice(["sources", "sources", "verbatim"])
        body = {"question": _question(dice, hospital, readable), "mode": mode, "filters": _filters(dice)}
        yield Asked(user, body, dice.random() < 0.3, also)


def compare(
    everything: Index,
    without: dict[tuple[str, ...], Index],
    asked: Iterator[Asked],
    tally: Tally,
    until: float = math.inf,
) -> None:
    """until: time.monotonic() at which no more is asked."""
    for one in asked:
        if time.monotonic() > until:
            return
        clean = without[one.user.groups]
        responses = [index.ask(one.user, one.body, one.stream) for index in (everything, clean)]
        tally.users.add(one.user.id)
        tally.asked["stream" if one.stream else "json"] += 1
        _note(tally, responses[0], one.stream)
        check(tally, one, "/ask", responses)
        if one.also:
            tally.asked[one.also.split("?")[0]] += 1
            check(tally, one, one.also, [index.get(one.user, one.also) for index in (everything, clean)])
        for source in _sources(responses[0], one.stream)[:1] if tally.questions % 7 == 0 else ():
            for path in (f"/documents/{source}", f"/documents/{source}/file"):
                tally.asked[path.replace(source, "ID")] += 1
                check(tally, one, path, [index.get(one.user, path) for index in (everything, clean)])


def check(tally: Tally, one: Asked, path: str, responses: Sequence[Any]) -> None:
    """Count it as differing, and where, unless the responses are the same."""
    if json.dumps(responses[0], sort_keys=True) != json.dumps(responses[1], sort_keys=True):
        said = {"path": path, "groups": one.user.groups, "body": one.body, "stream": one.stream}
        tally.differing.append(said | {"where": list(differences(responses[0], responses[1]))[:12]})


def differences(one: Any, other: Any, at: str = "") -> Iterator[str]:
    """Where two JSON values differ, and how."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from differences(one.get(key), other.get(key), f"{at}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{at}[{number}]")
    elif one != other:
        yield f"{at}: {str(one)[:120]} | {str(other)[:120]}"


def _note(tally: Tally, response: Any, stream: bool) -> None:
    status, content = response
    answer = (
        content
        if not stream or status != 200
        else next((c["answer"] for c in content if isinstance(c, dict) and "answer" in c), {})
    )
    tally.status[str(answer.get("status", status))] += 1
    tally.warned.update(notice["code"] for notice in answer.get("notices", ()))
    tally.warned.update(notice["code"] for source in answer.get("sources", ()) for notice in source["cautions"])


def _sources(response: Any, stream: bool) -> list[str]:
    content = response[1]
    if stream or not isinstance(content, dict):
        return []
    return [source["document_id"] for source in content.get("sources", ())]


def _stable(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            k: _stable(v) for k, v in value.items() if not (k in PASSING and _is_id(k, value)) and not k.endswith(TIMES)
        }
    return [_stable(one) for one in value] if isinstance(value, list) else value


def _is_id(key: str, holder: dict[str, Any]) -> bool:
    """A document's id follows from its content, and is the same in both."""
    return key != "id" or "source" not in holder


def _question(dice: random.Random, hospital: Hospital, readable: Sequence[Made]) -> str:
    """Of a document that may be read or of any, a word of any other among them."""
    about = dice.choice(readable if dice.random() < 0.6 and readable else hospital.documents)
    kind = dice.random()
    rare = dice.choice(hospital.documents).said.get("rare", "") or dice.choice(hospital.words)
    if kind < 0.3:
        patient = dice.choice(["", " bij een kind van 12 kg", " bij een volwassene"])
        return f"Hoeveel mg/kg geef ik bij {about.title.lower()}{patient}?"
    if kind < 0.5:
        return f"Wat zegt {about.title.lower()} over {rare}?"
    if kind < 0.65:
        return " ".join(dice.choice(about.text).split()[: dice.randint(3, 12)])
    return " ".join([*dice.sample(hospital.words, dice.randint(1, 7)), *([rare] if dice.random() < 0.5 else [])])


def _filters(dice: random.Random) -> dict[str, Any]:
    kind = dice.random()
    if kind < 0.7:
        return {}
    if kind < 0.8:
        return {"include_expired": True}
    if kind < 0.9:
        return {"departments": [dice.choice(["Apotheek", "Heelkunde"])]}
    return {"target_groups": [dice.choice(["child", "adult"])]}


def settings_for(store: str, folder: Path, dsn: str, generator: str, weaviate: str = "") -> Settings:
    more = {"weaviate_url": weaviate, "weaviate_collection": f"Leaks{uuid.uuid4().hex}"} if store == "weaviate" else {}
    own = {"data_dir": folder, "database_url": dsn, "store": store, "generator_url": generator}
    # A low threshold: made words mean little, and what is quoted should be compared too.
    free = {"audit": "off", "questions_per_minute": 0, "requests_per_minute": 0, "not_found_threshold": 0.02}
    return Settings.model_validate({**own, **more, **free})
