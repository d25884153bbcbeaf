"""Our values -> the API's JSON models, and a request's filters -> ours. No decisions are made
here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date

from rag_api.api import schemas as api
from rag_api.api.schemas.asking.answers import JudgementOut
from rag_api.db.access import may_review
from rag_api.db.documents import Facets, PageSize
from rag_api.db.questions.answers import Conversation, Feedback
from rag_api.db.questions.reviews import ToldReview
from rag_api.db.questions.since import Since
from rag_api.domain import (
    Answer,
    Citation,
    CutLine,
    Document,
    Edit,
    Filters,
    Notice,
    PageRects,
    Source,
    TargetGroup,
    User,
    noted,
)
from rag_api.guard.people.asker import functions
from rag_api.ingest.common.described.metadata import printable
from rag_api.ingest.common.remedies import advice
from rag_api.ingest.sources.report import IngestReport, Outcome


def filters_in(given: api.FiltersIn) -> Filters:
    return Filters(
        departments=tuple(given.departments),
        document_types=tuple(given.document_types),
        target_groups=tuple(given.target_groups),
        languages=tuple(given.languages),
        document_ids=tuple(given.document_ids),
        valid_on=given.valid_on,
        include_expired=given.include_expired,
    )


def rects_out(placed: Sequence[PageRects]) -> list[api.PageRectsOut]:
    return [
        api.PageRectsOut(page=at.page, rects=[api.RectOut(x0=r.x0, y0=r.y0, x1=r.x1, y1=r.y1) for r in at.rects])
        for at in placed
    ]


def source_out(source: Source) -> api.SourceOut:
    hit, document = source.hit, source.document
    about = document.metadata
    return api.SourceOut(
        rank=hit.rank,
        document=document.source,
        document_id=document.id,
        title=about.title or document.source,
        page=source.page,
        pages=list(hit.chunk.pages),
        version=about.version,
        valid_from=about.valid_from,
        valid_until=about.valid_until,
        department=about.department,
        document_type=about.document_type,
        target_groups=list(about.target_groups),
        owner=about.owner,
        language=about.language,
        score=hit.score,
        dense_score=hit.dense_score,
        bm25_score=hit.bm25_score,
        text=hit.chunk.text,
        text_from=source.text_from,
        uncertain=source.uncertain,
        rects=rects_out(source.rects),
        cautions=notices_out(source.cautions),
    )


def span_out(citation: Citation, sources: Sequence[Source]) -> api.SpanOut:
    return api.SpanOut(
        start=citation.start,
        end=citation.end,
        document=next(s.document.source for s in sources if s.hit.rank == citation.rank),
        document_id=citation.document_id,
        rank=citation.rank,
        page=citation.page,
        text=citation.text,
        rects=rects_out(citation.rects),
        part=citation.part,
        kind=citation.kind,
        pieces=[api.PieceOut(**asdict(piece)) for piece in citation.pieces],
    )


def notices_out(notices: Sequence[Notice]) -> list[api.NoticeOut]:
    return [
        api.NoticeOut(code=one.code, text=one.text, language=one.language, texts=dict(one.texts)) for one in notices
    ]


# What the generator measured that depends on what others asked.
OF_OTHERS = {"cached_tokens", "queue_seconds"}


def since_out(since: Since) -> api.SinceOut:
    document, newer = since.document, since.newer
    return api.SinceOut(
        document_id=document.id,
        title=document.metadata.title or document.source,
        language=document.metadata.language,
        withdrawn=since.withdrawn,
        reason=document.withdrawn_reason if since.withdrawn else "",
        newer=newer
        and api.NewerOut(id=newer.id, title=newer.metadata.title or newer.source, language=newer.metadata.language),
        expired_on=since.expired_on,
    )


def answer_out(answer: Answer, since: Sequence[Since] = (), judged: ToldReview | None = None) -> api.AnswerOut:
    return api.AnswerOut(
        id=answer.id,
        conversation_id=answer.conversation_id,
        question=answer.question,
        query=answer.query,
        language=answer.language,
        mode=answer.mode,
        status=answer.status,
        answer=answer.text,
        sources=[source_out(source) for source in answer.sources],
        spans=[span_out(citation, answer.sources) for citation in answer.citations],
        notices=notices_out(answer.notices),
        model=answer.model,
        embedder=answer.embedder,
        prompt_version=answer.prompt_version,
        stats={name: value for name, value in answer.stats.items() if name not in OF_OTHERS},
        created_at=answer.created_at,
        unsupported=[api.UnsupportedOut(start=one.start, end=one.end, text=one.text) for one in answer.unsupported],
        not_named=list(answer.not_named),
        since=[since_out(one) for one in since],
        judged=JudgementOut(**asdict(judged)) if judged else None,
    )


def notes_out(warnings: Sequence[str]) -> list[api.NoteOut]:
    return [api.NoteOut(**noted(warning)) for warning in warnings]


def document_out(document: Document, *, told: User | None = None, newer: Document | None = None) -> api.DocumentOut:
    """told: who reads it, for names of who took it out are for admins, of who reviewed it for those
    who review; newer: what supersedes it."""
    about = document.metadata
    by = newer and api.ReplacingOut(
        id=newer.id, title=newer.metadata.title or newer.source, version=newer.metadata.version
    )
    return api.DocumentOut(
        id=document.id,
        source=document.source,
        title=about.title or document.source,
        status=document.status,
        reason=document.reason,
        media_type=document.media_type,
        page_count=document.page_count,
        chunk_count=document.chunk_count,
        byte_count=document.byte_count,
        department=about.department,
        document_type=about.document_type,
        target_groups=list(about.target_groups),
        version=about.version,
        valid_from=about.valid_from,
        valid_until=about.valid_until,
        owner=about.owner,
        language=about.language,
        supersedes=about.supersedes,
        replaced_by=by,
        warnings=list(document.warnings),
        notes=notes_out(document.warnings),
        advice=advice(document.reason),
        groups=list(document.groups),
        withdrawn_at=document.withdrawn_at,
        withdrawn_by=document.withdrawn_by if told and told.is_admin else "",
        withdrawn_reason=document.withdrawn_reason,
        reviewed_at=document.reviewed_at,
        reviewed_by=document.reviewed_by if told and may_review(told) else "",
        to_review_by=document.to_review_by if told and may_review(told) else "",
        reviewer_left=document.reviewer_left,
        review_reason=document.review_reason if told and may_review(told) else "",
        next_review=document.next_review,
        created_at=document.created_at,
        updated_at=document.updated_at,
    )


def document_detail(
    document: Document, told: User, pages: Sequence[PageSize], edits: Mapping[str, Edit], cut: Sequence[CutLine] = ()
) -> api.DocumentDetail:
    sizes = [api.PageOut(number=p.number, width=p.width, height=p.height, rotation=p.rotation) for p in pages]
    edited = [api.EditOut(field=name, value=edit.value, said=edit.said) for name, edit in sorted(edits.items())]
    lines = [api.CutLineOut.model_validate(line, from_attributes=True) for line in cut]
    return api.DocumentDetail(**document_out(document, told=told).model_dump(), pages=sizes, edits=edited, cut=lines)


def metadata_in(given: api.MetadataIn) -> dict[str, str]:
    """The fields that the request names, as a sidecar would have them. A document cannot be without
    a title: null leaves it, and one of which nothing can be read."""
    named = {
        name: getattr(given, name)
        for name in given.model_fields_set - {"reset"}
        if name != "title" or printable(given.title or "")
    }
    return {name: _as_text(value) for name, value in named.items()}


def _as_text(value: str | date | Sequence[str] | None) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return value.isoformat() if isinstance(value, date) else ";".join(value)


def facets_out(found: Facets) -> api.FacetsOut:
    known = [api.FunctionOut(id=f.id, nl=f.nl, en=f.en, target_groups=sorted(f.groups)) for f in functions()]
    return api.FacetsOut(
        departments=list(found.departments),
        document_types=list(found.document_types),
        languages=list(found.languages),
        owners=list(found.owners),
        target_groups=list(TargetGroup),
        functions=known,
    )


def conversation_out(conversation: Conversation) -> api.ConversationOut:
    return api.ConversationOut.model_validate(conversation, from_attributes=True)


def feedback_out(given: Feedback) -> api.FeedbackOut:
    return api.FeedbackOut(**asdict(given))


def _item_out(item: Outcome) -> api.IngestItem:
    more = {"advice": advice(item.reason), "notes": notes_out(item.warnings)}
    return api.IngestItem.model_validate(item, from_attributes=True).model_copy(update=more)


def ingest_out(report: IngestReport) -> api.IngestOut:
    items = [_item_out(item) for item in report.items]
    return api.IngestOut(
        indexed=report.indexed,
        unchanged=report.unchanged,
        failed=report.failed,
        retired=report.retired,
        items=items,
        skipped=[api.SkippedOut.model_validate(one, from_attributes=True) for one in report.skipped],
        missing=[api.MissingOut.model_validate(one, from_attributes=True) for one in report.missing],
        retitled=[api.RetitledOut.model_validate(one, from_attributes=True) for one in report.retitled],
        notes=list(report.notes),
    )
