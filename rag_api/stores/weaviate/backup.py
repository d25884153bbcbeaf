"""Backup and restore of the collection by Weaviate's own API. Where backups lie is the server's
matter (a folder, S3 ...)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import weaviate
from weaviate.backup.backup import BackupStatus, BackupStorage
from weaviate.exceptions import WeaviateBaseError

from rag_api.config import Settings
from rag_api.errors import InvalidInput, StoreUnavailable
from rag_api.stores.weaviate.connection import WeaviateConnection
from rag_api.stores.weaviate.terms import bring_up_to_date, open_counts


class Backups:
    """Of the collection that the settings name. Needs no embedder. Raises StoreUnavailable, and
    InvalidInput for what cannot be done."""

    def __init__(self, settings: Settings) -> None:
        if settings.store != "weaviate":
            raise InvalidInput(f"LanceDB's index is a folder: copy {settings.index_dir} while nothing is ingested.")
        self._settings = settings
        self._name, self._backend = settings.collection, BackupStorage(settings.weaviate_backup)
        self._connection = WeaviateConnection(settings)

    def create(self, name: str) -> None:
        """Returns when it is complete; questions are answered meanwhile, and what is ingested
        meanwhile may be missing from it."""
        self._do(
            lambda client: client.backup.create(
                name, self._backend, include_collections=[self._name], wait_for_completion=True
            )
        )

    def restore(self, name: str, replace: bool = False) -> None:
        """The collection as it was. replace: the present one is dropped, once the backup was found
        whole."""
        status = self._do(lambda client: client.backup.get_create_status(name, self._backend)).status
        if status != BackupStatus.SUCCESS:
            raise InvalidInput(f"The backup {name!r} is not whole: {status.value}.")
        if self._do(lambda client: client.collections.exists(self._name)):
            if not replace:
                raise InvalidInput(f"The collection {self._name!r} exists: --replace drops it first.")
            self._do(lambda client: client.collections.delete(self._name))
        self._do(
            lambda client: client.backup.restore(
                name, self._backend, include_collections=[self._name], wait_for_completion=True
            )
        )
        with closing(open_counts(self._settings)) as counts:
            self._do(lambda client: bring_up_to_date(counts, client.collections.get(self._name), anew=True))

    def list(self) -> list[dict[str, str]]:
        found = self._do(lambda client: client.backup.list_backups(self._backend))
        return [
            {"name": str(one.backup_id), "status": one.status.value}
            for one in found
            if self._name in (one.collections or ())
        ]

    def close(self) -> None:
        self._connection.close()

    def _do(self, act: Callable[[weaviate.WeaviateClient], Any]) -> Any:
        def run(client: weaviate.WeaviateClient) -> Any:
            try:
                return act(client)
            except WeaviateBaseError as error:
                if "not found" in str(error).lower() or "404" in str(error):
                    raise InvalidInput(f"There is no such backup: {error.message}") from error
                if "422" in str(error):
                    raise InvalidInput(f"Weaviate refuses: {error.message}") from error
                raise StoreUnavailable(f"the backup failed: {error.message}") from error

        return self._connection.do(run)
