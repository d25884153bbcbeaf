"""The Python client against the real service: typed answers, named errors, and a question answered
once however often it is sent."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import httpx
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bedside.client import Bedside, error_of, models
from rag_api.container import Container
from rag_api.domain import AnswerStatus, Document, DocumentStatus
from rag_api.errors import (
    BedsideError,
    Conflict,
    InvalidInput,
    NotFound,
    NotSignedIn,
    PersonalDataFound,
    TooBusy,
    Unavailable,
)
from tests.rag_api.api.test_api import DUTCH, client, container, documents, pdf, url
from tests.support.people import key_of, staffed
from tests.support.ports import free_port
from tests.support.scripted_server import Scripted, quote
from tests.support.world import empty

__all__ = ["client", "container", "documents", "url"]

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bedside(url: str, scripted: Scripted, documents: dict[str, Document]) -> Iterator[Bedside]:
    scripted.script, scripted.status = quote, 200
    with Bedside(url) as made:
        yield made


class Through(httpx.BaseTransport):
    """Lets requests through to the service, after `fails` of them: a connection that breaks, or a
    status."""

    def __init__(self, *fails: int | type[Exception], after: bool = False) -> None:
        self.fails, self.after = list(fails), after
        self.sent: list[httpx.Request] = []
        self._through = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        fails = self.fails.pop(0) if self.fails else None
        if isinstance(fails, int):
            return httpx.Response(fails, headers={"retry-after": "0"}, request=request)
        if fails is not None and not self.after:
            raise fails("broken")
        response = self._through.handle_request(request)
        if fails is not None:  # the service has it, and its answer is lost
            response.read()
            response.close()
            raise fails("broken")
        return response

    def close(self) -> None:
        self._through.close()


def test_an_answer_a_search_and_what_they_come_from_are_typed(bedside: Bedside, documents: dict[str, Document]) -> None:
    answer = bedside.ask(DUTCH)
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.spans[0].text in answer.answer
    follow_up = bedside.ask("en per dag?", conversation_id=answer.conversation_id, mode="sources")
    found = bedside.conversation(answer.conversation_id)
    assert [one.id for one in found.answers] == [answer.id, follow_up.id]
    assert [one.id for one in bedside.conversations("paracetamol")] == [answer.conversation_id]
    (first, *_) = bedside.search(DUTCH)
    assert first.document_id == documents["child"].id
    about = bedside.document(first.document_id)
    assert (about.status, about.version, len(about.pages)) == (DocumentStatus.INDEXED, "3", 1)
    assert bedside.file(about).startswith(b"%PDF")
    assert bedside.feedback(answer.id, reported="wrong", comment="Dit klopt niet.").owner == ""


def test_a_streamed_answer_ends_with_the_whole(bedside: Bedside) -> None:
    events = list(bedside.ask_streamed(DUTCH))
    assert [type(event) for event in events[:2]] == [models.StageEvent, models.FoundEvent]
    last = events[-1]
    assert isinstance(last, models.DoneEvent)
    assert "".join(event.text for event in events if isinstance(event, models.TokenEvent)) == last.answer.answer


def test_lists_are_read_to_their_end(bedside: Bedside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bedside.client.AT_ONCE", 2)
    assert [one.source for one in bedside.documents()] == ["falls.pdf", "restaurant.pdf", "paracetamol-kind.pdf"]
    assert [one.source for one in bedside.documents("paracetamol")] == ["paracetamol-kind.pdf"]


def test_a_file_is_loaded_listed_and_withdrawn(bedside: Bedside, container: Container, tmp_path: Path) -> None:
    path = tmp_path / "naald.pdf"
    path.write_bytes(pdf("Naaldcontainers\nEen naaldcontainer wordt vervangen wanneer hij voor drie vierde gevuld is."))
    (item,) = bedside.upload(path).items
    assert (item.outcome, item.source) == ("indexed", "naald.pdf")
    (listed,) = bedside.documents("naald")
    withdrawn = bedside.withdraw(listed, "Vervangen.")
    assert (withdrawn.status, withdrawn.withdrawn_reason) == (DocumentStatus.RETIRED, "Vervangen.")
    assert list(bedside.documents("naald")) == []
    with pytest.raises(ValueError, match="needs a name"):
        bedside.upload(io.BytesIO(b"x"))
    (item,) = bedside.upload(io.BytesIO(b"geen pdf"), "kapot.pdf").items
    assert (item.outcome, item.reason) == ("failed", "broken")
    empty(container)


@pytest.mark.parametrize(
    ("call", "kind", "code"),
    [
        (lambda bedside: bedside.document("0" * 32), NotFound, "not_found"),
        (lambda bedside: bedside.ask("x" * 2001), BedsideError, "invalid_request"),
        (
            lambda bedside: bedside.ask("Mag mevrouw Jansen, geboren op 3 mei 1961, paracetamol?"),
            PersonalDataFound,
            "personal_data",
        ),
        (lambda bedside: bedside.upload(io.BytesIO(b"x"), "..."), InvalidInput, "invalid_input"),
    ],
)
def test_what_is_refused_is_a_named_error(
    bedside: Bedside, call: Callable[[Bedside], Any], kind: type[BedsideError], code: str
) -> None:
    with pytest.raises(kind) as raised:
        call(bedside)
    assert raised.value.code == code
    assert raised.value.message
    if isinstance(raised.value, PersonalDataFound):
        assert "1961" not in raised.value.instead
        assert raised.value.rows[0].code


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("after", [False, True])
def test_a_question_whose_connection_breaks_is_sent_again_and_stored_once(
    url: str, bedside: Bedside, container: Container, streamed: bool, after: bool
) -> None:
    container.db.run("truncate conversations cascade")
    through = Through(httpx.ReadError, after=after)
    with Bedside(url, transport=through) as breaking:
        if streamed:
            last = list(breaking.ask_streamed(DUTCH))[-1]
            assert isinstance(last, models.DoneEvent)
            answer = last.answer
        else:
            answer = breaking.ask(DUTCH)
    assert answer.status is AnswerStatus.ANSWERED
    assert len({request.headers["idempotency-key"] for request in through.sent}) == 1
    assert len(through.sent) == 2
    assert container.db.one("select count(*) as n from answers") == {"n": 1}


def test_a_stream_that_breaks_off_in_the_middle_gives_its_whole_answer_after_all(url: str, bedside: Bedside) -> None:
    class Half(Through):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            response = super().handle_request(request)
            if len(self.sent) > 1:
                return response
            whole = response.read()
            response.close()
            return httpx.Response(200, content=whole[: whole.index(b"event: done")], request=request)

    with Bedside(url, transport=Half()) as breaking:
        events = list(breaking.ask_streamed(DUTCH))
    assert isinstance(events[-1], models.DoneEvent)
    assert [type(event) for event in events].count(models.DoneEvent) == 1


def test_a_busy_service_is_asked_again_and_a_change_never(url: str, bedside: Bedside) -> None:
    through = Through(503, 429)
    with Bedside(url, transport=through) as busy:
        assert busy.ask(DUTCH, mode="sources").sources
    assert len(through.sent) == 3
    through = Through(503)
    with Bedside(url, transport=through) as busy, pytest.raises(Unavailable):
        busy.upload(io.BytesIO(b"Na een val belt u de wacht."), "val.txt")
    assert len(through.sent) == 1


def test_where_nothing_answers_the_error_says_where() -> None:
    address = f"http://127.0.0.1:{free_port()}"
    with Bedside(address, retries=0) as nobody, pytest.raises(Unavailable, match=f"does not answer at {address}"):
        list(nobody.documents())
    with Bedside(address, retries=0) as nobody, pytest.raises(Unavailable, match="does not answer"):
        list(nobody.ask_streamed(DUTCH))


def test_a_key_shows_who_asks_and_one_that_does_not_hold_is_told(dsn: str, tmp_path: Path) -> None:
    from rag_api.domain import Scope

    with staffed(dsn, tmp_path) as (made, service, people):

        def sent(request: httpx.Request) -> httpx.Response:
            response = service.request(request.method, str(request.url.path), headers=dict(request.headers))
            return httpx.Response(response.status_code, headers=dict(response.headers), content=response.content)

        key = key_of(made.db, people.ids["colleague"], [Scope.READ])
        with Bedside("http://testserver", key, transport=httpx.MockTransport(sent)) as known:
            assert list(known.documents()) == []
        with (
            Bedside("http://testserver", "wrong", transport=httpx.MockTransport(sent)) as unknown,
            pytest.raises(NotSignedIn),
        ):
            list(unknown.documents())


def test_an_error_of_no_known_code_is_the_widest_of_its_status() -> None:
    known = httpx.Response(
        429, json={"title": "x", "status": 429, "code": "too_busy", "detail": "Wait."}, headers={"retry-after": "7"}
    )
    error = error_of(known)
    assert isinstance(error, TooBusy)
    assert (error.retry_after, str(error)) == (7.0, "Wait.")
    unknown = error_of(httpx.Response(409, json={"title": "x", "status": 409, "code": "new_one", "detail": "Changed."}))
    assert (type(unknown), unknown.code) == (Conflict, "new_one")
    proxy = error_of(httpx.Response(502, text="<html>", request=httpx.Request("GET", "http://bedside/api/documents")))
    assert (type(proxy), proxy.status) == (BedsideError, 502)
    assert "502 Bad Gateway" in proxy.message


ASKED = """
import sys
from bedside.client import Bedside, models
url, question = sys.argv[1:]
with Bedside(url) as bedside:
    answer = bedside.ask(question)
    span = answer.spans[0]
    assert span.text in answer.answer
    assert span.document_id in [passage.document_id for passage in bedside.search(question)]
    pdf = bedside.file(span.document_id)
    events = list(bedside.ask_streamed(question))
    assert isinstance(events[-1], models.DoneEvent)
    print(pdf[:4].decode(), events[-1].answer.status, events[-1].answer.answer == answer.answer)
