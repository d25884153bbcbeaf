"""Files that lie elsewhere than before: their documents get the new names. What is gone for good is
named, or retired.

The same content is the same document: it keeps its id, so that answers which quoted it open what
they quoted, its earlier versions and what an admin said of it. But a hospital that renames
"protocol.pdf" to "protocol-oud.pdf" and puts a new "protocol.pdf" in its place means the procedure
by its name. So what asks for the procedure stays with the name: judged questions, which then ask of
the new file, and who may read it, which holds for both, as a new file must not open what was
closed. Both answer, and the new one's warning says so: which of them is in force only the hospital
knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rag_api.domain import Document
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.described.metadata import title_from_name
from rag_api.ingest.sources.missing import in_turn, missing_of, refuse_many, renamed_items, renamed_of
from rag_api.ingest.sources.report import Outcome
from rag_api.ingest.sources.run import Run
from rag_api.ingest.sources.sources import SourceFile, Survey


def rename_moved(run: Run, survey: Survey, careful: bool) -> list[Document]:
    """Give moved files' documents their new names; the documents that are missing then."""
    known, run.placed = run.repo.current(), run.repo.folders()
    missing = missing_of(known, run.placed, survey)
    by_item = _by_item(run, known, survey)
    others = replace(survey, files=tuple(file for file in survey.files if file.name not in by_item))
    gone = [document for document in missing if document.source not in by_item.values()]
    by_content = renamed_of(known, run.placed, others, gone, lambda source: _digest_or_nothing(run, source))
    run.renamed = by_item | by_content
    left = [document for document in missing if document.source not in run.renamed.values()]
    if careful:
        refuse_many(left, known, survey)
    retire(run, [known[name] for name in by_item if name in known and name not in by_item.values()])
    run.taken = {
        old: new
        for new, old in run.renamed.items()
        if old not in run.renamed and any(file.name == old for file in survey.files)
    }
    _rename(run, known)
    return left


def _by_item(run: Run, known: Mapping[str, Document], survey: Survey) -> dict[str, str]:
    """New name -> old name of files that have ids. A name that a document of another folder bears
    stays that one's."""
    folders = {file.name: file.folder for file in survey.files}
    renamed = renamed_items(known, run.placed, run.repo.items(), survey)
    return {new: old for new, old in renamed.items() if new not in known or run.placed.get(new) == folders[new]}


def _rename(run: Run, known: Mapping[str, Document]) -> None:
    before = {old: old for old in run.renamed.values()}  # by the name that it has for now
    for old, new in in_turn(run.renamed):
        first = before.pop(old)
        before[new] = first
        titles = title_from_name(first), title_from_name(new if new in run.renamed else first)
        run.repo.rename(old, new, titles, old in run.taken)
        if new in run.renamed and known[first].metadata.title == title_from_name(first) != titles[1]:
            run.retitled.add(new)


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
