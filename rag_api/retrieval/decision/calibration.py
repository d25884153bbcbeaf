"""Calibration to an embedder and a model, as measured, in one place: calibrations.json, and what a
hospital measures itself.

`bedside quality calibrate` writes its values to `calibration.json` in the data directory, and they
win over the shipped ones. An embedder that nobody measured gets cautious values: the thesis's
alpha, every question answered, and weights that suit cosines of any spread.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from rag_api.errors import ConfigurationError
from rag_api.retrieval.decision.risk_guarantee import Guarantee, GuaranteedRisk

FILE = "calibration.json"
FEATURES = ("cosine", "passage", "range", "coverage")
"""What a sentence is weighed by: cosine of question and "title: sentence"; the fused score of its
passage; 1 when a range of it holds for a number of the question and -1 when none does; the share of
the question's words that it holds and its title does not."""

SIGNALS = ("cosine", "information", "lead", "names", "unnamed", "absent")
"""What tells whether there is a right answer (answerability.py). "crossed" and "whole" are beside
them, and of a reader READ."""
READ = ("reader", "reader_span")
AGREED = ("confidence", "points", "answers")
"""What tells whether a second reader agrees (answering/choosing/agreement.py), in log-odds."""
AGREEING_RISKS = {"careful": 0.35, "balanced": 0.25, "ready": 0.15}
"""RISKS where a second reader must agree: the balanced one refuses so many that about as much is
answered rightly as without it."""
RISKS = {"careful": 0.15, "balanced": 0.10, "ready": 0.05}
"""BEDSIDE_RISK: the share of the answerable questions that it lets be refused, on the collections
that the decision was fitted to."""


@dataclass(frozen=True, slots=True)
class SentenceWeights:
    """In nats, of a sentence's features."""

    cosine: float = 30.0
    passage: float = 20.0
    range: float = 2.5
    coverage: float = 5.0

    def score(self, features: Sequence[float]) -> float:
        """features: of one sentence, in the order of FEATURES."""
        return float(sum(getattr(self, name) * value for name, value in zip(FEATURES, features, strict=True)))


@dataclass(frozen=True, slots=True)
class VerbatimWeights:
    """How a model writes verbatim answers in one language."""

    likelihood_weight: float = 0.0  # of log p(question | sentence), in nats
    margin: float = 0.0  # a further sentence is added while it is within so many nats of the best; 0: always
    sentences: int = 2


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """What refusing below a threshold costs and spares, on what the decision was fitted to."""

    threshold: float
    coverage: float  # share of the questions that are answered, half of which have no answer
    risk: float  # share of the answered that are wrong or should have been refused
    refused: float  # share of the answerable that are refused


@dataclass(frozen=True, slots=True)
class NotFoundModel:
    """Logistic regression on what retrieval, sentences and reader say: P(the answer is right)
    against a threshold."""

    coefficients: Mapping[str, float]  # by signal, "intercept" among them
    threshold: float  # of the balanced risk
    refused: float = 0.0  # share of the answerable questions that it refuses, of those that it was fitted on
    by_risk: Mapping[str, float] = field(default_factory=dict)  # thresholds by the names of RISKS; absent: `threshold`
    curve: tuple[RiskPoint, ...] = ()

    def at(self, risk: str | float) -> float:
        """Return the threshold for a named risk, or the lowest whose answers are wrong in at most
        that share.

        Raises ConfigurationError for a share that no threshold reaches."""
        if isinstance(risk, str):
            return self.by_risk.get(risk, self.threshold)
        if not self.curve:
            raise ConfigurationError(
                f"BEDSIDE_RISK={risk}: this calibration has no curve; name {', '.join(RISKS)}, or run `bedside quality "
                f"calibrate`"
            )
        found = next((point for point in self.curve if point.risk <= risk), None)
        if found is None:
            best = min(self.curve, key=lambda point: point.risk)
            raise ConfigurationError(
                f"BEDSIDE_RISK={risk} is not reached: the least is {best.risk:.2f}, with {best.refused:.0%} of what "
                f"can be answered refused"
            )
        return found.threshold


