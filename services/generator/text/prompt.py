"""Messages and passages -> a Prompt: tokens, and for each its place in a passage.

The model's chat template is rendered around random marks, and the contents are put in afterwards:
no content passes through the template, so none can be taken for it. Tokens between two control
tokens are encoded in one go, as the model's own tokenizer would.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from typing import NamedTuple

from jinja2 import TemplateError

from services.contract.templates import TemplatePiece
from services.generator.errors import BadRequest
from services.generator.text.codec import Codec
from services.generator.types import Origin, Passage, Prompt


@dataclass(frozen=True, slots=True)
class Turn:
    role: str  # system, user or assistant
    pieces: tuple[TemplatePiece, ...]


class _Run(NamedTuple):
    """Text between two control tokens. `places`: (start in the run, end in the run, passage), in
    order."""

    text: str
    places: list[tuple[int, int, int]]


def build_prompt(codec: Codec, turns: Seq[Turn], passages: Seq[Passage], version: str) -> Prompt:
    """Raises BadRequest when the model's chat template refuses the roles."""
    tokens: list[int] = []
    origins: list[Origin | None] = []
    for part in _runs(codec, _segments(codec, turns)):
        if isinstance(part, int):
            tokens.append(part)
            origins.append(None)
            continue
        ids, offsets = codec.encode(part.text)
        tokens += ids
        origins += _origins(offsets, part.places)
    return Prompt(tuple(tokens), tuple(origins), tuple(passages), version)


def _segments(codec: Codec, turns: Seq[Turn]) -> list[str | tuple[TemplatePiece, ...]]:
    """Split into control text (str) and contents, alternating, as the chat template orders them."""
    if codec.hf.chat_template is None:
        prefix = codec.full.decode(codec.prefix_ids, skip_special_tokens=False) if codec.prefix_ids else ""
        return [prefix, *((*turn.pieces, TemplatePiece("\n")) for turn in turns[:-1]), turns[-1].pieces]
    marks = {f"x{secrets.token_hex(16)}x": turn.pieces for turn in turns}
    messages = [{"role": turn.role, "content": mark} for turn, mark in zip(turns, marks, strict=True)]
    try:
        rendered = codec.hf.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    except TemplateError as error:
        raise BadRequest(f"the model's chat template refuses these messages: {error}") from error
    return [marks.get(part, part) for part in re.split("(" + "|".join(marks) + ")", rendered)]


def _runs(codec: Codec, segments: Seq[str | tuple[TemplatePiece, ...]]) -> list[int | _Run]:
    """Join the text between control tokens, which become ids, contents and control text alike."""
    runs: list[int | _Run] = []
    text, places = "", []
    controls = "|".join(re.escape(token) for token in sorted(codec.control, key=len, reverse=True))
    for segment in segments:
        if not isinstance(segment, str):
            for piece in segment:
                if piece.passage is not None:
                    places.append((len(text), len(text) + len(piece.text), piece.passage))
                text += piece.text
            continue
        for part in re.split(f"({controls})", segment) if controls else [segment]:
            if part not in codec.control:
                text += part
                continue
            if text:
                runs.append(_Run(text, places))
                text, places = "", []
            runs.append(codec.control[part])
    return [*runs, _Run(text, places)] if text else runs


def _origins(offsets: Seq[tuple[int, int]], places: Seq[tuple[int, int, int]]) -> list[Origin | None]:
    """Find each token's place; one that straddles a passage's border is of the passage, with the
    characters that lie inside."""
    origins: list[Origin | None] = []
    at = 0
    for start, end in offsets:
        while at < len(places) and places[at][1] <= start:
            at += 1
        origin = None
        if at < len(places) and places[at][0] < end and start < end:
            first, last, passage = places[at]
            origin = Origin(passage, max(start, first) - first, min(end, last) - first)
        origins.append(origin)
    return origins
