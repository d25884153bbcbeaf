"""A downtime pack that does not open: what is said of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from rag_api.errors import InvalidInput
from rag_api.upkeep.pack import checking

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("ended", [True, False])
def test_its_last_words_and_its_health_are_said(ended: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE", 0.0)
    health = {"status": "degraded", "generator": "no such module"}
    transport = httpx.MockTransport(lambda _: httpx.Response(503, json=health))
    (tmp_path / "log").write_text("No room.\n" + 20 * "07:45 info GET /health status=503\n")
    with subprocess.Popen([sys.executable, "-c", "" if ended else "input()"], stdin=subprocess.PIPE) as process:
        if ended:
            process.wait()
        with httpx.Client(transport=transport, base_url="http://pack") as client, pytest.raises(InvalidInput) as raised:
            checking.wait_until_open(client, process, tmp_path / "log")
        process.kill()
    assert raised.value.message.splitlines()[1:] == ["No room.", httpx.Response(503, json=health).text]
