"""Documents that say the very same, or bear one file name: said at each of them for as long as it
is so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from rag_api.domain import Document, DocumentStatus, Note, all_may_read, code_of
from rag_api.ingest.common.notes import note
from rag_api.ingest.sources.run import Run
from rag_api.ingest.sources.sources import UPLOADED

_SAME_CONTENT, _SAME_NAME = "same_content", "same_name"
_MOST = 5  # names in a note


def note_copies(run: Run) -> None:
    """Say of each document which others hold the same or have its file name, and take back what no
    longer holds."""
    known = run.repo.current()
    same = same_of(known, run.repo.folders())
    for source, document in known.items():
        kept = tuple(warning for warning in document.warnings if code_of(warning) not in (_SAME_CONTENT, _SAME_NAME))
        wanted = (*kept, *same.get(source, ()))
        if wanted != document.warnings:
            run.repo.put_warnings(document.id, wanted)
            run.outcomes = [
                replace(one, warnings=wanted) if one.document_id == document.id else one for one in run.outcomes
            ]


def same_of(known: Mapping[str, Document], placed: Mapping[str, str]) -> dict[str, list[Note]]:
    """Return the notes of each, by source. An upload may be meant for a new version of a file in a
    folder that has the same name; files of one name in several folders are usual. None is named at
    a document that others may read too than those who may read it."""
    indexed = [document for document in known.values() if document.status == DocumentStatus.INDEXED]
    contents, names = (
        _grouped((d.sha256, d.source) for d in indexed),
        _grouped((PurePosixPath(d.source).name, d.source) for d in indexed),
    )
    found: dict[str, list[Note]] = defaultdict(list)
    for sources in contents.values():
        for source in sources if len(sources) > 1 else ():
            others = [one for one in sources if one != source and all_may_read(known[source].groups, known[one].groups)]
            found[source] += [note(_SAME_CONTENT, documents=_listed(others))] if others else []
    for sources in names.values():
        for source in sources if len(sources) > 1 else ():
            uploaded = placed.get(source) == UPLOADED
            others = [
                one
                for one in sources
                if (placed.get(one) == UPLOADED) != uploaded and known[one].sha256 != known[source].sha256
            ]
            others = [one for one in others if all_may_read(known[source].groups, known[one].groups)]
            found[source] += [note(_SAME_NAME, documents=_listed(others))] if others else []
    return found


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for key, source in sorted(pairs):
        found[key].append(source)
    return found


def _listed(sources: Iterable[str]) -> str:
    names = list(sources)
    return ", ".join(names[:_MOST]) + (", …" if len(names) > _MOST else "")
