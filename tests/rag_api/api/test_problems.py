"""Every error becomes a problem: none can be added without its code, its status and what the API
says of that."""

from __future__ import annotations

import inspect
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from rag_api import errors
from rag_api.api import problems
from rag_api.errors import (
    BedsideError,
    InvalidInput,
    PersonalDataFound,
    TooBusy,
    TooManyRequests,
    TooManyTries,
    UnreadableDocument,
    Wrong,
)

pytestmark = pytest.mark.quick

# What clients may rely on. A new error is a line here, and in the tree at the top of errors.py.
MAP = {
    "BedsideError": (500, "internal"),
    "InvalidInput": (400, "invalid_input"),
    "NotSignedIn": (401, "not_signed_in"),
    "NotAllowed": (403, "not_allowed"),
    "AccountSuspended": (403, "account_suspended"),
    "MembershipAdminNeeded": (403, "membership_admin_needed"),
    "NotForYourself": (403, "not_for_yourself"),
    "MoreThanYours": (403, "more_than_yours"),
    "PackOutOfDate": (403, "pack_out_of_date"),
    "NotFound": (404, "not_found"),
    "NoSuchReader": (404, "no_such_reader"),
    "Conflict": (409, "conflict"),
    "MachineAccount": (400, "machine_account"),
    "NotAReviewer": (400, "not_a_reviewer"),
    "NoWayBack": (409, "no_way_back"),
    "TooManyMissing": (409, "too_many_missing"),
    "IngestionStopped": (409, "ingestion_stopped"),
    "TooManyTries": (429, "too_many_tries"),
    "TooManyRequests": (429, "too_many_requests"),
    "TooBusy": (429, "too_busy"),
    "DocumentTooLong": (422, "document_too_long"),
    "PersonalDataFound": (422, "personal_data"),
    "UnreadableDocument": (422, "unreadable_document"),
    "ConfigurationError": (500, "configuration"),
    "EmbedderMismatch": (409, "embedder_mismatch"),
    "Unavailable": (503, "unavailable"),
    "DatabaseUnavailable": (503, "database_unavailable"),
    "AuditUnavailable": (503, "audit_unavailable"),
    "StoreUnavailable": (503, "store_unavailable"),
    "EmbedderUnavailable": (503, "embedder_unavailable"),
    "ReadingUnavailable": (503, "reading_unavailable"),
    "DiskFull": (503, "disk_full"),
    "SourceUnavailable": (503, "source_unavailable"),
    "SignInUnavailable": (503, "sign_in_unavailable"),
    "GeneratorUnavailable": (503, "generator_unavailable"),
    "GeneratorRefused": (503, "generator_refused"),
    "PromptTooLong": (503, "prompt_too_long"),
}
RAISED = [found for found in vars(errors).values() if inspect.isclass(found) and issubclass(found, Exception)]
CLASSES = {found.__name__: found for found in RAISED if issubclass(found, BedsideError)}


def made(name: str) -> BedsideError:
    """One of that class."""
    special: dict[str, Callable[[], BedsideError]] = {
        "UnreadableDocument": lambda: UnreadableDocument("empty", "x.pdf is empty"),
        "TooManyTries": lambda: TooManyTries("a sentence", 2.5),
        "TooManyRequests": lambda: TooManyRequests("a sentence", 2.5),
        "TooBusy": lambda: TooBusy("a sentence", 2.5),
        "PersonalDataFound": lambda: PersonalDataFound([Wrong("body.question", "name: Jan")], "[…]", may_keep=True),
    }
    return special[name]() if name in special else CLASSES[name]("a sentence")


def answered(error: Exception) -> Any:
    """What a client gets when a route raises it."""
    app = FastAPI()
    problems.install(app)

    @app.get("/")
    def route() -> None:
        raise error

    return TestClient(app).get("/")


def test_every_error_is_in_the_map_and_in_the_tree_of_the_module() -> None:
    assert CLASSES.keys() == MAP.keys()
    assert all(
        issubclass(found, BedsideError)
        for found in vars(errors).values()
        if inspect.isclass(found) and issubclass(found, Exception)
    )
    assert all(f"{name} " in f"{errors.__doc__} ".replace("\n", " ") for name in MAP)


@pytest.mark.parametrize("name", CLASSES)
def test_every_error_is_the_same_in_another_process(name: str) -> None:
    error = made(name)
    there = pickle.loads(pickle.dumps(error))
    assert (type(there), str(there), vars(there)) == (type(error), str(error), vars(error))


def test_every_error_has_a_code_of_its_own() -> None:
    assert all("code" in vars(found) for found in CLASSES.values())
    assert len({code for _, code in MAP.values()}) == len(MAP)


@pytest.mark.parametrize("name", MAP)
def test_every_error_becomes_a_problem_that_the_api_describes(name: str) -> None:
    status, code = MAP[name]
    response = answered(made(name))
    assert (response.status_code, response.headers["content-type"]) == (status, problems.MEDIA_TYPE)
    body = response.json()
    assert (body["status"], body["code"], body["detail"]) == (status, code, made(name).message)
    assert ("retry-after" in response.headers) == (status in (429, 503))
    assert status in problems.DESCRIPTIONS


def test_what_is_wrong_with_each_row_is_told() -> None:
    body = answered(
        InvalidInput("2 rows are wrong", [Wrong("line 4", "no question"), Wrong("line 6", "page is 'drie'")])
    ).json()
    assert [(row["where"], row["what"]) for row in body["errors"]] == [
        ("line 4", "no question"),
        ("line 6", "page is 'drie'"),
    ]


def test_a_bug_says_nothing_of_its_insides() -> None:
    response = problems.internal_error()
    assert (response.status_code, json.loads(bytes(response.body))["code"]) == (500, "internal")
