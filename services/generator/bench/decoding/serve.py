"""serve: concurrent streams against the HTTP service: tokens per second of all together, time to
the first token and per token.

Without --url a service is started with the options that follow "--" (for example -- --max-rows 16
--drafter copy). Every stream asks its questions one after the other, each of the handbook's once;
tokens are counted by the service (`usage`). Times are the client's. With --reader each question
begins with a reading of its passages by that adapter (-- --adapters NAME=FOLDER), as the product
asks, so that readings of some stand beside the answers of others; it counts as part of the answer.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from services.generator.bench.common import prompts
from services.generator.bench.common.prompts import PromptJob
from services.generator.bench.common.recorded import BadRecords
from services.generator.bench.decoding.passage_reading import read

START_SECONDS = 180
HEADS = (
    *("streams", "answers", "refused", "tokens/s", "answers/min", "first.p50", "p95", "whole.p50", "p95"),
    *("read.p50", "p95", "ms/token", "p95"),
)
WIDTHS = (8, 9, 9, 10, 13, 11, 8, 11, 8, 10, 8, 10, 9)  # of the table


class NoService(RuntimeError):
    """The service does not answer; the message says which."""


@dataclass(frozen=True, slots=True)
class ServedAnswer:
    first: float  # seconds from the request to the first text
    seconds: float  # to the end
    tokens: int
    cached: int  # prompt tokens that were not computed again
    status: int = 200  # 429: the queue was full
    reading: float = 0.0  # of these seconds, before anything is written


@dataclass(frozen=True, slots=True)
class LoadLevel:
    """Seconds; `per_token`: of each answer, from its first text to its end, over its tokens but
    one."""

    streams: int
    answers: int
    refused: int
    tokens_per_second: float
    answers_per_minute: float
    first_token_p50: float
    first_token_p95: float
    whole_p50: float
    whole_p95: float
    reading_p50: float
    reading_p95: float
    per_token_p50: float
    per_token_p95: float


@dataclass(frozen=True, slots=True)
class MeasuredService:
    url: str
    model: str
    max_tokens: int
    drafter: str | None
    reader: str | None = None  # adapter

    @property
    def path(self) -> str:
        return urlsplit(self.url).path + "/v1/chat/completions"

    def score(self, asked: list[dict[str, Any]]) -> list[list[float]]:
        """Raises NoService with what the service says of it."""
        body = json.dumps({"model": self.model, "prompts": asked})
        with connect(self.url) as connection:
            path = urlsplit(self.url).path + "/v1/score"
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            answer = json.loads((response := connection.getresponse()).read())
        if response.status != 200:
            raise NoService(f"the service does not read: {answer['error']['message']}")
        return [one["logprobs"] for one in answer["prompts"]]


def connect(url: str) -> contextlib.closing[http.client.HTTPConnection]:
    place = urlsplit(url)
    return contextlib.closing(http.client.HTTPConnection(place.hostname or "127.0.0.1", place.port, timeout=600))


def model_of(url: str) -> str:
    with connect(url) as connection:
        connection.request("GET", urlsplit(url).path + "/v1/models")
        name: str = json.loads(connection.getresponse().read())["data"][0]["id"]
        return name


def ask(service: MeasuredService, job: PromptJob) -> ServedAnswer:
    documents = [{"id": passage.id, "title": passage.title, "text": passage.text} for passage in job.passages]
    body: dict[str, Any] = {
        "model": service.model,
        "messages": [{"role": "user", "content": job.question}],
        "documents": documents,
        "max_tokens": service.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if service.drafter:
        body["bedside"] = {"drafter": service.drafter}
    began = time.perf_counter()
    if service.reader:
        read(job.question, job.passages, service.reader, service.score)
    reading = time.perf_counter() - began
    with connect(service.url) as connection:
        connection.request("POST", service.path, json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status != 200:
            return ServedAnswer(0.0, time.perf_counter() - began, 0, 0, response.status)
        return replace(_heard(response, began), reading=reading if service.reader else 0.0)


def _heard(response: http.client.HTTPResponse, began: float) -> ServedAnswer:
    first, usage = 0.0, dict[str, Any]()
    for line in response:
        if not line.startswith(b"data: {"):
            continue
        event = json.loads(line[6:])
        if "error" in event:
            raise NoService(f"the service failed on a request: {event['error']['message']}")
        if not first and any(choice["delta"].get("content") for choice in event["choices"]):
            first = time.perf_counter() - began
        usage = event.get("usage") or usage
    seconds = time.perf_counter() - began
    return ServedAnswer(
        first or seconds, seconds, usage["completion_tokens"], usage["prompt_tokens_details"]["cached_tokens"]
    )


def level(service: MeasuredService, streams: int, jobs: list[PromptJob]) -> LoadLevel:
    """Ask all `jobs`, shared out among the streams."""

    def stream(number: int) -> list[ServedAnswer]:
        return [ask(service, job) for job in jobs[number::streams]]

    began = time.perf_counter()
    with ThreadPoolExecutor(streams) as pool:
        answers = [answer for heard in pool.map(stream, range(streams)) for answer in heard]
    return summed(streams, answers, time.perf_counter() - began)


def summed(streams: int, answers: list[ServedAnswer], seconds: float) -> LoadLevel:
    good = [answer for answer in answers if answer.status == 200]
    if not good:
        raise NoService(f"no request was answered (status {answers[0].status})")
    firsts = [answer.first for answer in good]
    paces = [(answer.seconds - answer.first) / (answer.tokens - 1) for answer in good if answer.tokens > 1] or [0.0]
    tokens = sum(answer.tokens for answer in good)
    return LoadLevel(
        streams,
        len(good),
        len(answers) - len(good),
        tokens / seconds,
        60 * len(good) / seconds,
        _percentile(firsts, 50),
        _percentile(firsts, 95),
        _percentile([answer.seconds for answer in good], 50),
        _percentile([answer.seconds for answer in good], 95),
        _percentile([answer.reading for answer in good], 50),
        _percentile([answer.reading for answer in good], 95),
        _percentile(paces, 50),
        _percentile(paces, 95),
    )


def _percentile(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1] if len(values) > 1 else values[0]


@contextlib.contextmanager
def running(given: str | None, options: list[str]) -> Iterator[str]:
    """Yield the URL of the service: the given one, or one that is started and stopped here."""
    if given:
        yield given.rstrip("/")
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "services.generator.server",
        "--port",
        str(port),
        "--log-level",
        "warning",
        *options,
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        _wait(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    """Raises NoService at once when it ended or its model cannot be loaded."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if (code := process.poll()) is not None:
            raise NoService(f"the service ended with {code} before it was ready; what it said stands above")
        with (
            contextlib.suppress(OSError),
            contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection,
        ):
            connection.request("GET", "/health")
            health = json.loads(connection.getresponse().read())
            if health["status"] == "ok":
                return
            if health["status"] == "failed":
                raise NoService(f"the service is not ready: {health['detail']}")
        time.sleep(0.2)
    raise NoService(f"the service was not ready after {START_SECONDS} s")


