"""The drafters there are, by name. "copy+eagle" is both, merged into one tree; "none" is plain decoding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from services.generator.drafters import Drafter
from services.generator.drafters.copy import CopyConfig, CopyDrafter
from services.generator.drafters.prompt_lookup import PromptLookupDrafter
from services.generator.errors import BadRequest

if TYPE_CHECKING:
    from services.generator.models.llama import LlamaTarget


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a drafter may need to be made."""

    target: LlamaTarget
    head: Path | None = None  # folder of the EAGLE head trained for this target


def _copy(_: Surroundings) -> Drafter:
    return CopyDrafter()


def _copy_prompt(_: Surroundings) -> Drafter:
    """The thesis's ablation CASDprompt."""
    return CopyDrafter(CopyConfig(prompt_only=True))


def _prompt_lookup(_: Surroundings) -> Drafter:
    return PromptLookupDrafter()


def _eagle(around: Surroundings) -> Drafter | None:
    from services.generator.drafters.eagle import EagleDrafter, usual_shape
    from services.generator.models.eagle_format import open_head

    return None if around.head is None else EagleDrafter(open_head(around.head, around.target), usual_shape(around.target.device))


DRAFTERS: dict[str, Callable[[Surroundings], Drafter | None]] = {
    "copy": _copy,
    "copy-prompt": _copy_prompt,
    "prompt-lookup": _prompt_lookup,
    "eagle": _eagle,
}
"""A factory returns None when what it needs is not there."""


def open_drafters(around: Surroundings) -> dict[str, Drafter]:
    """All drafters that can be had here, by name."""
    made = {name: factory(around) for name, factory in DRAFTERS.items()}
    return {name: drafter for name, drafter in made.items() if drafter is not None}


def parse(name: str, known: dict[str, Drafter]) -> tuple[str, ...]:
    """ "copy+eagle" -> ("copy", "eagle"). Raises BadRequest on a name that is not known here."""
    if name == "none":
        return ()
    names = tuple(dict.fromkeys(name.split("+")))
    unknown = [part for part in names if part not in known]
    if unknown:
        raise BadRequest(f"no drafter {unknown[0]!r} here; there are: none, {', '.join(known)}, and several joined by '+'")
    return names
