"""question + who asks -> hits in an order that is safe for the patient, and what the reader must know of them: retrieval, guarded.

Sources for other patients than the question's come after all others, whatever their scores, and never decide that there is an answer.
A document's twin for other patients is fetched and shown too. What the asker's function and department bring is a small boost.
The rules are rag_api.guard's; here they meet the documents list and the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Protocol

from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.documents import get_documents, superseded_ids, superseding, twin_documents
from rag_api.embed import Embedder
from rag_api.guard.asker import departments_of, function_of
from rag_api.guard.conflicts import Conflict, conflicts
from rag_api.guard.patient import Groups, Patient, patient_of
from rag_api.guard.support import Passage, unsupported
from rag_api.guard.twins import are_twins
from rag_api.guard.words import folded
from rag_api.notices import day_of, for_whom, notice, the_patient, title_of
from rag_api.retrieve import Retrieval, retrieve
from rag_api.stores import Store
from rag_api.types import Document, Filters, Hit, Notice, Source, Unsupported, User

# Added to fused scores (0.4 to 0.9 on the handbook); chosen on the validate half of its questions, docs/evaluation.md has the figures.
FUNCTION_BOOST = 0.03  # a document for the patients of the asker's function
DEPARTMENT_BOOST = 0.01  # a document of the asker's department
POOL = 50  # so many hits are looked at when something is boosted
TWINS_SHOWN = 2
OTHERS_SHOWN = 2  # sources for other patients that stay in sight, marked, at the end


class FindParts(Protocol):
    settings: Settings

    @property
    def db(self) -> Database: ...
    @property
    def store(self) -> Store: ...
    @property
    def embedder(self) -> Embedder: ...


Search = Callable[[Filters], Retrieval]


def find(text: str, user: User, filters: Filters, parts: FindParts) -> Retrieval:
    """What a question of this user finds today, or on the filters' day, in a safe order. Superseded and expired documents count
    only when `filters.include_expired` asks for them. Blocks."""
    today = filters.valid_on or date.today()
    excluded = () if filters.include_expired else superseded_ids(parts.db, user, today)
    current = replace(filters, excluded_document_ids=(*filters.excluded_document_ids, *excluded), valid_on=today)
    settings = parts.settings
    wide = settings.model_copy(update={"sources": max(POOL, settings.sources)})
    prefers = bool(function_of(user).groups or departments_of(user))

    def search(narrower: Filters) -> Retrieval:
        """In the asker's order: what is boosted may come from further back than what is shown."""
        found = retrieve(
            text, user, narrower, embedder=parts.embedder, store=parts.store, settings=wide if prefers else settings, today=today
        )
        return boosted(found, user, max(settings.sources, settings.passages)) if prefers else found

    patient = Patient() if filters.target_groups else patient_of(text)
    found = for_patient(search(current), patient, current, search)
    if filters.target_groups or filters.document_ids:
        return found
    return with_twins(found, patient, user, current, search, parts)


def boosted(found: Retrieval, user: User, limit: int) -> Retrieval:
    """With what the asker's patients and department add to the scores. Whether there is an answer is decided without it."""
    groups, departments = function_of(user).groups, departments_of(user)

    def score(hit: Hit) -> float:
        about = hit.chunk.metadata
        own = FUNCTION_BOOST * bool(groups & set(about.target_groups)) + DEPARTMENT_BOOST * (folded(about.department) in departments)
        return hit.score + own

    return _with_hits(found, sorted(found.hits, key=lambda hit: (-score(hit), hit.rank))[:limit])


def for_patient(found: Retrieval, patient: Patient, filters: Filters, search: Search) -> Retrieval:
    """Sources for these patients first, those for others last. When what fits best is for others and has no twin among those for
    these patients, the question is not answered: the next best would be about something else."""
    others = sorted((hit for hit in found.hits if _is_for_others(hit, patient)), key=lambda hit: -hit.score)
    if not others:
        return found
    right = search(replace(filters, target_groups=tuple(sorted(patient.groups))))
    best = others[0] if not right.hits or others[0].score > right.hits[0].score else None
    has_twin = best is not None and any(are_twins(best.chunk.metadata, hit.chunk.metadata) for hit in right.hits)
    answerable = right.answerable and (best is None or has_twin)
    shown = others[: max(OTHERS_SHOWN, len(found.hits) - len(right.hits))]
    hits = [*right.hits[: len(found.hits) - len(shown)], *shown]
    return replace(_with_hits(right, hits), answerable=answerable)


