"""An index of everything and those without, each with a database of its own, running side by
side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rag_api.db.migrate import migrate
from rag_api.embed import Embedder
from rag_api.own_processes.postgres import EmbeddedPostgres
from tests.conftest import new_database
from tests.support import weaviate_dev
from tests.support.leaks.compare import Index, opened, settings_for
from tests.support.leaks.hospital import Hospital, visible_sets
from tests.support.scripted_server import scripted_server


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    server = EmbeddedPostgres(folder)
    try:
        yield server.start()
    finally:
        server.stop()


@contextmanager
def running(
    store: str,
    made: Hospital,
    folder: Path,
    server: str,
    embedder: Embedder,
    sets: Sequence[tuple[str, ...]] = (),
    weaviate: str = "",
) -> Iterator[tuple[Index, dict[tuple[str, ...], Index]]]:
    """An index of everything, and one for each set of groups without what these may not read."""
    with ExitStack() as stack:
        generator = stack.enter_context(scripted_server()).url
        if store == "weaviate" and not weaviate:
            (node,) = weaviate_dev.start(folder / "weaviate")
            stack.callback(node.stop)
            weaviate = f"{node.url}#{node.grpc_port}"

        def index(name: str, groups: tuple[str, ...] | None) -> Index:
            dsn = stack.enter_context(new_database(server))
            migrate(dsn)
            settings = settings_for(store, folder / name / "data", dsn, generator, weaviate)
            documents = made.documents if groups is None else made.readable(groups)
            return stack.enter_context(
                opened(documents, settings, folder / name / "files", embedder, keep_vectors=groups is None)
            )

        yield index("all", None), {groups: index("-".join(groups), groups) for groups in sets or visible_sets()}
