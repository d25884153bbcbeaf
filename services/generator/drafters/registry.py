"""The drafters there are, by name. "copy+eagle" is both, merged into one tree; "none" is plain
decoding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from services.generator.drafters import Drafter, DrafterContext, DrafterSpec, eagle, reader, small_model
from services.generator.drafters.copies import automaton, blend, copy, prompt_lookup, respec, suffix
from services.generator.drafters.datastores import dresd, rest
from services.generator.errors import BadRequest

DRAFTERS: dict[str, DrafterSpec[Any, Any]] = {
    spec.name: spec
    for spec in (
        copy.SPEC,
        copy.PROMPT_SPEC,
        blend.SPEC,
        prompt_lookup.SPEC,
        suffix.SPEC,
        automaton.SPEC,
        rest.SPEC,
        reader.SPEC,
        eagle.SPEC,
        small_model.SPEC,
        small_model.RAG_SPEC,
        dresd.SPEC,
        respec.SPEC,
    )
}


def names_of(drafter: str) -> tuple[str, ...]:
    """Split what was configured or asked for: "copy+eagle" -> ("copy", "eagle"), "none" -> ()."""
    return () if drafter == "none" else tuple(dict.fromkeys(drafter.split("+")))


def parse(drafter: str, known: Iterable[str]) -> tuple[str, ...]:
    """Split names of drafters that are `known` here. Raises BadRequest on another."""
    names, known = names_of(drafter), list(known)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BadRequest(
            f"no drafter {unknown[0]!r} here; there are: none, {', '.join(known)}, and several joined by '+'"
        )
    return names


def available(context: DrafterContext) -> tuple[str, ...]:
    """Name the drafters that find all they need."""
    return tuple(name for name, spec in DRAFTERS.items() if spec.lacks(context) is None)


def open_drafters(
    names: Iterable[str], context: DrafterContext, options: Mapping[str, object] | None = None
) -> dict[str, Drafter]:
    """Open these, in this order, and no others; `options` by name. Raises BadRequest on one that
    cannot be had."""
    return {name: open_drafter(name, context, (options or {}).get(name)) for name in names}


def open_drafter(name: str, context: DrafterContext, options: object | None = None) -> Drafter:
    """Open one. Raises BadRequest on a name that is not known, and with what is lacking."""
    parse(name, DRAFTERS)
    spec = DRAFTERS[name]
    if (lacking := spec.lacks(context)) is not None:
        raise BadRequest(f"the drafter {name!r} needs {lacking}")
    assert options is None or isinstance(options, spec.options), f"{name} takes {spec.options.__name__}"
    drafter: Drafter = spec.open(context, options)
    assert drafter.name == name, "nodes are counted by the name their drafter gives them"
    return drafter
