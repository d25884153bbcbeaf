"""Knowledge of SharePoint's drives outlives a process."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from rag_api.db import Database
from rag_api.db.documents import PgDocuments
from rag_api.db.ingestion.drives import PgDrives
from rag_api.domain import RemoteItem

FOLDER = RemoteItem("F", "", "IC", True)
FILE = RemoteItem(
    "a", "F", "a.pdf", False, look=False, permit=False, version="2.0 10 x", sha256="ab", size=10, groups=("icu", "everyone"),
    notes=("note",), reason="not_permitted", message="nobody", permitted_at=datetime(2026, 1, 2, tzinfo=UTC),
)  # fmt: skip


def test_changes_are_kept_with_the_link_that_says_so(db: Database) -> None:
    drives = PgDrives(db)
    assert (drives.delta_link("d"), drives.items("d")) == ("", {})
    with drives.lock():
        drives.put_changes("d", {"F": FOLDER, "a": FILE}, [], "https://graph/delta?token=1")
    assert drives.items("d") == {"F": FOLDER, "a": FILE}
    drives.put("d", replace(FILE, reason="", look=True))
    drives.put_changes("d", {}, ["F"], "https://graph/delta?token=2")
    assert drives.items("d") == {"a": replace(FILE, reason="", look=True)}
    assert (drives.delta_link("d"), drives.items("other")) == ("https://graph/delta?token=2", {})


def test_a_file_s_id_is_kept_with_its_folder_until_it_is_renamed(db: Database) -> None:
    documents = PgDocuments(db)
    documents.put_folders({"a.pdf": "sharepoint:d/", "b.pdf": "/mnt"}, {"a.pdf": "id-a"})
    assert documents.items() == {"a.pdf": "id-a"}
    documents.put_folders({"a.pdf": "sharepoint:d/"}, {"a.pdf": "id-b"})
    assert documents.items() == {"a.pdf": "id-b"}
    documents.rename("a.pdf", "c.pdf", ("a", "c"))
    assert documents.items() == {}
