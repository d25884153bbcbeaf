"""Two questions in one: which of them are answered, when the search for one alone would not be
believed."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from rag_api.answering import ask as asking
from rag_api.answering.builder import AnswerBuilder, Question
from rag_api.answering.choosing.span_selection import Section
from rag_api.answering.choosing.two_asks import shortened, told_apart
from rag_api.answering.warnings.notice_texts import notice
from rag_api.domain import Candidate, Filters, Mode, TargetGroup, User
from rag_api.query.analysis import Analysis
from rag_api.query.question_parts import Ask, asks_of
from rag_api.query.synonyms import Expander
from rag_api.retrieval.find import Retrieval
from rag_api.retrieval.sentence_scorer import Scored

pytestmark = pytest.mark.quick
USER = User(id="u", name="U", groups=("everyone",))


def found(document: str, *, answerable: bool, may_answer: bool = True) -> Retrieval:
    sentence = Scored(Candidate(document, 0, 4, (), "Zin.", 1.0, 1), (0.0,) * 4, "Titel")
    return Retrieval((), 0.9 if answerable else 0.1, answerable, needed=0.5, may_answer=may_answer, scored=(sentence,))


def asked(monkeypatch: pytest.MonkeyPatch, whole: Retrieval, first: Retrieval, second: Retrieval) -> list[str]:
    """The documents whose sentences answer, one for each part that is answered apart; none: the
    question is answered as one."""
    parts = {"hoeveel?": first, "hoelang?": second}
    monkeypatch.setattr(asking, "find", lambda analysis, *_: parts[analysis.text])
    builder = AnswerBuilder(
        Question("a", "c", True, "hoeveel en hoelang", Mode.VERBATIM, Filters()), USER, "nl", "hoeveel en hoelang"
    )
    container: Any = SimpleNamespace(expander=Expander([]), settings=SimpleNamespace(sources=7))
    asking.find_apart([Ask(part, part) for part in parts], whole, builder, container)
    return [one.sentences[0].document_id for one in builder.asked]


def test_a_part_that_is_refused_alone_is_answered_from_the_document_that_answers_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    yes, no = found("picc", answerable=True), found("picc", answerable=False)
    assert asked(monkeypatch, no, yes, no) == ["picc", "picc"]
    assert asked(monkeypatch, yes, no, no) == ["picc", "picc"]


def test_a_part_that_is_refused_is_not_answered_from_another_document_nor_against_a_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    yes = found("picc", answerable=True)
    assert asked(monkeypatch, yes, yes, found("mrsa", answerable=False)) == ["picc"]
    assert asked(monkeypatch, yes, yes, found("picc", answerable=False, may_answer=False)) == ["picc"]


def test_a_second_question_of_another_topic_is_searched_by_itself_where_nothing_answers_it_with_the_firsts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = {"dosis?": found("dosis", answerable=True), "dosis open?": found("dosis", answerable=False)}
    results["open?"] = found("keuken", answerable=True)
    monkeypatch.setattr(asking, "find", lambda analysis, *_: results[analysis.text])
    builder = AnswerBuilder(
        Question("a", "c", True, "dosis en open", Mode.VERBATIM, Filters()), USER, "nl", "dosis en open"
    )
    container: Any = SimpleNamespace(expander=Expander([]), settings=SimpleNamespace(sources=7))
    for alone, documents in (("open?", ["dosis", "keuken"]), ("", ["dosis", "dosis"])):
        asking.find_apart(
            [Ask("dosis?", "dosis?"), Ask("dosis open?", "open?", alone)],
            found("x", answerable=False),
            builder,
            container,
        )
        assert [one.sentences[0].document_id for one in builder.asked] == documents


def test_a_part_that_nothing_answers_is_named_to_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {"dosis?": found("dosis", answerable=True), "hoelang open?": found("keuken", answerable=False)}
    monkeypatch.setattr(asking, "find", lambda analysis, *_: parts[analysis.text])
    builder = AnswerBuilder(
        Question("a", "c", True, "dosis en hoelang open", Mode.VERBATIM, Filters()), USER, "nl", "dosis en hoelang open"
    )
    container: Any = SimpleNamespace(expander=Expander([]), settings=SimpleNamespace(sources=7))
    asking.find_apart([Ask(part, part) for part in parts], found("dosis", answerable=True), builder, container)
    assert builder.not_found == ("hoelang open?",)
    assert notice("part_not_found", "nl", part=builder.not_found[0]).text.endswith(
        "ga na of het antwoord ook dit zegt: hoelang open?"
    )


def answered(
    monkeypatch: pytest.MonkeyPatch, asks: list[Ask], results: dict[tuple[str, str], tuple[str, int, bool, float]]
) -> list[str]:
    """What each answered part was searched for as and the place that answers it. results: by the
    words searched for and the document that was looked into ("": all of them), the best sentence's
    place, whether it is an answer and how sure; one needs .2."""

    def find(analysis: Analysis, user: User, filters: Filters, container: Any) -> Retrieval:
        document, start, answerable, confidence = results.get(
            (analysis.text, ",".join(filters.document_ids)), ("pennen", 0, False, 0.0)
        )
        sentence = Scored(Candidate(document, start, start + 4, (), "Zin.", 1.0, 1), (0.0,) * 4, "Titel")
        return Retrieval((), confidence, answerable, needed=0.2, scored=(sentence,))

    monkeypatch.setattr(asking, "find", find)
    builder = AnswerBuilder(Question("a", "c", True, "beide", Mode.VERBATIM, Filters()), USER, "nl", "beide")
    container: Any = SimpleNamespace(expander=Expander([]), settings=SimpleNamespace(sources=7))
    asking.find_apart(asks, Retrieval((), 0.0, False), builder, container)
    return [f"{one.question.text} {one.sentences[0].document_id} {one.sentences[0].start}" for one in builder.asked]


FIRST = {("spuitje?", ""): ("nuchter", 0, True, 0.4)}
ASKS = [Ask("spuitje?", "spuitje?"), Ask("spuitje insuline?", "insuline?")]


def test_a_part_is_looked_for_in_the_document_that_answers_the_other_too_and_the_surer_answer_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    elsewhere = FIRST | {("spuitje insuline?", ""): ("pennen", 0, True, 0.3)}
    there = ("spuitje insuline?", "nuchter")
    assert answered(monkeypatch, ASKS, elsewhere | {there: ("nuchter", 9, True, 0.5)}) == [
        "spuitje? nuchter 0",
        "spuitje insuline? nuchter 9",
    ]
    assert answered(monkeypatch, ASKS, elsewhere | {there: ("nuchter", 9, True, 0.2)}) == [
        "spuitje? nuchter 0",
        "spuitje insuline? pennen 0",
    ]


def test_half_the_sureness_does_for_a_refused_part_in_the_document_that_answers_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    elsewhere = FIRST | {("spuitje insuline?", ""): ("pennen", 0, False, 0.15)}
    there = ("spuitje insuline?", "nuchter")
    assert answered(monkeypatch, ASKS, elsewhere | {there: ("nuchter", 9, False, 0.11)}) == [
        "spuitje? nuchter 0",
        "spuitje insuline? nuchter 9",
    ]
    for not_enough in (0.09, 0.5):  # so sure, and yet no answer: a rule is against it
        assert answered(monkeypatch, ASKS, elsewhere | {there: ("nuchter", 9, False, not_enough)}) == [
            "spuitje? nuchter 0"
        ]
    assert answered(monkeypatch, ASKS, FIRST | {("spuitje insuline?", ""): ("nuchter", 9, False, 0.5)}) == [
        "spuitje? nuchter 0"
    ]


def test_the_same_asked_of_another_thing_is_not_looked_for_in_the_document_of_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = FIRST | {
        ("spuitje insuline?", ""): ("pennen", 0, True, 0.3),
        ("spuitje insuline?", "nuchter"): ("nuchter", 9, True, 0.5),
    }
    asks = [ASKS[0], replace(ASKS[1], is_of_another=True)]
    assert answered(monkeypatch, asks, results) == ["spuitje? nuchter 0", "spuitje insuline? pennen 0"]
    assert asks_of("hoeveel morfine per keer? en perfalgan?")[1].is_of_another


def test_words_alone_pass_the_topic_only_for_another_sentence_of_the_same_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asks = [ASKS[0], replace(ASKS[1], alone="insuline?")]
    swamped = FIRST | {("spuitje insuline?", ""): ("nuchter", 0, True, 0.3)}
    for place, taken in (
        (("nuchter", 9, True, 0.5), "insuline? nuchter 9"),
        (("nuchter", 9, True, 0.25), "spuitje insuline? nuchter 0"),  # less sure
        # the same: what follows it is told better with the topic
        (("nuchter", 0, True, 0.5), "spuitje insuline? nuchter 0"),
        (("pennen", 9, True, 0.5), "spuitje insuline? nuchter 0"),  # perhaps of another drug
    ):
        assert (
            answered(monkeypatch, asks, swamped | {("insuline?", ""): place, ("insuline?", "nuchter"): place})[1]
            == taken
        )


def test_words_alone_are_searched_for_the_same_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Analysis] = {}

    def find(analysis: Analysis, *_: Any) -> Retrieval:
        seen[analysis.text] = analysis
        return found("d", answerable=False)

    monkeypatch.setattr(asking, "find", find)
    builder = AnswerBuilder(Question("a", "c", True, "beide", Mode.VERBATIM, Filters()), USER, "nl", "beide")
    container: Any = SimpleNamespace(expander=Expander([]), settings=SimpleNamespace(sources=7))
    asks = asks_of("hoeveel perfalgan voor een kind van 12 kg en hoeveel morfine titreren op recovery?")
    asking.find_apart(asks, found("x", answerable=False), builder, container)
    alone = seen["hoeveel morfine titreren op recovery?"]
    assert alone.patient.groups == {TargetGroup.CHILD}
    assert [one.number for one in alone.numbers] == [12]


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
    assert shortened(section((1, 9.0), (2, 7.6))).most == 2
    assert shortened(section((1, 9.0), (2, 5.0))).most == 1
