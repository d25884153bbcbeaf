"""The model that reads: a causal language model of transformers with a LoRA adapter of peft on its
upper layers.

An activated adapter works from the question on: the passage goes through the base model alone,
without gradients, and its keys are shared with whatever else the model does. What is told is read
off the few tokens that an answer may be made of. Runs on a CPU and on a GPU by the same code.
"""

from __future__ import annotations

import json
import shutil
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict, set_peft_model_state_dict
from safetensors.torch import load_file, save_file
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache

from services.contract.reading_prompt import INVOCATION, VERSION
from services.reader.packing import IGNORED, Packed, Vocabulary

LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
# How much a wrong first letter weighs beside the range's end and the reason: it decides whether
# there is an answer at all.
LAST_WEIGHT, REASON_WEIGHT = 0.5, 0.1


@dataclass(frozen=True, slots=True)
class PackScores:
    """Log-probabilities of one pass over a pack: `first` [items, labels + 1], `last` [items,
    labels], `reason` [items, reasons]."""

    first: torch.Tensor
    last: torch.Tensor
    reason: torch.Tensor


class ReadingModel:
    def __init__(self, model: Any, vocabulary: Vocabulary, *, activated: bool = False) -> None:
        self.model, self.vocabulary, self.activated = model, vocabulary, activated
        self.device = next(model.parameters()).device
        causal = model.get_base_model()
        self._inner = causal.model
        head = causal.get_output_embeddings().weight.detach()
        answers = torch.tensor([*vocabulary.first, *vocabulary.last, *vocabulary.reasons], device=head.device)
        self._head = head[answers].float()  # [answers, hidden]
        self._sizes = [len(vocabulary.first), len(vocabulary.last), len(vocabulary.reasons)]

    def trained(self) -> list[torch.nn.Parameter]:
        return [one for one in self.model.parameters() if one.requires_grad]

    @torch.no_grad()
    def keys_of(self, prefix: torch.Tensor) -> DynamicCache:
        """The passage's keys and values: the base model's where the adapter is an activated one."""
        with self.model.disable_adapter() if self.activated else nullcontext():
            out = self._inner(input_ids=prefix[None].to(self.device), use_cache=True)
        return out.past_key_values

    def tell(self, packed: Packed, keys: DynamicCache | None = None) -> PackScores:
        """Return what it says to each of the pack's questions. `keys`: the passage's, if they are
        known; they are not changed. Without them an adapter that is not an activated one learns
        from the passage too."""
        if keys is None and not self.activated:
            hidden = self._whole(packed)
        else:
            hidden = self._behind(packed, keys if keys is not None else self.keys_of(packed.prefix))
        first, last, reasons = self._head.split(self._sizes)
        at_first, at_second = hidden[packed.first_at].float(), hidden[packed.second_at].float()
        return PackScores(
            (at_first @ first.T).log_softmax(-1),
            (at_second @ last.T).log_softmax(-1),
            (at_second @ reasons.T).log_softmax(-1),
        )

    def _behind(self, packed: Packed, keys: DynamicCache) -> torch.Tensor:
        """Hidden states [T, hidden] of the questions behind a passage whose keys are known."""
        return self._run(packed.tokens, packed.positions, packed.mask, _copied(keys))

    def _whole(self, packed: Packed) -> torch.Tensor:
        """The same of passage and questions in one row, so that gradients reach the passage."""
        length = len(packed.prefix)
        above = torch.cat(
            [
                torch.ones(length, length, dtype=torch.bool).tril(),
                torch.zeros(length, len(packed.tokens), dtype=torch.bool),
            ],
            1,
        )
        tokens, positions = (
            torch.cat([packed.prefix, packed.tokens]),
            torch.cat([torch.arange(length), packed.positions]),
        )
        return self._run(tokens, positions, torch.cat([above, packed.mask]), None)[length:]

    def _run(
        self, tokens: torch.Tensor, positions: torch.Tensor, sees: torch.Tensor, keys: DynamicCache | None
    ) -> torch.Tensor:
        dtype = self._inner.dtype
        mask = torch.zeros(sees.shape, dtype=dtype).masked_fill_(~sees, torch.finfo(dtype).min)
        # peft keeps an adapter in fp32 on a model in bf16: its products are rounded as the model's.
        with torch.autocast(self.device.type, torch.bfloat16, enabled=dtype == torch.bfloat16):
            out = self._inner(
                input_ids=tokens[None].to(self.device),
                position_ids=positions[None].to(self.device),
                attention_mask=mask[None, None].to(self.device),
                past_key_values=keys,
                use_cache=keys is not None,
            )
        hidden: torch.Tensor = out.last_hidden_state[0]
        return hidden

    def loss(self, packed: Packed) -> torch.Tensor:
        told = self.tell(packed)
        total = cross_entropy(told.first, packed.first.to(self.device))
        if (packed.last != IGNORED).any():
            total = total + LAST_WEIGHT * cross_entropy(told.last, packed.last.to(self.device), ignore_index=IGNORED)
        if (packed.reason != IGNORED).any():
            total = total + REASON_WEIGHT * cross_entropy(
                told.reason, packed.reason.to(self.device), ignore_index=IGNORED
            )
        return total


