"""SharePoint through Microsoft Graph, against a server that speaks the documented protocol."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from rag_api.domain import DocumentStatus, Edit, RemoteItem
from rag_api.errors import InvalidInput, SourceUnavailable, TooManyMissing
from rag_api.ingest.pipeline import engine
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sharepoint import Site, sync
from rag_api.ingest.sharepoint.client import GraphClient
from rag_api.ingest.sharepoint.permissions import Readers, readers
from rag_api.ingest.sharepoint.quick_xor import QuickXor
from rag_api.ingest.sharepoint.site import secret_of
from rag_api.ingest.source_list import read_source_list
from rag_api.ingest.sources.report import IngestReport
from rag_api.ingest.sources.sources import KeptFiles, Skipped, Survey
from tests.rag_api.ingest.sharepoint.memory_drives import MemoryDrives
from tests.rag_api.ingest.test_ingest import Place
from tests.rag_api.made_files.here import ReaderHere
from tests.rag_api.made_files.pdfs import write
from tests.support.graph_server import SECRET, VISITORS, Answer, Graph, graph_server

TEXT = "De verpleegkundige controleert de infuuspomp om het uur. Bij twijfel wordt de arts van wacht gebeld, {}.\n"
OPEN = {"Procedures Visitors": "everyone"}


def text(subject: str) -> bytes:
    """A document of its own: plain text, which is the cheapest to read."""
    return f"Over {subject}\n\n{TEXT.format(subject)}".encode()


class Library:
    """A drive, and what ingesting it fills."""

    def __init__(self, graph: Graph, tmp_path: Path) -> None:
        self.graph, self.place, self.drives = graph, Place(tmp_path), MemoryDrives()
        self.waited: list[float] = []
        self.site = Site(
            "tenant-id", "client-id", "hospital.example.com/sites/procedures", group_names=OPEN,
            graph_url=f"{graph.url}/v1.0", login_url=f"{graph.url}/login",
        )  # fmt: skip

    def look(self, secret: str = SECRET, max_file_mb: float = 100) -> Survey:
        with GraphClient(self.site, SecretStr(secret), sleep=self.waited.append) as client:
            return sync(self.site, client, self.drives, KeptFiles(self.place.settings.data_dir), max_file_mb)

    def ingest(self, retire_missing: bool = False, confirmed: bool = False) -> IngestReport:
        return ingest(
            self.look(), settings=self.place.settings, documents_repo=self.place.repo, store=self.place.store,
            embedder=self.place.embedder, readers=1, retire_missing=retire_missing, confirmed=confirmed,
        )  # fmt: skip

    def texts(self) -> dict[str, str]:
        """What answers come from, by name: the first line of each."""
        self.place.check()
        current = [d for d in self.place.repo.current().values() if d.status == DocumentStatus.INDEXED]
        return {d.source: self.place.repo.pages(d.id)[0].text.partition("\n")[0] for d in current}


class PoolHere:
    def __init__(self, *_: object) -> None: ...

    def __enter__(self) -> PoolHere:
        return self

    def __exit__(self, *_: object) -> None: ...

    def map(self, act: Callable[[Any, Any], Any], items: Iterable[Any], weigh: object = None) -> Iterator[Any]:
        return (act(ReaderHere(), item) for item in items)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.setattr(engine, "ReaderPool", PoolHere)
    with graph_server() as graph:
        yield Library(graph, tmp_path)


def test_a_library_is_read_over_pages_and_only_changes_are_asked_for_again(library: Library) -> None:
    graph = library.graph
    graph.put("F", "Protocollen")
    for number in range(7):
        graph.put(f"i{number}", f"p{number}.txt", text(f"pomp {number}"), parent="F")
    graph.put("png", "foto.png", b"x")
    assert library.ingest().indexed == 7
    assert library.texts()["Protocollen/p3.txt"] == "Over pomp 3"
    assert graph.count("/root/delta") == 4
    asked, downloads = len(graph.asked), graph.count("^/raw/")
    assert downloads == 7
    report = library.ingest()
    assert (report.indexed, report.unchanged) == (0, 7)
    assert report.skipped == (Skipped(".png", 1, ("foto.png",)),)
    assert len(graph.asked) - asked == 4  # site, drive, delta, who may read the library
    graph.items["i2"].versions.insert(0, ("2.0", text("pomp twee, herzien"), "published"))
    graph.touch("i2")
    assert (library.ingest().indexed, graph.count("^/raw/")) == (1, 8)
    assert library.texts()["Protocollen/p2.txt"] == "Over pomp twee, herzien"


def test_a_named_library_and_a_folder_of_it_and_a_onedrive_are_found(library: Library) -> None:
    library.graph.put("F", "Protocollen")
    library.graph.put("a", "a.txt", text("a"), parent="F")
    library.graph.put("b", "b.txt", text("b"))
    library.site = replace(library.site, library="documents", folder="protocollen")
    assert [file.name for file in library.look().files] == ["a.txt"]
    library.site = replace(
        library.site, site="", user="an@hospital.example.com", library="", folder="", exclude=("Protocollen/*",)
    )
    found = library.look()
    assert ([file.name for file in found.files], found.skipped) == (
        ["b.txt"],
        (Skipped("excluded", 1, ("Protocollen/a.txt",)),),
    )


def test_throttling_is_waited_out_as_long_as_the_service_says(library: Library) -> None:
    library.graph.put("a", "a.txt", text("a"))
    library.graph.fail("/root/delta", 429, "activityLimitReached", retry_after="17")
    library.graph.fail("/root/delta", 503, "serviceNotAvailable", retry_after="3")
    library.graph.fail("^/raw/", 503)
    library.graph.fail("/permissions", 429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT")
    assert library.ingest().indexed == 1
    assert library.waited[:2] == [17.0, 3.0]
    assert 0.0 in library.waited


def test_a_wait_without_end_is_told_and_the_next_run_goes_on(library: Library) -> None:
    library.graph.put("a", "a.txt", text("a"))
    library.graph.fail("/items/a$", 429, retry_after="86400")
    with pytest.raises(SourceUnavailable, match="asked again in 86400 seconds"):
        library.ingest()
    assert library.ingest().indexed == 1


def test_an_expired_token_of_changes_starts_anew_and_downloads_nothing_twice(library: Library) -> None:
    graph = library.graph
    for number in range(12):
        graph.put(f"i{number}", f"p{number}.txt", text(f"pomp {number}"))
    library.ingest()
    graph.delete("i4")
    graph.put("new", "nieuw.txt", text("nieuw"))
    graph.expire()
    report = library.ingest(retire_missing=True)
    assert (report.indexed, report.unchanged, report.retired, graph.count("^/raw/")) == (1, 11, 1, 13)
    assert "p4.txt" not in library.texts()


def test_an_expired_access_token_is_fetched_again(library: Library) -> None:
    library.graph.put("a", "a.txt", text("a"))
    library.graph.fail("/versions", 401, "InvalidAuthenticationToken")
    assert (library.ingest().indexed, library.graph.tokens) == (1, 2)


def test_a_deleted_file_is_named_and_retired_with_the_care_that_folders_get(library: Library) -> None:
    for number in range(11):
        library.graph.put(f"i{number}", f"p{number}.txt", text(f"pomp {number}"))
    library.ingest()
    library.graph.delete("i1")
    report = library.ingest()
    assert ([missing.source for missing in report.missing], report.retired) == (["p1.txt"], 0)
    library.graph.delete("i2")
    with pytest.raises(TooManyMissing, match="2 of 11"):
        library.ingest(retire_missing=True)
    assert library.ingest(retire_missing=True, confirmed=True).retired == 2
    assert len(library.texts()) == 9


def test_a_renamed_file_with_new_content_is_the_same_document(library: Library) -> None:
    """Another would lose its history, edits and judged questions: it is known by its drive item,
    whatever its name and content."""
    library.graph.put("a", "oud.txt", text("de pomp"))
    library.ingest()
    library.place.repo.edited["oud.txt"] = {"department": Edit("Apotheek", "")}
    library.graph.items["a"].versions.insert(0, ("2.0", text("de nieuwe pomp"), "published"))
    library.graph.rename("a", "nieuw.txt")
    report = library.ingest()
    assert [(item.source, item.outcome, item.renamed_from) for item in report.items] == [
        ("nieuw.txt", "indexed", "oud.txt")
    ]
    assert library.place.document("nieuw.txt").metadata.department == "Apotheek"
    assert library.texts() == {"nieuw.txt": "Over de nieuwe pomp"}
    assert {d.source for d in library.place.repo.documents.values()} == {"nieuw.txt"}


def test_a_renamed_or_moved_folder_takes_its_documents_along(library: Library) -> None:
    graph = library.graph
    graph.put("F", "IC")
    graph.put("G", "Diep", parent="F")
    graph.put("a", "a.txt", text("a"), parent="G")
    library.ingest()
    document = library.place.document("IC/Diep/a.txt")
    graph.rename("F", "Intensieve zorgen")
    report = library.ingest()
    assert (report.unchanged, report.items[0].renamed_from, report.missing) == (1, "IC/Diep/a.txt", ())
    assert library.place.document("Intensieve zorgen/Diep/a.txt").id == document.id
    graph.rename("G", "Diep", parent="root")
    library.ingest()
    assert library.place.document("Diep/a.txt").id == document.id


def test_files_that_change_names_with_each_other_stay_themselves(library: Library) -> None:
    library.graph.put("a", "a.txt", text("a"))
    library.graph.put("b", "b.txt", text("b"))
    library.ingest()
    ids = {name: library.place.document(name).id for name in ("a.txt", "b.txt")}
    library.graph.rename("a", "b.txt")
    library.graph.rename("b", "a.txt")
    library.ingest()
    assert {name: library.place.document(name).id for name in ("a.txt", "b.txt")} == {
        "a.txt": ids["b.txt"],
        "b.txt": ids["a.txt"],
    }
    assert library.texts() == {"a.txt": "Over b", "b.txt": "Over a"}


def test_a_file_that_takes_a_deleted_one_s_name_does_not_become_it(library: Library) -> None:
    library.graph.put("a", "a.txt", text("a"))
    library.graph.put("b", "b.txt", text("b"))
    library.ingest()
    old, kept = library.place.document("a.txt").id, library.place.document("b.txt").id
    library.graph.delete("a")
    library.graph.rename("b", "a.txt")
    report = library.ingest()
    assert (library.place.document("a.txt").id, library.place.repo.documents[old].status) == (
        kept,
        DocumentStatus.RETIRED,
    )
    assert (report.retired, report.unchanged, library.texts()) == (1, 1, {"a.txt": "Over b"})


def test_only_the_last_published_version_is_indexed(library: Library) -> None:
    graph = library.graph
    graph.put("a", "a.txt", text("versie een"), text("versie twee"))
    graph.items["a"].versions.insert(0, ("2.1", text("een ontwerp"), "published"))
    graph.put("b", "b.txt", text("b")).versions[0] = ("0.3", text("nooit gepubliceerd"), "published")
    graph.put("c", "c.txt", text("c"), checked_out=True).versions[0] = ("1.0", text("nooit ingecheckt"), "checkout")
    graph.put("d", "d.txt", text("d"), checked_out=True)  # checked out by somebody: the others read what was checked in
    graph.put("e", "e.txt", text("e"), moderation=2)
    report = library.ingest()
    assert library.texts() == {"a.txt": "Over versie twee", "d.txt": "Over d"}
    assert report.skipped == (
        Skipped("checked out, never checked in", 1, ("c.txt",)),
        Skipped("draft never published", 1, ("b.txt",)),
        Skipped("waiting for approval", 1, ("e.txt",)),
    )
    graph.items["b"].versions.insert(0, ("1.0", text("eindelijk"), "published"))
    graph.touch("b")
    graph.items["d"].versions.insert(0, ("2.0", text("nog niet goedgekeurd"), "published"))
    graph.items["d"].moderation = 2
    graph.touch("d")
    library.ingest()
    assert library.texts() == {"a.txt": "Over versie twee", "b.txt": "Over eindelijk", "d.txt": "Over d"}


def test_a_document_whose_permissions_cannot_be_read_is_not_indexed_and_is_named(library: Library) -> None:
    library.graph.put("a", "a.txt", text("a"), permissions=403)
    library.graph.put("b", "b.txt", text("b"), permissions=[])
    library.graph.put("c", "c.txt", text("c"))
    report = library.ingest()
    failed = {item.source: (item.reason, item.message) for item in report.items if item.outcome == "failed"}
    assert failed["a.txt"] == ("not_permitted", "a.txt: its permissions cannot be read (403 accessDenied)")
    assert failed["b.txt"][0] == "not_permitted"
    assert "fullcontrol" in failed["b.txt"][1]
    assert library.texts() == {"c.txt": "Over c"}
    library.graph.items["a"].permissions = [VISITORS]
    assert library.ingest().indexed == 1  # asked again without a change
    assert set(library.texts()) == {"a.txt", "c.txt"}


def test_a_document_that_may_no_longer_be_read_goes_from_the_index(library: Library) -> None:
    """Also when a folder above it is what changed."""
    library.graph.put("F", "IC")
    library.graph.put("a", "a.txt", text("a"), parent="F")
    library.ingest()
    document = library.place.document("IC/a.txt")
    library.graph.items["a"].permissions = []
    library.graph.touch("F")
    assert library.ingest().failed == 1
    assert library.place.store.document_ids() == set()
    assert library.place.repo.groups_of("IC/a.txt", "") == ("nobody",)  # nor are its earlier versions anybody's
    library.graph.items["a"].permissions = [VISITORS]
    library.ingest()
    assert library.place.document("IC/a.txt").id == document.id  # with its history
    assert library.texts() == {"IC/a.txt": "Over a"}


def test_a_library_that_grants_anew_has_all_its_files_asked(library: Library) -> None:
    library.graph.put("a", "a.txt", text("a"))
    library.ingest()
    library.graph.permissions, library.graph.items["a"].permissions = [], []
    assert library.ingest().failed == 1
    assert library.texts() == {}


def test_groups_are_carried_over_and_people_and_links_are_not() -> None:
    def to(**granted: object) -> dict[str, Any]:
        return {"roles": ["read"], "grantedToV2": granted}

    said: list[dict[str, Any]] = [
        to(group={"id": "id-of-ic", "displayName": "IC"}),
        to(group={"id": "id-of-er", "displayName": "Spoed"}),
        to(siteGroup={"id": "7", "displayName": "Owners, of all"}),
        to(siteGroup={"id": "8", "displayName": "Unheard of"}, siteUser={"loginName": "x"}),
        to(user={"id": "u"}),
        {"roles": ["read"], "link": {"scope": "organization"}, "grantedToIdentitiesV2": []},
        {
            "roles": ["read"],
            "link": {"scope": "users"},
            "grantedToIdentitiesV2": [{"user": {}}, {"group": {"id": "by link"}}],
        },
        {"roles": ["sp.limited access"], "grantedToV2": {"group": {"id": "limited"}}},
        {"roles": ["read"], "expirationDateTime": "2020-01-01T00:00:00Z", "grantedToV2": {"group": {"id": "over"}}},
        {"roles": ["owner"], "grantedToV2": {"application": {"id": "this one"}}},
    ]
    found = readers(said, {"IC": "icu", "Owners, of all": "managers"})
    assert found == Readers(("icu", "id-of-er", "managers"), ("Unheard of",), 3)
    assert all("sources.toml" in note or "by name" in note for note in found.notes())
    everyone = to(siteUser={"loginName": "c:0-.f|rolemanager|spo-grid-all-users/6f1d", "displayName": "Iedereen"})
    assert readers([everyone], {}).groups == ("everyone",)
    # whoever calls a group so does not open a document
    assert readers([to(siteGroup={"displayName": "everyone"})], {}).groups == ()


def test_groups_reach_the_document(library: Library) -> None:
    library.graph.put(
        "a", "a.txt", text("a"), permissions=[{"roles": ["write"], "grantedToV2": {"group": {"id": "id-of-ic"}}}]
    )
    assert library.look().files[0].given == {"groups": "id-of-ic"}
    library.ingest()
    assert library.place.document("a.txt").groups == ("id-of-ic",)
    library.graph.items["a"].permissions = [VISITORS]
    library.graph.touch("a")
    assert library.ingest().unchanged == 1  # nothing is read or embedded again for it
    assert library.place.document("a.txt").groups == ("everyone",)
    assert library.place.store.chunks_of(library.place.document("a.txt").id)[0][0].groups == ("everyone",)


def test_what_came_damaged_or_too_large_or_with_malware_is_named(library: Library) -> None:
    library.graph.put("a", "a.txt", text("a"), extra={"malware": {"description": "x"}})
    library.graph.put("b", "b.txt", b"x" * 3_000_000)
    files = {file.name: file.problem for file in library.look(max_file_mb=1).files}
    assert files["a.txt"] is not None
    assert "malware" in files["a.txt"].message
    assert files["b.txt"] is not None
    assert files["b.txt"].reason == "too_large"
    library.graph.delete("b")
    library.graph.wrong_hash = True
    library.graph.put("c", "c.txt", text("c"))
    report = library.ingest()
    assert "c.txt: its hash is another than SharePoint says" in [
        item.message.partition(";")[0] for item in report.items
    ]
    library.graph.wrong_hash = False
    assert {item.source for item in library.ingest().items if item.outcome == "indexed"} == {"c.txt"}
    assert not list(KeptFiles(library.place.settings.data_dir).folder.glob("*.part"))


def test_an_interrupted_look_goes_on_where_it_was(library: Library) -> None:
    for number in range(8):
        library.graph.put(f"i{number}", f"p{number}.txt", text(f"pomp {number}"))
    library.graph.faults += [("/items/i7$", Answer(503))] * 8
    with pytest.raises(SourceUnavailable, match="the next run goes on"):
        library.look()
    assert library.graph.count("^/raw/") == 7
    assert library.ingest().indexed == 8
    assert library.graph.count("^/raw/") == 8


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (7000222, "secret has expired: make a new one"),
        (7000215, "secret's value is wanted, not its id"),
        (700016, "directory does not know this client"),
        (90002, "no such directory"),
        (65001, "grants consent to Sites.Selected"),
        (99, "the directory says invalid_request"),
    ],
)
def test_a_sign_in_that_fails_says_what_to_do(library: Library, number: int, said: str) -> None:
    body = {
        "error": "invalid_request",
        "error_description": f"AADSTS{number}: Something {SECRET}",
        "error_codes": [number],
    }
    library.graph.token_answer = Answer(400, body)
    with pytest.raises(SourceUnavailable, match=said) as error:
        library.look()
    assert SECRET not in error.value.message


@pytest.mark.parametrize(
    ("pattern", "status", "said"),
    [
        ("/sites/hospital", 404, "there is no hospital.example.com/sites/procedures"),
        ("/sites/hospital", 403, "consents to Sites.Selected .* fullcontrol"),
        ("/root/delta", 403, "has no access to"),
        ("/drive$", 401, "has no access to"),
    ],
)
def test_a_site_that_cannot_be_read_says_what_to_do(library: Library, pattern: str, status: int, said: str) -> None:
    for _ in range(2):
        library.graph.fail(pattern, status)
    with pytest.raises(SourceUnavailable, match=said):
        library.look()
    library.site = replace(library.site, library="Kasten")
    library.graph.faults.clear()
    with pytest.raises(SourceUnavailable, match="no library 'Kasten'; it has Archief, Documents"):
        library.look()


def test_a_service_that_fails_makes_nothing_missing(library: Library) -> None:
    library.graph.put("a", "a.txt", text("a"))
    library.ingest()
    library.graph.faults += [("/root/delta", Answer(500))] * 8
    with pytest.raises(SourceUnavailable):
        library.ingest(retire_missing=True, confirmed=True)
    assert library.texts() == {"a.txt": "Over a"}


def test_no_token_secret_or_address_that_opens_a_file_is_logged(
    library: Library, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    library.graph.put("a", "a.txt", text("a"))
    library.graph.fail("^/raw/", 500)
    library.ingest()
    for word in ("Bearer", "token-1", SECRET, "tempauth", "opens-by-itself"):
        assert word not in caplog.text


def test_a_token_goes_to_graph_alone(library: Library) -> None:
    """Neither a page's next link nor the database can lead it elsewhere; and a download's address
    is asked without it."""
    library.graph.put("a", "a.txt", text("a"))
    library.look()
    raw = [
        headers
        for path, headers in zip(library.graph.asked, library.graph.headers, strict=True)
        if path.startswith("/raw/")
    ]
    assert len(raw) == 1
    assert "authorization" not in raw[0]
    library.graph.faults.append(
        ("/root/delta", Answer(200, {"value": [], "@odata.nextLink": "http://elsewhere.example/v1.0/x"}))
    )
    with pytest.raises(SourceUnavailable, match="another address than Graph's"):
        library.look()


def test_quick_xor_is_the_documented_hash_however_it_is_cut() -> None:
    whole, pieces = QuickXor(), QuickXor()
    whole.update(b"hello world")
    assert whole.digest() == "aCgDG9jwBhDc4Q1yawMZAAAAAAA="  # as the library of that name computes it
    data = bytes(range(256)) * 5
    whole = QuickXor()
    whole.update(data)
    for start in range(0, len(data), 77):
        pieces.update(data[start : start + 77])
    assert whole.digest() == pieces.digest() == _slowly(data)


def _slowly(data: bytes) -> str:
    """As the specification words it, bit by bit."""
    import base64

    bits = [0] * 160
    for place, byte in enumerate(data):
        for bit in range(8):
            bits[(place * 11 + bit) % 160] ^= byte >> bit & 1
    total = sum(bit << n for n, bit in enumerate(bits)) ^ (len(data) << 96)
    return base64.b64encode(total.to_bytes(20, "little")).decode()


LIST = """
[[sharepoint]]
tenant = "t"
client = "c"
site = "https://hospital.sharepoint.com/sites/procedures/Shared%20Documents/Forms/AllItems.aspx"
department = "Apotheek"
exclude = ["oud/*"]
group_names = { "IC Visitors" = "icu" }
secret_file = "secret.txt"
"""


def test_a_site_of_the_list_is_read_with_its_secret_from_a_file(tmp_path: Path) -> None:
    write(tmp_path, "secret.txt", b" s3cret\n")
    [site] = read_source_list(write(tmp_path, "sources.toml", LIST.encode())).sites
    assert (site.site, site.exclude, dict(site.given)) == (
        "hospital.sharepoint.com/sites/procedures",
        ("oud/*",),
        {"department": "Apotheek"},
    )
    assert secret_of(site, None).get_secret_value() == "s3cret"
    assert "s3cret" not in repr(site)
    with pytest.raises(InvalidInput, match="BEDSIDE_SHAREPOINT_SECRET"):
        secret_of(replace(site, secret_file=None), None)
    (tmp_path / "secret.txt").unlink()
    with pytest.raises(InvalidInput, match="cannot be read; it holds the client secret"):
        secret_of(site, None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("tenant", "secret = 'x'\ntenant"), "a secret does not belong here"),
        (('tenant = "t"', ""), "needs tenant"),
        (
            ('site = "https://hospital.sharepoint.com', 'user = "x"\nsite = "https://hospital.sharepoint.com'),
            "needs site .* or user",
        ),
        (("/sites/procedures/", "/x/"), "is no site's address"),
        (('"icu"', "1"), "group_names says of SharePoint's groups"),
        (('tenant = "t"', 'tenant = "t"\ngraph_url = "http://evil.example"'), "must begin with https"),
        (("exclude", "uitgezonderd"), "uitgezonderd is not known"),
    ],
)
def test_a_site_that_makes_no_sense_is_refused_with_its_place(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    with pytest.raises(InvalidInput, match=f"sharepoint 1: .*{said}|{said}"):
        read_source_list(write(tmp_path, "sources.toml", LIST.replace(*change, 1).encode()))


def test_what_is_known_of_drives_is_a_value() -> None:
    assert RemoteItem("a", "", "a.txt", False) == RemoteItem("a", "", "a.txt", False)
