"""The running API keeps to its OpenAPI document, for requests that nobody would write by hand, on
rows that are there: most ids in paths and bodies are those of documents, answers, conversations,
judged questions, keys and accounts, made again where a request took them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from typing import Any

import httpx
import hypothesis
import pytest
import requests
import schemathesis
from jsonschema_rs import validator_for
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from rag_api.api.schemas import DOCUMENT, UUID
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import Judged, Scope
from rag_api.evaluate.judged import judged_csv
from rag_api.guard.personal import warm as read_name_lists
from rag_api.main import create_app
from tests.support.http_server import served
from tests.support.people import ROLE_GROUPS, People, hired, key_of
from tests.support.scripted_server import Step, piece, quote, scripted_server
from tests.support.world import empty, load, load_hospital

# The database's pool draws its pauses at random in threads of its own: that is no draw of a test's.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Do not use the .random. module:hypothesis.errors.HypothesisDeprecationWarning"
)
EXAMPLES = 8  # per operation, beside those that its schema's borders give
# Of the requests that an operation's schema gives, up to two hundred, the first FULL are sent and
# then every EVERY'th, and those that are right until one was taken: all would take a minute and a
# half of the processor. BEDSIDE_EVERY_REQUEST=1 sends all.
FULL, EVERY = 24, 1 if os.environ.get("BEDSIDE_EVERY_REQUEST") else 4
UNKNOWN = 5  # every so many'th request keeps the ids that were drawn, which nothing has
WRITTEN: list[Step] = [piece("Geef 15 mg/kg paracetamol."), piece(finish="stop"), "data: [DONE]\n\n"]
QUESTION = "Hoeveel paracetamol mag een kind van 12 kg?"
# a multipart part is text whatever is put into it: "a file that is an object" cannot be sent
UNSENDABLE = {"POST /documents"}
UNDESCRIBED = {
    "POST /judged/{name}/csv",  # what a CSV must hold, no schema of the text around it says
    "PUT /judged/{name}/answers/{answer_id}",  # nor which passages that answer showed
    "PUT /judged/{name}/questions/{question_id}",  # nor which words stand in that document
    "PUT /owners",  # nor which owners documents name, and which accounts there are
    "POST /owner-questions/{owner_question_id}/reply",  # nor that it is answered once
    "PUT /reviews/{answer_id}",  # nor that an owner needs a remark, and which documents that answer showed
    "POST /answers/{answer_id}/owner-questions",  # nor which accounts may read here
    "GET /report",  # nor that a period begins before it ends
    "GET /report.csv",
    "POST /webhooks",  # nor which addresses and secrets are some
    "POST /v1/chat/completions",  # nor that the last message is somebody's question
}
CSV, CHAT = "POST /judged/{name}/csv", "POST /v1/chat/completions"
RESTORE = "POST /documents/{document_id}/restore"
EXPLAIN = "PUT /documents/{document_id}/withdrawal-reason"
OWNER, REPLY = "PUT /owners", "POST /owner-questions/{owner_question_id}/reply"
RETRY, REVIEW = "POST /documents/{document_id}/retry", "PUT /reviews/{answer_id}"
WITHDRAW = "POST /documents/{document_id}/withdraw"
PASSED = "POST /answers/{answer_id}/owner-questions"
TAKING = {"DELETE", "PATCH", "PUT"}
# of people, and where there is a provider
NEVER = {"GET /sign-in", "GET /sign-in/callback", "POST /session", "POST /session/used"}
IDS = {  # what may stand in a body or a path: under which name, and what it looks like
    "document_id": DOCUMENT, "document": "", "conversation_id": UUID, "answer_id": UUID, "user": "", "account_id": "", "key_id": "",
    "name": "", "question_id": "", "owner_question_id": UUID, "webhook_id": UUID, "department": "",
}  # fmt: skip


class Rows:
    """What is there to be had. Asks as a machine that may do everything."""

    def __init__(self, container: Container, url: str, people: People) -> None:
        self.container, self.url, self.people = container, url, people
        self.key = {"authorization": f"Bearer {key_of(container.db, people.ids['machine'], list(Scope))}"}
        account = people.ids["colleague"]
        self.ids = {
            "department": "chirurgie",
            "name": "ronde",
            "question_id": "1",
            "account_id": account,
            "user": account,
        }
        self.gone = {"document_id", "answer_id", "question_id", "key_id", "owner_question_id", "webhook_id"}
        self.session = requests.Session()  # one connection: hundreds of requests come
        self.client = httpx.Client(base_url=url, headers=self.key, timeout=60)

    def ready(self, wanted: set[str]) -> dict[str, str]:
        """Return the ids; rows of these kinds are there."""
        wanted |= (
            {"document_id"} if wanted & {"document", "answer_id", "conversation_id", "owner_question_id"} else set()
        )
        kinds: tuple[tuple[set[str], Callable[[], None]], ...] = (
            ({"document_id", "document"}, self._document),
            ({"answer_id", "conversation_id"}, self._answer),
            ({"name", "question_id"}, self._judged),
            ({"key_id"}, self._key),
            ({"webhook_id"}, self._webhook),
            ({"owner_question_id"}, self._asked_of_an_owner),
        )
        for names, make in kinds:
            if wanted & names and self.gone & names:
                make()
                self.gone -= names
        return self.ids

    def _document(self) -> None:
        made = load(
            self.container,
            "thuis.pdf",
            "Geef een kind van 12 kg na een operatie 15 mg/kg paracetamol. ",
            department="Chirurgie",
        )
        everyones = "update documents set groups = '{everyone}', indexed_groups = '{everyone}' where id = %(id)s"
        self.container.db.run(everyones, {"id": made.id})
        self.ids |= {"document_id": made.id, "document": made.source}

    def _answer(self) -> None:
        """Found in no document too, said by its reader, so that there are gaps."""
        for question, verdict in ((QUESTION, "yes"), ("Welke vlag hangt er op het stadhuis van Ieper?", "no")):
            answer = self.client.post("/ask", json={"question": question, "mode": "sources"}).raise_for_status().json()
            self.client.post(f"/answers/{answer['id']}/feedback", json={"found": verdict}).raise_for_status()
            if verdict == "yes":
                self.ids |= {"conversation_id": answer["conversation_id"], "answer_id": answer["id"]}

    def _judged(self) -> None:
        body = {"question": "Waar groeit zevenblad?", "no_answer": True, "places": []}
        self.client.put("/judged/ronde/questions/1", json=body).raise_for_status()

    def _key(self) -> None:
        body = {"user": self.people.ids["machine"], "name": "to be revoked", "scopes": ["audit"]}
        self.ids["key_id"] = str(self.client.post("/keys", json=body).raise_for_status().json()["id"])

    def _webhook(self) -> None:
        body = {"url": "https://system.hospital.example/bedside"}
        self.ids["webhook_id"] = str(self.client.post("/webhooks", json=body).raise_for_status().json()["id"])

    def _asked_of_an_owner(self) -> None:
        body = {"kind": "report", "text": "Klopt dit nog?"}
        made = (
            self.client.post(f"/documents/{self.ids['document_id']}/owner-questions", json=body)
            .raise_for_status()
            .json()
        )
        self.ids["owner_question_id"] = made["question"]["id"]


@pytest.fixture(scope="module")
def rows(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rows]:
    # else a thread does while schemathesis parses: pytest parses these by ast, which two threads at
    # once break in 3.11
    read_name_lists()
    with scripted_server() as generator:
        generator.script = lambda request: quote(request) if "candidates" in request["bedside"] else WRITTEN
        settings = Settings(
            data_dir=tmp_path_factory.mktemp("data"), database_url=dsn, store="memory", sign_in="local", role_groups=ROLE_GROUPS,
            generator_url=generator.url, web_dir=tmp_path_factory.mktemp("no page"), sentence_vectors_mb=0,
            questions_per_minute=0, requests_per_minute=0,
        )  # fmt: skip
        with Container(settings) as container:
            load_hospital(container)
            with served(create_app(settings, container)) as address:
                made = Rows(container, f"{address}/api", hired(container.db))
                yield made
                made.client.close()
                made.session.close()
            empty(container)


document = create_app(Settings()).openapi()
schema = schemathesis.openapi.from_dict(document)
reached: dict[str, set[int]] = {}
numbers = count()
drawn: Counter[str] = Counter()


@schema.parametrize()
@hypothesis.settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
def test_the_api_keeps_to_its_document_on_rows_that_are_there(case: schemathesis.Case[Any], rows: Rows) -> None:
    """No server errors; only documented statuses, media types and shapes; bad requests refused,
    good ones accepted."""
    label = case.operation.label
    drawn[label] += 1
    if drawn[label] > FULL and drawn[label] % EVERY and (_was_taken(label) or not _is_right(case)):
        return
    used = {*_named(case.path_parameters), *_named(case.body)} if _is_right(case) and next(numbers) % UNKNOWN else set()
    if used:
        ids = rows.ready(used)
        case.path_parameters.update(_with(case.path_parameters, ids))
        case.body = _with(case.body, ids)
    if label == CSV and used and isinstance(case.body, dict):
        case.body["csv"] = judged_csv([Judged("1", "Waar groeit zevenblad?")])
    if label == OWNER and _is_right(case) and isinstance(case.body, dict) and next(numbers) % UNKNOWN:
        rows.ready({"document_id"})
        case.body |= {"name": "Chirurgie", "accounts": []}
    if label == PASSED and used and isinstance(case.body, dict):
        case.body["to"] = "colleague"
    if label == REVIEW and used and isinstance(case.body, dict):
        case.body["remark"] = "Het gewicht ontbreekt."
    if label == CHAT and _is_right(case) and isinstance(case.body, dict) and next(numbers) % UNKNOWN:
        case.body["messages"] = [{"role": "user", "content": QUESTION}]
    if label in {RESTORE, EXPLAIN} and used:
        rows.client.delete(f"/documents/{rows.ids['document_id']}").raise_for_status()
    if label == RETRY and used:
        failed = "update documents set status = 'failed', reason = 'broken' where id = %(id)s"
        rows.container.db.run(failed, {"id": rows.ids["document_id"]})
    wrongly_drawn = label in UNDESCRIBED or not _fits_its_schema(case)
    excluded: list[Any] = [
        *([negative_data_rejection] * (label in UNSENDABLE)),
        *([positive_data_acceptance] * wrongly_drawn),
    ]
    response = case.call_and_validate(
        base_url=rows.url, headers=rows.key, session=rows.session, excluded_checks=excluded, timeout=60
    )
    reached.setdefault(label, set()).add(response.status_code)
    if (case.method in TAKING or label in {REPLY, RETRY, WITHDRAW}) and 200 <= response.status_code < 300:
        rows.gone |= used


def test_every_operation_was_once_given_what_it_asks_for() -> None:
    """Of those that ran: none was only ever told that there is no such thing."""
    assert {label for label in reached if not _was_taken(label)} <= NEVER


def _was_taken(label: str) -> bool:
    return any(200 <= status < 300 for status in reached.get(label, ()))


def _fits_its_schema(case: schemathesis.Case[Any]) -> bool:
    """A body that a validator of schemas takes too: where a pattern and a length meet, some are
    drawn that the pattern refuses."""
    validator = _validator_of(case.operation.path, case.operation.method.lower())
    return validator is None or not isinstance(case.body, dict) or bool(validator.is_valid(case.body))


@cache
def _validator_of(path: str, method: str) -> Any:
    """Compiled once of an operation, of which up to two hundred bodies come."""
    described = document["paths"][path][method].get("requestBody", {}).get("content", {})
    if (json_of := described.get("application/json")) is None:
        return None
    return validator_for({**json_of["schema"], "components": document["components"]})


def _is_right(case: schemathesis.Case[Any]) -> bool:
    """Nothing of it is wrong on purpose."""
    return case.meta is None or case.meta.generation.mode.is_positive


def _named(value: Any) -> Iterator[str]:
    """The names in it that an id of ours could stand under."""
    if isinstance(value, dict):
        yield from (key for key, held in value.items() if _fits(key, held))
        value = list(value.values())
    for held in value if isinstance(value, list) else ():
        yield from _named(held)


def _with(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: ids[key] if _fits(key, held) and key in ids else _with(held, ids) for key, held in value.items()}
    return [_with(held, ids) for held in value] if isinstance(value, list) else value


def _fits(key: str, held: Any) -> bool:
    """What is no id by its looks stays: it is there to be refused."""
    return (
        key in IDS
        and isinstance(held, str)
        and len(held) <= 36
        and re.search(IDS[key] or r"^[0-9A-Za-z_.-]+$", held) is not None
    )
