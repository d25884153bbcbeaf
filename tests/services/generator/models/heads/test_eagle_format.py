"""Folders that are heads, and what is said about those that are not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from services.generator.errors import ModelError
from services.generator.models.decoder.rope import rotations
from services.generator.models.files.architecture import Architecture
from services.generator.models.files.convert import convert
from services.generator.models.heads.eagle import EagleHead
from services.generator.models.heads.eagle_cache import HeadCache
from services.generator.models.heads.eagle_format import BadHead, load_head, save_head
from tests.services.generator.models.heads.test_eagle import CASES, VECTORS, Vocabulary, load_case

pytestmark = pytest.mark.quick

Change = Callable[[dict[str, Tensor], dict[str, Any]], object]


def changed(tmp_path: Path, name: str, change: Change) -> Path:
    """A copy of a vector's head after `change(weights, config)`."""
    weights, config = (
        load_file(VECTORS / name / "model.safetensors"),
        json.loads((VECTORS / name / "config.json").read_text()),
    )
    change(weights, config)
    folder = tmp_path / "head"
    folder.mkdir(parents=True)
    save_file(weights, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def vocabulary() -> Vocabulary:
    return Vocabulary(torch.zeros(300, 64), torch.zeros(300, 64))


def output(head: EagleHead, name: str) -> Tensor:
    case = load_case(name)
    n = case.expected["n"]
    attend = HeadCache.empty(head, 1, 64).attend([0], [0], torch.ones(n, n, dtype=torch.bool).tril()[None])
    out: torch.Tensor = head(
        case.io["input_ids"][:, 1 : n + 1], head.fuse(case.io["features"][:, :n]), torch.arange(n)[None], attend
    )
    return out


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("eagle1-mha-bias", "layers.0.mlp.up_proj.weight"),
        ("eagle1-mha-bias", "fc.bias"),
        ("eagle3-draft-vocab", "midlayer.hidden_norm.weight"),
    ],
)
def test_a_missing_key_is_named(tmp_path: Path, name: str, key: str) -> None:
    folder = changed(tmp_path, name, lambda weights, config: weights.pop(key))
    with pytest.raises(BadHead, match=f"missing keys: {key}"):
        load_head(folder, vocabulary())


@pytest.mark.parametrize("name", ["eagle2-gqa", "eagle3-draft-vocab"])
def test_an_unexpected_key_is_named(tmp_path: Path, name: str) -> None:
    folder = changed(tmp_path, name, lambda weights, config: weights.update({"layers.1.extra": torch.zeros(2)}))
    with pytest.raises(BadHead, match=r"unexpected keys: layers\.1\.extra"):
        load_head(folder, vocabulary())


def test_a_wrong_shape_is_named_with_what_was_expected(tmp_path: Path) -> None:
    folder = changed(tmp_path, "eagle2-gqa", lambda weights, config: config.update(num_key_value_heads=4))
    with pytest.raises(BadHead, match=r"layers\.0\.self_attn\.k_proj\.weight is \[16, 64\], expected \[32, 64\]"):
        load_head(folder, vocabulary())


def test_eagle_1_has_a_bias_unless_its_config_says_no(tmp_path: Path) -> None:
    folder = changed(tmp_path, "eagle2-gqa", lambda weights, config: config.pop("bias"))
    with pytest.raises(BadHead, match=r"missing keys: fc\.bias"):
        load_head(folder, vocabulary())


def test_a_reduced_draft_vocabulary_needs_d2t(tmp_path: Path) -> None:
    folder = changed(tmp_path, "eagle3-draft-vocab", lambda weights, config: weights.pop("d2t"))
    with pytest.raises(BadHead, match="missing keys: d2t"):
        load_head(folder, vocabulary())


def test_d2t_outside_the_vocabulary_is_refused(tmp_path: Path) -> None:
    folder = changed(tmp_path, "eagle3-draft-vocab", lambda weights, config: weights["d2t"].fill_(250))
    with pytest.raises(BadHead, match="d2t leaves the vocabulary"):
        load_head(folder, vocabulary())


