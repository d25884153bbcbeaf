"""`python -m services.embedder`: the service on uvicorn, configured by BEDSIDE_EMBEDDER_*
variables."""

from __future__ import annotations

import logging
import os

import uvicorn

from services.contract import logs, traces
from services.contract.dropped_settings import dropped
from services.embedder.app import create_app
from services.embedder.config import EmbedderSettings

log = logging.getLogger("services.embedder")


def main() -> None:
    settings = EmbedderSettings()
    logs.configure(settings.logs)
    traces.configure("bedside embedder", settings.otlp_url)
    for line in dropped(os.environ, "BEDSIDE_EMBEDDER_"):
        log.warning(line)
    log.info("loading %s; /health on http://%s:%d says when it is ready", settings.model, settings.host, settings.port)
    uvicorn.run(create_app(settings), host=settings.host, port=settings.port, log_config=None, access_log=False)


if __name__ == "__main__":
    main()
