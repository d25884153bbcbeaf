"""llama.cpp in a process of its own: a job a line on stdin, a result a line on stdout. Imports
nothing of ours.

Run by peers.py with a Python that has llama-cpp-python; started with a GGUF file, the context, the
threads, the number of tokens that are drafted (0: none) and perhaps a smaller model's file, that
drafts them in place of its prompt lookup; or with `steps`: then a job is kernels.py's, a number of
tokens behind a context.
"""

# Who compares installs what it compares with:
# pyright: reportMissingImports=false
from __future__ import annotations

import contextlib
import itertools
import json
import sys
import time
from collections.abc import Iterator
from typing import Any


def main(file: str, context: str, threads: str, drafted: str, small: str = "") -> None:
    if drafted == "steps":
        take_steps(file, int(context), int(threads))
        return
    from llama_cpp import Llama
    from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

    drafter: Any = LlamaPromptLookupDecoding(num_pred_tokens=int(drafted)) if int(drafted) else None
    workers = {"n_ctx": int(context), "n_threads": int(threads), "n_threads_batch": int(threads), "verbose": False}
    if small:
        drafter = written_ahead(Llama(small, **workers), int(drafted))
    llama = Llama(file, draft_model=drafter, logits_all=drafter is not None, **workers)
    # a build that this processor cannot run ends here, before anything is measured
    answer(llama, [1, 2, 3], 1, [], "wall")
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(llama, **json.loads(line))), flush=True)


def written_ahead(small: Any, count: int) -> Any:
    """Draft by a smaller model: what both of its contexts begin with is not computed again."""

    def draft(tokens: Any, /, **_: object) -> Any:
        room = min(count, small.n_ctx() - len(tokens) - 1)
        written = small.generate(tokens.tolist(), top_k=1, temp=0.0, repeat_penalty=1.0)
        return np.fromiter(itertools.islice(written, max(room, 0)), np.intc)

    import numpy as np

    return draft


def take_steps(file: str, context: int, threads: int) -> None:
    began = time.perf_counter()
    from llama_cpp import Llama

    llama = Llama(file, n_ctx=context, n_threads=threads, n_threads_batch=threads, verbose=False)
    print(json.dumps({"load_seconds": time.perf_counter() - began}), flush=True)
    held = 0
    for line in sys.stdin:
        job = json.loads(line)
        if job["context"] > held:
            _decode(llama, job["context"], 0, False)
        held = job["context"] + job["tokens"]
        began, processor = time.perf_counter(), time.process_time()
        _decode(llama, job["tokens"], job["context"], job["all"])
        taken = {"seconds": time.perf_counter() - began, "processor": time.process_time() - processor}
        with open("/proc/self/status") as status:
            resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) << 10
        print(json.dumps(taken | {"resident_bytes": resident}), flush=True)


def _decode(llama: Any, tokens: int, context: int, logits_of_all: bool) -> None:
    """So many tokens behind what is kept of the first `context`; they do not matter."""
    llama._ctx.kv_cache_seq_rm(-1, context, -1)
    for first in range(0, tokens, llama.n_batch):
        some = [3 + i for i in range(first, min(tokens, first + llama.n_batch))]
        llama._batch.set_batch(some, context + first, logits_of_all)
        llama._ctx.decode(llama._batch)


def answer(llama: Any, prompt: list[int], max_tokens: int, ends: list[int], clock: str) -> dict[str, Any]:
    """Greedy, the whole prompt computed, as nothing is kept of the one before."""
    llama.reset()
    tokens: list[int] = []
    now = time.process_time if clock == "cpu" else time.perf_counter
    began, processor = now(), time.process_time()
    first = processor_first = 0.0
    with counted(llama) as evaluated:
        for token in llama.generate(prompt, top_k=1, temp=0.0, repeat_penalty=1.0):
            if not tokens:
                first, processor_first = now() - began, time.process_time() - processor
            tokens.append(token)
            if token in ends or len(tokens) == max_tokens:
                break
    taken = {
        "first": first,
        "seconds": now() - began,
        "processor": time.process_time() - processor,
        "processor_first": processor_first,
    }
    return {"tokens": tokens, "steps": len(evaluated)} | taken


@contextlib.contextmanager
def counted(llama: Any) -> Iterator[list[int]]:
    """Say how many tokens each evaluation of the model was given: the first is the prompt's, each
    further one a step."""
    evaluate, sizes = llama.eval, []

    def told(tokens: list[int]) -> None:
        sizes.append(len(tokens))
        evaluate(tokens)

    llama.eval = told
    try:
        yield sizes
    finally:
        llama.eval = evaluate


if __name__ == "__main__":
    main(*sys.argv[1:])
