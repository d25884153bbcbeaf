"""The CPU's own kernels: torch's values up to rounding, and the same bits for a node whatever else
is in its step."""

from __future__ import annotations

import ctypes
import platform
import random
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch

from services.generator import native
from services.generator.models import StepInput
from services.generator.models.decoder.adapters import MATRIX, Active, Adapter, LowRankDelta, place_in
from services.generator.models.decoder.packing import Packing
from services.generator.models.decoder.tiles import code_of, pack, pack_all
from services.generator.models.files.architecture import Architecture, Rope
from services.generator.models.files.blocks import KINDS, Weight
from services.generator.models.kv_cache import KVCache
from services.generator.models.llama import LlamaTarget
from services.generator.native import compiling
from services.generator.native.compiling import built
from services.generator.native.step import PORTION, StepRows, portions
from services.generator.types import SamplingParams
from tests.services.generator.blocks import blocks
from tests.services.generator.engines import OracleDrafter, engine, generate, request

pytestmark = pytest.mark.skipif(native.kernels() is None, reason="no C compiler on this machine")

ARCHITECTURE = Architecture(
    name="Qwen3ForCausalLM", vocab_size=256, hidden_size=96, intermediate_size=160, layers=5, heads=6, kv_heads=2, head_dim=32,
    max_positions=1024, norm_eps=1e-5, rope=Rope(), qkv_bias=True, mlp_bias=True, qk_norm=True, tied=True,
)  # fmt: skip


@pytest.fixture
def in_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compiled is not made fast: a tenth of the time."""
    monkeypatch.setattr(compiling, "FLAGS", ("-O0", *compiling.FLAGS[1:]))


class BlockWeights:
    """A Source of random quantised matrices: 8 bits for the vocabulary, 5 for values, 4 for the
    rest."""

    name = "random blocks"
    value = "Q5_0"
    rest: set[str] = set()  # noqa: RUF012 - a constant here

    def __init__(self, seed: int = 0) -> None:
        self._generator = torch.Generator().manual_seed(seed)

    def __contains__(self, name: str) -> bool:
        return name != "lm_head.weight"

    def take(self, name: str, *shape: int) -> Weight:
        if len(shape) == 1:
            return 0.1 * torch.randn(*shape, generator=self._generator) + ("norm" in name)
        return blocks(
            "Q8_0" if "embed" in name else self.value if ".v_proj" in name else "Q4_1",
            shape[0],
            shape[1],
            self._drawn(),
        )

    def _drawn(self) -> int:
        return int(torch.randint(1 << 30, (), generator=self._generator))


class Faint(BlockWeights):
    """Scores are all near 0: below what exponentials leave in the kernels' memory."""

    def take(self, name: str, *shape: int) -> Weight:
        weight = super().take(name, *shape)
        return 0.01 * weight if "q_norm" in name and isinstance(weight, torch.Tensor) else weight


def faint() -> LlamaTarget:
    weights = Packing(Faint(), ARCHITECTURE, torch.device("cpu"), torch.float32, blocks=True).weights()
    return LlamaTarget(ARCHITECTURE, weights, name="faint", kv_dtype=torch.bfloat16)


@pytest.fixture
def target(any_cpu: None) -> LlamaTarget:
    weights = Packing(BlockWeights(), ARCHITECTURE, torch.device("cpu"), torch.float32, blocks=True).weights()
    assert weights.native is not None
    return LlamaTarget(ARCHITECTURE, weights, name="blocks", kv_dtype=torch.bfloat16)


def in_eight_bits(x: torch.Tensor) -> torch.Tensor:
    """What the kernels make of activations."""
    groups = x.unflatten(-1, (-1, 32))
    scale = groups.abs().amax(-1, keepdim=True) / 127
    rounded: torch.Tensor = torch.nan_to_num((groups / scale).round() * scale).flatten(-2)
    return rounded


@pytest.mark.parametrize("name", [*KINDS, "bf16"])
def test_a_product_has_the_values_of_the_weights_and_the_same_bits_in_any_company(any_cpu: None, name: str) -> None:
    weight = (
        0.1 * torch.randn(96, 512, generator=torch.Generator().manual_seed(2)).bfloat16()
        if name == "bf16"
        else blocks(name, 96, 512)
    )
    dense = weight.float() if isinstance(weight, torch.Tensor) else weight.dense()
    bias = torch.linspace(-1, 1, 96)
    product = pack(weight, bias)
    assert product.kind == (0 if isinstance(weight, torch.Tensor) else code_of(weight.kind))
    x = torch.randn(29, 512, generator=torch.Generator().manual_seed(1))
    x[5, 32:64] = 0
    y = product(x)
    rounded = x.bfloat16().float() if name == "bf16" else in_eight_bits(x)
    torch.testing.assert_close(y, rounded @ dense.t() + bias, atol=1e-4, rtol=1e-4)
    for rows in range(1, 16):
        assert torch.equal(product(x[3 : 3 + rows]), y[3 : 3 + rows])


