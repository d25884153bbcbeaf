"""Prose of the docs: what of a page is read as sentences, how long these are, and which hold
figures. Knows no file."""

from __future__ import annotations

import re

LONGEST = 25  # words of a sentence, in nine of ten
GENERATED = re.compile(r"<!-- (?:table|settings|packages)\b.*?<!-- end -->", re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"^(?: {4}|\t).*$", re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
END = re.compile(r"(?<=[.!?:;])[)*\"]*\s+(?=[A-Z\"(*])|(?<=[.!?][)*\"])[)*\"]*\s+(?=[A-Z\"(*])|\n\s*\n|\n\s*(?=[-*] )")
# A number behind these is a name's (a version, a standard, a status), no figure.
NAME = re.compile(
    r"\b(?:Python|Node|TLS|NEN|ISO|Weaviate|Apache|GPL|LGPL|MPL|CVE|[Uu]ser|[Pp]orts?|gets?|Llama)[ -]?\d[\d.:/-]*(?: "
    r"(?:to|and) \d[\d.]*)?"
)
TITLE = re.compile(r'"[^"]*"')  # what a button or a panel says
FIGURE = re.compile(r"(?<![\w./#@-])\.?\d[\d.,]*\s?%?(?![\w-])")


def written(text: str) -> str:
    """Return what somebody wrote by hand: no tables that a command made."""
    return GENERATED.sub("\n", text)


def words(text: str) -> int:
    """Return the number of words that were written by hand, those of tables and code among them."""
    return sum(bool(re.search(r"\w", token)) for token in written(text).split())


def paragraphs(text: str) -> str:
    """Return the text without code, tables, headings and comments; links as their words, code in a
    line as one word."""
    text = COMMENT.sub("", INDENTED.sub("", FENCED.sub("", written(text))))
    text = "\n".join("" if line.lstrip().startswith(("|", "#")) else line for line in text.splitlines())
    text = re.sub(r"^(\s*)\d+\. ", r"\1- ", text, flags=re.MULTILINE)
    return re.sub(r"`[^`]*`", "Code", LINK.sub(r"\1", text))


def sentences(text: str) -> list[str]:
    found = (" ".join(part.split()).lstrip("-* ") for part in END.split(paragraphs(text)))
    return [part for part in found if re.search(r"\w", part)]


def figures(text: str) -> list[str]:
    """Return the sentences in which a figure stands that no name brings."""
    return [part for part in sentences(text) if FIGURE.search(NAME.sub("", TITLE.sub("", part)))]
