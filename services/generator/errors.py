"""Errors of the generator, by the HTTP status it becomes. Raised with a sentence a caller can act
on.

GeneratorError          500 generator-error
├── BadRequest          400 bad-request      it cannot be served as it is (unknown template, ...)
│   ├── ContextTooLong  400 context_length_exceeded, which is OpenAI's word for it
│   └── UnknownAdapter  400 adapter_not_found
├── QueueFull           429 queue-full       try again after `retry_after` seconds
└── ModelError          500 model-error      a checkpoint that is missing, incomplete or unknown
"""

from __future__ import annotations


class GeneratorError(Exception):
    code = "generator-error"
    status = 500


class BadRequest(GeneratorError):
    code = "bad-request"
    status = 400


class ContextTooLong(BadRequest):
    code = "context_length_exceeded"  # wire.TOO_LONG: the engine runs without pydantic


class UnknownAdapter(BadRequest):
    code = "adapter_not_found"


class QueueFull(GeneratorError):
    code = "queue-full"
    status = 429

    def __init__(self, message: str, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelError(GeneratorError):
    code = "model-error"
