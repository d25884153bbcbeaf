"""Prose and long lines of Python files, wrapped: `python -m tests.support.commands.wrap PATH ...`
(`make format`, with ruff's own).

Comments and docstrings go to lines of at most 100 characters, paragraph by paragraph where one is
too long. A comment behind code of more than 120 goes above it, and a long string becomes several. A
file is written when it means the same: equal trees and words.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import textwrap
import tokenize
from collections.abc import Iterator
from pathlib import Path

PROSE, CODE = 100, 120
ROUNDS = 3
NAMED = 32  # characters: a name that a string may have before it on its line
MARKED = re.compile(r"#(?:!|:|\s*(?:noqa|type:|fmt:|mypy:|ruff:|pragma|isort:|pylint|nosec|nosemgrep))")
ITEM = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")
STRING = re.compile(r"""(?P<prefix>[rRbBuUfF]*)(?P<quote>["'])(?!\2\2)(?P<inside>.*)(?P=quote)""")


def wrapped(words: str, first: str, rest: str, width: int = PROSE) -> list[str]:
    return textwrap.wrap(
        words, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """Yield lines that flow into each other: not over an empty one, into an item, or where the
    indentation changes."""
    found: list[str] = []
    for line in lines:
        indent = len(line) - len(line.lstrip())
        apart = not line.strip() or line.strip() == '"""' or ITEM.match(line)
        if found and (apart or not found[-1].strip() or indent != len(found[-1]) - len(found[-1].lstrip())):
            yield found
            found = []
        found.append(line)
    if found:
        yield found


def flowed(lines: list[str], lead: str) -> list[str]:
    """Return the lines with each paragraph that is too long wrapped; `lead` stands before each."""
    found = []
    for paragraph in paragraphs(lines):
        if max(map(len, paragraph)) + len(lead) <= PROSE:
            found += [(lead + line).rstrip() for line in paragraph]
            continue
        indent = paragraph[0][: len(paragraph[0]) - len(paragraph[0].lstrip())]
        under = indent + (" " * len(item.group().lstrip()) if (item := ITEM.match(paragraph[0])) else "")
        found += wrapped(" ".join(line.strip() for line in paragraph), lead + indent, lead + under)
    return found


def docstrings(tree: ast.AST) -> Iterator[ast.Expr]:
    """Yield all strings that are statements."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node


def tokens(text: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(text).readline))


def strings(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield where each string begins and ends (row from 1, column); none within an f-string, which
    Python tells in parts since 3.12."""
    depth, begin = 0, (0, 0)
    for token in tokens(text):
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_START":
            begin = begin if depth else token.start
            depth += 1
        elif kind == "FSTRING_END":
            depth -= 1
            if not depth:
                yield begin, token.end
        elif kind == "STRING" and not depth:
            yield token.start, token.end


def with_docstrings_wrapped(text: str) -> str:
    lines = text.split("\n")
    for node in sorted(docstrings(ast.parse(text)), key=lambda node: -node.lineno):
        start, end = node.lineno - 1, int(node.end_lineno or node.lineno)
        block = lines[start:end]
        lead = " " * node.col_offset
        if max(map(len, block)) <= PROSE or not block[0].startswith(lead + '"""') or "\\" in "".join(block):
            continue
        inner = [line[len(lead) :] if line.startswith(lead) else line.lstrip() for line in block]
        lines[start:end] = flowed(inner, lead)
    return "\n".join(lines)


def with_comments_wrapped(text: str) -> str:
    lines = text.split("\n")
    alone = {
        token.start[0] - 1: token.start[1]
        for token in tokens(text)
        if token.type == tokenize.COMMENT
        and not token.line[: token.start[1]].strip()
        and not MARKED.match(token.string)
    }
    for number in sorted(alone, reverse=True):
        column = alone[number]
        if alone.get(number + 1) == column:
            continue  # not the last of its block
        first = number
        while alone.get(first - 1) == column:
            first -= 1
        block = [line[column + 1 :].removeprefix(" ") for line in lines[first : number + 1]]
        if max(map(len, lines[first : number + 1])) > PROSE:
            lines[first : number + 1] = [
                line if line.strip() != "#" else " " * column + "#" for line in flowed(block, " " * column + "# ")
            ]
    return "\n".join(lines)


def with_comments_above(text: str) -> str:
    """A comment behind code stands above it where both are longer than a line."""
    lines = text.split("\n")
    for token in reversed(tokens(text)):
        row, column = token.start[0] - 1, token.start[1]
        before = lines[row][:column] if token.type == tokenize.COMMENT else ""
        behind = row and lines[row - 1].rstrip().endswith("\\")
        if not before.strip() or len(lines[row]) <= CODE or MARKED.search(token.string) or behind:
            continue
        if before.strip()[0] in ")]}":
            continue  # about what has been opened above
        indent = " " * (len(before) - len(before.lstrip()))
        lines[row : row + 1] = [*wrapped(token.string.lstrip("# "), indent + "# ", indent + "# "), before.rstrip()]
    return "\n".join(lines)


def cuts(inside: str, is_f: bool, room: int) -> list[str]:
    """Return a string's source in pieces that end with a space, each as long as fits, none within
    braces of an f-string."""
    found, start, last, depth = [], 0, 0, 0
    for index, character in enumerate(inside):
        if is_f and character in "{}":
            depth += 1 if character == "{" else -1
        if character == " " and depth == 0 and (index == 0 or inside[index - 1] != "\\"):
            last = index + 1
        if index + 1 - start > room and last > start:
            found.append(inside[start:last])
            start = last
    return [*found, inside[start:]] if inside[start:] or not found else found


def laid_out_by_hand(text: str) -> set[int]:
    """Return the numbers of the lines that ruff leaves as they are."""
    lines = text.split("\n")
    found, off = set(), False
    for number, line in enumerate(lines, start=1):
        off = (off or "# fmt: off" in line) and "# fmt: on" not in line
        found |= {number} if off else set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and "# fmt: skip" in lines[int(node.end_lineno or node.lineno) - 1]:
            found |= set(range(node.lineno, int(node.end_lineno or node.lineno) + 1))
    return found


def with_strings_parted(text: str) -> str:
    """Long strings of one line become several, side by side: ruff sets each on a line of its
    own."""
    lines = text.split("\n")
    untouched = {node.lineno for node in docstrings(ast.parse(text))} | laid_out_by_hand(text)
    for (row, begin), (last, end) in reversed(list(strings(text))):
        line = lines[row - 1]
        found = STRING.fullmatch(line[begin:end]) if last == row and len(line) > CODE else None
        if not found or row in untouched:
            continue
        indent = len(line) - len(line.lstrip())
        before = begin if begin - indent < NAMED else indent + 8  # else it goes to a line of its own
        pieces = cuts(found["inside"], "f" in found["prefix"].lower(), CODE - before - 4)
        line = (
            line[:begin]
            + " ".join(found["prefix"] + found["quote"] + piece + found["quote"] for piece in pieces)
            + line[end:]
        )
        lines[row - 1] = line
    return "\n".join(lines)


def meaning(text: str) -> tuple[str, list[str]]:
    """Return what may not change: the tree but for how docstrings are broken, and the words of all
    comments."""
    tree = ast.parse(text)
    for node in docstrings(tree):
        assert isinstance(node.value, ast.Constant)
        assert isinstance(node.value.value, str)
        node.value.value = " ".join(node.value.value.split())
    return ast.dump(tree), sorted(
        word for token in tokens(text) if token.type == tokenize.COMMENT for word in token.string.lstrip("#").split()
    )


def wrap(text: str) -> str:
    """Return the text of a module with its lines wrapped, which changes nothing that it means."""
    found = text
    for step in (with_comments_above, with_comments_wrapped, with_docstrings_wrapped, with_strings_parted):
        found = step(found)
    if meaning(found) != meaning(text):
        raise AssertionError("wrapped, it would mean something else")
    return found


def rewritten(path: Path) -> bool:
    """Write a file's text wrapped, and tell whether that changed it."""
    text = path.read_text(encoding="utf-8")
    if max(map(len, text.split("\n"))) <= PROSE or (new := wrap(text)) == text:
        return False
    path.write_text(new, encoding="utf-8")
    return True


def main(paths: list[Path]) -> int:
    files = sorted({file for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path])})
    ruff = [sys.executable, "-m", "ruff"]
    for _ in range(ROUNDS):  # what ruff lays out anew may leave a line that can be wrapped
        files = [file for file in files if rewritten(file)]
        subprocess.run([*ruff, "format", "--quiet", *map(str, paths)], check=True)
        subprocess.run([*ruff, "check", "--quiet", "--select", "I", "--fix", *map(str, paths)], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main([Path(name) for name in sys.argv[1:]]))
