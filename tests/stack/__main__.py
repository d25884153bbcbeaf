"""`python -m tests.stack up | pack | down | images | packages | faults [SERVICE:FAULT:WORK]`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from tests.stack import checks
from tests.stack.engine.compose import Unset
from tests.stack.engine.machine import PACKAGES, Failed, NoContainers
from tests.stack.engine.rootless import as_root
from tests.stack.faults import run
from tests.stack.packing import packing
from tests.stack.results import keep_cells, read_cells, write
from tests.stack.stack import MACHINE, PERSON, QUESTION, ROOT, Stack
from tests.support.weaviate_dev import NotToBeHad

PREVIOUS = "a9637834"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.stack", description=__doc__)
    parser.add_argument("what", choices=("up", "pack", "down", "images", "packages", "faults"))
    parser.add_argument("cells", nargs="*", help="of faults: such as postgres:kill:ask; all when absent")
    parser.add_argument("--project", default="bedside")
    parser.add_argument("--http", type=int, help="80, or 8080 where 80 is for root alone")
    parser.add_argument("--https", type=int, help="443, or 8443")
    parser.add_argument(
        "--no-generator", action="store_true", help="without the largest image: questions get their sources"
    )
    parser.add_argument("--short", action="store_true", help="without the image that opens Word files and scans")
    parser.add_argument(
        "--where-allowed", action="store_true", help="end well, and say so, on a machine that runs no containers"
    )
    parser.add_argument("--json", type=Path, help="of faults: where to write what is measured, after each cell")
    parser.add_argument(
        "--of", type=Path, nargs="+", metavar="FILE", help="of faults: measured before; only the result files are made"
    )
    parser.add_argument(
        "--running", action="store_true", help="of faults: the stack runs and is filled, from the last time"
    )
    parser.add_argument("--previous", default=PREVIOUS, metavar="COMMIT", help="that an upgrade begins at")
    options = parser.parse_intermixed_args()
    if options.what == "packages":
        print(*PACKAGES)  # of Debian, that this takes
        return
    if options.of:
        write([cell for path in options.of for cell in read_cells(path)])
        return
    try:
        if options.what == "faults" and os.geteuid() != 0:
            # their databases are looked into from outside
            raise NoContainers("Containers are broken as root: run it with sudo.")
        http, https = as_root(options.http, options.https)
        stack = Stack(options.project, http, https, generator=not options.no_generator, short=options.short)
        stack.monitoring = options.what != "faults"
        if options.what == "up":
            up(stack)
        elif options.what == "pack":
            stack.jobs = ("pack",)
            stack.build()
            packing(stack)
        elif options.what == "down":
            stack.down()
            stack.tell(
                "containers, networks, volumes and secrets are gone; images stay: `podman system prune --all` "
                "takes them too"
            )
        elif options.what == "images":
            images(stack)
        else:
            stack.previous = options.previous
            stack.settings = {"BEDSIDE_QUESTIONS_PER_MINUTE": "0", "BEDSIDE_REQUESTS_PER_MINUTE": "0"}
            cells = run(stack, options.cells, tell=lambda done: keep_cells(options.json, done), running=options.running)
            sys.exit(any(cell.wrong for cell in cells))
    except NoContainers as error:
        if not options.where_allowed:
            sys.exit(str(error))
        print(f"\n{'!' * 78}\nNOT TRIED: the stack of containers. {error}\n{'!' * 78}\n", file=sys.stderr)
    except (Failed, NotToBeHad, Unset) as error:
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
    if stack.generator and answer["status"] != "answered":
        said = " ".join(notice["text"] for notice in answer["notices"])
        raise Failed(f"The question was not answered ({answer['status']}): {said or 'no notice says why'}")
    print(f"\n  {QUESTION}\n\n  {answer['answer'] or 'no answer: there is no generator'}\n")
    for source in answer["sources"][:3]:
        print(f"  - {source['title']}, page {source['page']}")
    wrong = [*checks.confinement(stack), *checks.logs(stack), *checks.watched(stack)]
    if wrong:
        raise Failed("\n".join(["The stack answers, but:", *wrong]))
    stack.tell(
        "nobody in it is root or has a capability; one id goes through all logs; Prometheus sees every part "
        "and its rules"
    )
    password = (stack.folder / "password").read_text()
    print(f"\n  The page: https://localhost:{stack.https} (the certificate is {stack.folder}/tls/tls.crt)")
    print(
        f"  Sign in as {PERSON} with {password}; a key for scripts ({MACHINE}) is in {stack.folder}/key. `make "
        f"stack-down` ends it all.\n"
    )


def images(stack: Stack) -> None:
    """Their sizes, and what they consist of."""
    for image, megabytes, layers in checks.sizes(stack):
        print(f"| {image} | {megabytes:.0f} MB | {layers} |")
    for path in checks.bill(stack, ROOT / "build" / "sbom"):
        stack.tell(str(path))


if __name__ == "__main__":
    main()
