"""python -m tests.fuzz TARGET SECONDS [SEED]: fuzz one target for so long; libFuzzer ends the
process and says how many inputs ran."""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

from tests.fuzz import NAMES

HANG, MEMORY, LONGEST = 30, 2500, 16_384  # seconds and megabytes for one input; bytes of it

with atheris.instrument_imports(
    include=["rag_api.ingest", "rag_api.text", "rag_api.answering", "rag_api.api", "services"]
):
    from tests.fuzz.targets import TARGETS
    from tests.fuzz.trees import mutator


def main(name: str, seconds: int, seed: int, folder: Path) -> None:
    corpus = folder / name
    corpus.mkdir(parents=True, exist_ok=True)
    target = TARGETS[name]
    for number, content in enumerate(target.seeds()):
        (corpus / f"seed{number}").write_bytes(content)
    words = folder / f"{name}.words"
    words.write_text("\n".join(f'"{_quoted(word)}"' for word in target.words))
    limits = [
        f"-max_total_time={seconds}",
        f"-timeout={HANG}",
        f"-rss_limit_mb={MEMORY}",
        f"-max_len={LONGEST}",
        f"-seed={seed}",
    ]
    told = ["-keep_seed=1", "-print_final_stats=1", f"-artifact_prefix={folder}/{name}-", f"-dict={words}"]
    own = {"custom_mutator": mutator(target.change)} if target.change else {}
    atheris.Setup([sys.argv[0], str(corpus), *limits, *told], target.run, **own)
    atheris.Fuzz()


def _quoted(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in NAMES:
        sys.exit(f"usage: python -m tests.fuzz {'|'.join(NAMES)} SECONDS [SEED]")
    main(sys.argv[1], int(sys.argv[2]), int((sys.argv[3:] or ["1"])[0]), Path("build/fuzz"))
