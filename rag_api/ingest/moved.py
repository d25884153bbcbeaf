"""Files that lie elsewhere than before: their documents get the new names. What is gone for good is named, or retired."""

from __future__ import annotations

from collections.abc import Sequence

from rag_api.domain import Document
from rag_api.errors import UnreadableDocument
from rag_api.ingest.metadata import describe
from rag_api.ingest.missing import missing_of, refuse_many, renamed_of
from rag_api.ingest.report import Outcome
from rag_api.ingest.run import Run
from rag_api.ingest.sources import SourceFile, Survey


def rename_moved(run: Run, survey: Survey, careful: bool) -> list[Document]:
    """Give moved files' documents their new names; the documents that are missing then."""
    known, run.placed = run.repo.current(), run.repo.folders()
    missing = missing_of(known, run.placed, survey)
    run.renamed = renamed_of(known, run.placed, survey, missing, lambda source: _digest_or_nothing(run, source))
    left = [document for document in missing if document.source not in run.renamed.values()]
    if careful:
        refuse_many(left, known, run.placed, survey)
    for new, old in run.renamed.items():
        titles = title_from_name(old), title_from_name(new)
        run.repo.rename(old, new, titles)
        if known[old].metadata.title == titles[0] != titles[1]:
            run.retitled.add(new)
    return left


def title_from_name(source: str) -> str:
    """What a document is called that says nothing of itself."""
    return describe(source, {}, (), (), "").title


def _digest_or_nothing(run: Run, source: SourceFile) -> str:
    try:
        return run.digest(source)[0]
    except UnreadableDocument:
        return ""  # which is said when its turn comes


def retire(run: Run, gone: Sequence[Document]) -> None:
    if gone:
        run.repo.retire([document.source for document in gone])
        run.store.delete_documents([document.id for document in gone])
        run.outcomes.extend(Outcome(document.source, "retired", document.id) for document in gone)
