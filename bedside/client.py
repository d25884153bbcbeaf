"""Client of a running Bedside, for other programs: what it gives are the service's own `models`,
what it raises its own `errors`. It needs httpx and pydantic alone: `pip install httpx pydantic`,
then `pip install --no-deps .` in Bedside's folder.

    from bedside.client import Bedside

A question is asked once however often it is sent: each try carries the same `Idempotency-Key`.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self, TypeVar
from uuid import uuid4

import httpx
from pydantic import BaseModel, ValidationError

from rag_api import errors

# The models that the API's schema is generated from; models generated from it again had numbers for
# names where a schema has none (`FeedbackIn11`), and enumerations that are not the service's.
from rag_api.api import schemas as models
from rag_api.errors import BedsideError, Unavailable, Wrong

__all__ = ["Bedside", "DocumentRef", "StreamEvent", "error_of", "errors", "models"]

StreamEvent = (
    models.StageEvent
    | models.NearestEvent
    | models.FoundEvent
    | models.TokenEvent
    | models.CitedEvent
    | models.DoneEvent
    | models.FailedEvent
)
Model = TypeVar("Model", bound=BaseModel)
DocumentRef = str | models.DocumentOut  # its id, or one that was listed

AGAIN = (429, 503)  # and a connection that broke off
FIRST, LONGEST = 0.5, 30.0  # seconds before the second try, doubled each time, and at most
AT_ONCE = 100  # of a list, in one request


class Bedside:
    """`url`: where people open the page, https://bedside.hospital.example. `key`: of `bedside keys
    add`; "": nobody signs in there. `timeout`: seconds for each answer, or for the next event of
    one. `retries`: how often what may be sent again is, where Bedside is busy, away, or the
    connection breaks. Raises the `errors`, Unavailable where nothing answers.
    Safe from several threads.
    """

    def __init__(
        self,
        url: str,
        key: str = "",
        *,
        timeout: float = 300.0,
        retries: int = 3,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._url, self._retries = url.rstrip("/"), retries
        self._http = httpx.Client(base_url=f"{self._url}/api", headers=headers, timeout=timeout, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def ask(self, question: str, **more: Any) -> models.AnswerOut:
        """Return the whole answer. more: what `POST /ask` takes besides (`mode`, `conversation_id`,
        `filters`, `function`, ...)."""
        body = {"question": question, **more}
        return self._model(models.AnswerOut, "POST", "/ask", json=body, headers={"Idempotency-Key": str(uuid4())})

    def ask_streamed(self, question: str, **more: Any) -> Iterator[StreamEvent]:
        """Yield what the service sends while it answers; DoneEvent, with the whole answer, is the
        last. An answer that fails on the way is raised. What breaks off is asked for again under
        the same key, once nothing more comes: its whole answer follows."""
        body, headers = {"question": question, **more}, {"Idempotency-Key": str(uuid4())}
        try:
            accept = {"Accept": "text/event-stream"}
            with self._sent("POST", "/ask", stream=True, json=body, headers=headers | accept) as response:
                yield from _events(response.iter_lines())
                return
        except httpx.TransportError:
            pass
        yield models.DoneEvent(answer=self._model(models.AnswerOut, "POST", "/ask", json=body, headers=headers))

    def search(self, query: str, **more: Any) -> list[models.SourceOut]:
        """Return the passages nearest to the query; no model writes anything. more: as `ask`."""
        return self.ask(query, mode="sources", **more).sources

    def documents(
        self,
        search: str = "",
        *,
        status: Literal["indexed", "failed", "retired", "replaced"] | None = None,
        department: str = "",
        document_type: str = "",
        validity: models.Validity | None = None,
    ) -> Iterator[models.DocumentOut]:
        """Yield what the key may read, by title; `search`: in title or file name."""
        query = {
            "search": search,
            "status": status,
            "department": department,
            "document_type": document_type,
            "validity": validity,
        }
        wanted = {name: value for name, value in query.items() if value}
        yield from self._listed(models.DocumentList, "documents", "/documents", wanted)

    def document(self, document: DocumentRef) -> models.DocumentDetail:
        return self._model(models.DocumentDetail, "GET", f"/documents/{_id(document)}")

    def file(self, document: DocumentRef) -> bytes:
        """Return the document's file, as a PDF where it can be shown."""
        with self._sent("GET", f"/documents/{_id(document)}/file") as response:
            return response.content

    def upload(self, file: Path | IO[bytes], name: str = "", groups: Sequence[str] = ()) -> models.IngestOut:
        """Load a file, and return what became of it; a new version of the same name replaces the
        old. `name`: what the document is known by, the path's own when absent. `groups`: whose
        members may read it. Sent once: there is no key under which it could be repeated."""
        if isinstance(file, Path):
            with file.open("rb") as opened:
                return self.upload(opened, name or file.name, groups)
        if not name:
            raise ValueError("an open file needs a name: what the document is known by")
        files, data = {"file": (name, file, "application/octet-stream")}, {"groups": ",".join(groups)}
        return self._model(models.IngestOut, "POST", "/documents", files=files, data=data)

    def withdraw(self, document: DocumentRef, reason: str = "", **more: Any) -> models.DocumentOut:
        """more: `personal_data`, where the reason was refused for what it seems to hold."""
        body = {"reason": reason, **more}
        return self._model(models.DocumentOut, "POST", f"/documents/{_id(document)}/withdraw", json=body)

    def conversations(self, search: str = "") -> Iterator[models.ConversationOut]:
        """Yield the key's own, pinned ones first, then the newest."""
        yield from self._listed(
            models.ConversationList, "conversations", "/conversations", {"search": search} if search else {}
        )

    def conversation(self, conversation_id: str) -> models.ConversationDetail:
        """Return it with its answers."""
        return self._model(models.ConversationDetail, "GET", f"/conversations/{conversation_id}")

    def feedback(self, answer_id: str, **said: Any) -> models.FeedbackOut:
        """Say what came of an answer: what `POST /answers/{id}/feedback` takes (`found`, `missing`,
        `reported`, `comment`, ...)."""
        return self._model(models.FeedbackOut, "POST", f"/answers/{answer_id}/feedback", json=said)

    def _listed(self, model: type[Model], field: str, path: str, query: dict[str, Any]) -> Iterator[Any]:
        offset = 0
        while True:
            found = self._model(model, "GET", path, params=query | {"limit": AT_ONCE, "offset": offset})
            rows = getattr(found, field)
            yield from rows
            offset += len(rows)
            if not rows or offset >= getattr(found, "total"):  # noqa: B009 - of any list's model
                return

    def _model(self, model: type[Model], method: str, path: str, **more: Any) -> Model:
        with self._sent(method, path, **more) as response:
            try:
                return model.model_validate_json(response.content)
            except ValidationError as error:
                raise Unavailable(
                    f"What answers at {self._url} is no Bedside, or another version of it than this client."
                ) from error

    @contextmanager
    def _sent(self, method: str, path: str, *, stream: bool = False, **more: Any) -> Iterator[httpx.Response]:
        """A response that says yes, open until the block ends. Raises the error that a problem
        names."""
        repeatable = method == "GET" or "Idempotency-Key" in more.get("headers", {})
        for tries_left in reversed(range(self._retries + 1 if repeatable else 1)):
            wait = min(LONGEST, FIRST * 2 ** (self._retries - tries_left)) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret
            request = self._http.build_request(method, path, **more)
            try:
                response = self._http.send(request, stream=stream)
            except httpx.TransportError as error:
                if not tries_left:
                    raise Unavailable(
                        f"Bedside does not answer at {self._url}: is it running, and is that its address?"
                    ) from error
            else:
                try:
                    if response.is_success:
                        yield response
                        return
                    response.read()
                finally:
                    response.close()
                if not tries_left or response.status_code not in AGAIN:
                    raise error_of(response)
                wait = max(wait, _retry_after(response))
            time.sleep(wait)


def _id(document: DocumentRef) -> str:
    return document if isinstance(document, str) else document.id


def _retry_after(response: httpx.Response) -> float:
    said = response.headers.get("retry-after", "")
    return min(60.0, float(said)) if said.isascii() and said.isdecimal() else 0.0


def _events(lines: Iterator[str]) -> Iterator[StreamEvent]:
    """Raises the error that a FailedEvent names, and httpx.ReadError where the stream ends without
    its last event."""
    name, data = "", ""
    for line in lines:
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            data = value
        elif line == "" and name in models.EVENTS:
            event = models.EVENTS[name].model_validate_json(data)
            if isinstance(event, models.FailedEvent):
                raise _error(event.code, 500, event.message)
            yield event  # type: ignore[misc]  # each of EVENTS is one of Event
            if isinstance(event, models.DoneEvent):
                return
            name = data = ""
    raise httpx.ReadError("the stream broke off")


def error_of(response: httpx.Response) -> BedsideError:
    """The named error of a response that says no."""
    try:
        said = models.Problem.model_validate(json.loads(response.content))
    except ValueError:
        return _error("", response.status_code, f"{response.status_code} {response.reason_phrase} from {response.url}")
    rows = tuple(Wrong(one.where, one.what, one.code, one.values) for one in said.errors or ())
    more = {"instead": said.instead} if said.instead is not None else {}
    return _error(said.code, said.status, said.detail, rows=rows, retry_after=_retry_after(response), **more)


def _error(code: str, status: int, message: str, **more: Any) -> BedsideError:
    """By its code, else by the widest of its status, else BedsideError."""
    kinds = list(_kinds(BedsideError))
    kind = next((one for one in kinds if one.code == code), None) or next(
        (one for one in kinds if one.status == status), BedsideError
    )
    error = kind.__new__(kind, message)
    error.__dict__.update({"rows": (), **more, "message": message, "code": code or kind.code, "status": status})
    return error


def _kinds(kind: type[BedsideError]) -> Iterator[type[BedsideError]]:
    """Wider ones first."""
    for one in kind.__subclasses__():
        yield one
    for one in kind.__subclasses__():
        yield from _kinds(one)
