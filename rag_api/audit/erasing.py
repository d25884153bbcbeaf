"""Taking what is personal out of the trail: by age, and of one person. Each time an entry says of
which entries what is gone, by whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from rag_api.audit.entry import Event, Result, entry_of, stamp
from rag_api.db import Database
from rag_api.db.audit import append, erase, with_part

MOST = 2000  # ranges that one entry names


def erase_parts(db: Database, part: str, sequences: Sequence[int], said: Event) -> int:
    """Erase this part of these entries, and say so in the trail, in one transaction. Returns how
    many."""
    ranges = ranges_of(sequences)
    for start in range(0, len(ranges), MOST):
        some = ranges[start : start + MOST]
        numbers = [number for first, last in some for number in range(first, last + 1)]
        event = replace(
            said, action="audit.erased", result=Result.SUCCESS, on={**said.on, "part": part, "entries": some}
        )
        entry = entry_of(replace(event, id=Event("", Result.BEGUN, {}).id), with_text=False)
        with db.connection() as connection:
            append(connection, entry.text, [(one.part, one.salt, one.body) for one in entry.sealed])
            erase(connection, part, numbers)
    return len(sequences)


def ranges_of(sequences: Sequence[int]) -> list[tuple[int, int]]:
    """[3, 4, 5, 9] -> [(3, 5), (9, 9)]."""
    found: list[tuple[int, int]] = []
    for number in sorted(sequences):
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def forget_questions(db: Database, user: str, said: Event) -> int:
    """The texts and hashes of all that a person asked. How many entries lost them."""
    return erase_parts(db, "question", with_part(db, "question", user=user), said)


def forget_person(db: Database, user: str, said: Event) -> int:
    """Also who it was: name, roles, address. What was done stays, as somebody's."""
    found = erase_parts(db, "about", with_part(db, "about", account=user), said)
    return found + erase_parts(db, "who", with_part(db, "who", user=user), said)


def forget_conversation(db: Database, conversation: str, said: Event) -> int:
    """What was asked in it, and what was said of that."""
    parts = ("question", "about")
    return sum(erase_parts(db, part, with_part(db, part, conversation=conversation), said) for part in parts)


def erase_old(db: Database, days: float, question_days: float, said: Event) -> int:
    """What is older than the policy keeps; 0 days: for ever. How many parts."""
    found = 0
    for part, kept in (("question", question_days), ("question", days), ("about", days), ("who", days)):
        if kept:
            until = stamp(datetime.now(UTC) - timedelta(days=kept))
            found += erase_parts(db, part, with_part(db, part, until=until), said)
    return found
