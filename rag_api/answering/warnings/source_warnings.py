"""sources -> what the reader must know before using them: cautions on each, and the notices above
the answer.

For other patients, expired, superseded, contradicted by another; a twin for other patients; numbers
that no source holds. The rules are rag_api.guard's, the sentences
rag_api.answering.warnings.notice_texts'. Nothing is left out or ordered here.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from rag_api.answering.generator.prompt_passages import PromptPassage
from rag_api.answering.warnings.notice_texts import day_of, for_whom, notice, the_patient, title_of
from rag_api.answering.warnings.partial_lists import PartialList
from rag_api.db.documents import replacing
from rag_api.domain import Document, Filters, Notice, Source, TargetGroup, Unsupported, User, code_of
from rag_api.guard.drugs import drugs_in
from rag_api.guard.numbers.conflicts import ValueConflict, conflicts
from rag_api.guard.numbers.levels import is_about_the_other
from rag_api.guard.numbers.support import SupportPassage, unsupported
from rag_api.guard.people.asker import function_of
from rag_api.guard.people.patient import Patient, wards_in
from rag_api.guard.people.twin_documents import are_twins
from rag_api.guard.words import folded
from rag_api.query.analysis import Analysis
from rag_api.retrieval.search.patient_ranking import RetrievalContainer
from rag_api.text.word_match import coverage

_BARRING = ("other_group", "other_drug", "other_level", "other_complication")  # what is marked so may not answer
AS_MUCH = 2 / 3  # of what one twin holds of the question's words the other holds, where it is another answer to it
CLEARLY = 2.0  # nats between the best sentences of two twins from which they tell which one is asked about


@dataclass(frozen=True, slots=True)
class Warned:
    """Sources with their cautions, and the notices that stand above the answer."""

    sources: tuple[Source, ...]
    notices: tuple[Notice, ...]


def warned(
    sources: Sequence[Source],
    question: Analysis,
    user: User,
    filters: Filters,
    language: str,
    container: RetrievalContainer,
    likely: Mapping[str, float] | None = None,
) -> Warned:
    """Return what the reader must know of these sources. `likely`: by the ids of their documents,
    the score of the best sentence of each, in nats. Blocks."""
    today, patient, first = filters.valid_on or date.today(), question.patient, container.settings.passages
    documents = [source.document for source in sources]
    newer = replacing(container.db, user, documents, today) if filters.include_expired else {}
    cared_for = wards_in(question.text) or function_of(user).groups
    differing = [
        c
        for c in conflicts([s.hit for s in sources], question.terms)
        if _are_valid((sources[c.first], sources[c.second]), today, newer)
    ]
    cautions = [
        [
            *_group_caution(source, patient, language),
            *_twin_caution(source, sources, likely or {}, patient, cared_for, language),
            *_level_caution(source, question, language),
            *_age_cautions(source, today, newer, language),
            *_conflict_cautions(index, differing, sources, language),
            *_doubt_cautions(source, language),
        ]
        for index, source in enumerate(sources)
    ]
    notices = [
        *_group_notices(sources, patient, first, language),
        *(_twin_notices(sources, question, first, language) or _unnamed_notices(sources, patient, user, language)),
        *_conflict_notices(differing, sources, language),
        *_version_notices([s for s in sources if _are_valid((s,), today, newer)], language),
        *_superseded_notices(sources[:first], newer, language),
    ]
    marked = tuple(replace(source, cautions=tuple(own)) for source, own in zip(sources, cautions, strict=True))
    return Warned(marked, tuple(dict.fromkeys(one for one in notices if min(one.about, default=1) <= first)))


def of_used(notices: Sequence[Notice], ranks: Iterable[int], sources: Sequence[Source]) -> list[Notice]:
    """Those that speak of a document that the answer was taken from, or of the answer as a whole.
    `ranks`: of the sources it quotes; of an answer without quotes every notice stays."""
    documents = {source.hit.rank: source.document.id for source in sources}
    used = {documents[rank] for rank in ranks if rank in documents}
    return [one for one in notices if not used or not one.about or used & {documents.get(rank) for rank in one.about}]


def of_refusal(notices: Sequence[Notice], sources: Sequence[Source]) -> list[Notice]:
    """No source is used, so nothing is said of one; but that there are twins may be why nothing
    answers, where they might have."""
    barred = {source.hit.rank for source in sources if _has(source, *_BARRING)}
    return [one for one in notices if not one.about or (one.code == "twins" and not barred & set(one.about))]


def of_other_drugs(sources: Sequence[Source], question: Analysis, others: Container[str], language: str) -> Warned:
    """A document that names none of the question's drugs does not answer it, whatever else it
    shares: a dose would be another drug's. `others`: the ids of those documents. The notice: when
    no source names them."""
    if not question.drugs or not sources:
        return Warned(tuple(sources), ())
    said = {"drugs": " / ".join(question.drugs)}
    card = notice("card_other_drug", language, (), **said)
    marked = tuple(replace(s, cautions=(*s.cautions, card)) if s.document.id in others else s for s in sources)
    none = all(s.document.id in others for s in sources)
    return Warned(marked, (notice("other_drug", language, (), **said),) if none else ())


def of_other_complications(
    sources: Sequence[Source], question: Analysis, others: Container[str], language: str
) -> tuple[Source, ...]:
    """What a document that is about another complication than the question's, and never names that
    one, is marked with. `others`: the ids of those documents."""
    if not question.complications.names:
        return tuple(sources)
    card = notice("card_other_complication", language, (), names=" / ".join(question.complications.names))
    return tuple(replace(s, cautions=(*s.cautions, card)) if s.document.id in others else s for s in sources)


def usable(sources: Sequence[Source], limit: int) -> tuple[Source, ...]:
    """The first that may be answered from: not those for other patients, of other drugs or another
    complication, and of twins only the better one, for an answer is for one patient; what is no
    longer valid only when nothing else is there."""
    fit = [source for source in sources if not _has(source, *_BARRING, "twin")]
    valid = [source for source in fit if not _has(source, "expired", "superseded")]
    return tuple((valid or fit)[:limit])


def _has(source: Source, *codes: str) -> bool:
    return any(caution.code in codes for caution in source.cautions)


def unsupported_in(
    answer: str, sources: Sequence[Source], question: Analysis, language: str, beyond: Sequence[PromptPassage] = ()
) -> tuple[Unsupported, ...]:
    """Return numbers of an answer that stand in none of the sources it was written from. `beyond`:
    what else of their documents it had."""
    languages = {s.document.id: s.document.metadata.language or language for s in sources}
    passages = [SupportPassage(f"{s.hit.chunk.title}\n{s.hit.chunk.text}", languages[s.document.id]) for s in sources]
    passages += [SupportPassage(one.text, languages[one.document_id]) for one in beyond if one.document_id in languages]
    return unsupported(answer, passages, language, question.patient)


def unsupported_notice(found: Sequence[Unsupported], language: str) -> list[Notice]:
    return (
        [notice("unsupported", language, numbers=", ".join(dict.fromkeys(one.text for one in found)))] if found else []
    )


def _doubt_cautions(source: Source, language: str) -> list[Notice]:
    """Why some of it is not quoted, each cause by itself."""
    scan, doubt = source.text_from == "ocr", source.uncertain
    mostly = any(code_of(warning) == "mostly_in_doubt" for warning in source.document.warnings)
    causes = {
        "card_scan_in_doubt": scan and doubt,
        "card_scan": scan and not doubt,
        "card_in_doubt": doubt and not scan,
        "card_mostly_in_doubt": mostly,
        "card_addressed": source.addressed,
    }
    return [notice(code, language) for code, holds in causes.items() if holds]


def _are_valid(sources: Iterable[Source], today: date, newer: Mapping[str, Document]) -> bool:
    return all((s.document.metadata.valid_until or today) >= today and s.document.id not in newer for s in sources)


def _group_caution(source: Source, patient: Patient, language: str) -> list[Notice]:
    groups = source.document.metadata.target_groups
    if not patient.excludes(groups):
        return []
    words = {"for_whom": for_whom(groups), "patient": the_patient(patient.groups)}
    return [notice("card_other_group", language, (), **words)]


def _twin_caution(
    source: Source,
    sources: Sequence[Source],
    likely: Mapping[str, float],
    patient: Patient,
    cared_for: Collection[TargetGroup],
    language: str,
) -> list[Notice]:
    """The question names nobody, and a better source is about the same for others."""
    about = source.document.metadata
    twins = [one for one in sources if one.document.id == source.document.id or are_twins(about, one.document.metadata)]
    better = _better_twin(twins, likely, cared_for)
    if patient.is_clear or better.document.id == source.document.id:
        return []
    words = {"for_whom": for_whom(about.target_groups), "others": for_whom(better.document.metadata.target_groups)}
    return [notice("card_twin", language, (), source=str(better.hit.rank), **words)]


def _better_twin(twins: Sequence[Source], likely: Mapping[str, float], cared_for: Collection[TargetGroup]) -> Source:
    """Who cares for the patients of one, or names their ward, asks about them. Else it is the
    adults', for few questions about an adult say so, unless another one's best sentence is clearly
    better; where none is for adults, the first."""
    own = [one for one in twins if set(cared_for) & set(one.document.metadata.target_groups)]
    if own:
        return own[0]
    usual = next((one for one in twins if TargetGroup.ADULT in one.document.metadata.target_groups), twins[0])
    best = max(twins, key=lambda one: likely.get(one.document.id, -math.inf))
    gain = likely.get(best.document.id, -math.inf) - likely.get(usual.document.id, -math.inf)
    return best if gain >= CLEARLY else usual


def _level_caution(source: Source, question: Analysis, language: str) -> list[Notice]:
    level = question.level
    if level is None or not is_about_the_other(level, source.document.metadata.title):
        return []
    code = "card_other_level_high" if level.high else "card_other_level_low"
    return [notice(code, language, (), salt={"nl": level.of.names[0], "en": level.of.names[1]})]


def _age_cautions(source: Source, today: date, newer: Mapping[str, Document], language: str) -> list[Notice]:
    until, found = source.document.metadata.valid_until, []
    if until is not None and until < today:
        found.append(notice("card_expired", language, day=day_of(until)))
    if source.document.id in newer:
        found.append(notice("card_superseded", language, newer=_named(newer[source.document.id])))
    return found


def _named(document: Document) -> str:
    version = document.metadata.version
    return f"{title_of(document)} ({version})" if version else title_of(document)


def _group_notices(sources: Sequence[Source], patient: Patient, first: int, language: str) -> list[Notice]:
    """When what would be read first is for others, or what fits best is and no twin of it is
    there."""
    for_others = [s for s in sources if patient.excludes(s.document.metadata.target_groups)]
    if not for_others:
        return []
    patient_words = the_patient(patient.groups)
    if sources[0] in for_others:
        groups = {group for s in for_others for group in s.document.metadata.target_groups}
        return [notice("patient_group", language, for_whom=for_whom(groups), patient=patient_words)]
    best, rest = max(for_others, key=lambda s: s.hit.score), [s for s in sources if s not in for_others]
    about = best.document.metadata
    if best.hit.score <= max(s.hit.score for s in rest) or any(are_twins(about, s.document.metadata) for s in rest):
        return []
    words = {"for_whom": for_whom(about.target_groups), "patient": patient_words}
    return [notice("patient_group_only", language, (), title=title_of(best.document), **words)]


def _twin_notices(sources: Sequence[Source], question: Analysis, first: int, language: str) -> list[Notice]:
    """When the question names nobody: what is read first is for some patients, and there is the
    same for others, which says as much of what is asked: what never names the insulin pump that is
    asked about is no other answer."""
    if question.patient.is_clear:
        return []
    for index, source in enumerate(sources[:first]):
        for other in sources[index + 1 :]:
            one, two = source.document.metadata, other.document.metadata
            if are_twins(one, two) and _says(question, other, sources) >= AS_MUCH * _says(question, source, sources):
                words = {"one": for_whom(one.target_groups), "other": for_whom(two.target_groups)}
                ranks = (index + 1, sources.index(other) + 1)
                return [notice("twins", language, ranks, **words, first=str(ranks[0]), second=str(ranks[1]))]
    return []


def _says(question: Analysis, source: Source, sources: Sequence[Source]) -> float:
    """The share of the question's words that the passages of its document hold."""
    own = "\n".join(one.hit.chunk.text for one in sources if one.document.id == source.document.id)
    return coverage(question.sought, source.document.metadata.title, own)


