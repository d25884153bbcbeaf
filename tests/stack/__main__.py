"""`python -m tests.stack up | down | faults [SERVICE:FAULT:WORK ...]`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from tests.stack.compose import Unset
from tests.stack.faults import run
from tests.stack.machine import Failed, NoContainers
from tests.stack.stack import MACHINE, PERSON, QUESTION, Stack
from tests.support.weaviate_dev import NotToBeHad


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.stack", description=__doc__)
    parser.add_argument("what", choices=("up", "down", "faults"))
    parser.add_argument("cells", nargs="*", help="of faults: such as postgres:kill:ask; all when absent")
    parser.add_argument("--project", default="bedside")
    parser.add_argument("--http", type=int, default=80)
    parser.add_argument("--https", type=int, default=443)
    parser.add_argument("--no-generator", action="store_true", help="without the largest image: questions get their sources")
    parser.add_argument("--json", type=Path, help="of faults: where to write what is measured")
    options = parser.parse_args()
    stack = Stack(options.project, options.http, options.https, generator=not options.no_generator)
    try:
        if options.what == "up":
            up(stack)
        elif options.what == "down":
            stack.down()
            stack.tell("containers, networks, volumes and secrets are gone; images stay: `podman system prune --all` takes them too")
        else:
            stack.settings = {"BEDSIDE_QUESTIONS_PER_MINUTE": "0", "BEDSIDE_REQUESTS_PER_MINUTE": "0"}
            cells = run(stack, options.cells)
            if options.json:
                options.json.write_text(json.dumps([asdict(cell) for cell in cells], indent=1) + "\n", encoding="utf-8")
            sys.exit(any(cell.wrong for cell in cells))
    except (Failed, NoContainers, NotToBeHad, Unset) as error:
        sys.exit(str(error))


def up(stack: Stack) -> None:
    began = time.monotonic()
    stack.build()
    stack.start()
    stack.tell(f"all services are healthy after {time.monotonic() - began:.0f} s")
    report = stack.ingest()
    stack.tell(f"the sample handbook is loaded: {report['indexed']} documents new, {report['unchanged']} known already")
    stack.accounts()
    answer = stack.ask(QUESTION)
    print(f"\n  {QUESTION}\n\n  {answer.get('text') or 'no answer'}\n")
    for source in answer["sources"][:3]:
        print(f"  - {source['title']}, page {source['page']}")
    password = (stack.folder / "password").read_text()
    print(f"\n  The page: https://localhost:{stack.https} (the certificate is {stack.folder}/tls/tls.crt)")
    print(
        f"  Sign in as {PERSON} with {password}; a key for scripts ({MACHINE}) is in {stack.folder}/key. `make stack-down` ends it all.\n"
    )


if __name__ == "__main__":
    main()
