"""Reason of a refusal: which rule forbade an answer, or how sure the choice was and how sure it had
to be. Kept with the answer, for who looks into it later; the asker reads a notice instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from rag_api.retrieval.decision.answerability import Rule
from rag_api.retrieval.find import Retrieval

UNSURE, DISAGREED, ELSEWHERE = "unsure", "disagreed", "elsewhere"
UNRESOLVED_FOLLOW_UP, WITHHELD = "unresolved_follow_up", "withheld"

_RULES = {
    Rule.NOTHING_FITS: "nothing that was found may answer: none of it is for these patients and about this drug, "
    "level or complication",
    Rule.OTHER_PATIENTS: "what fits best is for other patients",
    Rule.WITHOUT: "the best sentence says `with` of what the question is without",
    Rule.OTHER_ILLNESS: "the document never names the illness that the drug is asked about in",
    Rule.OTHER_INTENT: "the question is about treating what the best sentence prevents, or the other way round",
}


class Refusal(TypedDict, total=False):
    """by: a rule's name, `unsure`, `disagreed` by a second reader, found `elsewhere`, an
    `unresolved_follow_up` of a question that found nothing, or what fits best is `withheld`, as it
    is shown and never quoted. sure, needed: chances in [0, 1]."""

    by: str
    sure: float
    needed: float


def reason_of(found: Retrieval, agreement: Sequence[Mapping[str, Any]]) -> Refusal:
    """Return why what was found is not quoted. agreement: what a second reader made of each thing
    asked, if it read anything."""
    if found.forbidden:
        return Refusal(by=found.forbidden.value)
    if not agreement:
        return Refusal(by=UNSURE, sure=round(found.confidence, 4), needed=found.needed)
    best = max(agreement, key=lambda one: one.get("chance", one["points"]))
    told = Refusal(by=ELSEWHERE if best.get("elsewhere") else DISAGREED)
    return told | Refusal(sure=best["chance"], needed=best["needed"]) if "chance" in best else told


def code_of(refusal: Refusal) -> str:
    """The code of the sentence that says it to the asker: nothing fits, nothing is sure enough, or
    what fits is not quoted."""
    by = refusal["by"]
    return "not_found" if by in _RULES else "not_quotable" if by == WITHHELD else "not_sure"


def sentence_of(refusal: Mapping[str, Any]) -> str:
    """ "Refused: ...", for who runs Bedside."""
    by = refusal["by"]
    how_sure = f" ({refusal['sure']:.2f}, needed {refusal['needed']:.2f})" if "sure" in refusal else ""
    if by in _RULES:
        return f"Refused: {_RULES[Rule(by)]}."
    if by == UNRESOLVED_FOLLOW_UP:
        return "Refused: it follows a question that found nothing, and names nothing else."
    if by == WITHHELD:
        return "Refused: what fits best is shown and never quoted, and the rest stands in other documents."
    if by == DISAGREED:
        return f"Refused: the second reader does not agree{how_sure}."
    if by == ELSEWHERE:
        return (
            f"Refused: the best sentence stands in another document than the best passage, and the second reader is "
            f"not sure{how_sure}."
        )
    return f"Refused: not sure enough{how_sure}."