def test_a_product_of_more_rows_than_stay_near_is_that_of_each(any_cpu: None) -> None:
    product = pack(blocks("Q4_K", 32, 5120))
    x = torch.randn(320, 5120, generator=torch.Generator().manual_seed(1))
    assert torch.equal(product(x), torch.cat([product(row) for row in x.split(7)]))


def test_matrices_of_several_types_are_multiplied_as_one(any_cpu: None) -> None:
    parts = [blocks("Q5_0", 96, 512, seed=1), blocks("Q8_0", 32, 512, seed=2), blocks("Q4_K", 32, 512, seed=3)]
    bias, x = torch.linspace(-1, 1, 160), torch.randn(9, 512, generator=torch.Generator().manual_seed(1))
    apart = [pack(part, own)(x) for part, own in zip(parts, bias.split([96, 32, 32]), strict=True)]
    assert torch.equal(pack_all(list(parts), bias)(x), torch.cat(apart, 1))


def run(
    target: LlamaTarget, cache: KVCache, tokens: list[int], parents: list[int] | None = None, start: int = 0
) -> torch.Tensor:
    """Hidden states [N, h] of a tree, or of a chain without `parents`."""
    count = len(tokens)
    depth, seen = list(range(count)), None
    if parents is not None:
        seen = torch.eye(count, dtype=torch.bool)
        for node, parent in enumerate(parents[1:], 1):
            seen[node] |= seen[parent]
            depth[node] = depth[parent] + 1
    positions = torch.tensor([[start + d for d in depth]])
    step = StepInput(
        torch.tensor([tokens]),
        positions,
        (0,),
        (start,),
        (count,),
        None if seen is None else seen[None],
        0,
        features=True,
    )
    output = target.forward(step, cache)
    assert output.hidden is not None
    assert output.streams is not None
    return torch.cat((output.hidden[0], output.streams[0], output.logits[0]), -1)


def in_torch(target: LlamaTarget) -> LlamaTarget:
    """The same weights without the native step."""
    weights = Packing(BlockWeights(), ARCHITECTURE, torch.device("cpu"), torch.float32, blocks=False).weights()
    return LlamaTarget(ARCHITECTURE, weights, name="torch", kv_dtype=torch.float32)


def test_a_step_has_the_values_that_torch_computes(target: LlamaTarget) -> None:
    tokens = random.Random(0).choices(range(256), k=40)
    reference = in_torch(target)
    expected = run(reference, reference.new_cache(1, 64), tokens)
    found = run(target, target.new_cache(1, 64), tokens)
    assert ((found - expected).norm() / expected.norm()) < 0.02  # activations, keys and values are rounded
    assert torch.nn.functional.cosine_similarity(found[:, -256:], expected[:, -256:]).min() > 0.999


@pytest.mark.parametrize("seed", range(12))
def test_every_branch_of_a_tree_has_the_very_bits_of_its_own_text(target: LlamaTarget, seed: int) -> None:
    draw = random.Random(seed)
    # about the borders between which keys are summed
    start = draw.choice([1, 15, 16, 17, 249, 255, 256, 257, 300, 505])
    count = draw.randint(2, 24)
    before, nodes = draw.choices(range(256), k=start), draw.choices(range(256), k=count)
    parents = [-1, *(draw.randrange(max(0, node - draw.choice([1, 1, 1, 4])), node) for node in range(1, count))]
    cache = target.new_cache(1, 1024)
    for first in range(0, start, 60):
        run(target, cache, before[first : first + 60], start=first)
    tree = run(target, cache, nodes, parents, start)
    for node in draw.sample(range(count), min(4, count)):
        path = [node]
        while parents[path[0]] >= 0:
            path.insert(0, parents[path[0]])
        for at, each in enumerate(path):  # token by token, over what the tree left in the cache
            alone = run(target, cache, [nodes[each]], start=start + at)
        assert torch.equal(tree[node], alone[0])


