"""Usage over HTTP: counts of what was asked, by week; and the risk that an admin chooses, in force
at the next question."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from rag_api.container import Container
from rag_api.domain import LOCAL_USER, Role, User
from rag_api.retrieval.decision import chosen_risk
from tests.rag_api.api.routes.conftest import Asker
from tests.support.world import empty, load, load_hospital

DOSE = "Hoeveel paracetamol mag een kind van 12 kg?"
FLAG = "Welke vlag hangt er op het stadhuis van Ieper?"
NURSE = User("nurse", "Nurse", ("everyone",), roles=frozenset({Role.READER}))
JUDGE = User("judge", "Judge", ("everyone",), roles=frozenset({Role.READER, Role.JUDGE}))


@pytest.fixture
def client(url: str, asker: Asker, container: Container) -> Iterator[httpx.Client]:
    asker.user = LOCAL_USER
    load_hospital(container)
    with httpx.Client(base_url=f"{url}/api", timeout=30) as made:
        yield made
    empty(container)
    container.db.run("truncate conversations cascade")
    container.db.run("delete from choices")
    assert container.chosen_risk is not None
    container.chosen_risk.forget()


def ask(client: httpx.Client, question: str, mode: str = "verbatim") -> dict[str, Any]:
    body: dict[str, Any] = client.post("/ask", json={"question": question, "mode": mode}).raise_for_status().json()
    return body


def usage(client: httpx.Client, weeks: int = 3) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/usage", params={"weeks": weeks}).raise_for_status().json()["weeks"]
    return found


def test_every_question_is_counted_in_its_week_by_what_became_of_it(
    client: httpx.Client, container: Container, asker: Asker
) -> None:
    told = ask(client, DOSE)
    asker.user = NURSE
    old, vain = ask(client, DOSE), ask(client, FLAG)
    asker.user = LOCAL_USER
    client.post(f"/answers/{told['id']}/feedback", json={"found": "no"}).raise_for_status()
    container.db.run(
        "update answers set created_at = created_at - interval '1 week', finished_at = finished_at - interval '1 week'"
        " + interval '90 seconds' where id = %(id)s", {"id": old["id"]},
    )  # fmt: skip
    before_last, last, this = usage(client)
    assert datetime.fromisoformat(this["begins"]).weekday() == 0
    assert (this["questions"], this["askers"], this["wrong"]) == (2, 2, int(told["status"] == "answered"))
    assert this["answered"] + this["not_found"] + this["sources_only"] + this["failed"] == 2
    assert this["not_found"] >= int(vain["status"] == "not_found")
    assert (last["questions"], last["askers"]) == (1, 1)
    assert 90 <= last["median"] == last["slowest"] < 150
    assert (before_last["questions"], before_last["median"]) == (0, None)


def test_a_reviewer_counts_the_questions_of_everyone(client: httpx.Client, asker: Asker) -> None:
    ask(client, DOSE)
    asker.user = replace(JUDGE, groups=("another ward",))
    assert usage(client)[-1]["questions"] == 1
    asker.user = NURSE
    assert client.get("/usage").status_code == 404


def test_what_an_admin_chooses_is_in_force_at_the_next_question_and_can_be_taken_back(
    client: httpx.Client, container: Container, asker: Asker
) -> None:
    before = client.get("/risk").json()
    assert (before["risk"], before["setting"], before["chosen_by"]) == ("careful", "careful", None)
    refused = [one["refused"] for one in before["offered"]]
    assert [one["name"] for one in before["offered"]] == ["careful", "balanced", "ready"]
    assert refused == sorted(refused, reverse=True)
    chosen = client.put("/risk", json={"risk": "ready"}).raise_for_status().json()
    assert (chosen["risk"], chosen["chosen_by"], container.risk) == ("ready", LOCAL_USER.name, "ready")
    asker.user = JUDGE
    assert client.get("/risk").json()["risk"] == "ready"
    assert client.put("/risk", json={"risk": "careful"}).status_code == 404
    asker.user = LOCAL_USER
    assert client.put("/risk", json={"risk": "reckless"}).status_code == 422
    asked_with_another = container.with_settings(container.settings.model_copy(update={"risk": "balanced"}))
    assert asked_with_another.risk == "balanced"
    assert client.put("/risk", json={"risk": None}).json()["risk"] == container.risk == "careful"


def test_another_process_follows_within_seconds_and_keeps_what_it_knew_while_the_database_is_away(
    client: httpx.Client, container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chosen_risk, "LASTS", 0.0)
    away: list[Exception] = []

    def database() -> Any:
        if away:
            raise away[0]
        return container.db

    other = chosen_risk.ChosenRisk(database)
    assert other.now() is None
    client.put("/risk", json={"risk": "balanced"}).raise_for_status()
    assert other.now() == "balanced"
    from rag_api.errors import DatabaseUnavailable

    away.append(DatabaseUnavailable("away"))
    assert other.now() == "balanced"


def test_a_week_begins_on_monday_by_the_databases_clock(client: httpx.Client) -> None:
    this = datetime.fromisoformat(usage(client, 1)[0]["begins"]).date()
    assert timedelta(0) <= datetime.now(UTC).date() - this < timedelta(days=8)


def report(client: httpx.Client, **of: Any) -> dict[str, Any]:
    today = datetime.now(UTC).date()
    period = {"since": str(today - timedelta(days=1)), "until": str(today + timedelta(days=1))} | of
    found: dict[str, Any] = client.get("/report", params=period).raise_for_status().json()
    return found


def test_a_report_counts_what_became_of_the_questions_of_its_days_and_names_nobody(
    client: httpx.Client, container: Container, asker: Asker
) -> None:
    asker.user = NURSE
    told, vain, other, old = ask(client, DOSE), ask(client, FLAG), ask(client, FLAG), ask(client, FLAG)
    once = ask(client, "Wie herstelt de koffiemachine op de derde verdieping?")
    client.post(f"/answers/{told['id']}/feedback", json={"reported": "outdated", "comment": "oud"}).raise_for_status()
    asker.user = JUDGE
    for answer, verdict in ((told, "wrong"), (vain, "right"), (other, "right")):
        client.put(f"/reviews/{answer['id']}", json={"verdict": verdict}).raise_for_status()
    container.db.run(
        "update answers set created_at = created_at - interval '9 days' where id = %(id)s", {"id": old["id"]}
    )
    said = report(client)
    assert said["questions"] == 4 == said["answered"] + said["not_found"] + said["sources_only"] + said["failed"]
    assert sum(said["refused"].values()) == said["not_found"] >= 2
    assert said["reported"] == {"wrong": 0, "outdated": 1}
    assert said["judged"] == {"right": 2, "partly": 0, "wrong": 1, "harmful": 0}
    assert 0 <= said["median"] <= said["slowest"]
    (asked,) = said["unanswered"]
    assert (asked["question"], asked["times"]) == (FLAG, 2), "what was asked once is not in it"
    week_ago = str(datetime.now(UTC).date() - timedelta(days=7))
    assert report(client, since="2020-01-01", until=week_ago)["questions"] == 1
    assert "nurse" not in str(said).lower()
    assert once["question"] not in str(said)
    asker.user = replace(JUDGE, groups=("another ward",))
    assert (report(client)["questions"], report(client)["unanswered"]) == (4, []), "counted, and not read"
    asker.user = NURSE
    assert client.get("/report", params={"since": "2026-01-01", "until": "2026-01-31"}).status_code == 404


def test_a_report_is_saved_as_csv_without_a_formula(client: httpx.Client, asker: Asker) -> None:
    for _ in range(2):
        ask(client, "=HYPERLINK vlag stadhuis Ieper?")
    today = str(datetime.now(UTC).date())
    response = client.get("/report.csv", params={"since": "2026-01-01", "until": today}).raise_for_status()
    assert f"bedside-2026-01-01-{today}.csv" in response.headers["content-disposition"]
    rows = {(row["figure"], row["of"]): row["value"] for row in csv.DictReader(io.StringIO(response.text))}
    assert (rows[("since", "")], rows[("questions", "")]) == ("2026-01-01", "2")
    assert rows[("unanswered", "'=HYPERLINK vlag stadhuis Ieper?")] == "2"


def test_a_report_names_what_was_quoted_most_each_once_an_answer_and_only_what_its_reader_may_read(
    client: httpx.Client, container: Container, asker: Asker
) -> None:
    _, old = ask(client, DOSE), ask(client, DOSE)
    others = ["paracetamol-kind.pdf", "restaurant.pdf", "restaurant.pdf", "falls.pdf", "gone.pdf"]
    ids = {row["source"]: row["id"] for row in container.db.all("select id, source from documents")}
    cited = [{"document_id": ids.get(name, "gone")} for name in others]
    container.db.run(
        "update answers set status = 'answered', citations = %(cited)s::jsonb", {"cited": json.dumps(cited)}
    )
    container.db.run(
        "update answers set citations = %(cited)s::jsonb where id = %(id)s",
        {"cited": json.dumps(cited[:1]), "id": old["id"]},
    )
    new = load(container, "paracetamol-kind.pdf", "Paracetamol, herzien. Geef kinderen 15 mg/kg. ")
    counted = [(one["title"], one["answers"]) for one in report(client)["quoted"]]
    assert counted == [("Paracetamol, herzien", 2), ("After a fall", 1), ("Openingsuren van het restaurant", 1)]
    assert report(client)["quoted"][0]["document_id"] == new.id
    assert report(client, since="2020-01-01", until="2020-12-31")["quoted"] == []
    container.db.run("update documents set groups = '{others}' where source = 'paracetamol-kind.pdf'")
    assert [one["title"] for one in report(client)["quoted"]] == ["After a fall", "Openingsuren van het restaurant"]
    rows = csv.DictReader(
        io.StringIO(client.get("/report.csv", params={"since": "2026-01-01", "until": "2099-01-01"}).text)
    )
    quoted = [(row["of"], row["value"]) for row in rows if row["figure"] == "quoted"]
    assert quoted == [("After a fall", "1"), ("Openingsuren van het restaurant", "1")]


def test_a_report_has_its_weeks_with_the_periods_days_alone(client: httpx.Client, container: Container) -> None:
    for days in (0, 0, 7, 15):
        made = ask(client, FLAG)
        container.db.run(
            "update answers set created_at = created_at - %(days)s * interval '1 day' where id = %(id)s",
            {"id": made["id"], "days": days},
        )
    today = datetime.now(UTC).date()
    of = {"since": str(today - timedelta(days=14)), "until": str(today + timedelta(days=90))}
    weeks = report(client, **of)["weeks"]
    monday = today - timedelta(days=today.weekday())
    assert [week["begins"] for week in weeks] == [str(monday - timedelta(days=days)) for days in (14, 7, 0)]
    assert [week["questions"] for week in weeks] == [0, 1, 2], "what is before the period is in none"
    rows = list(csv.DictReader(io.StringIO(client.get("/report.csv", params=of).text)))
    asked = [(row["of"], row["value"]) for row in rows if row["figure"] == "week_questions"]
    assert asked == [(week["begins"], str(week["questions"])) for week in weeks]


def test_a_period_that_ends_before_it_begins_is_refused(client: httpx.Client) -> None:
    backwards = {"since": "2026-02-01", "until": "2026-01-31"}
    assert client.get("/report", params=backwards).status_code == 400
    assert client.get("/report.csv", params=backwards).status_code == 400
    assert client.get("/report", params={"since": "0001-01-01", "until": "2026-01-31"}).status_code == 400
