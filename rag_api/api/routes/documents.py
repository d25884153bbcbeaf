"""The documents list, a document's file, and loading and retiring documents."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import date
from email.utils import formatdate
from pathlib import Path
from typing import Annotated

import numpy as np
from fastapi import APIRouter, File, Form, Query, Request, Response, UploadFile
from fastapi.responses import FileResponse
from numpy.typing import NDArray

from rag_api.answering.question.personal import written
from rag_api.answering.quoting.link_targets import linked
from rag_api.api import schemas as api
from rag_api.api.auditing.audited import TrailDep
from rag_api.api.deps import ContainerDep, DbDep, DocumentId, Limit, Offset, UserDep, WritingContainerDep
from rag_api.api.mapping import document_detail, document_out, facets_out, ingest_out, metadata_in, source_out
from rag_api.api.people import others
from rag_api.api.problems import responses
from rag_api.api.routes.limited import LimitedRoute, UploadRoute
from rag_api.api.sign_in.access import Access, declared
from rag_api.audit.shown import ingested
from rag_api.db.access import administrator, own_groups, reviewer
from rag_api.db.documents import (
    SOON,
    WITHIN,
    DocumentQuery,
    Order,
    PgDocuments,
    ask_to_stop,
    current_document,
    facets,
    get_document,
    list_documents,
    newer_than,
    of_same_title,
    read_cut,
    read_page_sizes,
    replacing,
    taken,
)
from rag_api.db.documents import get_documents as readable
from rag_api.db.ingestion import progress
from rag_api.db.metadata_edits import change_metadata, changes_of, edits_of, review
from rag_api.db.sentences import ingesting
from rag_api.domain import Chunk, Document, DocumentStatus, Validity
from rag_api.errors import Conflict, InvalidInput, NotFound
from rag_api.ingest.common.chunk import embedding_text
from rag_api.ingest.common.described.metadata import GROUPS, metadata_from, texts_of
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.sources import UPLOADED, KeptFiles, SourceFile
from rag_api.ingest.sources.uploads import upload_file
from rag_api.retrieval.predecessors import predecessors
from rag_api.stores import Vectors, describe

router = APIRouter(tags=["documents"], route_class=LimitedRoute)
uploads = APIRouter(tags=["documents"], route_class=UploadRoute)

Search = Annotated[
    str,
    Query(
        max_length=200,
        pattern=r"^[^\x00]*$",
        description="In title or file name, or on the first page: the document's number.",
    ),
]
Number = Annotated[int, Query(ge=1, le=100_000, description="The page that the link names.")]
Quote = Annotated[
    str,
    Query(
        max_length=4000,
        pattern=r"^[^\x00]*$",
        description="Words of the document; those of each line may stand apart, as a table's header and its rows do; "
        "empty: the page as a whole. A line may shorten them, as links of the page do: how they begin, `~`, how many "
        "letters they are, `-`, and the CRC-32 of these in base 36, blanks left out.",
    ),
]
Status = Annotated[DocumentStatus | None, Query(description="The current ones (indexed and failed) when absent.")]

Exactly = Annotated[
    str, Query(max_length=200, pattern=r"^[^\x00]*$", description="Exactly this one, as `GET /facets` names it.")
]
When = Annotated[
    Validity | None,
    Query(
        description="By the days that the document names: in force today, no longer, or not yet; its last day comes "
        f"within, by the calendar: {', '.join(f'`{name}` {within}' for name, within in WITHIN.items())}; "
        "`undated`: it names no last day; "
        f"`review_due`: its next review was to be by now, or is within {SOON}."
    ),
]
Uncertain = Annotated[bool, Query(description="Only those of which a part was read in doubt, and is never quoted.")]
Unowned = Annotated[bool, Query(description="Only those that name no owner.")]
Replaced = Annotated[
    bool | None, Query(description="Only those that another document, valid by now, supersedes; false: none of these.")
]
Ordered = Annotated[
    Order, Query(description="By title, or by the last day of validity or of the next review: the earliest first.")
]
Ids = Annotated[
    list[api.DocumentIdText],
    Query(max_length=100, description="What counts now of these documents: a new version too."),
]

Beside = Annotated[
    bool, Query(description="Nobody chose it: a page shows it by itself beside an answer, and the trail says so.")
]


@router.get(
    "/documents",
    openapi_extra=declared(Access.READ),
    summary="The documents list, by title",
    responses=responses(422, 503),
)
def get_documents(
    db: DbDep,
    user: UserDep,
    trail: TrailDep,
    search: Search = "",
    status: Status = None,
    limit: Limit = 50,
    offset: Offset = 0,
    department: Exactly = "",
    document_type: Exactly = "",
    validity: When = None,
    owner: Exactly = "",
    unowned: Unowned = False,
    uncertain: Uncertain = False,
    id: Ids = [],  # noqa: B006 - as the address has it
    replaced: Replaced = None,
    order: Ordered = "title",
) -> api.DocumentList:
    about = DocumentQuery(
        search,
        status,
        limit,
        offset,
        department,
        document_type,
        validity,
        owner=owner,
        unowned=unowned,
        uncertain=uncertain,
        versions_of=id,
        order=order,
        replaced=replaced,
    )
    found, total = list_documents(db, user, about)
    trail.documents(found)
    newer = replacing(db, user, found, about.today)
    documents = [document_out(document, told=user, newer=newer.get(document.id)) for document in found]
    return api.DocumentList(documents=documents, total=total)


@router.get(
    "/facets",
    openapi_extra=declared(Access.READ),
    summary="What documents can be filtered and ordered by",
    responses=responses(503),
)
def get_facets(db: DbDep, user: UserDep) -> api.FacetsOut:
    return facets_out(facets(db, user))


@router.get(
    "/documents/{document_id}",
    openapi_extra=declared(Access.READ),
    summary="A document with the sizes of its pages",
    responses=responses(404, 422, 503),
)
def get_one_document(
    db: DbDep, user: UserDep, trail: TrailDep, document_id: DocumentId, beside: Beside = False
) -> api.DocumentDetail:
    trail.beside(an_answer=beside)
    document = get_document(db, user, document_id)
    trail.documents([document])
    return document_detail(
        document, user, read_page_sizes(db, document_id), edits_of(db, document.source), read_cut(db, document_id)
    )


@router.get(
    "/documents/{document_id}/place",
    openapi_extra=declared(Access.READ),
    summary="Words of a document, where they stand now",
    responses=responses(404, 422, 503),
)
def get_place(
    db: DbDep, user: UserDep, trail: TrailDep, document_id: DocumentId, page: Number = 1, quote: Quote = ""
) -> api.LinkedOut:
    """What a link to a document, a page or a quote leads to. The words are found again after the
    document was read anew, and on another page than the link says; `newer` is what counts in the
    document's place since."""
    document = get_document(db, user, document_id)
    trail.documents([document])
    found = linked(db, document, page, quote)
    newer = newer_than(db, user, document, date.today())
    lacks = document.status == DocumentStatus.RETIRED and newer is None
    alike = of_same_title(db, user, document, date.today()) if lacks else None
    return api.LinkedOut(
        source=source_out(found.source),
        found=found.found,
        quotes=list(found.quotes),
        status=document.status,
        newer=document_out(newer) if newer else None,
        same_title=document_out(alike) if alike else None,
        withdrawn_at=document.withdrawn_at,
        withdrawn_reason=document.withdrawn_reason,
        page_text=found.page_text,
    )


