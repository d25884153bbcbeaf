"""`doctor`: an installation looked at, part by part; each finding says what to do. Changes
nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.errors import BedsideError
from rag_api.upkeep import component_checks as parts
from rag_api.upkeep import machine
from rag_api.upkeep.finding import Finding, fail

log = logging.getLogger(__name__)

Findings = Finding | list[Finding] | None
TODO = {  # by an error's code, for what a look meets
    "database_unavailable": "Start PostgreSQL, or set BEDSIDE_DATABASE_URL right.",
    "store_unavailable": "Start the vector store, or set BEDSIDE_WEAVIATE_URL right.",
    "embedder_unavailable": "Start the embedder, or set BEDSIDE_EMBEDDER_URL right.",
    "reading_unavailable": "Start the service `reading`.",
    "embedder_mismatch": "Set BEDSIDE_EMBEDDER back to what made the index.",
    "generator_unavailable": "Start the generator with its adapters (BEDSIDE_GENERATOR_ADAPTERS), or leave "
    "BEDSIDE_READER out.",
    "configuration": "Set it right, as the sentence says.",
}


def examine(settings: Settings, container: Container, *, thorough: bool = False) -> Iterator[Finding]:
    """Yield what each look found, one that fails included. thorough: the content of every file is
    read, every passage looked for."""
    looks: list[tuple[str, Callable[[], Findings]]] = [
        ("secrets", lambda: machine.secrets(settings)),
        ("way in", lambda: machine.way_in(settings)),
        ("certificate", lambda: machine.certificate(settings)),
        ("data directory", lambda: machine.data_dir(settings)),
        ("disk", lambda: machine.disk(settings)),
        ("restoration", lambda: machine.restoration(container.unfinished_restore)),
        ("database", lambda: parts.database(container)),
        ("clock", lambda: parts.clock(container)),
        ("memberships", lambda: parts.memberships(container)),
        ("owners", lambda: parts.owners(container)),
        ("mail", lambda: parts.mail(container)),
        ("embedder", lambda: parts.embedder(container)),
        ("index", lambda: parts.index(container)),
        ("found by meaning", lambda: parts.found_by_meaning(container, thorough=thorough)),
        ("files", lambda: parts.files(container, thorough=thorough)),
        ("generator", lambda: parts.generator(container)),
        ("drugs", lambda: parts.drugs(container)),
        ("agreeing reader", lambda: parts.agreeing(container)),
        ("decision", lambda: parts.decision(container)),
        ("unsaved answers", lambda: parts.unsaved(container)),
        ("readers", machine.readers),
        ("LibreOffice", machine.libre_office),
        ("tesseract", machine.tesseract),
        ("backup", lambda: machine.backup_age(settings)),
        ("downtime pack", lambda: machine.pack_check(settings)),
    ]
    for name, look in looks:
        found = _looked(name, look)
        yield from found if isinstance(found, list) else [found] if found else []


def _looked(name: str, look: Callable[[], Findings]) -> Findings:
    """A look that cannot be taken is a finding; the others go on."""
    try:
        return look()
    except BedsideError as error:
        todo = TODO.get(error.code, "Look at the log of that part.")
        return fail(name, error.message.removesuffix(todo).rstrip(), todo)  # said once where the error says it too
    except Exception as error:  # whatever is wrong with an installation, the rest of it is still looked at
        log.debug("the look at %s failed", name, exc_info=True)
        return fail(
            name,
            f"could not be looked at: {type(error).__name__}: {error}",
            "Report this: it is a fault of `bedside doctor`.",
        )
