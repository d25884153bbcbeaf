"""Documents of SharePoint and OneDrive, through Microsoft Graph: what changed is asked for, what is
published is downloaded, who may read it is carried over.

Sync, item by item, keeps what it knows in a `DrivesRepo`: interrupted, it goes on where it was.
What it returns is a `Survey` as a folder gives one, so that the rest of ingestion knows nothing of
it. A document is its drive item: renamed or moved it stays the same one. What cannot be known to be
published, or for whom, is not indexed and is named.

No token, secret or download address is ever part of a message, a log or the database.
"""

from __future__ import annotations

from rag_api.ingest.sharepoint.repo import DrivesRepo
from rag_api.ingest.sharepoint.site import Site, site_of
from rag_api.ingest.sharepoint.sync import sync

__all__ = ["DrivesRepo", "Site", "site_of", "sync"]