@router.patch(
    "/documents/{document_id}",
    openapi_extra=declared(Access.INGEST),
    summary="Describe a document",
    responses=responses(400, 404, 409, 413, 422, 503),
)
def describe_document(
    db: DbDep,
    container: WritingContainerDep,
    user: UserDep,
    trail: TrailDep,
    document_id: DocumentId,
    body: api.MetadataIn,
) -> api.DescribedOut:
    """For admins. What is given here counts instead of what the file says, from the next question
    on and in later versions of the file, until a version says something else in that field. Every
    change is kept with who made it (`/changes`). A new title is embedded with the document's
    passages before this answers (`vectors`). 409 while an ingestion is running, and (`no_way_back`)
    where a new department's rule would take it from you and nobody else could give it back."""
    given = metadata_in(body)
    vectors: Vectors = "kept"

    def embed(chunks: Sequence[Chunk]) -> NDArray[np.float32]:
        return container.embedder.passages([embedding_text(chunk) for chunk in chunks])

    def reach_index(document: Document) -> bool:
        nonlocal vectors
        _check(document)
        vectors = describe(container.store, document.id, document.metadata, embed)
        return vectors != "outdated"

    with PgDocuments(db, user, patience=5.0, open_to=container.settings.open_to).lock():
        changed = change_metadata(
            db,
            user,
            document_id,
            given,
            frozenset(body.reset),
            texts_of,
            metadata_from,
            reach_index,
            container.settings.open_to,
            others(db, user, container.settings.roles_by_group),
        )
    older = None
    trail.on["fields"] = sorted({*given, *body.reset})  # what they were and are: /changes
    if "supersedes" in trail.on["fields"]:
        said = changed.metadata.supersedes
        older = current_document(db, user, said)
        trail.on["supersedes"] = older.metadata.title if older else said or None
    trail.documents([changed, older] if older else [changed])
    detail = document_detail(
        changed, user, read_page_sizes(db, document_id), edits_of(db, changed.source), read_cut(db, document_id)
    )
    return api.DescribedOut(**detail.model_dump(), vectors=vectors)


