"""Looks at an installation's parts: does each answer, and do they agree with each other? Nothing is
changed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from rag_api.answering.generator.client import ReplicaHealth
from rag_api.container import Container
from rag_api.db.migrate import outstanding
from rag_api.db.outbox import waiting
from rag_api.db.owners.named import list_owners
from rag_api.db.people.accounts import list_accounts, user_of
from rag_api.db.people.permissions import operator
from rag_api.domain import Role
from rag_api.errors import GeneratorRefused
from rag_api.guard.drugs import substances
from rag_api.ingest.sources.sources import KeptFiles
from rag_api.retrieval.decision.calibration import calibration
from rag_api.retrieval.reader_model.passages import ReadingLine, ReadingPassage
from rag_api.retrieval.reader_model.pointing_reader import PointingReader
from rag_api.stores import Mendable
from rag_api.upkeep.finding import Finding, fail, ok, warn

SLOW_CLOCK, WRONG_CLOCK = 5.0, 60.0  # seconds
SAMPLE = 10_000  # passages that are looked for; ten searches
NAMED = 3  # of what is missing, so many are named
INDEXED = "select id, source, sha256, chunk_count from documents where status = 'indexed' order by source"


def database(container: Container) -> Finding:
    """Our own is brought up to date whenever it is opened."""
    missing = outstanding(container.dsn()) if container.settings.database_url is not None else []
    if missing:
        return fail("database", f"lacks {', '.join(missing)}", "bedside migrate")
    return ok("database", f"PostgreSQL {container.db.ping()}, up to date")


def clock(container: Container) -> Finding:
    """Against the database's, which may be another machine's, and against what was stored last."""
    row = container.db.one("select now() as now, (select max(created_at) from answers) as last")
    assert row is not None
    here = datetime.now(UTC)
    apart = abs((here - row["now"]).total_seconds())
    if row["last"] is not None and (row["last"] - here).total_seconds() > WRONG_CLOCK:
        return fail(
            "clock",
            f"the last answer is of {row['last']:%Y-%m-%d %H:%M}, in the future",
            "Set the clock: time stamps of the trail are wrong.",
        )
    if apart > WRONG_CLOCK:
        return fail(
            "clock",
            f"{apart:.0f} s apart from the database's",
            "Set both by NTP: sessions end wrongly, and so does validity.",
        )
    if apart > SLOW_CLOCK:
        return warn("clock", f"{apart:.0f} s apart from the database's", "Set both by NTP.")
    return ok("clock", f"{apart:.1f} s apart from the database's")


def memberships(container: Container) -> Finding | None:
    """Nothing of an installation where nobody signs in with an account of ours."""
    accounts = [
        user_of(one, container.settings.roles_by_group)
        for one in list_accounts(container.db)
        if one.suspended_at is None
    ]
    if not any(user.is_admin for user in accounts):
        return None
    able = sum(Role.MEMBERSHIP_ADMIN in user.roles for user in accounts)
    if not able:
        return warn(
            "memberships",
            "on the page nobody can put people in groups",
            "bedside users roles LOGIN admin,membership_admin lets somebody do it.",
        )
    return ok("memberships", f"{able} of {len(accounts)} accounts may say who is in which group")


def owners(container: Container) -> Finding | None:
    """Those that documents name and of whom nobody is known hear of nothing."""
    found = list_owners(container.db, operator(container.db), container.settings.roles_by_group)
    named = [one for one in found if not one.is_department]
    if lost := [one.name for one in named if not one.known]:
        return warn(
            "owners",
            f"nobody is known for {len(lost)} of the {len(named)} that documents name: {_named(lost)}",
            "Say who they are on the page Owners, or by `bedside owners import`: others have their questions meanwhile.",
        )
    return ok("owners", f"somebody is known for all {len(named)}") if named else None


def mail(container: Container) -> Finding | None:
    """What waits to be sent to owners of documents. Nothing of an installation that never sent or
    kept anything to be sent."""
    left = waiting(container.db)
    if container.settings.smtp_host is None:
        if not left.waiting:
            return None
        return warn(
            "mail", f"{left.waiting} mails to owners wait, and no mail server is named", "Set BEDSIDE_SMTP_HOST."
        )
    if left.failed:
        todo = (
            "Set the addresses right on the page Owners, or by `bedside owners import`: quality staff have these "
            "questions meanwhile."
        )
        return warn("mail", f"{left.failed} mails to owners could not be delivered, {left.waiting} wait", todo)
    if left.problem:
        return warn(
            "mail",
            f"{left.waiting} mails to owners wait: {left.problem}",
            "They are sent as soon as the mail server takes them.",
        )
    return ok("mail", f"{left.waiting} mails to owners wait")


def embedder(container: Container) -> Finding:
    vector = container.embedder.query("is it there")
    return ok("embedder", f"{container.embedder.name}, {len(vector)} dimensions")


def index(container: Container) -> list[Finding]:
    """Against the list of documents, both ways. A store that another embedder made raises
    EmbedderMismatch when it is opened."""
    listed = {row["id"]: row for row in container.db.all(INDEXED)}
    held, chunks = container.store.document_ids(), container.store.count()
    expected = sum(row["chunk_count"] for row in listed.values())
    missing = [str(row["source"]) for key, row in listed.items() if row["chunk_count"] and key not in held]
    behind = container.db.all("select source from documents where status = 'indexed' and groups <> indexed_groups")
    return list(_index_findings(missing, sorted(held - listed.keys()), chunks, expected, len(behind)))


def _index_findings(
    missing: list[str], surplus: list[str], chunks: int, expected: int, behind: int
) -> Iterator[Finding]:
    if missing:
        todo = "bedside restore a backup, or remove these documents and ingest them again."
        yield fail("index", f"{len(missing)} documents of the list are not in it: {_named(missing)}", todo)
    if surplus:
        yield warn(
            "index",
            f"{len(surplus)} documents are in it that are not in the list",
            "bedside ingest: it takes them out.",
        )
    if not missing and not surplus and chunks != expected:
        yield fail(
            "index",
            f"{chunks} passages, the list says {expected}",
            "bedside restore a backup, or ingest the documents again.",
        )
    if behind:
        yield warn(
            "index",
            f"{behind} documents have other readers in the list, which decides",
            "bedside ingest: it tells the index.",
        )
    if not missing and not surplus and chunks == expected:
        yield ok("index", f"{chunks} passages, as the list says")


def found_by_meaning(container: Container, *, thorough: bool = False) -> Finding | None:
    """thorough: every passage is looked for, not only some."""
    if not isinstance(container.store, Mendable):
        return None
    unfound = container.store.unfound(None if thorough else SAMPLE)
    of = (
        f"{len(unfound.ids)} of {unfound.looked_for} "
        f"passages{'' if thorough or unfound.looked_for < SAMPLE else ' that were looked for'}"
    )
    if unfound.ids:
        return fail(
            "found by meaning", f"{of} are in the index and no search by meaning finds them", "bedside index mend"
        )
    return ok("found by meaning", f"{unfound.looked_for} passages")


def files(container: Container, *, thorough: bool = False) -> Finding:
    """thorough: each is read and its hash compared with its name."""
    kept = KeptFiles(container.settings.data_dir)
    rows = container.db.all(INDEXED)
    bad = [
        str(row["source"])
        for row in rows
        if not _is_whole(kept.path(row["sha256"], Path(row["source"]).suffix), row["sha256"], thorough)
    ]
    if bad:
        todo = "bedside restore a backup, or ingest these documents again: what they say is found, and cannot be shown."
        return fail("files", f"{len(bad)} of {len(rows)} are missing, unreadable or changed: {_named(bad)}", todo)
    return ok("files", f"{len(rows)}, all {'as they were ingested' if thorough else 'there'}")


def _is_whole(path: Path, sha256: str, thorough: bool) -> bool:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256 if thorough else bool(file.read(1))
    except OSError:
        return False


def generator(container: Container) -> Finding | list[Finding]:
    """One finding for each of several."""
    if container.settings.generator_url is None:
        return ok("generator", "our own, which `bedside serve` starts")
    found = asyncio.run(_health(container))
    return [_of_generator(f"generator {one.name}" if len(found) > 1 else "generator", one, container) for one in found]


def _of_generator(name: str, health: ReplicaHealth, container: Container) -> Finding:
    if isinstance(health.problem, GeneratorRefused):
        todo = "Compare BEDSIDE_GENERATOR_API_KEY and BEDSIDE_GENERATOR_URL with that server's."
        return fail(name, health.problem.message, todo)
    if health.problem is not None:
        return fail(
            name,
            health.problem.message,
            "Look at its log. Until one answers, questions get their sources and no answer.",
        )
    wanted = container.settings.generator_model
    if wanted not in health.models.split(", "):
        return fail(name, f"it serves {health.models}, not {wanted}", "Set BEDSIDE_GENERATOR_MODEL to what it serves.")
    return ok(name, f"{health.models}, answers in {health.milliseconds:.0f} ms")


async def _health(container: Container) -> list[ReplicaHealth]:
    try:
        return await container.generator.health()
    finally:
        await container.generator.close()


def drugs(container: Container) -> Finding:
    """Raises ConfigurationError for a list that cannot be used."""
    own, all_ = container.own_drugs, len(substances())
    said = f"{len(own.rows)} of them or their names from drugs.csv {own.version}" if own.rows else "none of your own"
    return ok("drugs", f"{all_} substances are known, {said}")


def agreeing(container: Container) -> Finding | None:
    """Without its adapter nothing is quoted. Raises GeneratorUnavailable."""
    if container.agreeing is None:
        return None
    container.agreeing.point("?", [ReadingPassage("", 1, "", "", (ReadingLine("-", None),))])
    name = container.agreeing.name
    if name not in calibration(container.embedder.name, container.settings.data_dir).agreeing:
        return warn(
            "agreeing reader",
            f"{name} reads, but was never weighed: it must point to what was chosen, and refuses more than it need",
            "Run `bedside quality calibrate --stored SET`.",
        )
    return ok("agreeing reader", f"{name} reads")


def decision(container: Container) -> Finding:
    """Raises ConfigurationError for a calibration, a risk or a reader that cannot be used."""
    container.check_decision()
    reader, risk = container.reader, container.risk
    if not isinstance(reader, PointingReader):
        return ok("decision", f"measured for {container.embedder.name}, risk {risk}")
    measured = calibration(container.embedder.name, container.settings.data_dir).pointing.get(reader.name)
    if measured is None:
        return warn(
            "decision",
            f"the reader {reader.name} was never measured on your questions",
            "Run `bedside quality calibrate --stored SET`.",
        )
    proven = (
        f"at most {risk:.1%} of its answers are wrong, with 95% certainty"
        if isinstance(risk, float)
        else f"risk {risk}, no share proven"
    )
    return ok("decision", f"the reader {reader.name}: {proven}, on {measured.questions} reviewed questions")


def unsaved(container: Container) -> Finding:
    waiting = len(container.unsaved.waiting())
    if waiting:
        return warn(
            "unsaved answers",
            f"{waiting} wait for the database",
            "They are stored when `bedside serve` reaches it: look at its log.",
        )
    return ok("unsaved answers", "none")


def _named(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
