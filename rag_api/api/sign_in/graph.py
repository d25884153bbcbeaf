"""Entra ID leaves a user's groups out of the token where there are more than 200: Microsoft Graph
is asked for them then."""

from __future__ import annotations

from typing import Any

import httpx

from rag_api.errors import SignInUnavailable

PATH = "/me/transitiveMemberOf/microsoft.graph.group?$select=id&$top=999"
MOST_PAGES = 20


def groups_beyond_the_token(client: httpx.Client, graph: str, access_token: str) -> list[str]:
    """Return the object ids of all groups, as the token would have named them. Raises
    SignInUnavailable: signed in without their groups somebody would find less, and not know it."""
    found: list[str] = []
    url: str | None = graph.rstrip("/") + PATH
    for _ in range(MOST_PAGES):
        if url is None:
            return found
        if httpx.URL(url).netloc != httpx.URL(graph).netloc:
            raise SignInUnavailable("Microsoft Graph names another server for the rest of the groups.")
        page = _page(client, url, access_token)
        found += [str(group["id"]) for group in page.get("value", []) if isinstance(group, dict) and "id" in group]
        url = page.get("@odata.nextLink")
    raise SignInUnavailable("Microsoft Graph names more groups than can be asked for.")


def _page(client: httpx.Client, url: str, access_token: str) -> dict[str, Any]:
    try:
        found = client.get(url, headers={"Authorization": f"Bearer {access_token}"}).raise_for_status().json()
    except (httpx.HTTPError, ValueError) as error:
        raise SignInUnavailable(
            f"Microsoft Graph does not say which groups you are in: {type(error).__name__}"
        ) from error
    if not isinstance(found, dict):
        raise SignInUnavailable("Microsoft Graph answers with something else than it should.")
    return found