@pytest.mark.parametrize("change", [{"hidden_act": "gelu"}, {"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}])
def test_what_would_compute_something_else_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    folder = changed(tmp_path, "eagle3-draft-vocab", lambda weights, config: config.update(change))
    with pytest.raises(BadHead, match=next(iter(change))):
        load_head(folder, vocabulary())


@pytest.mark.parametrize(
    "scaling",
    [
        {"type": "linear", "factor": 4.0},
        {
            "rope_type": "llama3",
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 64,
        },
    ],
)
def test_scaled_positions_are_those_of_the_targets_decoder(tmp_path: Path, scaling: dict[str, Any]) -> None:
    folder = changed(tmp_path, "eagle3-rope-theta", lambda weights, config: config.update(rope_scaling=scaling))
    head = load_head(folder, vocabulary())
    described = json.loads((folder / "config.json").read_text()) | {"architectures": ["LlamaForCausalLM"]}
    wanted = rotations(Architecture.from_config(described))
    cos, sin = head.angles(torch.arange(512)[None])
    torch.testing.assert_close(torch.complex(cos[0, :, :8], sin[0, :, :8]), wanted, atol=1e-4, rtol=0)
    save_head(head, tmp_path / "again", 512, torch.float32)
    assert load_head(tmp_path / "again", vocabulary()).config == head.config


def test_layers_0_is_read_as_midlayer(tmp_path: Path) -> None:
    def rename(weights: dict[str, Tensor], config: dict[str, Any]) -> None:
        for key in [key for key in weights if key.startswith("midlayer.")]:
            weights["layers.0." + key.removeprefix("midlayer.")] = weights.pop(key)

    folder = changed(tmp_path, "eagle3-draft-vocab", rename)
    case = load_case("eagle3-draft-vocab")
    head = load_head(folder, Vocabulary(case.io["embed_tokens"], case.io["target_lm_head"]))
    torch.testing.assert_close(output(head, "eagle3-draft-vocab"), case.io["hidden"], atol=1e-4, rtol=0)


def test_norm_before_residual_adds_the_normed_hidden(tmp_path: Path) -> None:
    """With attention and MLP silenced, the layer is its residual: the hidden state, or the norm of
    it."""

    def silence(weights: dict[str, Tensor], config: dict[str, Any]) -> None:
        weights["midlayer.self_attn.o_proj.weight"].zero_()
        weights["midlayer.mlp.down_proj.weight"].zero_()
        config["norm_before_residual"] = True

    head = load_head(changed(tmp_path, "eagle3-draft-vocab", silence), vocabulary())
    features = load_case("eagle3-draft-vocab").io["features"][:, :23]
    torch.testing.assert_close(output(head, "eagle3-draft-vocab"), head.layer.hidden_norm(head.fuse(features)))


def test_the_norms_of_eagle_3_1_are_those_that_its_file_names(tmp_path: Path) -> None:
    """Each of the target's features is normed by itself before they are fused, and what is fed back
    is what the output layer reads."""
    width = vocabulary().embedding.shape[1]
    scales = [torch.full((width,), scale) for scale in (0.5, 1.0, 2.0)]

    def norm(weights: dict[str, Tensor], config: dict[str, Any]) -> None:
        weights |= {f"fc_norm.{n}.weight": scale for n, scale in enumerate(scales)}
        config |= {"fc_norm": True, "norm_output": True}

    folder = changed(tmp_path, "eagle3-draft-vocab", norm)
    head, plain = load_head(folder, vocabulary()), load_head(VECTORS / "eagle3-draft-vocab", vocabulary())
    features = load_case("eagle3-draft-vocab").io["features"][:, :23]
    parts = zip(features.chunk(3, dim=-1), scales, strict=True)
    by_hand = torch.cat(
        [part / (part.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * scale for part, scale in parts], -1
    )
    torch.testing.assert_close(head.fuse(features), plain.fuse(by_hand), atol=1e-4, rtol=1e-4)
    hidden = output(head, "eagle3-draft-vocab")
    torch.testing.assert_close(head.logits(hidden), head.lm_head(hidden))
    save_head(head, tmp_path / "again", 512, torch.float32)
    assert load_head(tmp_path / "again", vocabulary()).config == head.config
    with pytest.raises(BadHead, match=r"missing keys: fc_norm\.0\.weight, fc_norm\.1\.weight, fc_norm\.2\.weight"):
        load_head(
            changed(tmp_path / "without", "eagle3-draft-vocab", lambda _, config: config.update(fc_norm=True)),
            vocabulary(),
        )


def test_a_nested_layer_config_is_read(tmp_path: Path) -> None:
    def nest(weights: dict[str, Tensor], config: dict[str, Any]) -> None:
        layer = {
            key: config.pop(key) for key in [key for key in config if key not in ("draft_vocab_size", "architectures")]
        }
        config["transformer_layer_config"] = layer

    head = load_head(changed(tmp_path, "eagle3-rope-theta", nest), vocabulary())
    assert head.config == load_case("eagle3-rope-theta").head.config


def test_own_embeddings_win_over_the_targets(tmp_path: Path) -> None:
    own = torch.randn(300, 64)
    folder = changed(tmp_path, "eagle2-gqa", lambda weights, config: weights.update({"embed_tokens.weight": own}))
    head = load_head(folder, vocabulary())
    torch.testing.assert_close(head.embed(torch.tensor([7])), own[[7]])


def test_a_pickle_is_refused_until_it_is_converted(tmp_path: Path) -> None:
    weights = load_file(VECTORS / "eagle2-gqa" / "model.safetensors")
    torch.save(weights, tmp_path / "pytorch_model.bin")
    (tmp_path / "config.json").write_text((VECTORS / "eagle2-gqa" / "config.json").read_text())
    with pytest.raises(BadHead, match="makes safetensors of them"):
        load_head(tmp_path, vocabulary())
    convert(tmp_path)
    head = load_head(tmp_path, vocabulary())
    torch.testing.assert_close(head.fc.weight, weights["fc.weight"])


class Malicious:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("owned"),))


def test_a_pickle_with_code_is_refused_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save({"fc.weight": Malicious()}, tmp_path / "pytorch_model.bin")
    (tmp_path / "config.json").write_text((VECTORS / "eagle2-gqa" / "config.json").read_text())
    with pytest.raises(BadHead, match="refused"):
        load_head(tmp_path, vocabulary())
    assert not (tmp_path / "owned").exists()


def test_a_folder_that_is_no_head_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadHead, match=r"no config\.json"):
        load_head(tmp_path, vocabulary())
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelError, match=r"config\.json"):
        load_head(tmp_path, vocabulary())
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(BadHead, match=r"no model\.safetensors"):
        load_head(tmp_path, vocabulary())
    (tmp_path / "model.safetensors").write_bytes(b"not tensors")
    with pytest.raises(BadHead, match="unreadable"):
        load_head(tmp_path, vocabulary())


@pytest.mark.parametrize("name", CASES)
def test_a_saved_head_is_the_head_that_is_loaded(tmp_path: Path, name: str) -> None:
    case = load_case(name)
    save_head(case.head, tmp_path, 512, torch.float32, {"trained": "never"})
    again = load_head(tmp_path, Vocabulary(case.io["embed_tokens"], case.io["target_lm_head"]))
    assert again.config == case.head.config
    assert torch.equal(again.target_ids, case.head.target_ids)
    torch.testing.assert_close(output(again, name), output(case.head, name), atol=0, rtol=0)
    assert set(load_file(tmp_path / "model.safetensors")) == set(load_file(VECTORS / name / "model.safetensors"))
