"""answers: what a model itself says to prompts, plainly and greedily, as records to replay.

A line for each prompt: its tokens and the answer's, the ids of its passages, and what its figures
may be parted by (language, kind). Prompts that stand in the file already are left out, so a run
that broke off goes on where it was.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from services.generator.bench.common.prompts import PromptJob
from services.generator.bench.common.recorded import BadRecords, json_rows
from services.generator.bench.engines.ours import Answering, Bench
from services.generator.bench.engines.setting import bench_of, jobs_of, parser_of
from services.generator.errors import ModelError


def record(bench: Bench, jobs: Iterable[PromptJob], model: str, file: Path) -> int:
    """Answer those that are not in the file yet, and add them; return how many."""
    known = {row.get("id") for _, row in json_rows(file)} if file.exists() else set()
    plain, added = Answering(bench, bench.engine({}, None)), 0
    with file.open("a", encoding="utf-8") as lines:
        for job in jobs:
            if job.id in known:
                continue
            said = plain.run(job).tokens
            row = {
                "id": job.id,
                "model": model,
                **job.fields,
                "documents": [passage.id.partition(":")[0] for passage in job.passages],
                "source_tokens": bench.prompt(job).token_ids,
                "answer_tokens": said,
                "answer": bench.codec.full.decode(list(said)),
            }
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
            lines.flush()
            added += 1
    return added


def main(argv: list[str]) -> int:
    parser = parser_of("answers", __doc__ or "")
    parser.add_argument("--out", type=Path, required=True, help="jsonl to add them to")
    options = parser.parse_args(argv)
    try:
        bench = bench_of(options, timed=False)
        added = record(bench, jobs_of(options, bench), options.model, options.out)
    except (BadRecords, ModelError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps({"answers": added}) if options.json else f"{added} answers: {options.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