@pytest.mark.parametrize(("starts", "counts"), [((300, 7, 41), (1, 5, 3)), ((900, 3, 250), (3, 2, 9))])
@pytest.mark.parametrize("made", [None, faint])
def test_rows_have_the_very_bits_that_each_has_alone(
    target: LlamaTarget,
    made: Callable[[], LlamaTarget] | None,
    starts: tuple[int, int, int],
    counts: tuple[int, int, int],
) -> None:
    """Also a row that is so much shorter than its neighbours that it has nothing where they still
    have keys."""
    target = made() if made else target
    draw, slots, width = random.Random(3), (2, 0, 1), max(counts)
    texts = [draw.choices(range(256), k=start + count) for start, count in zip(starts, counts, strict=True)]
    caches = [target.new_cache(1, 1024) for _ in texts]
    together = target.new_cache(3, 1024)
    alone = []
    for cache, text, start, slot in zip(caches, texts, starts, slots, strict=True):
        for first in range(0, start, 50):
            run(target, cache, text[first : min(first + 50, start)], start=first)
        cache.reserve(1024), together.reserve(1024)
        together.kv[:, :, slot, :, :start].copy_(cache.kv[:, :, 0, :, :start])
        alone.append(run(target, cache, text[start:], start=start)[:, -256:])
    ids, positions = torch.zeros(3, width, dtype=torch.long), torch.zeros(3, width, dtype=torch.long)
    for row, (text, start, count) in enumerate(zip(texts, starts, counts, strict=True)):
        ids[row, :count], positions[row, :count] = torch.tensor(text[start:]), torch.arange(start, start + count)
    step = StepInput(ids, positions, slots, starts, counts, None)
    for _ in range(3):  # later ones find in the kernels' memory what the ones before left there
        output = target.forward(step, together)
        for row, count in enumerate(counts):
            assert torch.equal(output.logits[row, :count], alone[row])


@pytest.mark.parametrize("seed", range(6))
def test_a_prompt_has_the_same_bits_in_chunks_and_in_any_batch(target: LlamaTarget, seed: int) -> None:
    draw = random.Random(seed)
    texts = [
        draw.choices(range(256), k=draw.choice([1, 7, PORTION - 1, PORTION, PORTION + 1, 300]))
        for _ in range(draw.randint(2, 8))
    ]
    counts, width = tuple(map(len, texts)), max(map(len, texts))
    ids, positions = torch.zeros(len(texts), width, dtype=torch.long), torch.arange(width).repeat(len(texts), 1)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = torch.tensor(text)
    cache, slots = target.new_cache(len(texts), width), tuple(draw.sample(range(len(texts)), len(texts)))
    together = target.forward(
        StepInput(ids, positions, slots, (0,) * len(texts), counts, None, 0, features=True), cache
    )
    assert together.hidden is not None
    assert together.streams is not None
    for row, text in enumerate(texts):
        alone, parts, at = target.new_cache(1, width), [], 0
        while at < len(text):
            some = draw.choice([1, 5, 64, 150])
            parts.append(run(target, alone, text[at : at + some], start=at))
            at += some
        found = torch.cat((together.hidden[row], together.streams[row], together.logits[row]), -1)[: len(text)]
        assert torch.equal(found, torch.cat(parts))
        assert torch.equal(cache.kv[:, :, slots[row], :, : len(text)], alone.kv[:, :, 0, :, : len(text)])


def adapter(name: str, layers: tuple[int, ...], modules: tuple[str, ...], rank: int) -> Adapter:
    draw = torch.Generator().manual_seed(rank)
    deltas: dict[tuple[int, str], tuple[LowRankDelta, ...]] = {}
    for layer in layers:
        for module in modules:
            first, outputs, inputs = place_in(module, ARCHITECTURE)
            down, up = torch.randn(rank, inputs, generator=draw), 0.05 * torch.randn(rank, outputs, generator=draw)
            at = (layer, MATRIX[module])
            deltas[at] = (*deltas.get(at, ()), LowRankDelta(down, up, first, list(MATRIX).index(module)))
    return Adapter(name, (), deltas, ARCHITECTURE.layers)


ADAPTERS = (
    adapter("all", (0, 1, 2, 3, 4), tuple(MATRIX), 6),
    adapter("some", (1, 3), ("q", "v", "down"), 16),
    adapter("one", (4,), ("up",), 3),
)


def adapted(
    target: LlamaTarget, texts: list[list[int]], active: tuple[Active | None, ...], *cuts: int
) -> list[torch.Tensor]:
    """Logits of texts of one length, in one batch, cut after so many nodes."""
    length = len(texts[0])
    cache, slots, found = target.new_cache(len(texts), length), tuple(range(len(texts))), []
    for first, end in pairwise((0, *cuts, length)):
        ids, positions = (
            torch.tensor([text[first:end] for text in texts]),
            torch.arange(first, end).repeat(len(texts), 1),
        )
        rows = (first,) * len(texts), (end - first,) * len(texts)
        found.append(target.forward(StepInput(ids, positions, slots, *rows, None, 0, adapters=active), cache).logits)
    return list(torch.cat(found, 1))