def _unnamed_notices(sources: Sequence[Source], patient: Patient, user: User, language: str) -> list[Notice]:
    """When the question names nobody and what is read first has no twin."""
    if patient.is_clear or not sources or not _is_unthought_of(sources[0].document, user):
        return []
    return [notice("only_for", language, (1,), for_whom=for_whom(sources[0].document.metadata.target_groups))]


def _is_unthought_of(document: Document, user: User) -> bool:
    """Not for the patients of the asker's function, or, where that does not say, for none but
    children, newborns or pregnant women. Most documents are for adults, and few questions say
    so."""
    groups, cared_for = document.metadata.target_groups, function_of(user).groups
    return bool(groups) and not (cared_for or {TargetGroup.ADULT}) & set(groups)


def answered_from(
    ranks: Iterable[int], sources: Sequence[Source], question: Analysis, user: User, language: str
) -> list[Notice]:
    """For whom the answer is, once it is known which sources it was taken from: when the question
    names nobody, and the notices above it spoke of the first source, which is another document."""
    if question.patient.is_clear:
        return []
    taken = dict.fromkeys(source.document.id for rank in ranks for source in sources[rank - 1 : rank])
    others = [
        d
        for d in (s.document for s in sources)
        if d.id in taken and d.id != sources[0].document.id and _is_unthought_of(d, user)
    ]
    return (
        [notice("answered_only_for", language, for_whom=for_whom(others[0].metadata.target_groups))] if others else []
    )


