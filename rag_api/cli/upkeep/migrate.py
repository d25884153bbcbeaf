"""`bedside migrate`: the database brought up to date."""

from __future__ import annotations

from rag_api.cli.console import opened, read_settings, say


def migrate() -> None:
    """Bring the database up to date. Safe to run at any time and from several machines at once."""
    from rag_api.db.migrate import migrate as run

    settings = read_settings()
    with opened(settings) as container:
        if settings.database_url is None:
            container.db.ping()  # the embedded one is migrated whenever it is opened
            say("The embedded database is up to date.")
            return
        applied = run(settings.database_url.get_secret_value())
        say(f"Applied: {', '.join(applied)}" if applied else "The database is up to date.")
