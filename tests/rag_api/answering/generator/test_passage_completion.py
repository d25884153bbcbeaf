"""Passages completed to whole sentences and lists: still exact slices, and no more than there is to
complete."""

from __future__ import annotations

import pytest

from rag_api.answering.generator.passage_completion import MOST, completed
from rag_api.answering.generator.prompt_passages import PromptPassage

pytestmark = pytest.mark.quick

PROSE = "Meet de glycemie elk uur. Geef bij een waarde onder 70 mg/dl meteen 15 g glucose. Meet opnieuw na 15 minuten."
LIST = "Voorbereiding:\n- leg een infuus;\n- neem bloed af;\n- bel de anesthesist.\nDaarna gaat de patiënt naar zaal."


def whole(text: str, start: int, end: int, *others: tuple[int, int]) -> str:
    """The passage text[start:end], completed beside the others."""
    passages = [PromptPassage("d", a, text[a:b]) for a, b in ((start, end), *others)]
    first, *_ = completed(passages, {"d": text})
    assert text[first.start : first.start + len(first.text)] == first.text
    return first.text


def test_a_cut_sentence_is_told_whole() -> None:
    start, end = PROSE.index("waarde"), PROSE.index("opnieuw")
    assert whole(PROSE, start, end) == PROSE[PROSE.index("Geef") :]


def test_whole_sentences_stay_as_they_are() -> None:
    start, end = PROSE.index("Geef"), PROSE.index("Meet opnieuw")
    assert whole(PROSE, start, end) == PROSE[start:end]


def test_a_list_is_told_with_what_leads_it_in_and_to_its_end() -> None:
    start, end = LIST.index("- neem"), LIST.index("- bel")
    assert whole(LIST, start, end) == LIST[: LIST.index("Daarna")]


def test_what_another_passage_holds_is_not_told_twice() -> None:
    end = PROSE.index("opnieuw")
    assert whole(PROSE, 0, end, (PROSE.index("Meet opnieuw"), len(PROSE))) == PROSE[:end]


def test_a_long_list_is_told_as_far_as_whole_items_go() -> None:
    items = [f"- stap {n}: controleer de stand van de pomp en noteer die.\n" for n in range(60)]
    text = "".join(items)
    start = len("".join(items[:30]))
    told = whole(text, start, start + len(items[30]))
    assert told.startswith("- stap")
    assert told.endswith("die.\n")
    assert 0 < len(told) - len(items[30]) <= 2 * MOST


def test_a_sentence_that_goes_on_for_ever_stays_cut() -> None:
    text = "Geef " + "steeds weer een beetje meer vocht, " * 60
    assert whole(text, 700, 800) == text[700:800]


def test_a_document_whose_text_is_not_at_hand_stays_as_it_is() -> None:
    passages = [PromptPassage("d", 3, "half een zin")]
    assert completed(passages, {}) == tuple(passages)
