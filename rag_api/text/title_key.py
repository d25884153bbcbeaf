"""Keys of titles that are one to a reader."""

from __future__ import annotations

import re


def title_key(title: str) -> str:
    """Return a title in small letters, without what is neither letter nor digit."""
    return " ".join(re.findall(r"[^\W_]+", title.casefold()))
