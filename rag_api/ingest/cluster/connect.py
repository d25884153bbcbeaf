"""A Ray cluster: joined for one ingestion and left in any case. Nothing is reported to anybody
outside."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rag_api.config import Settings
from rag_api.errors import ConfigurationError

# Before Ray is imported: it reports nothing, and installs nothing on its machines.
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DATA_DISABLE_PROGRESS_BARS": "1", "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}


def check_settings(settings: Settings) -> None:
    """Raises ConfigurationError where several machines cannot write into what is configured.

    LanceDB is refused rather than given one writer: its index is a folder of the machine that
    answers, written safely only where a rename is atomic, which folders of a network do not
    promise; and with one writer on one machine the others would only wait for it."""
    if settings.store != "weaviate":
        raise ConfigurationError(
            f"--ray needs a store that several machines can write into, and BEDSIDE_STORE={settings.store} is one "
            f"machine's. Set "
            "BEDSIDE_STORE=weaviate; `bedside index copy --to weaviate` takes along what is indexed. Without --ray it "
            "works as before."
        )
    if settings.database_url is None:
        raise ConfigurationError(
            "--ray needs BEDSIDE_DATABASE_URL: the embedded PostgreSQL is reached from this machine only"
        )


@contextmanager
def joined(address: str, **options: Any) -> Iterator[Any]:
    """Ray's module, connected. `auto`: the cluster that this machine is part of. Raises
    ConfigurationError."""
    os.environ.update(QUIET)
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ConfigurationError(f"--ray needs the extra `ray`: pip install 'bedside[ray]' ({error})") from None
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False, **options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise ConfigurationError(f"there is no Ray cluster at {address}: {error!s:.300}") from error
    try:
        _hush(ray)
        yield ray
    finally:
        ray.shutdown()


def _hush(ray: Any) -> None:
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = context.print_on_execution_start = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
