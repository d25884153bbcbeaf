"""Errors -> application/problem+json (RFC 9457), in one place, and how OpenAPI describes them."""

from __future__ import annotations

import json
import logging
import math
from dataclasses import asdict
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from rag_api.api.schemas import Problem, WrongOut
from rag_api.errors import BedsideError, PersonalDataFound, TooManyTries

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
CODES = {
    401: "not_signed_in",
    403: "not_allowed",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_media_type",
}
HEADERS = {429: {"Retry-After": "60"}, 503: {"Retry-After": "5"}, 401: {"WWW-Authenticate": "Bearer"}}
DESCRIPTIONS = {
    400: "The request makes no sense; `detail` says what to do.",
    401: "Nobody known asks: sign in, or send `Authorization: Bearer` with a key that holds.",
    403: "Your role, or the key's scope, is not for this (`detail` says which is); or another site asked in your name.",
    404: "There is no such thing, or it is not yours to see.",
    409: "It changed meanwhile, or exists already.",
    413: "The upload or the request is over the limit.",
    416: "The range lies outside the file.",
    422: "The request is not of the documented shape; `errors` lists where.",
    429: "Too many tries or questions, or too many wait; `Retry-After` says when the next may be.",
    500: "Something is configured wrongly (`code` is then `configuration`), or went wrong in Bedside.",
    503: "A part does not answer; `code` says which.",
}


def problem(
    status: int,
    code: str,
    detail: str,
    errors: list[WrongOut] | None = None,
    headers: Any = None,
    instead: str | None = None,
) -> JSONResponse:
    body = Problem(
        title=HTTPStatus(status).phrase, status=status, code=code, detail=detail, errors=errors, instead=instead
    )
    return JSONResponse(body.model_dump(exclude_none=True), status, headers=headers, media_type=MEDIA_TYPE)


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For a route's `responses`. 422 replaces FastAPI's own shape, which we do not send."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": DESCRIPTIONS[status], "content": content} for status in statuses}


def install(app: FastAPI) -> None:
    app.add_exception_handler(BedsideError, _of_ours)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_http)


async def _of_ours(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, BedsideError)
    if error.status >= 500:
        log.warning("%s %s: %s", request.method, request.url.path, error.code)
    headers = (
        {"Retry-After": str(math.ceil(error.retry_after))}
        if isinstance(error, TooManyTries)
        else HEADERS.get(error.status)
    )
    instead = error.instead if isinstance(error, PersonalDataFound) else None
    errors = [WrongOut(**asdict(row)) for row in error.rows]
    return _as_openai(request, problem(error.status, error.code, error.message, errors or None, headers, instead))


async def _of_validation(request: Request, error: Exception) -> JSONResponse:
    """Where and what, not the input itself: it may be a question about a patient."""
    assert isinstance(error, RequestValidationError)
    errors = [WrongOut(where=".".join(str(part) for part in e["loc"]), what=str(e["msg"])) for e in error.errors()]
    detail = "; ".join(f"{e.where}: {e.what}" for e in errors[:3])
    return _as_openai(request, problem(422, "invalid_request", detail, errors))


async def _of_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    # FastAPI's own, of a body that it could not even begin to read
    if error.status_code == 400 and error.__cause__ is not None:
        return problem(400, "invalid_input", "The body is not JSON in UTF-8, or not the form that is asked for.")
    code = CODES.get(error.status_code, "invalid_input" if error.status_code < 500 else "internal")
    headers = {"Allow": ", ".join(_methods(request))} if error.status_code == 405 else error.headers
    return _as_openai(request, problem(error.status_code, code, str(error.detail), headers=headers))


def _as_openai(request: Request, response: JSONResponse) -> JSONResponse:
    """Where OpenAI's clients ask, with what they look for in a failure beside the problem's own
    members."""
    if "/v1/" not in request.url.path:
        return response
    body = json.loads(bytes(response.body))
    body["error"] = {
        "message": body["detail"],
        "type": "invalid_request_error" if body["status"] < 500 else "server_error",
        "code": body["code"],
    }
    headers = {
        name: value for name, value in response.headers.items() if name not in ("content-length", "content-type")
    }
    return JSONResponse(body, response.status_code, headers, MEDIA_TYPE)


def _methods(request: Request) -> list[str]:
    """All that the path supports; Starlette names only those of the first route that has it."""
    path = request.url.path.removeprefix(request.scope.get("root_path", "")).split("/")
    found: set[str] = set()
    for template, operations in request.app.openapi()["paths"].items():
        parts = template.split("/")
        if len(parts) == len(path) and all(
            part in ("", own) or part[0] == "{" for part, own in zip(parts, path, strict=True)
        ):
            found |= {method.upper() for method in operations}
    return sorted(found)


def internal_error() -> JSONResponse:
    """For a bug: the user gets no insides of it."""
    return problem(
        500,
        "internal",
        "Something went wrong in Bedside. It was logged; try again, and tell your administrator if it stays.",
    )