def _check(document: Document) -> None:
    about = document.metadata
    if about.valid_from and about.valid_until and about.valid_until < about.valid_from:
        raise Conflict("The document would expire before it becomes valid.")
    if about.supersedes and about.supersedes.casefold() == document.source.casefold():
        raise Conflict("A document cannot supersede itself.")


@router.put(
    "/documents/{document_id}/review",
    openapi_extra=declared(Access.JUDGE),
    summary="Say that a document still holds, or plan its review",
    responses=responses(400, 404, 409, 413, 422, 503),
)
def review_document(
    db: DbDep,
    container: ContainerDep,
    user: UserDep,
    trail: TrailDep,
    document_id: DocumentId,
    body: api.DocumentReviewIn,
) -> api.DocumentOut:
    """For reviewers and admins: who read it finds it right as it is, without a new version, or says
    by when it is to be read, and by whom, who finds it in `/owner-questions/work`. Who, when, and
    by when again stand with it, and in `/changes`; its last day of validity stays. Whom it is given
    to must be a reviewer or an admin (`not_a_reviewer`)."""
    reviewer(user)
    trail.documents([get_document(db, user, document_id)])
    trail.on |= {"next_review": body.next_review and body.next_review.isoformat(), "holds": body.holds}
    settings = container.settings
    reason = body.reason and written(body.reason.strip(), body.personal_data, settings.personal_data, "reason")
    if reason:
        trail.about["reason"] = reason
    review(db, user, document_id, body.next_review, settings.roles_by_group, body.holds, body.to, reason)
    return document_out(get_document(db, user, document_id), told=user)


@router.get(
    "/documents/{document_id}/predecessors",
    openapi_extra=declared(Access.INGEST),
    summary="Which valid documents it may be a new version of",
    responses=responses(404, 422, 503),
)
def get_predecessors(
    db: DbDep, container: ContainerDep, user: UserDep, trail: TrailDep, document_id: DocumentId
) -> api.PredecessorList:
    """For admins; the likeliest first, none where nothing says so. Known by the title, a document
    code, or the words that both hold; `PATCH` with `supersedes` says that one is replaced."""
    administrator(user)
    document = get_document(db, user, document_id)
    found = predecessors(db, container.store, user, document, date.today())
    trail.documents([document, *(one.document for one in found)])
    return api.PredecessorList(
        documents=[
            api.PredecessorOut(**document_out(one.document).model_dump(), alike=one.alike, code=one.code)
            for one in found
        ]
    )


@router.get(
    "/documents/{document_id}/changes",
    openapi_extra=declared(Access.ADMIN),
    summary="Who changed what is said of a document",
    responses=responses(404, 422, 503),
)
def get_changes(db: DbDep, user: UserDep, trail: TrailDep, document_id: DocumentId) -> api.ChangeList:
    """For admins; newest first, of all versions of the document."""
    trail.documents([get_document(db, user, document_id)])
    found = changes_of(db, user, document_id)
    return api.ChangeList(changes=[api.ChangeOut.model_validate(change, from_attributes=True) for change in found])


