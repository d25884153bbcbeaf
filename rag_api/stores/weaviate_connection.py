"""A client of one node of a Weaviate cluster, and of the next when that one falls silent."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

import weaviate
from grpc import RpcError  # type: ignore[import-untyped]
from weaviate.classes.init import AdditionalConfig, Auth, Timeout
from weaviate.exceptions import WeaviateBaseError, WeaviateInvalidInputError

from rag_api.config import Settings
from rag_api.errors import StoreUnavailable

OLDEST = (1, 39)  # before it BM25 was wrong for up to a minute after an insert
ROUNDS = 3  # over the nodes of a cluster; a lone server is asked once
PAUSE = 0.5  # seconds between two rounds: the others notice that a node is gone
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Node:
    url: str
    grpc_port: int


def nodes_of(settings: Settings) -> list[Node]:
    """`weaviate_url` names one node or several, with commas between; `#50061` after one is its own gRPC port."""
    nodes = []
    for given in str(settings.weaviate_url).split(","):
        url, _, port = given.strip().partition("#")
        if url:
            nodes.append(Node(url, int(port) if port.isdigit() else settings.weaviate_grpc_port))
    return nodes


class Connection:
    """`do` runs a call that may be repeated. Raises StoreUnavailable when no node answers, or the server is older than 1.39."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._nodes = settings, nodes_of(settings)
        self.url = ", ".join(node.url for node in self._nodes)
        self._lock = threading.Lock()
        self._at = 0  # the node that is asked
        self._client: weaviate.WeaviateClient | None = None
        try:
            self.do(_check_version)
        except BaseException:
            self.close()
            raise

    def do(self, act: Callable[[weaviate.WeaviateClient], T]) -> T:
        rounds = ROUNDS if len(self._nodes) > 1 else 1
        for attempt in range(rounds * len(self._nodes)):
            if attempt and attempt % len(self._nodes) == 0:
                time.sleep(PAUSE)
            client = None
            try:
                client = self._connected()
                return act(client)
            except WeaviateInvalidInputError as error:  # no other node would take it
                raise StoreUnavailable(f"Weaviate at {self.url} was asked something wrong: {error}") from error
            except (WeaviateBaseError, StoreUnavailable, RpcError, OSError) as error:
                problem = error
                if len(self._nodes) > 1:
                    self._leave(client)
        if isinstance(problem, StoreUnavailable):
            raise problem
        raise StoreUnavailable(f"Weaviate at {self.url} does not answer: {problem}") from problem

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connected(self) -> weaviate.WeaviateClient:
        with self._lock:
            if self._client is None:
                self._client = _connect(self._nodes[self._at], self._settings)
            return self._client

    def _leave(self, client: weaviate.WeaviateClient | None) -> None:
        """The next node from now on; unless another thread has moved on already."""
        with self._lock:
            if client is not self._client:
                return
            self._at = (self._at + 1) % len(self._nodes)
            self._client = None
        if client is not None:
            with contextlib.suppress(WeaviateBaseError, RpcError, OSError):
                client.close()


def _connect(node: Node, settings: Settings) -> weaviate.WeaviateClient:
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
        additional_config=AdditionalConfig(timeout=Timeout(init=10, query=30, insert=120)),
    )


def _check_version(client: weaviate.WeaviateClient) -> None:
    version = str(client.get_meta().get("version", "0"))
    if tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < OLDEST:
        raise StoreUnavailable(
            f"this Weaviate is version {version}; Bedside needs {OLDEST[0]}.{OLDEST[1]} or newer: "
            "older ones rank wrongly for up to a minute after documents are added"
        )
