"""`make`: a downtime pack of what some groups may read, in a new folder. Its steps in order.

On a ward's PC nobody signs in: whoever opens the pack reads all of it. So it holds the documents of
the groups that are named, and of the database nothing but those documents: no accounts, questions,
answers, feedback or trail.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from psycopg import sql

from rag_api.config import PackDates, Settings
from rag_api.container import Container
from rag_api.db import copies as database
from rag_api.db.copies import CopiedRows
from rag_api.db.documents import PgDocuments
from rag_api.domain import EVERYONE, Chunk, Document, DocumentStatus
from rag_api.embed import Embedder, close, open_embedder
from rag_api.errors import InvalidInput
from rag_api.guard.drug_list import FILE as DRUGS
from rag_api.ingest.common.chunk import embedding_text
from rag_api.ingest.pipeline.embedding import BATCH
from rag_api.ingest.sources.sources import KeptFiles
from rag_api.query.synonyms import paths_of
from rag_api.retrieval.decision.calibration import FILE as CALIBRATION
from rag_api.stores import Store
from rag_api.stores.lance import LanceStore
from rag_api.upkeep.backup import finishing
from rag_api.upkeep.manifest import IndexCopy
from rag_api.upkeep.pack import carried_model, runtime
from rag_api.upkeep.pack import manifest as signed
from services.contract.wire import QUOTES

READ_ME = "README.txt"
TOGETHER = 64  # documents that are written to the index at once
# Settings that answers follow from.
CARRIED = (
    "passages", "sources", "function_boost", "department_boost", "risk", "fusion", "personal_data", "max_tokens",
)  # fmt: skip
OF_THE_EMBEDDER = ("alpha", "not_found_threshold")  # they hold for the embedder that they were chosen for
OF_THE_READER = ("reader", "generator_model")
Say = Callable[[str], object]
Tell = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class PackOrder:
    """What is to be in a pack. page: the built page. days: that it answers. carry_runtime: with its
    own Python. without_reader: although a model must agree here."""

    page: Path
    groups: tuple[str, ...]
    days: int
    carry_runtime: bool = True
    without_reader: bool = False

    def reads(self, settings: Settings) -> bool:
        return bool(settings.reader) and not self.without_reader


def make(
    container: Container, folder: Path, order: PackOrder, key: Ed25519PrivateKey, say: Say, tell: Tell
) -> signed.PackManifest:
    """Raises InvalidInput when the folder cannot be used or nothing would be in the pack,
    Unavailable when a part does not answer."""
    settings = container.settings
    _refuse(container, folder)
    with finishing("pack", folder), PgDocuments(container.db).lock():
        documents = packed_documents(container, order.groups)
        say(f"{len(documents)} documents that the groups {', '.join(order.groups)} may read.")
        _tell_size(container, documents, order, say)
        (folder / signed.DATABASE).mkdir(parents=True, mode=0o755)
        copied = database.copy_out(container.dsn(), folder / signed.DATABASE, rows_of(documents))
        _copy_files(documents, settings, folder / signed.DATA)
        index = _copy_index(container, documents, folder / signed.DATA / "index", tell)
        shutil.copytree(order.page, folder / signed.PAGE)
    reads = order.reads(settings)
    with finishing("pack", folder):
        if order.carry_runtime:
            say("Python and the packages that it runs by.")
            runtime.copy_runtime(folder / runtime.FOLDER, reads)
            (folder / runtime.START).write_text(runtime.start_script(), encoding="utf-8")
            (folder / runtime.START).chmod(0o755)
        if reads:
            say("The model that reads.")
            carried_model.carry(settings, folder, order.carry_runtime)
        elif not settings.reader:
            say("No model reads in it, as none reads here (BEDSIDE_READER).")
    say("Checksums.")
    now = datetime.now(UTC).replace(microsecond=0)
    unread = bool(settings.reader) and not reads
    dates = PackDates(made_at=now, valid_until=now + timedelta(days=order.days), without_reader=unread)
    (folder / READ_ME).write_text(read_me(dates, order), encoding="utf-8")
    (folder / signed.PUBLIC_KEY).write_bytes(signed.public_pem(key.public_key()))
    made = signed.PackManifest(
        signed.FORMAT,
        version("bedside"),
        runtime.machine() if order.carry_runtime else "",
        runtime.needs(),
        dates,
        order.groups,
        carried_settings(container, index.embedder == container.embedder.name, reads),
        copied,
        index,
        tuple(signed.listed(folder)),
    )
    signed.write_signed(folder, made, key)
    return made


def packed_documents(container: Container, groups: Sequence[str]) -> list[Document]:
    """What is in force and some of these groups may read; also what could not be read, of which a
    question may have to be told."""
    wanted = (DocumentStatus.INDEXED, DocumentStatus.FAILED)
    found = [
        one
        for one in PgDocuments(container.db).current().values()
        if one.status in wanted and set(one.groups) & set(groups)
    ]
    if not any(one.status == DocumentStatus.INDEXED for one in found):
        raise InvalidInput(
            f"No document may be read by {', '.join(groups)}: name groups that documents have, with --groups."
        )
    return found


def rows_of(documents: Sequence[Document]) -> dict[str, CopiedRows]:
    """Of the database, what is said of these documents, for everyone who opens the pack. Nobody's
    name is in it but the documents' own."""
    ids, sources = sql.Literal([one.id for one in documents]), sql.Literal([one.source for one in documents])
    everyone, nobody = sql.Literal(list(EVERYONE)), sql.Literal("")
    own = sql.SQL("document_id = any({})").format(ids)
    hidden = {"groups": everyone, "indexed_groups": everyone, "user_id": nobody}
    tables = {name: CopiedRows(own) for name in (
        "pages", "structures", "uncertain_places", "document_titles", "sentence_vectors", "sentences_kept")}  # fmt: skip
    return tables | {
        "documents": CopiedRows(sql.SQL("id = any({})").format(ids), hidden),
        "former_names": CopiedRows(sql.SQL("source = any({})").format(sources)),
    }


