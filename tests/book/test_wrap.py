"""`make format` wraps what is too long and changes nothing that a module means."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from tests.support.commands.wrap import CODE, PROSE, cuts, meaning, wrap

pytestmark = pytest.mark.quick

WORDS = "Each word of this stands in the order in which somebody wrote it down " * 2


def longest(text: str) -> int:
    return max(map(len, text.split("\n")))


def test_docstrings_and_comments_are_wrapped_by_paragraphs() -> None:
    text = dedent(f'''\
        """{WORDS.strip()}.

        - {WORDS.strip()}
        - short
        """

        # {WORDS}
        # {WORDS}
        #
        # a paragraph of its own
        X = 1
        ''')
    found = wrap(text)
    assert longest(found) <= PROSE
    assert meaning(found) == meaning(text)
    assert '\n- short\n"""\n' in found
    assert "\n#\n# a paragraph of its own\nX = 1\n" in found
    assert "\n  " in found, "an item goes on under its own words"


def test_a_comment_behind_code_goes_above_it_and_a_pragma_stays() -> None:
    text = f"if X:\n    y = 1  # {WORDS}\n    z = 2  # noqa: {WORDS}\n"
    above, *_ = wrap(text).split("    y = 1\n")
    assert above.startswith("if X:\n    # Each word")
    assert f"    z = 2  # noqa: {WORDS}".rstrip() in wrap(text)


@pytest.mark.parametrize("prefix", ["", "f", "r", "b"])
def test_a_long_string_becomes_several_of_the_same_value(prefix: str) -> None:
    text = f'x = call({prefix}"{WORDS}{{len(a + b)}} {WORDS}")\n'
    found = wrap(text)
    assert found != text
    assert ast.dump(ast.parse(found)) == ast.dump(ast.parse(text))
    assert all(len(piece) < CODE for piece in found.split('" '))


def test_what_is_laid_out_by_hand_stays() -> None:
    table = f'# fmt: off\nX = ["{WORDS}",\n     "b"]\n# fmt: on\nY = ["{WORDS}"]  # fmt: skip\n'
    assert wrap(table) == table


def test_no_string_is_cut_within_braces_or_behind_a_backslash() -> None:
    assert cuts("a {b + c} d", True, 5) == ["a ", "{b + c} ", "d"]
    assert cuts(r"a\ b c", False, 3) == [r"a\ b ", "c"]
    assert cuts("word ", False, 3) == ["word "]
    assert cuts("", False, 3) == [""]
