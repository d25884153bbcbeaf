"""What is the matter with a pregnant woman may have a name of its own, under which her procedure is found."""

from __future__ import annotations

import pytest

from rag_api.domain import TargetGroup
from rag_api.guard.together import together
from rag_api.query.analysis import analyse
from rag_api.query.synonyms import Expander
from rag_api.text.word_match import held

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("zwangere begint te stuipen, wat doen", "eclampsie"),
        ("hoogzwangere vrouw met insulten", "eclampsia"),
        ("pregnant woman having a seizure", "eclampsia"),
        ("preggers, hypertensive", "pre-eclampsia"),
        ("veel bloedverlies na de bevalling", "fluxus"),
    ],
)
def test_what_ails_a_pregnant_woman_is_looked_for_by_the_name_it_has_then(question: str, name: str) -> None:
    analysis = analyse(question, Expander([]))
    assert name in analysis.expansions
    assert any(held(called, f"Behandeling van {name}.") == 1.0 for called in analysis.sought)


@pytest.mark.parametrize(
    "question", ["kind met stuipen", "stuipen bij een volwassene", "stuipen", "baby met stuipen", "zwangere met hoest"]
)
def test_nobody_elses_does(question: str) -> None:
    assert not {"eclampsie", "pre-eclampsie", "fluxus"} & set(analyse(question, Expander([])).expansions)


def test_who_the_patient_is_must_be_clear() -> None:
    assert together({TargetGroup.PREGNANCY}, "stuipen")
    assert not together({TargetGroup.PREGNANCY, TargetGroup.NEONATE}, "stuipen")
    assert not together((), "stuipen")
