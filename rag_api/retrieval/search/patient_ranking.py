"""question + who asks -> hits in an order that is safe for the patient: retrieval, guarded.

Sources for other patients than the question's come after all others, whatever their scores, and
never decide that there is an answer. A document's twin for other patients is fetched and shown too.
What the asker's function and department bring is a small boost. The rules are rag_api.guard's; here
they meet the documents list and the index.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Protocol

from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.documents import superseded_ids, twin_documents
from rag_api.db.people.permissions import hidden_but_indexed
from rag_api.domain import Document, Filters, Hit, User
from rag_api.embed import Embedder
from rag_api.guard.people.asker import departments_of, function_of
from rag_api.guard.people.patient import Patient, PatientGroups
from rag_api.guard.people.twin_documents import are_twins
from rag_api.guard.words import folded
from rag_api.query.analysis import Analysis
from rag_api.retrieval.reader_model.pointing_reader import PointingReader
from rag_api.retrieval.reader_model.reader import PassageReader
from rag_api.retrieval.search.reranker import Reranker
from rag_api.retrieval.search.retriever import Ranking, retrieve
from rag_api.stores import Store

POOL = 50  # so many hits are looked at when something is boosted
TWINS_SHOWN = 2
OTHERS_SHOWN = 2  # sources for other patients that stay in sight, marked, at the end


class RetrievalContainer(Protocol):
    """What finding passages needs; rag_api.container.Container is one. Opening a part may take a
    while and may raise, so: in a thread."""

    settings: Settings

    @property
    def risk(self) -> str | float: ...
    @property
    def db(self) -> Database: ...
    @property
    def store(self) -> Store: ...
    @property
    def embedder(self) -> Embedder: ...
    @property
    def reranker(self) -> Reranker | None: ...
    @property
    def reader(self) -> PassageReader | PointingReader | None: ...


SearchWith = Callable[[Filters], Ranking]


def rank(question: Analysis, user: User, filters: Filters, container: RetrievalContainer) -> Ranking:
    """Return what a question of this user finds today, or on the filters' day, in a safe order.
    Superseded and expired documents count only when `filters.include_expired` asks for them, and
    stand after the valid ones. Blocks."""
    today = filters.valid_on or date.today()
    superseded = superseded_ids(container.db, user, today)
    excluded = () if filters.include_expired else superseded
    hidden = hidden_but_indexed(container.db, user)  # or the scores of others would tell how well it fits
    left_out = (*filters.excluded_document_ids, *excluded)
    current = replace(filters, excluded_document_ids=left_out, hidden_document_ids=hidden, valid_on=today)
    settings = container.settings
    wide = settings.model_copy(update={"sources": max(POOL, settings.sources)})
    prefers = bool(function_of(user).groups or departments_of(user))

    def search(narrower: Filters) -> Ranking:
        """In the asker's order: what is boosted may come from further back than what is shown."""
        ranking = retrieve(
            question,
            user,
            narrower,
            embedder=container.embedder,
            store=container.store,
            settings=wide if prefers else settings,
            reranker=container.reranker,
            today=today,
        )
        return boosted(ranking, user, settings) if prefers else ranking

    patient = Patient() if filters.target_groups else question.patient
    ranking = for_patient(search(current), patient, current, search)
    if not (filters.target_groups or filters.document_ids):
        ranking = with_twins(ranking, patient, user, current, search, container)
    return valid_first(ranking, patient, superseded, today) if filters.include_expired else ranking


def valid_first(ranking: Ranking, patient: Patient, superseded: Container[str], today: date) -> Ranking:
    """What is no longer valid after what is; sources for other patients stay last."""

    def is_old(hit: Hit) -> bool:
        until = hit.chunk.metadata.valid_until
        return hit.chunk.document_id in superseded or (until is not None and until < today)

    return _with_hits(
        ranking, sorted(ranking.hits, key=lambda hit: (is_for_others(hit, patient), is_old(hit), hit.rank))
    )