def test_adapters_have_the_values_that_torch_computes(target: LlamaTarget) -> None:
    texts = [random.Random(seed).choices(range(256), k=40) for seed in range(4)]
    active = (Active(ADAPTERS[0], 0), Active(ADAPTERS[1], 13), None, Active(ADAPTERS[2], 39))
    found, expected, plain = (
        adapted(model, texts, who)
        for model, who in ((target, active), (in_torch(target), active), (target, (None,) * 4))
    )
    for row, one in enumerate(active):
        assert torch.nn.functional.cosine_similarity(found[row], expected[row]).min() > 0.998
        start = 40 if one is None else one.start
        assert torch.equal(found[row][:start], plain[row][:start])
        assert (
            one is None
            or (found[row][start:] - plain[row][start:]).norm() > 5 * (found[row] - expected[row])[start:].norm()
        )


def test_with_an_adapter_a_node_has_the_same_bits_in_chunks_and_in_any_batch(target: LlamaTarget) -> None:
    texts = [random.Random(seed).choices(range(256), k=200) for seed in range(4)]
    active = (Active(ADAPTERS[0], 0), Active(ADAPTERS[1], 100), None, Active(ADAPTERS[2], PORTION))
    together = adapted(target, texts, active, 60, 150)
    for text, one, found in zip(texts, active, together, strict=True):
        assert torch.equal(found, adapted(target, [text], (one,))[0])
        assert torch.equal(found, adapted(target, [text], (one,), *range(7, 200, 31))[0])


@pytest.mark.parametrize("trees", [False, True])
def test_a_step_is_cut_between_nodes_of_chains_and_between_trees(trees: bool) -> None:
    counts = (PORTION + 5, 3, PORTION, 1, 40, 40, 40)
    width = max(counts)
    mask = torch.rand(len(counts), width, width, generator=torch.Generator().manual_seed(0)) < 0.5 if trees else None
    rows = StepRows(tuple(range(10, 17)), tuple(range(7)), counts, mask, width)
    found, nodes = list(portions(rows)), []
    for part in found:
        assert len(part.counts) == 1 or sum(part.counts) <= PORTION
        for row, (slot, start, count) in enumerate(zip(part.slots, part.starts, part.counts, strict=True)):
            nodes += [(slot, start + n) for n in range(count)]
            assert (part.mask is None) == (mask is None)
            assert mask is None or (
                part.mask is not None and count == counts[slot - 10] and torch.equal(part.mask[row], mask[slot - 10])
            )
    assert nodes == [(10 + row, row + n) for row, count in enumerate(counts) for n in range(count)]
    assert trees or all(sum(part.counts) == PORTION for part in found[:-1])


def test_chains_between_trees_are_cut_and_see_what_is_before_them() -> None:
    mask = torch.rand(2, 9, 9, generator=torch.Generator().manual_seed(0)) < 0.5
    trees, long = StepRows((0, 1), (50, 60), (9, 4), mask, 9), StepRows((2, 3), (7, 0), (PORTION, 20), None, PORTION)
    first, second = portions(trees, long)
    assert (first.slots, first.starts, first.counts) == ((0, 1, 2), (50, 60, 7), (9, 4, PORTION - 13))
    assert (second.slots, second.starts, second.counts) == ((2, 3), (7 + PORTION - 13, 0), (13, 20))
    assert first.mask is not None
    assert torch.equal(first.mask[:2, :9, :9], mask)
    assert torch.equal(first.mask[2], torch.ones(first.width, first.width).tril().bool())
    assert second.mask is None


