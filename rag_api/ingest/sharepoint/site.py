"""A [[sharepoint]] table of sources.toml: whose documents, of which library, and who its groups are
here.

[[sharepoint]] tenant = "6f1d…"                                   # directory (tenant) id client =
"1c0a…"                                   # application (client) id; consented to Sites.Selected,
granted on the site secret_file = "/run/secrets/sharepoint"            # holds the client secret;
BEDSIDE_SHAREPOINT_SECRET when absent site = "https://hospital.sharepoint.com/sites/procedures"   #
or user = "name@hospital.nl": that person's OneDrive library = "Documents"
# the site's default library when absent folder = "Protocollen/IC"                          # only
what lies below it group_names = { "Procedures Visitors" = "everyone", "3f1c…" = "icu" }   # a
site's groups by name, the directory's by name or id

and, as of a [[folder]], what is true of all its documents, include and exclude.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from rag_api.errors import InvalidInput

KEYS = ("tenant", "client", "secret_file", "site", "user", "library", "folder", "group_names", "graph_url", "login_url")
_GRAPH, _LOGIN = "https://graph.microsoft.com/v1.0", "https://login.microsoftonline.com"


@dataclass(frozen=True, slots=True)
class Site:
    """`site`: host and path, "hospital.sharepoint.com/sites/procedures"; or `user`, whose OneDrive
    it is."""

    tenant: str
    client: str
    site: str = ""
    user: str = ""
    secret_file: Path | None = None
    library: str = ""
    folder: str = ""
    group_names: Mapping[str, str] = field(default_factory=dict)
    graph_url: str = _GRAPH  # others are national clouds
    login_url: str = _LOGIN
    given: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What people know it by."""
        return self.site or f"OneDrive of {self.user}"


def site_of(where: str, said: Mapping[str, Any], beside: Path, **common: Any) -> Site:
    """Raises InvalidInput. common: what a folder says too, read already; beside: the folder that
    relative paths count from."""
    if "secret" in said:
        raise InvalidInput(
            f"{where}: a secret does not belong here; name a file that holds it (secret_file), or set BEDSIDE_SHAREPOINT_SECRET"
        )
    texts = {name: said.get(name, "") for name in KEYS if name != "group_names"}
    if wrong := [name for name, value in texts.items() if not isinstance(value, str)]:
        raise InvalidInput(f"{where}: {wrong[0]} is a text")
    if missing := [name for name in ("tenant", "client") if not texts[name].strip()]:
        raise InvalidInput(
            f"{where}: needs {' and '.join(missing)}, the ids of the directory and of the registered application"
        )
    if bool(texts["site"]) == bool(texts["user"]):
        raise InvalidInput(f"{where}: needs site (its address) or user (whose OneDrive it is)")
    groups = said.get("group_names", {})
    if not isinstance(groups, dict) or not all(_is_name(name) for name in groups.values()):
        raise InvalidInput(
            f"{where}: group_names says of SharePoint's groups what they are called here, such as {{ 'IC Visitors' = 'icu' }}"
        )
    secret_file = beside / texts["secret_file"] if texts["secret_file"] else None
    return Site(
        tenant=texts["tenant"].strip(), client=texts["client"].strip(), site=_address(where, texts["site"]), user=texts["user"].strip(),
        secret_file=secret_file, library=texts["library"], folder=texts["folder"].strip("/"), group_names=dict(groups),
        graph_url=_url(where, texts["graph_url"] or _GRAPH), login_url=_url(where, texts["login_url"] or _LOGIN), **common,
    )  # fmt: skip


def secret_of(site: Site, default: SecretStr | None) -> SecretStr:
    """The client secret. Raises InvalidInput when there is none, with where to put it."""
    if site.secret_file is None:
        if default is None:
            raise InvalidInput(
                f"{site.name}: needs the client secret; name a file that holds it (secret_file), or set "
                f"BEDSIDE_SHAREPOINT_SECRET"
            )
        return default
    try:
        secret = site.secret_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{site.name}: {site.secret_file} cannot be read; it holds the client secret") from error
    if not secret:
        raise InvalidInput(f"{site.name}: {site.secret_file} is empty; it holds the client secret")
    return SecretStr(secret)


def _address(where: str, site: str) -> str:
    """Host and path, however it was copied from a browser."""
    if not site:
        return ""
    parts = urlsplit(site if "//" in site else f"https://{site}")
    segments = [segment for segment in parts.path.split("/") if segment]
    if (
        not parts.hostname
        or "." not in parts.hostname
        or (segments and segments[0] not in ("sites", "teams", "personal"))
    ):
        raise InvalidInput(f"{where}: {site!r} is no site's address; write https://HOST.sharepoint.com/sites/NAME")
    return "/".join([parts.hostname, *segments[:2]])


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(name.strip()) and not set(name) & set(",;")


def _url(where: str, url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "localhost"):
        raise InvalidInput(f"{where}: {url!r} must begin with https://, for a secret goes there")
    return url.rstrip("/")