def boosted(ranking: Ranking, user: User, settings: Settings) -> Ranking:
    """With what the asker's patients and department add to the scores. Whether there is an answer
    is decided without it.

    The first has the highest of the fused scores, the second the next, and so on, also when a
    reranker has ordered them otherwise. What is for the asker's patients passes a first hit for
    others only when it means what is asked at least as much: without that condition children's
    documents came first for most questions that name no patient."""
    groups, departments = function_of(user).groups, departments_of(user)
    scores = sorted((hit.score for hit in ranking.hits), reverse=True)
    first = (
        ranking.hits[0]
        if ranking.hits and Patient(groups).excludes(ranking.hits[0].chunk.metadata.target_groups)
        else None
    )

    def boost(hit: Hit) -> float:
        passes = first is not None and hit.dense_score >= first.dense_score and _is_for(hit, groups)
        own = folded(hit.chunk.metadata.department) in departments
        return settings.function_boost * passes + settings.department_boost * own

    order = sorted(range(len(scores)), key=lambda index: (-(scores[index] + boost(ranking.hits[index])), index))
    return _with_hits(ranking, [ranking.hits[index] for index in order[: max(settings.sources, settings.passages)]])


def for_patient(ranking: Ranking, patient: Patient, filters: Filters, search: SearchWith) -> Ranking:
    """Sources for these patients first, those for others last. When what fits best is for others
    and has no twin among those for these patients, the question is not answered: the next best
    would be about something else."""
    others = [hit for hit in ranking.hits if is_for_others(hit, patient)]
    if not others:
        return ranking
    right = search(replace(filters, target_groups=tuple(sorted(patient.groups))))
    best = max(others, key=lambda hit: hit.score)
    fits_better = best.score > max((hit.score for hit in right.hits), default=0.0)
    has_twin = any(are_twins(best.chunk.metadata, hit.chunk.metadata) for hit in right.hits)
    shown = others[: max(OTHERS_SHOWN, len(ranking.hits) - len(right.hits))]
    hits = [*right.hits[: len(ranking.hits) - len(shown)], *shown]
    return replace(_with_hits(right, hits), only_for_others=fits_better and not has_twin)


def with_twins(
    ranking: Ranking, patient: Patient, user: User, filters: Filters, search: SearchWith, container: RetrievalContainer
) -> Ranking:
    """The best passage of every twin of what is read first stands right after it, unless the
    question is clear and it is for others."""
    first = container.settings.passages
    read = list(ranking.hits[:first]) + [hit for hit in ranking.hits[first:] if is_for_others(hit, patient)]
    shown = {hit.chunk.document_id for hit in ranking.hits[: first + 1] if not is_for_others(hit, patient)}
    added: list[Hit] = []
    for twin in _twins(read, patient, user, container):
        if twin.id not in shown:
            shown.add(twin.id)
            there = [hit for hit in ranking.hits if hit.chunk.document_id == twin.id]
            added += (there or search(replace(filters, document_ids=(twin.id,))).hits)[:1]
    ids = {hit.chunk.id for hit in added}
    rest = [hit for hit in ranking.hits if hit.chunk.id not in ids]
    hits = [*rest[:first], *added, *rest[first:]][: max(len(ranking.hits), first + len(added))]
    # "120 kg" is an adult or pregnant: what the question leaves open, the asker's function may
    # decide
    cared_for = function_of(user).groups
    return _with_hits(ranking, own_twin_first(hits, patient.groups & cared_for or patient.groups or cared_for))


def _twins(read: Sequence[Hit], patient: Patient, user: User, container: RetrievalContainer) -> list[Document]:
    about = {hit.chunk.document_id: hit.chunk.metadata for hit in read}
    twins = twin_documents(container.db, user, list(about.values()))
    return [twin for twin in twins if not patient.excludes(twin.metadata.target_groups)][:TWINS_SHOWN]


def own_twin_first(hits: Sequence[Hit], groups: PatientGroups) -> list[Hit]:
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


def _is_for(hit: Hit, groups: PatientGroups) -> bool:
    return bool(groups & set(hit.chunk.metadata.target_groups))


def is_for_others(hit: Hit, patient: Patient) -> bool:
    """Whether its document is for other patients."""
    return patient.excludes(hit.chunk.metadata.target_groups)


def _with_hits(ranking: Ranking, hits: Iterable[Hit]) -> Ranking:
    return replace(ranking, hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)))
