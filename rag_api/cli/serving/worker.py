"""`python -m rag_api.cli.serving.worker`: one of the processes that workers.py starts; it takes
connections from inherited listeners."""

from __future__ import annotations

import argparse
import socket
from contextlib import suppress

from rag_api.cli.console import opened, read_settings, speaking_as_a_service
from rag_api.cli.serving.serve import run_server


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m rag_api.cli.serving.worker")
    parser.add_argument("--listener", type=int, required=True)
    parser.add_argument("--health-listener", type=int)
    given = parser.parse_args()
    listener = socket.socket(fileno=given.listener)
    health = None if given.health_listener is None else socket.socket(fileno=given.health_listener)
    with speaking_as_a_service(), suppress(KeyboardInterrupt), opened(read_settings()) as container:
        container.start_generator()
        container.warm()
        run_server(container, listener, health)


if __name__ == "__main__":
    main()