def with_twins(found: Retrieval, patient: Patient, user: User, filters: Filters, search: Search, parts: FindParts) -> Retrieval:
    """The best passage of every twin of what is read first stands right after it, unless the question is clear and it is for others."""
    first = parts.settings.passages
    read = list(found.hits[:first]) + [hit for hit in found.hits[first:] if _is_for_others(hit, patient)]
    shown = {hit.chunk.document_id for hit in found.hits[: first + 1] if not _is_for_others(hit, patient)}
    added: list[Hit] = []
    for twin in _twins(read, patient, user, parts):
        if twin.id not in shown:
            shown.add(twin.id)
            there = [hit for hit in found.hits if hit.chunk.document_id == twin.id]
            added += (there or search(replace(filters, document_ids=(twin.id,))).hits)[:1]
    ids = {hit.chunk.id for hit in added}
    rest = [hit for hit in found.hits if hit.chunk.id not in ids]
    hits = [*rest[:first], *added, *rest[first:]][: max(len(found.hits), first + len(added))]
    return _with_hits(found, own_twin_first(hits, patient.groups or function_of(user).groups))


def _twins(read: Sequence[Hit], patient: Patient, user: User, parts: FindParts) -> list[Document]:
    about = {hit.chunk.document_id: hit.chunk.metadata for hit in read}
    twins = twin_documents(parts.db, user, list(about.values()))
    return [twin for twin in twins if not patient.excludes(twin.metadata.target_groups)][:TWINS_SHOWN]


def own_twin_first(hits: Sequence[Hit], groups: Groups) -> list[Hit]:
    """No passage of a document for others stands before its twin's for `groups`."""
    ordered = list(hits)
    for hit in [hit for hit in hits if groups & set(hit.chunk.metadata.target_groups)]:
        at = ordered.index(hit)
        before = [o for o in ordered[:at] if are_twins(o.chunk.metadata, hit.chunk.metadata) and not _is_for(o, groups)]
        if before:
            rest = [o for o in ordered if o not in before]
            place = rest.index(hit) + 1
            ordered = [*rest[:place], *before, *rest[place:]]
    return ordered


def for_these(hits: Sequence[Hit], query: str, filters: Filters) -> list[Hit]:
    """The hits that may answer: not those for other patients than the question's."""
    patient = Patient() if filters.target_groups else patient_of(query)
    return [hit for hit in hits if not _is_for_others(hit, patient)]


def _is_for(hit: Hit, groups: Groups) -> bool:
    return bool(groups & set(hit.chunk.metadata.target_groups))


def _is_for_others(hit: Hit, patient: Patient) -> bool:
    return patient.excludes(hit.chunk.metadata.target_groups)


def _with_hits(found: Retrieval, hits: Iterable[Hit]) -> Retrieval:
    return replace(found, hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)))


@dataclass(frozen=True, slots=True)
class Warned:
    """Sources with their cautions, and the notices that stand above the answer."""

    sources: tuple[Source, ...]
    notices: tuple[Notice, ...]


def warned(sources: Sequence[Source], query: str, user: User, filters: Filters, language: str, parts: FindParts) -> Warned:
    """What the reader must know of these sources. `query` is the question that stands alone. Blocks."""
    today, patient, first = filters.valid_on or date.today(), patient_of(query), parts.settings.passages
    newer = _newer(sources, user, today, parts) if filters.include_expired else {}
    differing = [c for c in conflicts([s.hit for s in sources], query) if _are_valid((sources[c.first], sources[c.second]), today, newer)]
    cautions = [
        [
            *_group_caution(source, patient, language),
            *_age_cautions(source, today, newer, language),
            *_conflict_cautions(index, differing, sources, language),
        ]
        for index, source in enumerate(sources)
    ]
    notices = [
        *_group_notices(sources, patient, first, language),
        *_twin_notices(sources, patient, first, language),
        *_conflict_notices(differing, sources, language),
        *_superseded_notices(sources[:first], newer, language),
    ]
    marked = tuple(replace(source, cautions=tuple(own)) for source, own in zip(sources, cautions, strict=True))
    return Warned(marked, tuple(dict.fromkeys(notices)))


def usable(sources: Sequence[Source], limit: int) -> tuple[Source, ...]:
    """Those that may be answered from: a prefix, for sources for other patients stand last."""
    for index, source in enumerate(sources[:limit]):
        if any(caution.code == "other_group" for caution in source.cautions):
            return tuple(sources[:index])
    return tuple(sources[:limit])


def unsupported_in(answer: str, sources: Sequence[Source], query: str, language: str) -> tuple[Unsupported, ...]:
    """Numbers of an answer that stand in none of the sources it was written from."""
    passages = [Passage(f"{s.hit.chunk.title}\n{s.hit.chunk.text}", s.document.metadata.language or language) for s in sources]
    return unsupported(answer, passages, language, query)


