"""Where the system cannot confine LibreOffice, that is said."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from rag_api.ingest import office, office_process

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("network", "files", "said"),
    [
        (True, True, ""),
        (False, True, "seccomp (network)"),
        (True, False, "Landlock (files)"),
        (False, False, "seccomp (network), Landlock (files)"),
    ],
)
def test_what_could_not_be_taken_away_is_logged(
    network: bool, files: bool, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(office_process, "no_network", lambda: network)
    monkeypatch.setattr(office_process, "only_files", lambda *_: files)
    office_process.confine("/usr/bin/soffice", tmp_path)
    with caplog.at_level(logging.WARNING):
        office._tell_unconfined(tmp_path)
    assert caplog.messages == (
        [f"LibreOffice runs without {said}, which this system does not offer: load only documents that you trust"] if said else []
    )
