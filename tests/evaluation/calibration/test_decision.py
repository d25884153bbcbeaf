"""The decision is fitted to several collections that weigh alike, and its thresholds keep what they
promise."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from evaluation.calibration.cases import (
    CasePassage,
    DecisionCase,
    Extract,
    QuestionKind,
    Sentence,
    read_extract,
    write_extract,
)
from evaluation.calibration.decision import (
    DecisionRow,
    confidences_of,
    fit_decision,
    folds,
    refused,
    threshold_at,
    weights_of,
)
from evaluation.calibration.rows import shipped_rows, write_rows
from rag_api.errors import InvalidInput
from rag_api.retrieval.decision.calibration import RISKS, SIGNALS, shipped

pytestmark = pytest.mark.quick


def row(
    collection: str, kind: QuestionKind, cosine: float, unit: str = "", right: bool | None = None, crossed: float = 0.0
) -> DecisionRow:
    signals = {**dict.fromkeys(SIGNALS, 0.0), "cosine": cosine, "crossed": crossed}
    return DecisionRow(
        collection,
        "fit",
        kind,
        unit or f"{cosine}",
        True,
        kind == QuestionKind.ANSWERABLE if right is None else right,
        signals,
    )


def collection(name: str, count: int, level: float, seed: int = 0) -> list[DecisionRow]:
    """What can be answered lies .1 above what cannot."""
    rng = np.random.default_rng(seed)
    return [
        row(name, kind, level + shift + 0.05 * float(rng.normal()), f"{name}{n}")
        for kind, shift in ((QuestionKind.ANSWERABLE, 0.1), (QuestionKind.NEAR_MISS, 0.0))
        for n in range(count)
    ]


def test_a_collection_of_many_questions_weighs_as_much_as_one_of_few() -> None:
    rows = collection("large", 300, 0.5) + collection("small", 10, 0.5)
    weights = weights_of(rows)
    large = sum(w for r, w in zip(rows, weights, strict=True) if r.collection == "large")
    assert large == pytest.approx(weights.sum() / 2)
    assert weights.mean() == pytest.approx(1.0)


def test_what_was_really_asked_in_vain_weighs_three_times_what_was_left_out() -> None:
    rows = [
        row("a", QuestionKind.ANSWERABLE, 1.0),
        row("a", QuestionKind.OFF_TOPIC, 0.1),
        row("a", QuestionKind.LEFT_OUT, 0.2),
    ]
    weights = weights_of(rows)
    assert weights[1] == pytest.approx(3 * weights[2])
    assert weights[0] == pytest.approx(weights[1] + weights[2])


def test_each_risk_refuses_its_share_of_what_can_be_answered() -> None:
    rows = collection("one", 200, 0.5) + collection("two", 100, 0.6, seed=1)
    fitted = fit_decision(rows)
    confidences = confidences_of(rows, fitted)
    for name, share in RISKS.items():
        assert refused(rows, confidences, fitted.at(name)) == pytest.approx(share, abs=0.02)
    assert fitted.coefficients["cosine"] > 0
    assert fitted.at("careful") > fitted.at("balanced") == fitted.threshold > fitted.at("ready")
    assert [p.threshold for p in fitted.curve] == sorted(p.threshold for p in fitted.curve)


def test_a_wrong_answer_counts_as_one_that_should_have_been_refused() -> None:
    rows = [row("a", QuestionKind.ANSWERABLE, n / 100, f"{n}", right=n > 50) for n in range(100)] + [
        row("a", QuestionKind.NEAR_MISS, 0.1, "none")
    ]
    first = fit_decision(rows).curve[0]
    assert (first.coverage, first.refused) == (1.0, 0.0)
    assert first.risk == pytest.approx((51 / 100 + 1) / 2, abs=1e-4)


def test_questions_across_languages_are_refused_no_more_than_others() -> None:
    rows = collection("one", 200, 0.5)
    # they reach lower cosines
    rows += [row("one", QuestionKind.ANSWERABLE, 0.5 + n / 1000, f"over {n}", crossed=1.0) for n in range(40)]
    fitted = fit_decision(rows)
    assert fitted.coefficients["crossed"] > 0
    told = list(zip(rows, confidences_of(rows, fitted), strict=True))
    over, same = (
        np.mean([c < fitted.threshold for r, c in told if r.answerable and bool(r.signals["crossed"]) is crossed])
        for crossed in (True, False)
    )
    assert over <= same + 0.03


def test_what_the_rules_refuse_counts_as_refused_at_every_threshold() -> None:
    rows = [row("a", QuestionKind.ANSWERABLE, 0.9, str(n)) for n in range(10)]
    assert refused(rows, [-1.0, *[0.5] * 9], 0.0) == pytest.approx(0.1)
    assert threshold_at(rows, [-1.0, *[n / 10 for n in range(1, 10)]], 0.2) == pytest.approx(0.2)


def test_a_unit_is_never_on_two_sides() -> None:
    rows = [
        row("a", kind, 0.5, f"{n}") for n in range(30) for kind in (QuestionKind.ANSWERABLE, QuestionKind.NEAR_MISS)
    ]
    places: dict[str, set[int]] = {}
    for one, fold in zip(rows, folds(rows), strict=True):
        places.setdefault(one.unit, set()).add(fold)
    assert all(len(own) == 1 for own in places.values())


@pytest.mark.parametrize("kind", [QuestionKind.ANSWERABLE, QuestionKind.NEAR_MISS])
def test_questions_of_one_kind_only_are_nothing_to_fit(kind: QuestionKind) -> None:
    with pytest.raises(InvalidInput, match="nothing to calibrate"):
        fit_decision([row("a", kind, n / 10, str(n)) for n in range(10)])


def test_what_ships_was_fitted_to_several_collections_and_can_be_fitted_again() -> None:
    embedder = "multilingual-e5-small-int8+neutral"
    rows = shipped_rows(embedder)
    assert {"wardqa", "handbook"} <= {one.collection for one in rows}
    kept = shipped()[embedder].not_found
    assert kept is not None
    # the folds are drawn anew
    assert fit_decision(rows).coefficients == pytest.approx(dict(kept.coefficients), abs=0.25)
    assert shipped_rows("unheard-of") == []


def test_rows_are_kept_without_words(tmp_path: Path) -> None:
    write_rows(
        {"e": [row("a", QuestionKind.NEAR_MISS, 0.123456, "secret.pdf")]}, (*SIGNALS, "crossed"), tmp_path / "rows.gz"
    )
    text = gzip.decompress((tmp_path / "rows.gz").read_bytes()).decode()
    assert "secret" not in text
    assert "0.1235" in text


def test_cases_are_kept_as_they_are(tmp_path: Path) -> None:
    sentence = Sentence(0, 0, 4, (0.5, 1.0), True)
    case = DecisionCase(
        "a", "fit", QuestionKind.LEFT_OUT, "vraag", "nl", "u", True, {"cosine": 0.5}, ("k",), (sentence,), "Geef"
    )
    extract = Extract("embedder", (case,), {"k": CasePassage("T", "H", "Geef")})
    write_extract(tmp_path / "a.json.gz", extract)
    assert read_extract(tmp_path / "a.json.gz") == extract
