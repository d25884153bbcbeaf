"""A client of one node of a Weaviate cluster, and of the next when that one falls silent."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

import httpx
import weaviate
from grpc import RpcError  # type: ignore[import-untyped]
from weaviate.classes.init import AdditionalConfig, Auth, Timeout
from weaviate.exceptions import WeaviateBaseError, WeaviateInvalidInputError

from rag_api.config import Settings
from rag_api.errors import StoreUnavailable
from rag_api.liveness_timeout import ALIVE, while_alive

OLDEST = (1, 39)  # before it BM25 was wrong for up to a minute after an insert
ROUNDS = 3  # over the nodes of a cluster; a lone server is asked once
GLANCE = 0.5  # seconds; a call that takes longer has its node asked now and then whether it lives
PAUSE = 0.5  # seconds between two rounds: the others notice that a node is gone
LONGEST_LOOK = 3.0  # seconds at another node
EVERY = "valid_until"  # a number that every chunk has, from 0 on
GRPC_PORT = 50051  # where none is given
LONGEST_CALL = 120.0  # seconds, as in connect
T = TypeVar("T")
AWAY = (WeaviateBaseError, RpcError, httpx.HTTPError, OSError)


@dataclass(frozen=True, slots=True)
class Node:
    url: str
    grpc_port: int


def nodes_of(settings: Settings) -> list[Node]:
    """`weaviate_url` names one node or several, with commas between; `#50061` after one is its gRPC
    port."""
    nodes = []
    for given in str(settings.weaviate_url).split(","):
        url, _, port = given.strip().partition("#")
        if url:
            nodes.append(Node(url, int(port) if port.isdigit() else GRPC_PORT))
    return nodes


class WeaviateConnection:
    """`do` runs a call that may be repeated. Raises StoreUnavailable when no node answers, or the
    server is older than 1.39."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._nodes = settings, nodes_of(settings)
        self.url = ", ".join(node.url for node in self._nodes)
        self._lock = threading.Lock()
        self._at = 0  # the node that is asked
        self._client: weaviate.WeaviateClient | None = None
        self._left: list[tuple[float, weaviate.WeaviateClient]] = []  # other threads may be using them still
        try:
            self.do(check_version)
        except BaseException:
            self.close()
            raise

    @property
    def several(self) -> bool:
        """Whether a call may be begun at one node and done again at another."""
        return len(self._nodes) > 1

    def do(self, act: Callable[[weaviate.WeaviateClient], T], most: float = math.inf) -> T:
        """`most`: seconds that one node may take."""
        rounds = ROUNDS if self.several else 1
        for attempt in range(rounds * len(self._nodes)):
            if attempt and attempt % len(self._nodes) == 0:
                time.sleep(PAUSE)
            client = None
            try:
                client = self._connected(choosy=attempt < len(self._nodes))
                return self._watched(act, client, most)
            except WeaviateInvalidInputError as error:  # no other node would take it
                raise StoreUnavailable(f"Weaviate at {self.url} was asked something wrong: {error}") from error
            except (*AWAY, StoreUnavailable, ValueError) as error:  # ValueError: of a closed channel
                problem = error
                if self.several:
                    self._leave(client)
        if isinstance(problem, StoreUnavailable):
            raise problem
        raise StoreUnavailable(f"Weaviate at {self.url} does not answer: {problem}") from problem

    def _watched(self, act: Callable[[weaviate.WeaviateClient], T], client: weaviate.WeaviateClient, most: float) -> T:
        """Raises httpx.HTTPError as soon as the node does not say that it lives: by itself the
        client would wait for half a minute."""
        node = self._nodes[self._at]
        return while_alive(lambda: act(client), lambda: _check_alive(node), GLANCE, most)

    def check_alive(self) -> None:
        """Raises httpx.HTTPError where one of the nodes does not say that it lives."""
        for node in self._nodes:
            _check_alive(node)

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._left.append((0.0, self._client))
            self._client = None
            self._close_left(before=math.inf)

    def _connected(self, choosy: bool) -> weaviate.WeaviateClient:
        """choosy: not to a node that was away and does not hold yet what the others do; where there
        is no better one, to that."""
        with self._lock:
            if self._client is None:
                node = self._nodes[self._at]
                if (
                    choosy
                    and self._settings.weaviate_replication_factor > 1
                    and is_behind(self._nodes, node, self._settings)
                ):
                    raise StoreUnavailable(f"Weaviate at {node.url} does not hold yet what the other nodes do")
                self._client = connect(node, self._settings)
            return self._client

    def _leave(self, client: weaviate.WeaviateClient | None) -> None:
        """The next node from now on; unless another thread has moved on already."""
        with self._lock:
            if client is not self._client:
                return
            self._at = (self._at + 1) % len(self._nodes)
            self._client = None
            self._close_left(before=time.monotonic() - LONGEST_CALL)
            if client is not None:
                self._left.append((time.monotonic(), client))

    def _close_left(self, before: float) -> None:
        closing = [client for left_at, client in self._left if left_at < before]
        self._left = [one for one in self._left if one[0] >= before]
        for client in closing:
            with contextlib.suppress(WeaviateBaseError, RpcError, OSError):
                client.close()


