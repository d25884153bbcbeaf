"""Two questions in one: which of them are answered, when the search for one alone would not be believed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from rag_api.answering import ask as asking
from rag_api.answering.builder import AnswerBuilder, Question
from rag_api.answering.choice import Section
from rag_api.answering.notices import notice
from rag_api.answering.two import shortened, told_apart
from rag_api.domain import Candidate, Filters, Mode, User
from rag_api.query.asks import Ask
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
    asking._apart([Ask(part, part) for part in parts], whole, builder, container)
    return [one.sentences[0].document_id for one in builder.asked]


def test_a_part_that_is_refused_alone_is_answered_from_the_document_that_answers_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    yes, no = found("picc", answerable=True), found("picc", answerable=False)
    assert asked(monkeypatch, no, yes, no) == ["picc", "picc"]
    assert asked(monkeypatch, yes, no, no) == ["picc", "picc"]


def test_a_part_that_is_refused_is_not_answered_from_another_document_nor_against_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    yes = found("picc", answerable=True)
    assert asked(monkeypatch, yes, yes, found("mrsa", answerable=False)) == ["picc"]
    assert asked(monkeypatch, yes, yes, found("picc", answerable=False, may_answer=False)) == ["picc"]


def test_a_second_question_of_another_topic_is_searched_by_itself_where_nothing_answers_it_with_the_firsts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = {"dosis?": found("dosis", answerable=True), "dosis open?": found("dosis", answerable=False)}
    results["open?"] = found("keuken", answerable=True)
    monkeypatch.setattr(asking, "find", lambda analysis, *_: results[analysis.text])
    builder = AnswerBuilder(Question("a", "c", True, "dosis en open", Mode.VERBATIM, Filters()), USER, "nl", "dosis en open")
    container: Any = SimpleNamespace(expander=Expander([]), settings=SimpleNamespace(sources=7))
    for alone, documents in (("open?", ["dosis", "keuken"]), ("", ["dosis", "dosis"])):
        asking._apart([Ask("dosis?", "dosis?"), Ask("dosis open?", "open?", alone)], found("x", answerable=False), builder, container)
        assert [one.sentences[0].document_id for one in builder.asked] == documents


def test_a_part_that_nothing_answers_is_named_to_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {"dosis?": found("dosis", answerable=True), "hoelang open?": found("keuken", answerable=False)}
    monkeypatch.setattr(asking, "find", lambda analysis, *_: parts[analysis.text])
    builder = AnswerBuilder(
        Question("a", "c", True, "dosis en hoelang open", Mode.VERBATIM, Filters()), USER, "nl", "dosis en hoelang open"
    )
    container: Any = SimpleNamespace(expander=Expander([]), settings=SimpleNamespace(sources=7))
    asking._apart([Ask(part, part) for part in parts], found("dosis", answerable=True), builder, container)
    assert builder.not_found == ("hoelang open?",)
    assert notice("part_not_found", "nl", part=builder.not_found[0]).text.endswith("geen antwoord gevonden: hoelang open?")


def test_where_nothing_is_answered_the_question_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    no = found("picc", answerable=False)
    assert asked(monkeypatch, no, no, no) == []


def section(*scores: tuple[int, float], document: str = "d") -> Section:
    """Sentences by where they begin, with their scores."""
    return Section(tuple(Candidate(document, at, at + 1, (), "z", score, 1) for at, score in scores))


def starts(sections: list[Section]) -> list[int]:
    return [one.candidates[0].start for one in sections]


def test_a_sentence_that_comes_first_for_both_is_said_for_the_one_that_has_no_other_as_good() -> None:
    tube, transport = section((1, 9.0), (2, 8.9)), section((1, 9.0), (3, 5.0))
    assert starts(told_apart([[tube], [transport]])) == [2, 1]
    assert starts(told_apart([[transport], [tube]])) == [1, 2]
    assert starts(told_apart([[transport], [transport]])) == [1]
    assert starts(told_apart([[section((1, 9.0))], [section((1, 9.0))]])) == [1]
    assert starts(told_apart([[transport], [section((4, 2.0))]])) == [1, 4]


def test_each_of_two_things_is_answered_in_one_sentence_or_two_as_good_as_each_other() -> None:
    assert shortened(section((1, 9.0), (2, 8.5), (3, 8.2))).most == 2
    assert shortened(section((1, 9.0), (2, 5.0))).most == 1
