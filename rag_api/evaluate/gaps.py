"""The gap report: unanswered questions, those in nearly the same words together, by department.
Pure; knows no database.

Near-equal is told by the terms that retrieval counts (stems and runs of four characters), so
spelling and word order do not matter; questions about other patients are never put together.
Questions in other words stay apart: neither fewer shared terms nor an embedder tells them from
those that ask for the opposite, another drug or another limb.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from rag_api.db.questions.gaps import NearDocument, Unanswered
from rag_api.guard.people.patient import PatientGroups, patient_of
from rag_api.text.bm25_analyzer import question_terms
from rag_api.text.csv_cells import harmless

ALIKE = 0.8  # share of the terms of both that both have; see `gaps` in evaluation/results/log.csv
UNKNOWN = ""  # department of nobody


@dataclass(slots=True)
class Gap:
    """Mutates while questions join it."""

    department: str
    terms: frozenset[str]
    patients: PatientGroups
    asked: list[Unanswered] = field(default_factory=list)

    @property
    def question(self) -> str:
        """The wording asked most, the first of those."""
        return self.wordings[0]

    @property
    def wordings(self) -> list[str]:
        return [text for text, _ in Counter(one.question for one in self.asked).most_common()]

    @property
    def functions(self) -> list[str]:
        return [name for name, _ in Counter(one.function for one in self.asked if one.function).most_common()]

    @property
    def languages(self) -> list[str]:
        return sorted({one.language for one in self.asked})

    @property
    def missing(self) -> dict[str, int]:
        """What its readers missed, and how many of them."""
        return missing_in(self.asked)

    @property
    def reported(self) -> dict[str, int]:
        """What its readers reported of the answers, and how many of them."""
        return dict(Counter(one.reported for one in self.asked if one.reported).most_common())

    @property
    def comments(self) -> list[str]:
        return list(dict.fromkeys(comment for one in self.asked for comment in one.comments))

    @property
    def answer_id(self) -> str:
        """Of the latest."""
        return max(self.asked, key=lambda one: one.created_at).answer_id

    @property
    def passed_on(self) -> int:
        return sum(one.passed_on for one in self.asked)

    @property
    def passed_to(self) -> dict[str, datetime]:
        """To whom, and when last."""
        return dict(sorted((to for one in self.asked for to in one.passed_to), key=lambda to: to[1]))

    @property
    def named(self) -> list[tuple[NearDocument, int]]:
        """The documents that readers say hold the answer, and how many of them."""
        return Counter(document for one in self.asked for document in one.named).most_common(5)

    @property
    def nearest(self) -> list[tuple[NearDocument, int]]:
        """With how many of the questions each was near to."""
        return Counter(document for one in self.asked for document in one.nearest).most_common(5)


def gaps_of(asked: Sequence[Unanswered], department: str | None = None) -> list[Gap]:
    """Most asked first, then the latest."""
    gaps: list[Gap] = []
    by_terms: dict[str, list[Gap]] = {}
    for one in asked:
        whose = department_of(one)
        if department is not None and whose != department:
            continue
        terms, patients = frozenset(question_terms(one.question)), patient_of(one.question).groups
        near = {id(gap): gap for term in terms for gap in by_terms.get(term, ())}.values()
        alike = [
            (likeness(terms, gap.terms), gap) for gap in near if (gap.department, gap.patients) == (whose, patients)
        ]
        best, gap = max(alike, key=lambda pair: pair[0], default=(0.0, None))
        if gap is None or best < ALIKE:
            gap = Gap(whose, terms, patients)
            gaps.append(gap)
            for term in terms:
                by_terms.setdefault(term, []).append(gap)
        gap.asked.append(one)
    return sorted(gaps, key=lambda g: (-len(g.asked), -max(one.created_at.timestamp() for one in g.asked)))


def missing_in(asked: Sequence[Unanswered]) -> dict[str, int]:
    """Most missed first."""
    return dict(Counter(one.missing for one in asked if one.missing).most_common())


def department_of(one: Unanswered) -> str:
    """Of who asked, else of the nearest document: somebody must own the gap."""
    return one.department or next((document.department for document in one.nearest if document.department), UNKNOWN)


def likeness(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / max(1, len(a | b))


COLUMNS = {  # and in Dutch
    "department": "dienst", "times": "keer gevraagd", "question": "vraag", "wordings": "andere formuleringen", "functions": "functies",
    "nearest": "procedures die er het dichtst bij liggen", "owners": "eigenaars", "missing": "gemist", "named": "het staat in",
    "reported": "gemeld", "comments": "wat lezers schreven", "first": "eerst", "last": "laatst", "passed_on": "keer doorgegeven",
}  # fmt: skip


IN_DUTCH = {  # what readers said, as the page says it
    "procedure": "de juiste procedure", "passage": "de juiste plaats erin", "detail": "een dosis, stap of getal",
    "patient": "een antwoord voor deze patiënt", "document": "geen enkele procedure zegt dit", "wrong": "het antwoord is fout",
    "outdated": "het antwoord is verouderd",
}  # fmt: skip


def gaps_csv(gaps: Sequence[Gap], language: Literal["nl", "en"] = "en") -> str:
    """With its headings, and what readers said, in this language."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS.values() if language == "nl" else COLUMNS)
    for gap in gaps:
        documents = [document for document, _ in gap.nearest]
        times = [one.created_at for one in gap.asked]
        row = (
            gap.department, str(len(gap.asked)), gap.question, " | ".join(gap.wordings[1:]), ", ".join(gap.functions),
            " | ".join(d.title for d in documents), " | ".join(dict.fromkeys(d.owner for d in documents if d.owner)),
            _counted(gap.missing, language), " | ".join(d.title for d, _ in gap.named),
            _counted(gap.reported, language), " | ".join(gap.comments),
            min(times).date().isoformat(), max(times).date().isoformat(), str(gap.passed_on),
        )  # fmt: skip
        writer.writerow([harmless(cell) for cell in row])
    return out.getvalue()


def _counted(said: dict[str, int], language: Literal["nl", "en"]) -> str:
    if language == "en":
        return ", ".join(f"{what} {count}" for what, count in said.items())
    return " | ".join(f"{IN_DUTCH.get(what, what)} ({count})" for what, count in said.items())
