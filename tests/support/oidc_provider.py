"""A real OpenID provider on this machine: oidc-provider, certified by the OpenID Foundation, in a
node process of its own."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import httpx
from joserfc.jwk import RSAKey

FOLDER = Path(__file__).parent / "oidc"
CLIENT, SECRET = "bedside", "a client secret of this test run"


def node() -> str | None:
    """From the machine, else from the wheel that the Makefile installed."""
    return shutil.which("node") or shutil.which("node", path=str(Path(sys.prefix) / "node" / "bin"))


def missing() -> str:
    """Return why the provider cannot be started here; "" when it can."""
    if node() is None:
        return "there is no node"
    return "" if (FOLDER / "node_modules").is_dir() else f"npm install was not run in {FOLDER} (make test does)"


def new_signing_key(name: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": "RS256"}, private=True)


@dataclass(frozen=True)
class Provided:
    issuer: str
    key: RSAKey


@contextmanager
def provider(port: int, key: RSAKey, bedside: str, accounts: dict[str, dict[str, Any]]) -> Iterator[Provided]:
    """For a Bedside at this address; with these accounts' claims, by the name that one signs in
    with."""
    given = {
        "port": port,
        "keys": {"keys": [key.as_dict(private=True)]},
        "client": {
            "client_id": CLIENT,
            "client_secret": SECRET,
            "token_endpoint_auth_method": "client_secret_post",
            "redirect_uris": [f"{bedside}/api/sign-in/callback"],
            "post_logout_redirect_uris": [f"{bedside}/"],
        },
        "accounts": accounts,
    }
    command = [node() or "node", str(FOLDER / "provider.mjs")]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(given))
        process.stdin.close()
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("ready"):
                break
        else:
            raise AssertionError("the provider did not start: " + "".join(said))
        yield Provided(f"http://127.0.0.1:{port}", key)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def signed_in_at(browser: httpx.Client, url: str, login: str, back: str) -> httpx.Response:
    """Go where Bedside sends the browser, sign in and consent in the provider's own forms, and
    return its redirect to `back`."""
    response = browser.get(url)
    for _ in range(12):
        if response.is_redirect:
            where = response.next_request.url if response.next_request else None
            assert where is not None
            if str(where).startswith(back):
                return response
            response = browser.get(where)
            continue
        form = re.search(r'<form[^>]*action="([^"]+)"[^>]*method="post"', response.text)
        assert form, response.text[:2000]
        prompt = re.search(r'name="prompt" value="(\w+)"', response.text)
        fields = {"prompt": prompt[1] if prompt else "login"}
        if fields["prompt"] == "login":
            fields |= {"login": login, "password": "any"}
        response = browser.post(response.url.join(unescape(form[1])), data=fields)
    raise AssertionError("the provider never sent the browser back")