def _copied(keys: DynamicCache) -> DynamicCache:
    """A cache of its own on the same tensors: a pass appends to it without changing what was
    kept."""
    own = DynamicCache()
    for index, layer in enumerate(keys.layers):
        own.update(layer.keys, layer.values, index)
    return own


def open_model(
    name: str,
    *,
    rank: int = 16,
    layers: int = 16,
    activated: bool = False,
    adapter: Path | None = None,
    dtype: torch.dtype | None = None,
) -> ReadingModel:
    """Open a model's folder or name with a fresh adapter on its upper `layers`, or with one that
    was trained.

    Raises OSError for a model or adapter that is not there, ValueError for a tokenizer that has no
    letter of its own token."""
    cuda = torch.cuda.is_available()
    tokenizer = AutoTokenizer.from_pretrained(name)
    base = AutoModelForCausalLM.from_pretrained(name, use_safetensors=True, dtype=dtype, attn_implementation="sdpa")
    base.to("cuda" if cuda else "cpu")
    if adapter is not None:
        told = json.loads((adapter / "adapter_config.json").read_text())
        rank, upper = int(told["r"]), list(told["layers_to_transform"])
        activated = told.get("alora_invocation_tokens") is not None
    else:
        count = base.config.num_hidden_layers
        upper = list(range(max(0, count - layers), count))
    # An activated adapter is plain LoRA here: the passage never passes through it, which
    # `alora_invocation_tokens` tells others (save).
    model = get_peft_model(
        base,
        LoraConfig(
            r=rank, lora_alpha=2 * rank, target_modules=list(LINEAR), layers_to_transform=upper, task_type="CAUSAL_LM"
        ),
    )
    if adapter is not None:
        missing: Any = set_peft_model_state_dict(model, load_file(adapter / "adapter_model.safetensors"))
        if missing.unexpected_keys:
            raise ValueError(f"{adapter.name} is an adapter of another model: {missing.unexpected_keys[0]}")
    return ReadingModel(model, Vocabulary(tokenizer), activated=activated)


def save(reading: ReadingModel, folder: Path, card: dict[str, Any]) -> None:
    """Write the adapter in PEFT's form, in bf16, with `card`: what it was trained on. A folder that
    is there is replaced whole."""
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    weights = {
        name: one.detach().to("cpu", torch.bfloat16).contiguous()
        for name, one in get_peft_model_state_dict(reading.model).items()
    }
    save_file(weights, fresh / "adapter_model.safetensors", metadata={"format": "pt"})
    config = reading.model.peft_config["default"].to_dict()
    invocation = reading.vocabulary.encode(INVOCATION) if reading.activated else None
    config |= {"alora_invocation_tokens": invocation, "base_model_name_or_path": card.get("model", "")}
    plain = {name: sorted(value) if isinstance(value, set) else value for name, value in config.items()}
    (fresh / "adapter_config.json").write_text(json.dumps(plain, indent=1, default=str) + "\n")
    (fresh / "card.json").write_text(json.dumps({"prompt": VERSION, **card}, indent=1) + "\n")
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
