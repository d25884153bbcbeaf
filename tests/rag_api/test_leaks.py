"""Users with random groups get the responses of an index that never held what they may not read, to
the last byte.

Short here; `python -m tests.support.leaks --questions 10000` asks over all stores and all sets of
groups.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_api.domain import Role, User
from tests.support.leaks.compare import Tally, WordEmbedder, compare, differences, drawn
from tests.support.leaks.hospital import hospital
from tests.support.leaks.reports import apart, compare_reports
from tests.support.leaks.running import running
from tests.weaviate_server import Server, weaviate_server

__all__ = ["weaviate_server"]

SETS = [("everyone",), ("everyone", "icu"), ("everyone", "midwives", "surgery")]
QUESTIONS = 40
REPORTED = 2  # more of each set, with what their readers and reviewers say of them


@pytest.mark.parametrize("store", ["memory", "lance", "weaviate"])
def test_no_response_tells_of_what_its_reader_may_not_read(
    store: str, open_dir: Path, postgres_server: str, request: pytest.FixtureRequest, seed: int
) -> None:
    server: Server | None = request.getfixturevalue("weaviate_server") if store == "weaviate" else None
    made, tally = hospital(seed, topics=6), Tally()
    url = f"{server.url}#{server.grpc_port}" if server else ""
    with running(store, made, open_dir, postgres_server, WordEmbedder(), SETS, url) as (everything, without):
        compare_reports(everything, without, made, tally, seed, REPORTED)
        compare(everything, without, drawn(made, QUESTIONS, seed, SETS), tally)
        gaps = everything.get(User("judge", "Somebody", SETS[2], roles=frozenset({Role.JUDGE})), "/gaps")[1]
    assert tally.differing == []
    assert gaps["gaps"], "nothing was asked in vain that could have told"
    assert tally.questions == QUESTIONS
    assert tally.warned, "nothing was said that could have told"


def test_a_difference_is_seen_wherever_it_is() -> None:
    one = {"a": [{"score": 0.5, "b": ["x"]}], "n": 1}
    assert list(differences(one, {"a": [{"score": 0.5, "b": ["x"]}], "n": 1})) == []
    assert list(differences(one, {"a": [{"score": 0.4, "b": ["x", "y"]}]})) == [
        ".a[0].b: ['x'] | ['x', 'y']",
        ".a[0].score: 0.5 | 0.4",
        ".n: 1 | None",
    ]


def test_reviewers_are_compared_whose_askers_are_theirs_or_apart() -> None:
    sets = [("everyone", "icu", "surgery"), ("everyone", "icu"), ("everyone",), ("everyone", "midwives", "surgery")]
    assert apart(sets) == [("everyone",), ("everyone", "icu"), ("everyone", "midwives", "surgery")]
