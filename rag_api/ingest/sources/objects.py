"""Files behind a URL that fsspec knows (s3://, gs://, abfs://, file://). The one place that knows
fsspec and its exceptions. Credentials are the file system's own matter (its environment variables
and files)."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from rag_api.errors import BedsideError, ConfigurationError, SourceUnavailable, UnreadableDocument

_BLOCK = 1 << 20


def is_url(path: str) -> bool:
    return "://" in path


def list_url(url: str) -> dict[str, str]:
    """URLs of all files below it, by their path there. Raises ConfigurationError,
    SourceUnavailable."""
    with _translated(url):
        system, root = _system(url)
        there = sorted(system.find(root))
        if not there and not system.exists(root):
            raise SourceUnavailable(f"{url}: there is no such folder")
        return {path.removeprefix(root).lstrip("/"): str(system.unstrip_protocol(path)) for path in there}


def digest_url(url: str, name: str) -> tuple[str, int]:
    """(hex digest, bytes), without keeping it. Raises UnreadableDocument, SourceUnavailable."""
    digest, size = hashlib.sha256(), 0
    with _opened(url, name) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return digest.hexdigest(), size


def fetch_url(url: str, name: str, target: Path) -> None:
    """Its content into a file. Raises UnreadableDocument, SourceUnavailable."""
    with _opened(url, name) as file, target.open("wb") as copy:
        shutil.copyfileobj(file, copy, _BLOCK)


@contextlib.contextmanager
def _opened(url: str, name: str) -> Iterator[BinaryIO]:
    with _translated(url):
        system, path = _system(url)
        try:
            file = system.open(path, "rb")
        except (FileNotFoundError, PermissionError) as error:
            raise UnreadableDocument(
                "broken", f"{name}: cannot be opened ({error.strerror or type(error).__name__})"
            ) from error
        with file:
            yield file


def _system(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs

        system, root = url_to_fs(url)
    except (ImportError, ValueError) as error:  # s3:// needs s3fs, and so on: the message says what
        raise ConfigurationError(
            f"{url}: {error}; the extra `ray` brings fsspec, and each kind of storage has a package of its own"
        ) from None
    return system, str(root)


@contextlib.contextmanager
def _translated(url: str) -> Iterator[None]:
    """Each file system raises what its own library does."""
    try:
        yield
    except BedsideError:
        raise
    except Exception as error:
        raise SourceUnavailable(f"{url} does not answer: {type(error).__name__}: {error!s:.200}") from error