def _check_alive(node: Node) -> None:
    httpx.get(f"{node.url}/v1/.well-known/live", timeout=ALIVE)


def is_behind(nodes: Sequence[Node], node: Node, settings: Settings) -> bool:
    """Whether all others that answer, two at least, count equally many chunks and this one does
    not. A node answers a search from what it holds itself, whatever consistency is asked for, so
    that one that was away would leave out what came in meanwhile."""
    counts = {other: _count(other, settings) for other in nodes}
    others = [count for other, count in counts.items() if other != node and count is not None]
    return len(others) > 1 and len(set(others)) == 1 and counts[node] != others[0]


def _count(node: Node, settings: Settings) -> int | None:
    """Chunks on this node; None when it does not say."""
    key, name = settings.weaviate_api_key, settings.collection[:1].upper() + settings.collection[1:]
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    # With a filter that all chunks pass: a bare count is reconciled over all nodes and would not
    # tell what this one lacks.
    query = {
        "query": f'{{Aggregate{{{name}(where:{{path:["{EVERY}"],operator:GreaterThanEqual,valueInt:0}}){{meta{{count}}}}}}}}'
    }
    try:
        answer = (
            httpx.post(f"{node.url}/v1/graphql", json=query, headers=headers, timeout=LONGEST_LOOK)
            .raise_for_status()
            .json()
        )
        return int(answer["data"]["Aggregate"][name][0]["meta"]["count"])
    except (httpx.HTTPError, ValueError, KeyError, TypeError, IndexError):
        return None


def connect(node: Node, settings: Settings) -> weaviate.WeaviateClient:
    url = urlsplit(node.url)
    secure, host = url.scheme == "https", url.hostname or ""
    key = settings.weaviate_api_key
    return weaviate.connect_to_custom(
        http_host=host,
        http_port=url.port or (443 if secure else 80),
        http_secure=secure,
        grpc_host=host,
        grpc_port=node.grpc_port,
        grpc_secure=secure,
        auth_credentials=Auth.api_key(key.get_secret_value()) if key else None,
        additional_config=AdditionalConfig(timeout=Timeout(init=10, query=30, insert=LONGEST_CALL)),
    )


def check_version(client: weaviate.WeaviateClient) -> None:
    version = str(client.get_meta().get("version", "0"))
    if tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < OLDEST:
        raise StoreUnavailable(
            f"this Weaviate is version {version}; Bedside needs {OLDEST[0]}.{OLDEST[1]} or newer: "
            "older ones rank wrongly for up to a minute after documents are added"
        )