def main(argv: list[str]) -> int:
    end = argv.index("--") if "--" in argv else len(argv)
    options, of_service = _options(argv[:end]), argv[end + 1 :]
    try:
        levels = _measure(options, of_service)
    except (BadRecords, NoService, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps({"levels": [asdict(each) for each in levels]}) if options.json else _table(levels))
    return 0


def _measure(options: argparse.Namespace, of_service: list[str]) -> list[LoadLevel]:
    jobs = prompts.squad(options.data) if options.data else prompts.handbook()
    levels, taken = [], 0
    with running(options.url, of_service) as url:
        service = MeasuredService(url, model_of(url), options.max_tokens, options.drafter, options.reader)
        ask(service, jobs[-1])  # warms up
        for streams in options.streams:
            count = max(options.answers, streams)
            chosen = [jobs[(taken + n) % len(jobs)] for n in range(count)]
            taken += count
            levels.append(level(service, streams, chosen))
    return levels


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="serve", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", help="of a running service (default: one is started)")
    parser.add_argument("--streams", type=int, nargs="+", default=[1, 4, 8, 16, 32])
    parser.add_argument("--answers", type=int, default=16, help="per level, at least one for every stream (default 16)")
    parser.add_argument("--max-tokens", type=int, default=64)
    parser.add_argument("--drafter", help="none, copy, copy+eagle ...; the service's choice when absent")
    parser.add_argument("--reader", help="name of an adapter that reads each question's passages first")
    parser.add_argument("--data", type=Path, help="questions in SQuAD's format instead of the handbook's")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args(argv)


def _table(levels: list[LoadLevel]) -> str:
    lines = ["".join(f"{name:>{width}}" for name, width in zip(HEADS, WIDTHS, strict=True))]
    lines += [
        f"{level.streams:>8}{level.answers:>9}{level.refused:>9}{level.tokens_per_second:>10.1f}{level.answers_per_minute:>13.1f}"
        f"{level.first_token_p50:>10.2f}s{level.first_token_p95:>7.2f}s{level.whole_p50:>10.2f}s{level.whole_p95:>7.2f}s"
        f"{level.reading_p50:>9.2f}s{level.reading_p95:>7.2f}s{1e3 * level.per_token_p50:>10.1f}{1e3 * level.per_token_p95:>9.1f}"
        for level in levels
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