@dataclass(frozen=True, slots=True)
class WithReader:
    """What is used instead when a reader reads."""

    not_found: NotFoundModel
    span_weight: float  # nats of a sentence's score for each of its log-odds by the reader


@dataclass(frozen=True, slots=True)
class Calibration:
    """Of one embedder."""

    alpha: float = 0.7  # of the fusion by information
    weights: SentenceWeights = field(default_factory=SentenceWeights)
    verbatim: Mapping[str, Mapping[str, VerbatimWeights]] = field(default_factory=dict)  # model -> language -> values
    not_found: NotFoundModel | None = None  # None: nothing is refused
    readers: Mapping[str, WithReader] = field(default_factory=dict)  # by the reader's name
    measured: str = "never"  # when, and on which questions
    # the same of readers that point to the answer's lines
    pointing: Mapping[str, GuaranteedRisk] = field(default_factory=dict)
    # the same where such a reader must agree to what was chosen
    agreeing: Mapping[str, WithReader] = field(default_factory=dict)

    def writing(self, model: str, language: str) -> VerbatimWeights:
        """Of a model that nobody measured: what was measured without a model's likelihoods holds
        for every one."""
        without = (own for own in self.verbatim.values() if not any(one.likelihood_weight for one in own.values()))
        own = self.verbatim.get(model) or next(without, {})
        return own.get(language, VerbatimWeights())


def calibration(embedder: str, data_dir: Path | None = None) -> Calibration:
    """Raises ConfigurationError when the data directory's file cannot be read: it should not be
    passed over in silence."""
    own = read(data_dir / FILE) if data_dir is not None else {}
    return own.get(embedder) or shipped().get(embedder, Calibration())


@lru_cache(maxsize=1)
def shipped() -> dict[str, Calibration]:
    return parsed(json.loads(files(__package__).joinpath("calibrations.json").read_text(encoding="utf-8")))


def read(path: Path) -> dict[str, Calibration]:
    try:
        stamp = path.stat()
    except FileNotFoundError:
        return {}
    return _read(path, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int, _size: int) -> dict[str, Calibration]:
    try:
        return parsed(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConfigurationError(
            f"{path} cannot be used ({error}). Remove it: the values that come with Bedside hold, until `bedside "
            f"quality calibrate` has "
            "measured yours again."
        ) from error


def write(path: Path, embedder: str, value: Calibration) -> None:
    """Beside what other embedders have there; in one step, as a server may be reading it."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    fresh = path.with_suffix(".new")
    fresh.write_text(
        json.dumps(kept | {embedder: asdict(value)}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    fresh.replace(path)


def parsed(data: Mapping[str, Any]) -> dict[str, Calibration]:
    return {name: _calibration(value) for name, value in data.items()}


def _calibration(value: Mapping[str, Any]) -> Calibration:
    found = Calibration(alpha=float(value["alpha"]), measured=str(value.get("measured", "")))
    not_found = value.get("not_found")
    return replace(
        found,
        weights=SentenceWeights(**value["weights"]) if value.get("weights") else SentenceWeights(),
        verbatim={
            model: {language: VerbatimWeights(**one) for language, one in languages.items()}
            for model, languages in value.get("verbatim", {}).items()
        },
        not_found=_not_found(not_found, SIGNALS) if not_found else None,
        readers=_with_readers(value.get("readers", {}), (*SIGNALS, *READ)),
        pointing={
            name: GuaranteedRisk(**{**one, "guarantees": tuple(Guarantee(**each) for each in one["guarantees"])})
            for name, one in value.get("pointing", {}).items()
        },
        agreeing=_with_readers(value.get("agreeing", {}), AGREED),
    )


def _with_readers(value: Mapping[str, Any], signals: tuple[str, ...]) -> dict[str, WithReader]:
    return {
        name: WithReader(_not_found(one["not_found"], signals), float(one["span_weight"]))
        for name, one in value.items()
    }


def _not_found(value: Mapping[str, Any], signals: tuple[str, ...]) -> NotFoundModel:
    known = {"intercept", "crossed", *signals}
    if set(value["coefficients"]) != known:
        raise ValueError("it was measured for other signals than are used now, by an earlier version")
    return NotFoundModel(**{**value, "curve": tuple(RiskPoint(**point) for point in value.get("curve", ()))})
