"""Reports to reviewers of the questions of others: gap reports, judged sets and their CSVs; and
documents asked for by their ids.

A reviewer sees the questions of all who share a group. So those ask whose groups are theirs, or are
apart from theirs: the first ask the clean index too, the others must leave no trace.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from rag_api.domain import Role, User
from tests.support.leaks.compare import Asked, Index, Tally, check
from tests.support.leaks.hospital import EVERYONE, WARDS, Hospital

QUESTIONS = 6  # of each set of groups
SET = "ronde"
REPORTS = ("/gaps", "/gaps?department=Heelkunde", "/gaps.csv", "/judged", f"/judged/{SET}", f"/judged/{SET}/csv")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
Groups = tuple[str, ...]


def apart(sets: Sequence[Groups]) -> list[Groups]:
    """Return those, the smallest first, of which no two share a ward."""
    chosen: list[Groups] = []
    for one in sorted(sets, key=len):
        if not any({*one} & {*other} - {EVERYONE} for other in chosen):
            chosen.append(one)
    return chosen


def compare_reports(
    everything: Index,
    without: dict[Groups, Index],
    hospital: Hospital,
    tally: Tally,
    seed: int,
    questions: int = QUESTIONS,
) -> None:
    dice, sets = random.Random(seed), apart(list(without))
    ids = [one["id"] for one in everything.get(_judge((EVERYONE, *WARDS)), "/documents?limit=200")[1]["documents"]]
    for number in range(questions * len(sets)):
        asker = _judge(sets[number % len(sets)])
        seen_by = [groups for groups in sets if groups == asker.groups or asker.groups == (EVERYONE,)]
        for path, method, body in _sent(dice, hospital, ids, number):
            told = [
                index.send(asker, method, path, body)
                for index in (everything, *(without[groups] for groups in seen_by))
            ]
            tally.asked[f"{method} {path.split('/')[1]}"] += 1
            for clean in told[1:]:
                check(tally, Asked(asker, body, False), path, [told[0], clean])
    for groups in sets:
        for path in [
            *REPORTS,
            *(f"/documents/{one}{more}" for one in dice.sample(ids, min(6, len(ids))) for more in ("", "/file")),
        ]:
            tally.asked[path.split("/")[1].split("?")[0]] += 1
            found = [_without_days(index.get(_judge(groups), path)) for index in (everything, without[groups])]
            check(tally, Asked(_judge(groups), {}, False), path, found)


def _judge(groups: Groups) -> User:
    return User(f"judge-{'-'.join(groups)}", "Somebody", groups, roles=frozenset({Role.READER, Role.JUDGE}))


def _sent(
    dice: random.Random, hospital: Hospital, ids: Sequence[str], number: int
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """A question, mostly one that nothing answers; what its reader says of it, naming any document;
    a judged question of any document."""
    about = dice.choice(hospital.documents)
    words = [*dice.sample(hospital.words, 3), about.said.get("rare", "")]
    yield "/ask", "POST", {"question": f"Waarom {' '.join(words)}?", "mode": "sources"}
    yield "/answers/{answer}/feedback", "POST", {"found": "no", "document_id": dice.choice(ids)}
    judged = {"question": f"Wat zegt {about.title.lower()}?", "places": [{"document": about.name, "page": 1}]}
    yield f"/judged/{SET}/questions/{number}", "PUT", judged


def _without_days(response: Any) -> Any:
    """A run may last past midnight."""
    status, content = response
    return [
        status,
        DAY.sub("DAY", bytes.fromhex(content).decode()) if isinstance(content, str) and _is_csv(content) else content,
    ]


def _is_csv(content: str) -> bool:
    return not bytes.fromhex(content).startswith(b"%PDF")