def in_doubt(unnamed: Sequence[str], ranks: Sequence[int], sources: Sequence[Source], language: str) -> list[Notice]:
    """What speaks against an answer: words of the question that it does not name, and that it
    begins in another document than what was found first. More such answers are right than are worse
    than none, so they are shown, with this beside them. A drug that is asked about and not named is
    told by itself."""
    drugs = [word for word in unnamed if drugs_in(word)]
    words = {"drug_not_named": drugs, "not_named": [word for word in unnamed if word not in drugs]}
    found = [notice(code, language, words=", ".join(those)) for code, those in words.items() if those]
    taken = sources[ranks[0] - 1].document if ranks and 0 < ranks[0] <= len(sources) else None
    if taken is not None and taken.id != sources[0].document.id:
        found.append(notice("other_document", language, (ranks[0],), title=title_of(taken)))
    return found


def in_part(lists: Sequence[PartialList], language: str) -> list[Notice]:
    """That there is more: of the list, and of the table, that lacks most, where several are quoted
    in part."""
    told = []
    for code, rows in (("list_in_part", False), ("table_in_part", True)):
        most = max((one for one in lists if one.rows == rows), key=lambda one: one.items - one.quoted, default=None)
        if most is not None:
            told.append(notice(code, language, (most.rank,), quoted=str(most.quoted), items=str(most.items)))
    return told