"""


def needed(*names: str) -> set[str]:
    """The packages named, and all that these need on this machine."""
    found, todo = set[str](), list(names)
    while todo:
        name = canonicalize_name(todo.pop())
        wanted = [Requirement(line) for line in distribution(name).requires or []] if name not in found else []
        found.add(name)
        todo += [one.name for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


def test_it_needs_httpx_and_pydantic_alone(url: str, bedside: Bedside, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in needed("httpx", "pydantic"):
        for top in {file.parts[0] for file in distribution(name).files or []} - {"..", "__pycache__"}:
            (packages / top).symlink_to(Path(str(distribution(name).locate_file(top))))
    ran = subprocess.run(
        [sys.executable, "-S", "-c", ASKED, url, DUTCH],  # -S: none of what is installed here
        cwd=tmp_path,
        env={"PYTHONPATH": f"{packages}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == ("%PDF answered True\n", "")


def test_the_example_of_the_docs_runs_as_it_stands(
    url: str, bedside: Bedside, container: Container, tmp_path: Path
) -> None:
    assert "examples/ask.py" in (ROOT / "docs/api.md").read_text(encoding="utf-8")
    file = tmp_path / "wacht.txt"
    file.write_text("Na een val belt u de wacht.")
    given = {"URL": url, "QUESTION": DUTCH, "FILE": str(file), "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "examples/ask.py"],
        cwd=ROOT,
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    for words in ("answered", "DoneEvent", "indexed", "There is no document"):
        assert words in ran.stdout
    assert "1961" not in ran.stdout
    empty(container)
