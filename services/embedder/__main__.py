"""`python -m services.embedder`: the service on uvicorn, configured by BEDSIDE_EMBEDDER_* variables."""

from __future__ import annotations

import uvicorn

from services.embedder.app import create_app
from services.embedder.config import Settings


def main() -> None:
    settings = Settings()
    print(f"loading {settings.model}; /health on http://{settings.host}:{settings.port} says when it is ready", flush=True)
    uvicorn.run(create_app(settings), host=settings.host, port=settings.port)


if __name__ == "__main__":
    main()