def carried_settings(container: Container, same_embedder: bool, reads: bool) -> dict[str, Any]:
    settings = container.settings
    names = (*CARRIED, *(OF_THE_EMBEDDER if same_embedder else ()), *(OF_THE_READER if reads else ()))
    carried = settings.model_dump(mode="json", include=set(names)) | {"risk": container.risk, "embedder": "e5-small"}
    return {"generator_model": QUOTES} | carried


def read_me(dates: PackDates, order: PackOrder) -> str:
    made, until = (f"{one.astimezone():%Y-%m-%d %H:%M}" for one in (dates.made_at, dates.valid_until))
    start = (
        (f"Start: ./{runtime.START}  ({runtime.needs()})", f"Begin: ./{runtime.START}  ({runtime.needs()})")
        if order.carry_runtime
        else ("Python zit er niet bij: bedside pack MAP --open", "Python is not in it: bedside pack FOLDER --open")
    )
    return (
        f"Bedside: noodpakket van {made}, geldig tot {until}.\n{start[0]}\n"
        "Windows: gaat niet rechtstreeks, want er is geen draagbare Python en PostgreSQL bij; onder WSL wel.\n"
        "Wie deze map opent, leest alles wat erin staat.\n\n"
        f"Bedside: downtime pack of {made}, valid until {until}.\n{start[1]}\n"
        "Windows: not by itself, for it carries no portable Python and PostgreSQL for it; under WSL it runs.\n"
        "Whoever opens this folder reads all that is in it.\n"
    )


def _refuse(container: Container, folder: Path) -> None:
    """Before anything is made."""
    if folder.resolve().is_relative_to(container.settings.data_dir.resolve()):
        raise InvalidInput(f"{folder} lies in the data directory: name a folder elsewhere.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"{folder} is not empty: name a new folder for each pack, for example {folder}/$(date +%F).")


def _tell_size(container: Container, documents: Sequence[Document], order: PackOrder, say: Say) -> None:
    """Before it is written, and so that it is known what leaving something out would save. Raises
    InvalidInput for a model that cannot be carried."""
    settings = container.settings
    reads = order.reads(settings)
    model = carried_model.size(settings) if reads else 0
    programs = runtime.size(reads) if order.carry_runtime else 0
    files = sum(path.stat().st_size for one in documents for path in _files_of(one, settings))
    said = f"It takes at least {_mb(files + programs + model)} MB: documents {_mb(files)}, programs {_mb(programs)}"
    say(f"{said}, the model that reads {_mb(model)} (--without-reader leaves it out)." if reads else f"{said}.")


def _mb(count: int) -> int:
    return round(count / 2**20)


def _files_of(document: Document, settings: Settings) -> set[Path]:
    kept = KeptFiles(settings.data_dir)
    found = {kept.path(document.sha256, Path(document.source).suffix), kept.shown(document)}
    return {path for path in found if path is not None and path.is_file()}


def _copy_files(documents: Sequence[Document], settings: Settings, target: Path) -> None:
    data_dir = settings.data_dir
    files = target / "files"
    files.mkdir(parents=True)
    for document in documents:
        for path in _files_of(document, settings):
            shutil.copyfile(path, files / path.name)
    for path in (*paths_of(settings).values(), data_dir / DRUGS, data_dir / CALIBRATION):
        if path.is_file():
            shutil.copyfile(path, target / path.name)


def _copy_index(container: Container, documents: Sequence[Document], target: Path, tell: Tell) -> IndexCopy:
    """As the embedder without a service has it; what another one made is embedded anew."""
    source, embedder = container.store, open_embedder(_own_embedder(container.settings))
    try:
        anew = embedder if embedder.name != container.embedder.name else None
        with closing(LanceStore(target, embedder.name, embedder.dim)) as store:
            chunks = _copy_chunks(
                source, store, [one.id for one in documents if one.status == DocumentStatus.INDEXED], anew, tell
            )
            store.tidy()
            store.forget_older_versions()
        return IndexCopy("lance", embedder.name, embedder.dim, len(documents), chunks)
    finally:
        close(embedder)


def _own_embedder(settings: Settings) -> Settings:
    return settings.model_copy(update={"embedder": "e5-small", "embedder_url": None})


def _copy_chunks(source: Store, target: Store, ids: Sequence[str], anew: Embedder | None, tell: Tell) -> int:
    total = 0
    for at in range(0, len(ids), TOGETHER):
        batch = []
        for name in ids[at : at + TOGETHER]:
            chunks, vectors = source.chunks_of(name)
            own = [replace(chunk, groups=EVERYONE) for chunk in chunks]
            batch.append((name, own, vectors if anew is None else _embedded(anew, own)))
            total += len(own)
        target.replace_documents([one for one in batch if one[1]])
        tell(at + len(batch))
    return total


def _embedded(embedder: Embedder, chunks: Sequence[Chunk]) -> np.ndarray[Any, np.dtype[np.float32]]:
    texts = [embedding_text(chunk) for chunk in chunks]
    parts = [embedder.passages(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)]
    return np.concatenate(parts) if parts else np.zeros((0, embedder.dim), np.float32)
