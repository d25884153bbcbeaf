"""Tokens are of one kind when they are one word, written otherwise."""

from __future__ import annotations

import pytest
from tokenizers import AddedToken, Tokenizer
from tokenizers.decoders import ByteLevel, Metaspace
from tokenizers.models import BPE

from services.generator.native.text import BLANK, CAPITAL, CLOSING, INSIDE, OTHER, SMALL
from services.generator.text.kinds import token_kinds

FORM = {OTHER: "other", SMALL: "small", CAPITAL: "capital", INSIDE: "inside", CLOSING: "closing", BLANK: "blank"}


def kinds_of(pieces: list[str], byte_level: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Of each token the one that stands for its kind; and its form."""
    tokenizer = Tokenizer(BPE(vocab={piece: n for n, piece in enumerate(pieces)}, merges=[]))
    tokenizer.decoder = ByteLevel() if byte_level else Metaspace()
    tokenizer.add_special_tokens([AddedToken("</s>", special=True)])
    found, pieces = token_kinds(tokenizer), [*pieces, "</s>"]
    assert len(found.kind) == len(pieces)
    return {piece: pieces[kind] for piece, kind in zip(pieces, found.kind, strict=True)}, {
        piece: FORM[form] for piece, form in zip(pieces, found.form, strict=True)
    }


@pytest.mark.parametrize(("space", "byte_level"), [("\u0120", True), ("\u2581", False)])
def test_case_and_spaces_before_make_no_other_kind(space: str, byte_level: bool) -> None:
    kinds, forms = kinds_of(
        ["the", f"{space}The", "THE", f"{space}then", f"{space},", ",", "</S>", f"{space}{space}", space], byte_level
    )
    assert kinds["the"] == kinds[f"{space}The"] == kinds["THE"] == "the"
    assert kinds[f"{space}then"] == f"{space}then"
    assert kinds[","] == f"{space},"
    assert forms == {
        "the": "inside", f"{space}The": "capital", "THE": "inside", f"{space}then": "small", f"{space},": "closing", ",": "closing",
        "</S>": "other", "</s>": "other", f"{space}{space}": "blank", space: "blank",
    }  # fmt: skip
    assert (kinds["</s>"], kinds["</S>"]) == ("</s>", "</S>")  # a control token is no word
    assert kinds[space] == space != kinds[f"{space}{space}"]


def test_line_breaks_and_parts_of_characters_keep_to_themselves() -> None:
    kinds, forms = kinds_of(
        [".", ".\u010a", "\u010a", "\u00e2", "\u00c2", "\u00c3\u012b", "\u00c3\u00a9"], byte_level=True
    )
    assert kinds[".\u010a"] == ".\u010a"  # a full stop and a line break: no space before
    assert kinds["\u00e2"] != kinds["\u00c2"]
    assert kinds["\u00c3\u00a9"] == "\u00c3\u012b"  # small and large, of two bytes
    assert (forms["."], forms[".\u010a"], forms["\u010a"], forms["\u00e2"]) == ("closing", "other", "blank", "other")
    assert forms["\u00c3\u00a9"] == "inside"


def test_bytes_that_are_letters_are_letters() -> None:
    kinds, _ = kinds_of(["a", "<0x41>", "\u2581A"], byte_level=False)
    assert set(kinds.values()) == {"a", "</s>"}
