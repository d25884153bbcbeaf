"""Spans are exact, whatever is copied, cut or straddled."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from services.generator.text.answer_text import AnswerText
from services.generator.text.codec import Codec
from services.generator.text.provenance import SpanTracker
from services.generator.types import CopySpan, Origin, Passage
from tests.services.generator.tiny import tiny_tokenizer

pytestmark = pytest.mark.quick

DOSE = Passage("dose", "", "Geef een kind 1.55 mg paracetamol per kg. Controleer na 15 min. de bloeddruk.\n")
HANDS = Passage("hands", "", "Wash your hands before and after each patient. Geef een kind water.")


def codec() -> Codec:
    return Codec(tiny_tokenizer())


def track(answer: str, passages: list[Passage], cut: int | None = None) -> list[CopySpan]:
    tracker = SpanTracker(passages)
    spans: list[CopySpan] = []
    for at in range(0, len(answer), 3):
        tracker.feed(answer[at : at + 3])
        spans += tracker.closed(min(at, len(answer) if cut is None else cut))
    return spans + tracker.finish(len(answer) if cut is None else cut)


def assert_exact(spans: list[CopySpan], answer: str, passages: list[Passage]) -> None:
    texts = {passage.id: passage.text for passage in passages}
    last = 0
    for span in spans:
        assert last <= span.answer_start < span.answer_end <= len(answer)
        assert answer[span.answer_start : span.answer_end] == texts[span.passage_id][span.start : span.end]
        last = span.answer_end


def test_a_copied_sentence_is_one_span() -> None:
    answer = "Het protocol: Controleer na 15 min. de bloeddruk. Dat is alles."
    (span,) = track(answer, [DOSE])
    assert answer[span.answer_start : span.answer_end] == "Controleer na 15 min. de bloeddruk."
    assert_exact([span], answer, [DOSE])


def test_a_number_is_never_marked_in_part() -> None:
    answer = "Geef een kind 1.5 mg paracetamol."
    marked = [answer[s.answer_start : s.answer_end] for s in track(answer, [DOSE])]
    assert marked == ["Geef een kind", "mg paracetamol"]


def test_a_short_equality_is_not_reported() -> None:
    assert track("een kind", [DOSE]) == []


def test_a_hint_marks_three_words_that_are_too_short_to_look_up() -> None:
    tracker = SpanTracker([DOSE])
    tracker.feed("na 15 min")
    assert tracker.finish(9) == []
    tracker = SpanTracker([DOSE])
    tracker.feed("na 15 min")
    place = DOSE.text.index("na 15 min")
    tracker.place(4, 0, place)
    assert tracker.finish(9) == [CopySpan(0, 9, "dose", place, place + 9)]


def test_a_wrong_hint_marks_nothing() -> None:
    tracker = SpanTracker([DOSE])
    tracker.feed("something else entirely")
    for shift in range(-30, 30):
        tracker.place(3, 0, shift)
    assert tracker.finish(23) == []


def test_the_longer_of_two_sources_is_named() -> None:
    answer = "Geef een kind water."
    (span,) = track(answer, [DOSE, HANDS])
    assert (span.passage_id, span.answer_start, span.answer_end) == ("hands", 0, 20)


def test_text_from_two_passages_is_two_spans() -> None:
    answer = "Wash your hands before and after each patient. Controleer na 15 min. de bloeddruk."
    assert [span.passage_id for span in track(answer, [DOSE, HANDS])] == ["hands", "dose"]


def test_a_span_is_closed_as_soon_as_the_text_differs() -> None:
    tracker = SpanTracker([HANDS])
    tracker.feed("Wash your hands before")
    assert tracker.closed(22) == []
    tracker.feed(" lunch.")
    assert tracker.closed(20) == [], "its text was not sent yet"
    (span,) = tracker.closed(29)
    assert span.answer_end == 22
    assert tracker.finish(29) == []


words = st.sampled_from(["Geef", "een", "kind", "1.55", "1.5", "mg", "water", "🙂", "é", "e\u0301", ".", "[einde]"])
texts = st.lists(words, min_size=1, max_size=20).map(" ".join)


@given(st.lists(texts, min_size=1, max_size=3), st.data())
@settings(max_examples=300, deadline=None)
def test_every_span_equals_its_source_also_when_the_answer_is_cut(sources: list[str], data: st.DataObject) -> None:
    passages = [Passage(str(n), "", text) for n, text in enumerate(sources)]
    parts = data.draw(st.lists(texts | st.sampled_from(sources), min_size=1, max_size=4))
    answer = data.draw(st.sampled_from([" ", "", ". "])).join(parts)
    cut = data.draw(st.integers(0, len(answer)))
    assert_exact(track(answer, passages, cut), answer[:cut], passages)


@given(st.text(min_size=12, max_size=60), st.text(max_size=20), st.text(max_size=20))
@example("                ", "", "")
@settings(deadline=None)
def test_a_whole_copied_passage_is_covered_but_for_its_borders(source: str, before: str, after: str) -> None:
    answer = before + " " + source + " " + after
    spans = track(answer, [Passage("p", "", source)])
    assert_exact(spans, answer, [Passage("p", "", source)])
    if len(source.strip()) >= 24:
        assert sum(span.answer_end - span.answer_start for span in spans) >= len(source.strip()) - 2


def write(
    text: str, stop: tuple[str, ...] = (), passages: list[Passage] | None = None
) -> tuple[str, list[str], list[CopySpan], bool]:
    """Every token on its own: (text, deltas, spans, stopped)."""
    own = codec()
    answer = AnswerText(own, stop, SpanTracker(passages or []))
    deltas: list[str] = []
    spans: list[CopySpan] = []
    stopped = False
    for token in own.encode(text)[0]:
        stopped = answer.add(token, ())
        if stopped:
            break
        delta = answer.take()
        deltas.append(delta.text)
        spans += delta.spans
    last = answer.finish()
    return answer.text, [*deltas, last.text], spans + list(last.spans), stopped


def test_a_character_of_several_tokens_arrives_whole() -> None:
    text, deltas, _, _ = write("De patiënt 🙂 is naïef.")
    assert text == "De patiënt 🙂 is naïef." == "".join(deltas)
    assert not any("\ufffd" in delta for delta in deltas)


def test_an_unfinished_character_at_the_end_is_left_out() -> None:
    own = codec()
    answer = AnswerText(own, (), SpanTracker([]))
    for token in own.encode("ok 🙂")[0][:-1]:
        answer.add(token, ())
    answer.finish()
    assert answer.text.rstrip() == "ok"


def test_text_ends_before_a_stop_string_and_no_part_of_it_was_sent() -> None:
    text, deltas, _, stopped = write("one two STOP three", ("STOP",))
    assert (text, stopped) == ("one two ", True)
    assert "".join(deltas) == "one two "


def test_the_beginning_of_a_stop_string_is_sent_once_it_is_something_else() -> None:
    text, deltas, _, stopped = write("one STORY", ("STOP",))
    assert (text, "".join(deltas), stopped) == ("one STORY", "one STORY", False)


@given(
    st.text(alphabet="abS TOP", max_size=30), st.lists(st.text(alphabet="abS TOP", min_size=1, max_size=5), max_size=3)
)
@settings(deadline=None)
def test_stop_strings_cut_at_the_first_place(text: str, stop: list[str]) -> None:
    places = [text.index(s) for s in stop if s in text]
    written, deltas, _, stopped = write(text, tuple(stop))
    assert stopped == bool(places)
    if len(places) == 1 or not places:
        assert written == (text[: places[0]] if places else text)
    assert "".join(deltas) == written
    assert not any(s in written for s in stop)


def test_a_span_ends_where_a_stop_string_cut_the_answer() -> None:
    text, _, spans, _ = write("Wash your hands before and after each patient", ("after",), [HANDS])
    assert text == "Wash your hands before and "
    assert [text[s.answer_start : s.answer_end] for s in spans] == ["Wash your hands before and"]


@pytest.mark.parametrize("inside", [(1, 5), (0, 4)])
def test_a_token_that_straddles_a_passages_border_is_placed_by_its_inner_end(inside: tuple[int, int]) -> None:
    source = Passage("p", "", "na 5")
    tracker = SpanTracker([source])
    answer = AnswerText(codec(), (), tracker)
    text = "\nna 5" if inside[0] else "na 5\n"
    token_ids = codec().encode(text)[0]
    for token in token_ids[:-1]:
        answer.add(token, ())
    answer.add(token_ids[-1], [Origin(0, 3, 4)])
    tracker.place(inside[0], 0, -inside[0])
    answer.finish()
    assert all(span.end <= 4 for span in tracker.closed(99))
