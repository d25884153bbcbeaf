"""Findings of a look at an installation. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """`todo`: what to do about it; empty when nothing is to be done."""

    name: str
    state: State
    what: str
    todo: str = ""


def ok(name: str, what: str) -> Finding:
    return Finding(name, State.OK, what)


def warn(name: str, what: str, todo: str) -> Finding:
    return Finding(name, State.WARN, what, todo)


def fail(name: str, what: str, todo: str) -> Finding:
    return Finding(name, State.FAIL, what, todo)


def worst(findings: list[Finding]) -> State:
    states = {finding.state for finding in findings}
    return State.FAIL if State.FAIL in states else State.WARN if State.WARN in states else State.OK
