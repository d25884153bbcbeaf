"""`python -m rag_api.cli.worker`: one of the processes that workers.py starts; it takes connections from a listener that it inherits."""

from __future__ import annotations

import argparse
import socket
from contextlib import suppress

from rag_api.cli.console import opened, read_settings
from rag_api.cli.serve import run_server


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m rag_api.cli.worker")
    parser.add_argument("--listener", type=int, required=True)
    listener = socket.socket(fileno=parser.parse_args().listener)
    with suppress(KeyboardInterrupt), opened(read_settings()) as container:
        container.start_generator()
        container.warm()
        run_server(container, listener)


if __name__ == "__main__":
    main()