@router.get(
    "/documents/{document_id}/file",
    openapi_extra=declared(Access.READ),
    summary="A document's file, as a PDF where it can be shown",
    response_class=FileResponse,
    responses={
        200: {
            "description": "The whole file.",
            "content": {"application/pdf": {"schema": {"type": "string", "format": "binary"}}},
        },
        206: {"description": "The part asked for by `Range`.", "content": {"application/pdf": {}}},
        304: {"description": "You have it already (`If-None-Match`)."},
        **responses(404, 422, 503),
        416: {"description": "The range lies outside the file.", "content": {"text/plain": {}}},
    },
)
def get_document_file(
    request: Request,
    db: DbDep,
    container: ContainerDep,
    user: UserDep,
    trail: TrailDep,
    document_id: DocumentId,
    beside: Beside = False,
) -> Response:
    """Never as anything that a browser would run: sandboxed, not sniffed, and only PDFs are shown
    in place."""
    trail.beside(an_answer=beside)
    document = get_document(db, user, document_id)
    trail.documents([document])
    if part := request.headers.get("range", "")[:100]:
        trail.on["range"] = part  # the viewer asks for a large file piece by piece
    files = KeptFiles(container.settings.data_dir)
    path = files.shown(document) or files.path(document.sha256, Path(document.source).suffix)
    if not path.is_file():
        raise NotFound(f"The file of {document.source} is not kept here any more.")
    is_pdf = path.suffix == ".pdf"
    headers = {
        "ETag": f'"{path.name}"',
        "Cache-Control": "private, no-cache",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    if f'"{path.name}"' in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    name = Path(document.source).stem + path.suffix
    return FileResponse(
        path,
        headers=headers | {"Last-Modified": formatdate(path.stat().st_mtime, usegmt=True)},
        media_type="application/pdf" if is_pdf else "application/octet-stream",
        filename=name,
        content_disposition_type="inline" if is_pdf else "attachment",
    )


@router.delete(
    "/documents/{document_id}",
    openapi_extra=declared(Access.INGEST),
    summary="Take a document out",
    responses=responses(404, 422, 503),
)
def retire_document(
    db: DbDep, container: WritingContainerDep, user: UserDep, trail: TrailDep, document_id: DocumentId
) -> api.DocumentOut:
    """As `POST /documents/{document_id}/withdraw` without a reason."""
    return withdraw_document(db, container, user, trail, document_id, api.WithdrawIn())


@router.post(
    "/documents/{document_id}/withdraw",
    openapi_extra=declared(Access.INGEST),
    summary="Take a document out, and say why",
    responses=responses(400, 404, 409, 413, 422, 503),
)
def withdraw_document(
    db: DbDep,
    container: WritingContainerDep,
    user: UserDep,
    trail: TrailDep,
    document_id: DocumentId,
    body: api.WithdrawIn,
) -> api.DocumentOut:
    """For admins. No question is answered from it any more. It stays in the list as `retired`, for
    the answers that quoted it. 409 for a reason where it is taken out already. The list is changed
    first: what it does not call indexed is never a source, whatever the index still holds."""
    administrator(user)
    document = get_document(db, user, document_id)
    trail.documents([document])
    counted = document.status in (DocumentStatus.INDEXED, DocumentStatus.FAILED)
    said = written(body.reason.strip(), body.personal_data, container.settings.personal_data, "reason")
    if counted:
        trail.about["reason"] = said
        PgDocuments(db, user).retire([document.source], said)
        container.store.delete_documents([document.id])
    elif said and document.status == DocumentStatus.RETIRED:
        raise Conflict(
            f"This document is withdrawn: the reason is changed by PUT /documents/{document_id}/withdrawal-reason."
        )
    elif said:
        raise Conflict("This document does not count any more, so it cannot be withdrawn for a reason.")
    return document_out(get_document(db, user, document_id), told=user)


@router.put(
    "/documents/{document_id}/withdrawal-reason",
    openapi_extra=declared(Access.INGEST),
    summary="Say why a document was taken out, or change why",
    responses=responses(400, 404, 409, 413, 422, 503),
)
def explain_withdrawal(
    db: DbDep,
    container: ContainerDep,
    user: UserDep,
    trail: TrailDep,
    document_id: DocumentId,
    body: api.WithdrawalReasonIn,
) -> api.DocumentOut:
    """For admins, in place of what was said before. 409 where it is not taken out."""
    administrator(user)
    document = get_document(db, user, document_id)
    trail.documents([document])
    if document.status != DocumentStatus.RETIRED:
        raise Conflict("This document is not withdrawn, so there is no reason to change.")
    said = written(body.reason.strip(), body.personal_data, container.settings.personal_data, "reason")
    trail.about["reason"] = said
    PgDocuments(db, user).explain(document, said)
    return document_out(get_document(db, user, document_id), told=user)


@router.post(
    "/documents/{document_id}/restore",
    openapi_extra=declared(Access.INGEST),
    summary="Put back a document that was taken out",
    responses=responses(404, 409, 422, 503),
)
def restore_document(
    db: DbDep, container: WritingContainerDep, user: UserDep, trail: TrailDep, document_id: DocumentId
) -> api.DocumentOut:
    """For admins. The next question is answered from it again, and what admins said of it counts as
    before. Its kept file is indexed anew before this answers. 409 where it is not taken out,
    another version is in force, its file is not kept any more, or an ingestion runs."""
    administrator(user)
    document = get_document(db, user, document_id)
    trail.documents([document])
    kept = KeptFiles(container.settings.data_dir).path(document.sha256, Path(document.source).suffix)
    if document.status == DocumentStatus.RETIRED and not kept.is_file():
        raise Conflict(f"The file of {document.source} is not kept here any more: load it again.")
    documents = PgDocuments(db, user, patience=5.0, open_to=container.settings.open_to)
    documents.restore(document_id)
    try:
        ingest(
            [],
            settings=container.settings,
            documents_repo=documents,
            store=container.store,
            embedder=container.embedder,
            readers=1,
        )
    except Exception:  # in the list and not in the index it would be found by nobody, and nobody would know
        documents.retire([document.source], document.withdrawn_reason)
        raise
    return document_out(get_document(db, user, document_id), told=user)


@uploads.post(
    "/documents",
    openapi_extra=declared(Access.INGEST),
    summary="Load a document",
    responses=responses(400, 404, 409, 413, 422, 503),
)
def upload_document(
    db: DbDep,
    container: WritingContainerDep,
    user: UserDep,
    trail: TrailDep,
    file: Annotated[
        UploadFile,
        File(
            description="PDF, Word, sheet, slides, text, mail. Its name is what it is known by; a new version "
            "replaces the old."
        ),
    ],
    groups: Annotated[
        str,
        Form(
            max_length=1_000,
            pattern=r"^[^\x00-\x1f,;]{0,100}([,;][^\x00-\x1f,;]{0,100}){0,49}$",
            description="Whose members may read it, with commas between. A new document's: yours, when absent.",
        ),
    ] = "",
) -> api.IngestOut:
    """For admins. Reads, cuts, embeds and indexes it, and reports what became of it. A file that
    cannot be read is reported by its reason, with `advice` on what to do: the version before it
    stays in force (`kept`), and where there is none it is in the list as `failed`. `warnings` say
    what to know of one that can. 409 when an ingestion is running, and (`no_way_back`) where its
    groups would take an older version from you that nobody else could give back."""
    administrator(user)
    name = _file_name(file.filename or "")
    trail.on["source"] = name
    known = current_document(db, user, name)
    if known is None and taken(db, name):
        raise Conflict(
            f"There is another document called {name}, which is not yours to replace. Give this one another name."
        )
    open_to = groups or ("" if known else ";".join(own_groups(user)))
    with upload_file(container.settings.data_dir, Path(name).suffix) as kept:
        shutil.copyfileobj(file.file, kept)
        kept.flush()
        report = ingest(
            [SourceFile(name, Path(kept.name), {GROUPS: open_to} if open_to else {}, folder=UPLOADED)],
            settings=container.settings,
            documents_repo=PgDocuments(
                db,
                user,
                patience=5.0,
                open_to=container.settings.open_to,
                others=others(db, user, container.settings.roles_by_group),
            ),
            store=container.store,
            embedder=container.embedder,
            readers=1,
        )
    trail.on |= ingested(report)
    if known is not None and report.indexed:
        trail.replaced()
    # a letterhead may be that of documents of others
    own = readable(db, user, [one.document_id for one in report.retitled])
    return ingest_out(replace(report, retitled=tuple(one for one in report.retitled if one.document_id in own)))


@router.get(
    "/ingestion",
    openapi_extra=declared(Access.INGEST, unattended=True),
    summary="Where the loading of documents is",
    responses=responses(503),
)
def get_ingestion(db: DbDep, user: UserDep) -> api.IngestionOut:
    """For admins: of whoever loads documents just now, in whatever process or on a cluster."""
    administrator(user)
    if not ingesting(db):
        return api.IngestionOut(ingesting=False)
    running = progress.read(db, user)
    if running.progress is None:
        return api.IngestionOut(ingesting=True)
    return api.IngestionOut.model_validate({**asdict(running.progress), "ingesting": True, "own": running.own})


@router.delete(
    "/ingestion", openapi_extra=declared(Access.INGEST), summary="Stop what is being loaded", responses=responses(503)
)
def stop_ingestion(db: DbDep, user: UserDep) -> api.StopOut:
    """For admins. Whoever loads documents just now, in whatever process or on a cluster, ends after
    what it is at: what was done stays, and the next run goes on from there."""
    administrator(user)
    running = ingesting(db)
    if running:
        ask_to_stop(db)
    return api.StopOut(ingesting=running)


def _file_name(given: str) -> str:
    """The last part of whatever path a client names; printable, and short enough for any file
    system."""
    name = unicodedata.normalize("NFC", given.replace("\\", "/").rsplit("/", 1)[-1])
    name = "".join(c for c in name if c.isprintable()).strip()
    if not name or name.strip(".") == "" or len(name.encode("utf-8", "replace")) > 200:
        raise InvalidInput("The file needs a name of at most 200 bytes: it is what the document is known by.")
    return name
