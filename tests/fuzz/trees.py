"""Changes that leave XML and JSON well formed: what is not is refused at once, and nothing behind
the parser is reached."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import atheris
from lxml import etree

from tests.fuzz.files import PART
from tests.rag_api.made_files.docx_files import NAMES

_VALUES: tuple[Any, ...] = (None, True, -1, 0, 2**63, 1e308, "", "x", "\u0000", "\ud83d", [], {}, [[]], {"a": 1})
_WORDS = ("Geef 15 mg.", "0,5", " ", "\t", "1.", "•", "Ω≤½", "\u202e", "x" * 300, "3", "true", "FFFFFF", "-9999999999")
Change = Callable[[bytes, random.Random], bytes]


def mutator(change: Change) -> Callable[[bytes, int, int], bytes]:
    """Half of the time the change, where the input is of its kind; else libFuzzer's own."""

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        drawn = random.Random(seed)
        if drawn.random() < 0.5:
            try:
                changed = change(data, drawn)
            except (ValueError, etree.XMLSyntaxError, RecursionError):
                changed = b""
            if 0 < len(changed) <= most:
                return changed
        return bytes(atheris.Mutate(data, most))

    return mutated


def change_xml(data: bytes, drawn: random.Random) -> bytes:
    """Of a DOCX's body: an element is copied, moved, removed, or says something else."""
    if data[:1] != PART:
        raise ValueError
    root = etree.fromstring(f"<x {NAMES}>".encode() + data[1:] + b"</x>")
    elements = list(root.iter(etree.Element))[1:]
    if not elements:
        raise ValueError
    one, other = drawn.choice(elements), drawn.choice(elements)
    match drawn.randrange(4):
        case 0:
            other.append(copy.deepcopy(one))
        case 1:
            one.getparent().remove(one)
        case 2:
            one.text = drawn.choice(_WORDS[:7])
        case 3:
            one.set(drawn.choice([*one.keys(), *other.keys(), "a"]), drawn.choice(_WORDS[8:]))
    written: bytes = etree.tostring(root)
    return PART + written[written.index(b">") + 1 : written.rindex(b"</x>")]  # ValueError when nothing is left


def change_json(data: bytes, drawn: random.Random) -> bytes:
    """Behind the byte that chooses: one value of one object or list becomes another."""
    value = json.loads(data[1:])
    places: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        keys = list(one) if isinstance(one, dict) else list(range(len(one))) if isinstance(one, list) else []
        places += [(one, key) for key in keys]
        waiting += [one[key] for key in keys]
    if not places:
        raise ValueError
    holder, key = drawn.choice(places)
    from_holder, from_key = drawn.choice(places)
    holder[key] = copy.deepcopy(drawn.choice([*_VALUES, from_holder[from_key], [from_holder[from_key]] * 2]))
    return data[:1] + json.dumps(value).encode()


def change_stream(data: bytes, drawn: random.Random) -> bytes:
    """One line of a generator's stream."""
    lines = data[1:].split(b"\n")
    number = drawn.randrange(len(lines))
    lines[number] = b"data: " + change_json(b"\0" + lines[number].removeprefix(b"data:"), drawn)[1:]
    return data[:1] + b"\n".join(lines)