def unsupported_notice(found: Sequence[Unsupported], language: str) -> list[Notice]:
    return [notice("unsupported", language, numbers=", ".join(dict.fromkeys(one.text for one in found)))] if found else []


def _newer(sources: Sequence[Source], user: User, today: date, parts: FindParts) -> dict[str, Document]:
    """By the id of each source's document that is superseded: the document that supersedes it."""
    by = superseding(parts.db, user, today)
    wanted = {source.document.id: by[source.document.id] for source in sources if source.document.id in by}
    documents = get_documents(parts.db, user, list(wanted.values()))
    return {old: documents[new] for old, new in wanted.items() if new in documents}


def _is_expired(document: Document, today: date) -> bool:
    return document.metadata.valid_until is not None and document.metadata.valid_until < today


def _are_valid(sources: Iterable[Source], today: date, newer: Mapping[str, Document]) -> bool:
    return not any(_is_expired(s.document, today) or s.document.id in newer for s in sources)


def _group_caution(source: Source, patient: Patient, language: str) -> list[Notice]:
    groups = source.document.metadata.target_groups
    if not patient.excludes(groups):
        return []
    words = {"for_whom": for_whom(groups, language), "patient": the_patient(patient.groups, language)}
    return [notice("card_other_group", language, **words)]


def _age_cautions(source: Source, today: date, newer: Mapping[str, Document], language: str) -> list[Notice]:
    until, found = source.document.metadata.valid_until, []
    if until is not None and until < today:
        found.append(notice("card_expired", language, day=day_of(until, language)))
    if source.document.id in newer:
        found.append(notice("card_superseded", language, newer=_named(newer[source.document.id])))
    return found


def _named(document: Document) -> str:
    version = document.metadata.version
    return f"{title_of(document)} ({version})" if version else title_of(document)


def _group_notices(sources: Sequence[Source], patient: Patient, first: int, language: str) -> list[Notice]:
    """When what would be read first is for others, or what fits best is and no twin of it is there."""
    for_others = [s for s in sources if patient.excludes(s.document.metadata.target_groups)]
    if not for_others:
        return []
    patient_words = the_patient(patient.groups, language)
    if sources[0] in for_others:
        groups = {group for s in for_others for group in s.document.metadata.target_groups}
        return [notice("patient_group", language, for_whom=for_whom(groups, language), patient=patient_words)]
    best, rest = max(for_others, key=lambda s: s.hit.score), [s for s in sources if s not in for_others]
    about = best.document.metadata
    if best.hit.score <= max(s.hit.score for s in rest) or any(are_twins(about, s.document.metadata) for s in rest):
        return []
    words = {"title": title_of(best.document), "for_whom": for_whom(about.target_groups, language), "patient": patient_words}
    return [notice("patient_group_only", language, **words)]


def _twin_notices(sources: Sequence[Source], patient: Patient, first: int, language: str) -> list[Notice]:
    """When the question names nobody: what is read first is for some patients, and there is the same for others."""
    if patient.is_clear:
        return []
    for index, source in enumerate(sources[:first]):
        for other in sources[index + 1 :]:
            one, two = source.document.metadata, other.document.metadata
            if are_twins(one, two):
                words = {"one": for_whom(one.target_groups, language), "other": for_whom(two.target_groups, language)}
                return [notice("twins", language, **words, first=str(index + 1), second=str(sources.index(other) + 1))]
    return []


def _conflict_notices(found: Sequence[Conflict], sources: Sequence[Source], language: str) -> list[Notice]:
    return [
        notice(
            "conflict", language, one=_named(sources[c.first].document), first_value=c.first_value, first=str(c.first + 1),
            other=_named(sources[c.second].document), second_value=c.second_value, second=str(c.second + 1),
        )
        for c in found[:1]
    ]  # fmt: skip


def _conflict_cautions(index: int, found: Sequence[Conflict], sources: Sequence[Source], language: str) -> list[Notice]:
    sides = [(c.first, c.first_value, c.second, c.second_value) for c in found]
    sides += [(c.second, c.second_value, c.first, c.first_value) for c in found]
    return [
        notice("card_conflict", language, own_value=own_value, source=str(their + 1), their_value=their_value)
        for own, own_value, their, their_value in sides
        if own == index
    ]


def _superseded_notices(sources: Sequence[Source], newer: Mapping[str, Document], language: str) -> list[Notice]:
    return [
        notice("superseded", language, title=_named(source.document), newer=_named(newer[source.document.id]))
        for source in sources
        if source.document.id in newer
    ]