def _conflict_notices(found: Sequence[ValueConflict], sources: Sequence[Source], language: str) -> list[Notice]:
    return [
        notice(
            "conflict", language, (c.first + 1, c.second + 1),
            one=_named(sources[c.first].document), first_value=c.first_value, first=str(c.first + 1),
            other=_named(sources[c.second].document), second_value=c.second_value, second=str(c.second + 1),
        )
        for c in found[:1]
    ]  # fmt: skip


def _version_notices(sources: Sequence[Source], language: str) -> list[Notice]:
    """Two current documents of one title for the same patients: likely a version that nobody took
    out."""
    for index, source in enumerate(sources):
        for other in sources[index + 1 :]:
            if source.document.id != other.document.id and _names(source.document) == _names(other.document):
                ranks = (source.hit.rank, other.hit.rank)
                words = {"first": str(ranks[0]), "second": str(ranks[1]), "title": title_of(source.document)}
                return [
                    notice(
                        "versions",
                        language,
                        ranks,
                        one=_version(source.document),
                        other=_version(other.document),
                        **words,
                    )
                ]
    return []


def _names(document: Document) -> tuple[str, frozenset[TargetGroup], str]:
    about = document.metadata
    return folded(title_of(document)), frozenset(about.target_groups), about.language


def _version(document: Document) -> str:
    return document.metadata.version or document.source


def _conflict_cautions(
    index: int, found: Sequence[ValueConflict], sources: Sequence[Source], language: str
) -> list[Notice]:
    sides = [(c.first, c.first_value, c.second, c.second_value) for c in found]
    sides += [(c.second, c.second_value, c.first, c.first_value) for c in found]
    return [
        notice("card_conflict", language, own_value=own_value, source=str(their + 1), their_value=their_value)
        for own, own_value, their, their_value in sides
        if own == index
    ]


def _superseded_notices(sources: Sequence[Source], newer: Mapping[str, Document], language: str) -> list[Notice]:
    return [
        notice(
            "superseded",
            language,
            (source.hit.rank,),
            title=_named(source.document),
            newer=_named(newer[source.document.id]),
        )
        for source in sources
        if source.document.id in newer
    ]
