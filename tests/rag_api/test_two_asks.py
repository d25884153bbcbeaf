"""Two questions in one: which of them are answered, when the search for one alone would not be believed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from rag_api.answering import ask as asking
from rag_api.answering.builder import AnswerBuilder, Question
from rag_api.domain import Candidate, Filters, Mode, User
from rag_api.query.synonyms import Expander
from rag_api.retrieval.find import Retrieval
from rag_api.retrieval.sentence_scorer import Scored

pytestmark = pytest.mark.quick
USER = User(id="u", name="U", groups=("everyone",))


def found(document: str, *, answerable: bool, may_answer: bool = True) -> Retrieval:
    sentence = Scored(Candidate(document, 0, 4, (), "Zin.", 1.0, 1), (0.0,) * 4, "Titel")
    return Retrieval((), 0.5, answerable, may_answer=may_answer, scored=(sentence,))


def asked(monkeypatch: pytest.MonkeyPatch, whole: Retrieval, first: Retrieval, second: Retrieval) -> list[str]:
    """The documents whose sentences answer, one for each part that is answered apart; none: the question is answered as one."""
    parts = {"hoeveel?": first, "hoelang?": second}
    monkeypatch.setattr(asking, "find", lambda analysis, *_: parts[analysis.text])
    builder = AnswerBuilder(Question("a", "c", True, "hoeveel en hoelang", Mode.VERBATIM, Filters()), USER, "nl", "hoeveel en hoelang")
    container: Any = SimpleNamespace(expander=Expander([]), settings=SimpleNamespace(sources=7))
    asking._apart(list(parts), whole, builder, container)
    return [one.sentences[0].document_id for one in builder.asked]


def test_a_part_that_is_refused_alone_is_answered_from_the_document_that_answers_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    yes, no = found("picc", answerable=True), found("picc", answerable=False)
    assert asked(monkeypatch, no, yes, no) == ["picc", "picc"]
    assert asked(monkeypatch, yes, no, no) == ["picc", "picc"]


def test_a_part_that_is_refused_is_not_answered_from_another_document_nor_against_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    yes = found("picc", answerable=True)
    assert asked(monkeypatch, yes, yes, found("mrsa", answerable=False)) == ["picc"]
    assert asked(monkeypatch, yes, yes, found("picc", answerable=False, may_answer=False)) == ["picc"]


def test_where_nothing_is_answered_the_question_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    no = found("picc", answerable=False)
    assert asked(monkeypatch, no, no, no) == []