def test_steps_that_are_computed_as_one_have_the_bits_that_each_has_alone(target: LlamaTarget) -> None:
    """Trees, prompts with an adapter and without, their last token's logits, features of one."""
    random_ids = torch.randint(256, (6, 120), generator=torch.Generator().manual_seed(3))

    def step(slots: tuple[int, ...], start: int, count: int, **more: Any) -> StepInput:
        rows = len(slots)
        positions = torch.arange(start, start + count).repeat(rows, 1)
        given = {"tree_mask": None, "logits_from": 0} | more
        return StepInput(random_ids[list(slots), :count], positions, slots, (start,) * rows, (count,) * rows, **given)

    tree = torch.ones(2, 5, 5, dtype=torch.bool).tril_()
    tree[:, 4, 3] = False
    steps = [
        step((0, 1), 40, 5, tree_mask=tree, features=True),
        step((2, 3), 40, 120, logits_from=120),
        step((4, 5), 40, 33, logits_from=-1, adapters=(Active(ADAPTERS[0], 0), Active(ADAPTERS[1], 50))),
    ]
    caches = [target.new_cache(6, 256) for _ in range(2)]
    for cache in caches:
        target.forward(step(tuple(range(6)), 0, 40), cache)
    alone = [target.forward(each, caches[0]) for each in steps]
    together = target.forward_all(steps, caches[1])
    assert torch.equal(caches[0].kv, caches[1].kv)
    for one, other in zip(alone, together, strict=True):
        assert torch.equal(one.logits, other.logits)
        assert (one.hidden is None) == (other.hidden is None)
    assert alone[0].hidden is not None
    assert together[0].hidden is not None
    assert torch.equal(alone[0].hidden, together[0].hidden)


def test_threads_change_no_bit(target: LlamaTarget) -> None:
    tokens, before = random.Random(5).choices(range(256), k=30), torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            found.append(run(target, target.new_cache(1, 64), tokens))
    finally:
        torch.set_num_threads(before)
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


def test_without_a_compiler_torch_computes_the_step(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(folder: Path, cpu: str = "native") -> Path:
        raise OSError("no C compiler (cc, gcc, clang or the package ziglang)")

    monkeypatch.setattr(native, "compiled", refuse)
    native.kernels.cache_clear()
    try:
        assert native.kernels() is None
        assert "no C compiler" in caplog.text
        weights = Packing(BlockWeights(), ARCHITECTURE, torch.device("cpu"), torch.float32, blocks=True).weights()
        assert weights.native is None
    finally:
        native.kernels.cache_clear()


def test_a_failed_compilation_is_named_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="failed"):
        compiling.compiled(tmp_path, "no-such-cpu")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("in_a_second")
def test_a_library_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compiling.compiled(tmp_path)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("compiled again"))
    assert compiling.compiled(tmp_path) == first
    assert isinstance(native.load(first), ctypes.CDLL)


@pytest.mark.usefixtures("in_a_second")
def test_what_an_image_was_built_with_is_taken_where_this_cpu_can_run_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = next(one for one in built.KINDS[platform.machine()] if one.needs <= compiling.cpu_words())
    monkeypatch.setitem(
        built.KINDS, platform.machine(), (built.CpuKind("of-nobody", ("-O0",), frozenset({"no such word"})), kind)
    )
    files = built.build(tmp_path)
    assert [file.name.split("-")[0] for file in files] == ["of", kind.name.split("-")[0]]
    assert built.best(tmp_path) == files[1]
    assert isinstance(native.load(files[1]), ctypes.CDLL)
    assert built.best(tmp_path, frozenset()) is None
    monkeypatch.setattr(compiling, "FLAGS", ("-O1",))  # made of something else than what is here now
    assert built.best(tmp_path) is None


@pytest.mark.usefixtures("in_a_second")
def test_what_an_image_was_built_with_needs_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiling.compiled(tmp_path)
    monkeypatch.setattr(native, "best", lambda: made)
    monkeypatch.setattr(native, "compiled", lambda folder: pytest.fail("compiled all the same"))
    native.kernels.cache_clear()
    try:
        assert native.kernels() is not None
    finally:
        native.kernels.cache_clear()


@pytest.mark.parametrize("rows", [1, 8])
@pytest.mark.parametrize("temperature", [0.0, 0.7, 1.0])
def test_drafts_change_no_token_of_rounded_answers(target: LlamaTarget, temperature: float, rows: int) -> None:
    draw = random.Random(int(10 * temperature))
    prompts = [draw.choices(range(3, 256), k=draw.choice([5, 30, 250])) for _ in range(8)]
    samplings = [SamplingParams(temperature=temperature, max_tokens=24, seed=seed) for seed in range(len(prompts))]
    plain = [
        generate(engine(target), [request(prompt, sampling)])[0]
        for prompt, sampling in zip(prompts, samplings, strict=True)
    ]
    oracle = OracleDrafter(256, {tuple(prompt): tokens for prompt, tokens in zip(prompts, plain, strict=True)})
    speculative = engine(target, oracle, nodes=12, rows=rows)
    jobs = [request(prompt, sampling, ("oracle",)) for prompt, sampling in zip(prompts, samplings, strict=True)]
    assert generate(speculative, jobs) == plain
    assert any(job.sequence.stats.steps < len(tokens) for job, tokens in zip(jobs, plain, strict=True)), (
        "nothing was accepted"
    )
