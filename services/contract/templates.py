"""Prompt templates: versioned, in one place, text only. rag_api may import this module.

A rendered prompt is a list of pieces, each the template's own words or a passage's text, so that
the origin of every character is known. A wording that changes gets a new version: answers are
stored with the version that made them. What parts passages, question and answer cannot be forged:
inside them a template's own marks lose a character, one for one, so that places stay places.
Control tokens of a model are left as they are, for prompt.py keeps them plain text; a server that
reads tokens in a text gets it `without_tokens`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

Language = Literal["nl", "en"]


class PassageText(Protocol):
    """What a template needs of a passage; wire.DocumentIn and types.Passage both are one."""

    @property
    def title(self) -> str: ...

    @property
    def text(self) -> str: ...


class TemplatePiece(NamedTuple):
    text: str
    # all of that passage, character for character, but for forged marks; None: the template's own
    # words
    passage: int | None = None


@dataclass(frozen=True, slots=True)
class Rendered:
    """A user message in pieces. `stop`: strings at which the template's answer ends."""

    version: str
    pieces: tuple[TemplatePiece, ...]
    stop: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


Template = Callable[[str, Sequence[PassageText], Language], Rendered]


def render(name: str, question: str, passages: Sequence[PassageText], language: Language | None = None) -> Rendered:
    """Return the named template around question and passages. Raises KeyError when there is no
    template of that name."""
    return TEMPLATES[name](question, passages, language or guess_language(question))


# As the tokenizers of chat models write their control tokens: <|eot_id|>, </s>, <start_of_turn>,
# [INST], and what normalises to them.
_TOKEN = re.compile(r"[<\uff1c\ufe64](?=[^\s\d=<>]|0x)|[\[\uff3b](?=/?[A-Z_]{2,}[\]\uff3d])")


def without_tokens(text: str) -> str:
    """Return a text in which no control token of a model can be read, as long as before."""
    return _TOKEN.sub(lambda match: "(" if match.group() in "[\uff3b" else "\u2039", text)


_BRACKET = re.compile(r"\[(?=\s*(?:begin|einde|end)\b)", re.IGNORECASE)
_RULE = re.compile(r"^([^\S\n]*)-(?=--+[^\S\n]*$)", re.MULTILINE)


def _unbracketed(text: str) -> str:
    """Without the marks of the thesis's prompt."""
    return _RULE.sub("\\1\u2013", _BRACKET.sub("(", text))


def _thesis(question: str, passages: Sequence[PassageText], language: Language) -> Rendered:
    """Return the thesis's prompt (section 3.2.5, appendix B); the hospital's name is left out."""
    words = _THESIS_WORDS[language]
    pieces = [TemplatePiece(f"[begin context]\n{words.role}\n[{words.end} context]\n[begin {words.documents}]\n")]
    for index, passage in enumerate(passages):
        pieces += [TemplatePiece("\n---\n")] if index else []
        pieces.append(TemplatePiece(_unbracketed(passage.text), index))
    end = words.end
    asked = f"[begin {words.question}]\n{_unbracketed(question)}\n[{end} {words.question}]"
    pieces.append(TemplatePiece(f"\n[{end} {words.documents}]\n{asked}\n[begin {words.answer}]\n"))
    return Rendered(f"thesis-{language}-1", tuple(pieces), stop=(f"[{words.end} {words.answer}]",))


class _ThesisWords(NamedTuple):
    role: str
    end: str
    documents: str
    question: str
    answer: str


_DOCTOR_NL = "Jij bent een dokter. Jij kent alle medische procedures van het ziekenhuis."
_DOCTOR_EN = "You are a doctor. You know all medical procedures of the hospital."
_THESIS_WORDS: dict[Language, _ThesisWords] = {
    "nl": _ThesisWords(_DOCTOR_NL, "einde", "documenten", "vraag", "antwoord"),
    "en": _ThesisWords(_DOCTOR_EN, "end", "documents", "question", "answer"),
}


def _demo(question: str, passages: Sequence[PassageText], language: Language) -> Rendered:
    """Return one instruction: the demo model is too small to follow more (a prompt full of rules
    failed on nearly all questions)."""
    del language  # the model knows English only
    pieces: list[TemplatePiece] = []
    for index, passage in enumerate(passages):
        pieces += [TemplatePiece(_unparted(passage.text), index), TemplatePiece("\n\n")]
    pieces.append(
        TemplatePiece(
            f"Answer the question in one or two full sentences, using the words of the passages.\nQuestion: {question}"
        )
    )
    return Rendered("demo-en-1", tuple(pieces))


_ASKS = re.compile(r"^([^\S\n]*(?:Question|Answer)):|^(Answer the question i)n", re.MULTILINE | re.IGNORECASE)


def _unparted(text: str) -> str:
    """Without blank lines, which part the demo's passages, and without a second instruction."""
    one = re.sub(r"\n(?=\s*\n)", " ", text)
    return _ASKS.sub(lambda match: f"{match[1]};" if match[1] else f"{match[2]}\u2013", one)


def _quote(question: str, passages: Sequence[PassageText], language: Language) -> Rendered:
    """Render verbatim mode's default: the question alone.

    There the passages enter through the candidates, whose weights decide; the prompt is only what
    the sentences' log-probabilities are conditioned on, so reading the passages again would cost
    time and change no word.
    """
    del passages
    dutch = "Citeer de zinnen die deze vraag beantwoorden.\nVraag: "
    english = "Quote the sentences that answer this question.\nQuestion: "
    return Rendered(f"quote-{language}-1", (TemplatePiece((dutch if language == "nl" else english) + question),))


TEMPLATES: dict[str, Template] = {"thesis": _thesis, "demo": _demo, "quote": _quote}
DEFAULT_TEMPLATE = "thesis"
VERBATIM_TEMPLATE = "quote"


_DUTCH = """de het een en van bij met voor wat hoe welke welk wie waar wanneer moet moeten mag mogen ik je is zijn kan op aan na naar niet
geen er dat die dit hoeveel hoelang hoevaak om te wordt worden doe zonder tegen tijdens als of mijn onze patiënt patiënten kind dosis"""
_ENGLISH = """the a an and of by with for what how which who where when must should may can i you is are be on at after to not no there that
this many much long often in do does without against during if or my our patient patients child dose before give"""
_FUNCTION_WORDS: dict[Language, frozenset[str]] = {"nl": frozenset(_DUTCH.split()), "en": frozenset(_ENGLISH.split())}


def guess_language(question: str) -> Language:
    """Guess by function words; a question without any is taken for Dutch, the language most staff
    ask in."""
    words = re.findall(r"[^\W\d_]+", question.lower())
    english = sum(word in _FUNCTION_WORDS["en"] for word in words)
    dutch = sum(word in _FUNCTION_WORDS["nl"] for word in words)
    return "en" if english > dutch else "nl"
