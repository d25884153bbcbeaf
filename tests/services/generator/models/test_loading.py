"""Checkpoints in every form that is read, and what is said of those that are not."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from services.generator.errors import ModelError
from services.generator.models.files import convert
from services.generator.models.files.checkpoint import Checkpoint
from services.generator.models.llama import LlamaTarget
from services.generator.models.loading import DEMO_PACKAGE, head_of, load_target, load_tokenizer, model_folder
from tests.services.generator.models.test_llama import chain, forward, prompt
from tests.services.generator.tiny import FAMILIES, tiny_checkpoint

TOKENS = prompt(20)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_checkpoint(tmp_path, "llama", seed=1)


def logits(target: LlamaTarget) -> torch.Tensor:
    return forward(target, target.new_cache(1, 64), TOKENS).logits


def edit_config(folder: Path, **fields: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_shards_load_like_one_file(folder: Path) -> None:
    expected = logits(load_target(str(folder), dtype="fp32"))
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(tensors)
    files = {"a.safetensors": names[::2], "b.safetensors": names[1::2]}
    for file, part in files.items():
        save_file({name: tensors[name] for name in part}, folder / file)
    index = {name: file for file, part in files.items() for name in part}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    assert torch.equal(logits(load_target(str(folder), dtype="fp32")), expected)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what of a file is in memory")
def test_what_was_read_of_a_file_leaves_memory(tmp_path: Path) -> None:
    file, whole = tmp_path / "model.safetensors", torch.arange(1 << 20, dtype=torch.float32).view(1024, 1024)
    save_file({"a.weight": whole, "b.weight": whole + 1}, file)
    checkpoint = Checkpoint(tmp_path)
    assert torch.equal(torch.as_tensor(checkpoint.take("a.weight", 1024, 1024)), whole)
    assert torch.equal(torch.as_tensor(checkpoint.take("b.weight", 1024, 1024)), whole + 1)
    mapped = Path("/proc/self/smaps").read_text().split(str(file))[1:]
    assert mapped
    assert sum(int(one.split("Rss:")[1].split()[0]) for one in mapped) < 1024


def test_a_pickle_is_refused_until_it_is_converted(folder: Path) -> None:
    expected = logits(load_target(str(folder), dtype="fp32"))
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(
        ModelError, match=r"refused; `python -m services\.generator\.models\.files\.convert .*` makes safetensors"
    ):
        load_target(str(folder), dtype="fp32")
    assert convert.main([str(folder)]) == 0
    assert torch.equal(logits(load_target(str(folder), dtype="fp32")), expected)


class Malice:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("owned"),))


def test_a_pickle_with_code_is_refused_and_not_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save({"model.norm.weight": Malice()}, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="refused"):
        load_target(str(folder), dtype="fp32")
    assert convert.main([str(folder)]) == 1
    assert "not tensors only" in capsys.readouterr().err
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("family", FAMILIES)
def test_bf16_is_as_near_to_fp32_as_transformers_is(tmp_path: Path, family: str) -> None:
    from transformers import AutoModelForCausalLM

    folder = tiny_checkpoint(tmp_path, family, seed=1)
    exact, rounded = (logits(load_target(str(folder), dtype=dtype)) for dtype in ("fp32", "bf16"))
    with torch.no_grad():
        theirs = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)(torch.tensor([TOKENS])).logits
    assert 0 < (rounded - exact).norm() < 1.2 * (theirs.float() - exact).norm()


def test_the_ids_that_end_an_answer_come_from_both_configs(folder: Path) -> None:
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [7, 2]}))
    assert load_target(str(folder), dtype="fp32").config.eos_token_ids == (7, 2)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"architectures": ["GPT2LMHeadModel"]}, "architecture GPT2LMHeadModel is not supported"),
        ({"hidden_act": "gelu"}, "hidden_act gelu"),
        ({"rope_parameters": {"rope_type": "longrope", "rope_theta": 1e4}}, "RoPE scaling longrope"),
        ({"num_key_value_heads": 3}, "4 heads do not divide into 3"),
        ({"intermediate_size": 65}, r"mlp\.gate_proj\.weight has shape \[64, 32\], config\.json implies \[65, 32\]"),
        ({"num_hidden_layers": 6}, r"weight model\.layers\.5\.input_layernorm\.weight is missing"),
        ({"num_hidden_layers": 4}, r"no place for: model\.layers\.4"),
        ({"quantization_config": {"quant_method": "gptq"}}, "quantised Hugging Face checkpoints"),
    ],
    ids=str,
)
def test_what_cannot_be_run_is_named(folder: Path, fields: dict[str, Any], message: str) -> None:
    edit_config(folder, **fields)
    with pytest.raises(ModelError, match=message):
        load_target(str(folder), dtype="fp32")


def test_missing_files_are_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere/at/all: no such folder"):
        load_target("nowhere/at/all")
    with pytest.raises(ModelError, match=r"model\.gguf does not exist"):
        load_target(str(tmp_path / "model.gguf"))
    with pytest.raises(ModelError, match="dtype int3 is not one of"):
        load_target(str(folder), dtype="int3")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"no \*\.safetensors"):
        load_target(str(folder))
    (folder / "config.json").unlink()
    with pytest.raises(ModelError, match=r"config\.json is missing"):
        load_target(str(folder))


def test_a_name_on_the_hub_is_fetched_once_and_a_failure_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    asked: list[str] = []

    def snapshot(name: str, allow_patterns: list[str]) -> str:
        asked.append(name)
        if name == "owner/unknown":
            raise LocalEntryNotFoundError("no network")
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    assert load_target("owner/model", dtype="fp32").config.name == "owner/model"
    assert asked == ["owner/model"]
    with pytest.raises(ModelError, match="owner/unknown: could not be had from the hub"):
        load_target("owner/unknown")


def test_a_broken_gguf_file_leaves_nothing_behind(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(range(200)))
    with pytest.raises(ModelError, match=r"broken\.gguf: not a GGUF file"):
        load_target(str(broken), cache=tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3"])
def test_a_gguf_file_gives_the_logits_of_the_weights_it_was_written_from(tmp_path: Path, family: str) -> None:
    folder = tiny_checkpoint(tmp_path, family, seed=3)
    file = write_gguf(folder, tmp_path / f"{family}.gguf", family)
    expected = logits(load_target(str(folder), dtype="fp32"))
    target = load_target(str(file), dtype="fp32", cache=tmp_path / "cache")
    torch.testing.assert_close(logits(target), expected, atol=1e-4, rtol=0)
    assert target.config.eos_token_ids == (2,)
    text = "Wash your hands, patiënt!"
    assert load_tokenizer(str(file), cache=tmp_path / "cache").encode(text) == load_tokenizer(str(folder)).encode(text)


@pytest.mark.parametrize("kind", ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"])
def test_blocks_of_a_gguf_file_have_the_values_of_its_reference_decoder(tmp_path: Path, kind: str) -> None:
    folder = tiny_checkpoint(tmp_path, "llama", seed=3)
    file = write_gguf(folder, tmp_path / "quantised.gguf", "llama", kind)
    from gguf import GGUFReader
    from gguf.quants import dequantize

    tensor = next(t for t in GGUFReader(str(file)).tensors if t.name == "blk.1.ffn_down.weight")
    expected = torch.from_numpy(dequantize(tensor.data, tensor.tensor_type))
    from services.generator.models.files.checkpoint import Checkpoint

    weight = Checkpoint(model_folder(str(file), tmp_path / "cache")).take("model.layers.1.mlp.down_proj.weight", 32, 64)
    assert not isinstance(weight, torch.Tensor)
    torch.testing.assert_close(weight.dense(), expected, atol=0, rtol=1e-6)


def test_a_quantised_model_that_the_kernels_take_in_part_is_near_token_by_token_and_at_once(tmp_path: Path) -> None:
    folder = tiny_checkpoint(tmp_path, "qwen2", seed=3, hidden_size=64, intermediate_size=128)
    file = write_gguf(folder, tmp_path / "quantised.gguf", "qwen2", "Q5_0")
    target = load_target(str(file), cache=tmp_path / "cache")
    cache = target.new_cache(1, 64)
    single = torch.cat([target.forward(chain([token], length=i), cache).logits for i, token in enumerate(TOKENS)], 1)
    # heads of 16 are torch's to attend with, in bf16: what is exact is in test_native.py
    assert not target.weights.exact
    whole = logits(target)
    # what bf16 does to such wild weights (see the test of bf16 above), and activations of 8 bits
    assert ((single - whole).norm() / whole.norm()) < 0.08


def write_gguf(folder: Path, file: Path, family: str, kind: str = "F32") -> Path:
    """What llama.cpp's converter writes, for these shapes: its names, its order of q's and k's
    rows, a byte-level BPE vocabulary."""
    import gguf
    from gguf.quants import quantize

    from services.generator.models.files.gguf_file import NAMES

    config, tensors = json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")
    writer = gguf.GGUFWriter(str(file), family)
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(
        config["head_dim"] if family == "qwen3" else config["hidden_size"] // config["num_attention_heads"]
    )
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    add_tokenizer(writer, folder)
    theirs = {ours: name for name, ours in NAMES.items()}
    for name, tensor in tensors.items():
        stem, suffix = name.rsplit(".", 1)
        layer, part = (stem.split(".")[2], stem.split(".", 3)[3]) if stem.startswith("model.layers.") else (None, stem)
        heads = {"self_attn.q_proj": "num_attention_heads", "self_attn.k_proj": "num_key_value_heads"}.get(part)
        if heads and family == "llama":
            tensor = tensor.unflatten(0, (config[heads], 2, -1)).transpose(1, 2).flatten(0, 2)
        array = tensor.contiguous().numpy()
        gguf_name = f"{'' if layer is None else f'blk.{layer}.'}{theirs[part]}.{suffix}"
        if kind != "F32" and array.ndim == 2 and array.shape[1] % 32 == 0:
            kind_of = getattr(gguf.GGMLQuantizationType, kind)
            writer.add_tensor(gguf_name, quantize(array, kind_of), raw_dtype=kind_of)
        else:
            writer.add_tensor(gguf_name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def add_tokenizer(writer: Any, folder: Path) -> None:
    model = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = sorted(model["model"]["vocab"], key=model["model"]["vocab"].get)
    special = {token["content"] for token in model["added_tokens"]}
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(vocabulary)
    writer.add_token_types([3 if token in special else 1 for token in vocabulary])
    writer.add_token_merges([" ".join(pair) if isinstance(pair, list) else pair for pair in model["model"]["merges"]])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template("{{ messages[0]['content'] }}")


@pytest.fixture(scope="module")
def demo() -> str:
    from importlib import metadata

    try:
        metadata.files(DEMO_PACKAGE)
    except metadata.PackageNotFoundError:
        pytest.skip(f"the demo model's package {DEMO_PACKAGE} is not installed")
    return "demo"


def test_the_demo_model_has_the_logits_of_transformers(demo: str) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM
    from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

    from services.generator.models.loading import demo_file

    file = str(demo_file())
    model = LlamaForCausalLM(LlamaConfig(**load_gguf_checkpoint(file)["config"])).eval()
    model.load_state_dict(load_gguf_checkpoint(file, return_tensors=True, model_to_load=model)["tensors"], strict=False)
    model.tie_weights()
    tokens = load_tokenizer(demo).encode("The nurse washes her hands before she gives the patient the medicine.")
    with torch.no_grad():
        expected = model.float()(torch.tensor([tokens])).logits
    exact = load_target(demo, dtype="fp32")
    output = forward(exact, exact.new_cache(1, 64), tokens).logits
    torch.testing.assert_close(output, expected, atol=1e-3, rtol=0)
    fast = load_target(demo)
    rounded = forward(fast, fast.new_cache(1, 64), tokens).logits
    # activations of 8 bits: llama.cpp's logits are as far from these
    assert ((rounded - expected).norm() / expected.norm()) < 0.05
    assert (rounded.argmax(-1) == expected.argmax(-1)).float().mean() > 0.9


def test_the_demo_models_tokenizer_is_that_of_smollm2(demo: str) -> None:
    tokenizer = load_tokenizer(demo)
    assert tokenizer.encode("Hello world") == [19556, 905]
    text = "Geef 500 mg paracetamol (max. 4 g/dag) — patiënt nüchter.\n\n\tTwee  spaties.def f(x):"
    assert tokenizer.decode(tokenizer.encode(text)) == text
    chat = tokenizer.apply_chat_template(
        [{"role": "user", "content": "Hi"}], add_generation_prompt=True, tokenize=False
    )
    assert chat.endswith("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n")
    assert tokenizer.encode("<|im_end|>") == [2]


def test_a_second_start_converts_nothing(tmp_path: Path) -> None:
    folder = tiny_checkpoint(tmp_path, "llama", seed=3)
    file = write_gguf(folder, tmp_path / "model.gguf", "llama")
    first = model_folder(str(file), tmp_path / "cache")
    before = (first / "model.safetensors").stat().st_mtime_ns
    shutil.copy(file, tmp_path / "copy.gguf")  # the same contents under another name
    assert model_folder(str(tmp_path / "copy.gguf"), tmp_path / "cache") == first
    assert (first / "model.safetensors").stat().st_mtime_ns == before


def test_the_demo_model_comes_with_its_head_where_c_computes_drafts() -> None:
    def target(native: object, dtype: torch.dtype) -> Any:
        return SimpleNamespace(weights=SimpleNamespace(native=native), dtype=dtype)

    found = head_of("demo", target(object(), torch.bfloat16))
    assert found is not None
    assert (found / "model.safetensors").is_file()
    assert head_of("demo", target(None, torch.bfloat16)) is None
    assert head_of("demo", target(object(), torch.float32)) is None
    assert head_of("owner/model", target(object(), torch.bfloat16)) is None
