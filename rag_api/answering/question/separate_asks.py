"""Two or three things asked in one question -> what is found for each: with what all are about, by
its own words alone, and in the document that answers another of them. The surest is taken.

Who asks two things at once mostly stands before one patient with one procedure. So a document that
answers the one is looked into for the other too, and there half the sureness does. Knows no
database and no model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rag_api.query.analysis import Analysis, analyse
from rag_api.query.question_parts import Ask
from rag_api.query.synonyms import Expander
from rag_api.retrieval.find import Retrieval

NEARLY = 0.5  # share of the sureness that an answer needs, where its document answers what was asked beside it

SearchFor = Callable[[Analysis, frozenset[str]], Retrieval]


@dataclass(frozen=True, slots=True)
class FoundAsk:
    """What one of them was searched for as, and what that found."""

    analysis: Analysis
    retrieval: Retrieval

    @property
    def place(self) -> tuple[str, int, int]:
        """That of its best sentence; without a document: it has none."""
        return next(((one.document_id, one.start, one.end) for one in self.retrieval.sentences), ("", 0, 0))

    @property
    def document_id(self) -> str:
        return self.place[0]


def found_apart(asks: Sequence[Ask], whole: Retrieval, expander: Expander, search: SearchFor) -> list[FoundAsk | None]:
    """Return what answers each, in their order; None: nothing does. `whole`: what the question
    finds as it is. `search`: within these documents, or within all where there are none."""
    found = [
        _rivals([FoundAsk(analysis, search(analysis, frozenset())) for analysis in _read(ask, expander)])
        for ask in asks
    ]
    answering = [_answering(max(own, key=_sureness).retrieval) for own in found]
    chosen = []
    for at, (ask, own) in enumerate(zip(asks, found, strict=True)):
        others = frozenset[str]().union(*(ids for other, ids in enumerate(answering) if other != at))
        beside = others or _answering(whole)
        within = [] if ask.is_of_another else _within(beside, own, search)
        chosen.append(_chosen(own, within, others | _answering(whole)))
    return chosen


def _read(ask: Ask, expander: Expander) -> list[Analysis]:
    """With what all are about; and by its own words alone, for the same patient: without that it
    would find the dose of anybody."""
    with_topic = analyse(ask.text, expander, ask.said)
    if not ask.alone:
        return [with_topic]
    return [with_topic, replace(analyse(ask.alone, expander), patient=with_topic.patient, numbers=with_topic.numbers)]


def _rivals(own: Sequence[FoundAsk]) -> list[FoundAsk]:
    """With its topic; and by its words alone where that has no answer, or where the topic may
    outweigh them: for another sentence of the same document. What only another document says of the
    words alone may be of another drug or procedure."""
    first, *alone = own
    if not first.retrieval.answerable:
        return [first, *alone]
    return [first, *(one for one in alone if one.document_id == first.document_id and one.place != first.place)]


def _within(document_ids: frozenset[str], own: Sequence[FoundAsk], search: SearchFor) -> list[FoundAsk]:
    """What these documents answer, where the best sentence stood in another one."""
    elsewhere = [one for one in own if document_ids and one.document_id not in document_ids]
    return [FoundAsk(one.analysis, search(one.analysis, document_ids)) for one in elsewhere]


def _chosen(own: Sequence[FoundAsk], within: Sequence[FoundAsk], beside: frozenset[str]) -> FoundAsk | None:
    """The surest of those that answer; where none does, of those that nearly do in a document that
    answers another. own: found among all documents, so that it says something that such a one came
    first."""
    sure = [one for one in (*own, *within) if one.retrieval.answerable]
    near = [one for one in own if one.document_id in beside and _is_only_unsure(one.retrieval)]
    near += [
        one
        for one in within
        if _is_only_unsure(one.retrieval) and one.retrieval.confidence >= NEARLY * one.retrieval.needed
    ]
    return max(sure or near, key=_sureness, default=None)


def _is_only_unsure(found: Retrieval) -> bool:
    """No rule is against it: that it says "with" where the question says "without" is one too."""
    return found.may_answer and bool(found.sentences) and found.confidence < found.needed


def _sureness(found: FoundAsk) -> tuple[bool, float]:
    return found.retrieval.answerable, found.retrieval.confidence


def _answering(found: Retrieval) -> frozenset[str]:
    """The document of the best sentence, where that is an answer."""
    return frozenset(one.document_id for one in found.sentences[:1] if found.answerable)
