"""Two quotes of which one opens a bracket and a later one closes it are one sentence: neither is
quoted."""

from __future__ import annotations

import pytest

from rag_api.text.blocks import blocks_of
from rag_api.text.quotable.torn import torn

pytestmark = pytest.mark.quick

_BETWEEN = "Meet elk uur de pols.\n\n"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Geef valproaat (alleen bij mannen,\n\nen bij ouderen)-400 mg.\n\n", 2),
        ("Valproaat (alleen bij mannen\n\nen bij ouderen)-400 mg.\n\n", 1),
        (f"Geef valproaat (alleen bij mannen,\n\n{_BETWEEN}en bij ouderen)-400 mg.\n\n", 3),
        (f"Geef valproaat (alleen bij mannen,\n\n{5 * _BETWEEN}en bij ouderen)-400 mg.\n\n", 0),
        ("Geef valproaat (bij mannen) op.\n\nGeef het (ook bij ouderen) traag.\n\n", 0),
        ("Geef valproaat (alleen bij mannen. Meet de pols. Bel bij twijfel.) Noteer het uur.\n\n", 0),
        ("1) Geef valproaat op tijd.\n\n2) Geef het ook bij ouderen.\n\n", 0),
        ("Geef valproaat (zie schema.\n\na) Geef 5 mg.\n\nb) Meet de pols.\n\n", 0),
    ],
    ids=[
        "beside each other",
        "a heading",
        "with one between",
        "too far",
        "closed",
        "one paragraph",
        "labels",
        "labels behind one that is open",
    ],
)
def test_quotes_that_one_bracket_joins_are_parts_of_a_sentence(text: str, parts: int) -> None:
    assert len(list(torn(text, blocks_of(text)))) == parts
