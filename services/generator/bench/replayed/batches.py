"""batches: what it costs that the rows of a batch accept different numbers of tokens. Recorded
answers, no model.

READER (section 4.5) keeps one width for all rows: a step makes it longer by the longest accepted
path, the other rows get zeros there, and every N-th step moves each row's keys and values together
again. Here a row has a length of its own: there are no zeros and nothing to rearrange. Both move an
accepted path to the front of its step (`keep`), so rearranging comes on top of that. Keys and
values are moved for real, in a cache of this shape; prompts, which READER pads too, are left out.
Processor time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from collections.abc import Sequence as Seq
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from services.generator.bench.common.recorded import BadRecords, Record, Where, read_records, read_tokenizer
from services.generator.bench.replayed.replay import training_free
from services.generator.drafters import DrafterContext
from services.generator.drafters.registry import open_drafters
from services.generator.engine.drafting import Drafting
from services.generator.engine.replay import Recorded, replay
from services.generator.models.kv_cache import KVCache
from services.generator.text.kinds import token_kinds

LAYERS, KV_HEADS, HEAD_DIM = 30, 3, 64  # the demo model's
EVERY = {8: 50, 16: 50, 32: 25}  # steps between two rearrangements: the paper's, which has none for 8
Nodes = tuple[int, ...]  # accepted of one step, the root first


@dataclass(frozen=True, slots=True)
class Batches:
    """`zeros`: of the places behind the prompts that a step attends to, on average; `never`: where
    nothing is ever rearranged."""

    rows: int
    every: int
    steps: int
    zeros: float
    never: float
    rearrange_microseconds: float  # a step, on average
    keep_microseconds: float  # a step, all rows


def measure(paths: Seq[Seq[Nodes]], rows: int, every: int) -> Batches:
    """Send answers, of which the accepted path of every step is known, through batches of so many
    rows."""
    steps, zeros, never, rearranged, kept = 0, 0.0, 0.0, 0.0, 0.0
    for first in range(0, len(paths) - rows + 1, rows):
        batch = paths[first : first + rows]
        wide, ours = _padded(batch, every), _own_lengths(batch)
        steps, zeros, never = steps + len(wide.zeros), zeros + sum(wide.zeros), never + sum(_padded(batch, 0).zeros)
        rearranged, kept = rearranged + wide.seconds, kept + ours
    if not steps:
        raise BadRecords(f"fewer than {rows} answers")
    return Batches(rows, every, steps, zeros / steps, never / steps, 1e6 * rearranged / steps, 1e6 * kept / steps)


@dataclass(slots=True)
class Padded:
    zeros: list[float]  # by step
    seconds: float = 0.0


def _padded(batch: Seq[Seq[Nodes]], every: int) -> Padded:
    """Keep one width for all rows; `every`: steps between two rearrangements, 0 for none."""
    padded, taken = Padded([]), [np.empty(0, np.int64) for _ in batch]  # by row, the places that hold something
    width, cache = 0, empty_cache(len(batch), sum(max(map(len, step)) for step in _steps(batch))) if every else None
    for number, step in enumerate(_steps(batch), start=1):
        taken = [np.append(own, np.arange(width, width + len(path))) for own, path in zip(taken, step, strict=True)]
        width += max(map(len, step))
        going = [len(own) for own, path in zip(taken, step, strict=True) if path]  # a row that ended is not attended to
        padded.zeros.append(1 - sum(going) / (width * len(going)))
        if cache is not None and number % every == 0:
            began = time.process_time()
            rearrange(cache, taken)
            padded.seconds += time.process_time() - began
            taken = [np.arange(len(own)) for own in taken]
            width = max(map(len, taken))
    return padded


def rearrange(cache: KVCache, taken: Seq[NDArray[np.int64]]) -> None:
    """Move each row's places together; those before its first gap stay."""
    bits = cache.kv.view(torch.int16).numpy()
    for row, own in enumerate(taken):
        first = int((own == np.arange(len(own))).argmin()) if len(own) and own[-1] != len(own) - 1 else len(own)
        if first < len(own):
            bits[:, :, row, :, first : len(own)] = bits[:, :, row][:, :, :, own[first:]]


def _own_lengths(batch: Seq[Seq[Nodes]]) -> float:
    """Return the seconds of moving accepted paths to the front, each row at its own length."""
    longest = max(sum(map(len, own)) + max(max(path) for path in own) + 1 for own in batch)
    cache, lengths, seconds = empty_cache(len(batch), longest), [0] * len(batch), 0.0
    for step in _steps(batch):
        began = time.process_time()
        for row, path in enumerate(step):
            if path:
                cache.keep(row, lengths[row], path)
        seconds += time.process_time() - began
        lengths = [length + len(path) for length, path in zip(lengths, step, strict=True)]
    return seconds


def _steps(batch: Seq[Seq[Nodes]]) -> Iterator[tuple[Nodes, ...]]:
    """Yield the rows' paths step by step; a row that ended has none."""
    return zip_longest(*batch, fillvalue=())


def empty_cache(rows: int, length: int) -> KVCache:
    """Return room for so many rows of one layout, on the CPU."""
    return KVCache(
        LAYERS, rows, KV_HEADS, HEAD_DIM, length, dtype=torch.bfloat16, device=torch.device("cpu"), initial=length
    )


def accepted_paths(name: str, records: Seq[Record], nodes: int, context: DrafterContext) -> list[list[Nodes]]:
    """Return by answer the accepted nodes of every step."""
    drafting = Drafting(open_drafters((name,), context), nodes)
    return [
        [step.path for step in replay(drafting, Recorded(f"{number}", record.source, record.answer))]
        for number, record in enumerate(records)
    ]


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="batches", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="jsonl of {source | prompt, answer, ...}")
    parser.add_argument(
        "--tokenizer", type=Path, required=True, help="tokenizer.json, plain or .gz, or a folder that holds it"
    )
    parser.add_argument(
        "--where", action="append", default=[], metavar="FIELD=SUBSTRING", help="as for `replay`; repeatable"
    )
    parser.add_argument("--limit", type=int, help="answers")
    parser.add_argument("--rows", type=int, nargs="+", default=[8, 16, 32])
    parser.add_argument("--drafter", choices=sorted(set(training_free().values())), default="reader")
    parser.add_argument(
        "--nodes", type=int, default=26, help="of a tree, the root included (default 26: READER's largest)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    try:
        conditions = [Where.parse(text) for text in options.where]
        tokenizer = read_tokenizer(options.tokenizer)
        records = read_records(options.data, tokenizer, conditions, options.limit)
        paths = accepted_paths(options.drafter, records, options.nodes, DrafterContext(kinds=token_kinds(tokenizer)))
        batches = [measure(paths, rows, EVERY.get(rows, 25)) for rows in options.rows]
    except BadRecords as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps([asdict(each) for each in batches]) if options.json else _table(batches))
    return 0


def _table(batches: Seq[Batches]) -> str:
    lines = [f"{'rows':>5}{'N':>5}{'steps':>7}{'zeros':>8}{'never':>8}{'rearrange, us':>15}{'keep, us':>10}"]
    lines += [
        f"{each.rows:>5}{each.every:>5}{each.steps:>7}{each.zeros:>8.3f}{each.never:>8.3f}"
        f"{each.rearrange_microseconds:>15.0f}{each.keep_microseconds:>10.0f}"
        for each in batches
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
