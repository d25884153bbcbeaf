"""ingest(): one run over many files, as the list of its steps. Why in this order: see the package's
docstring."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rag_api.errors import InvalidInput
from rag_api.ingest.pipeline.changed import changed_files, reconcile
from rag_api.ingest.pipeline.copies import note_copies
from rag_api.ingest.pipeline.engine import IngestEngine, OneMachine
from rag_api.ingest.pipeline.moved import rename_moved, retire
from rag_api.ingest.pipeline.saving import put_upload_groups
from rag_api.ingest.sources.report import IngestReport, Missing, ProgressCallback
from rag_api.ingest.sources.repository import DocumentsRepo
from rag_api.ingest.sources.retries import with_retries
from rag_api.ingest.sources.run import Run
from rag_api.ingest.sources.sources import UPLOADED, KeptFiles, SourceFile, Survey, groups_said
from rag_api.ingest.sources.uploads import clear_uploads

if TYPE_CHECKING:  # the reader process imports this package too, and should start fast
    from rag_api.config import Settings
    from rag_api.embed import Embedder
    from rag_api.stores import Store


def ingest(
    sources: Survey | Iterable[SourceFile],
    *,
    settings: Settings,
    documents_repo: DocumentsRepo,
    store: Store,
    embedder: Embedder,
    progress: ProgressCallback | None = None,
    retire_missing: bool = False,
    confirmed: bool = False,
    readers: int | None = None,
    wait: float = 0.0,
    engine: IngestEngine | None = None,
) -> IngestReport:
    """Make the index hold what these files hold. A file that cannot be read is reported and stops
    nothing else.

    retire_missing: documents of the surveyed folders that are no longer there are taken out;
    `confirmed`: however many they are. readers: how many processes read; engine: who does the work,
    this machine when absent; wait: seconds that a part may be away before the run breaks off.
    Raises TooManyMissing before anything is done; Unavailable or EmbedderMismatch when a part
    fails, IngestionStopped when somebody wants it: what was done until then stays, the next run
    goes on."""
    survey = sources if isinstance(sources, Survey) else Survey(tuple(sources))
    sources, engine = _distinct(survey.files), engine or OneMachine(readers)
    from rag_api.stores import regroup

    def reach_index(document_id: str, groups: tuple[str, ...]) -> None:
        regroup(store, document_id, groups)

    with documents_repo.lock():
        documents_repo, store = with_retries(documents_repo, wait), with_retries(store, wait)
        embedder = with_retries(embedder, wait)
        run = Run(settings, documents_repo, store, embedder, KeptFiles(settings.data_dir), progress, len(sources))
        run.files.clear_parts()
        clear_uploads(settings.data_dir)
        engine.look(run, sources)
        missing = rename_moved(run, survey, retire_missing and not confirmed)
        documents_repo.put_source_groups(groups_said(s for s in sources if s.folder != UPLOADED))
        if uploaded := groups_said(s for s in sources if s.folder == UPLOADED):
            documents_repo.try_source_groups(uploaded)
        documents_repo.catch_up(reach_index)
        known, run.edits = documents_repo.current(), documents_repo.edits()
        run.ids, lost = documents_repo.sources(), reconcile(run, known)
        engine.index(run, changed_files(run, sources, known, lost))
        unchanged = {one.source for one in run.outcomes if one.outcome == "unchanged"}
        put_upload_groups(run, [source for source in sources if source.name in unchanged])
        kept = {one.source for one in run.outcomes if one.kept}  # they stay where they came from
        placed = [source for source in sources if source.folder and source.name not in kept]
        documents_repo.put_folders(
            {source.name: source.folder for source in placed}, {source.name: source.item for source in placed}
        )
        if retire_missing:
            retire(run, missing)
        note_copies(run)
        documents_repo.catch_up(reach_index)
        named = () if retire_missing else tuple(Missing(d.source, d.id, d.metadata.title) for d in missing)
        return IngestReport(
            run.in_order(sources),
            run.pages,
            run.chunks,
            time.monotonic() - run.started,
            survey.skipped,
            named,
            tuple(run.retitles),
            survey.notes,
        )


def _distinct(sources: Iterable[SourceFile]) -> list[SourceFile]:
    by_name: dict[str, SourceFile] = {}
    for source in sources:
        if source.name in by_name:
            raise InvalidInput(f"two files are called {source.name}: {by_name[source.name].path} and {source.path}")
        by_name[source.name] = source
    return list(by_name.values())
