"""Small random checkpoints in Hugging Face's format, with a tokenizer, so that text works end to
end in milliseconds.

Weights are transformers' own initialisation made wider (so that greedy decoding does not repeat one
token), fp32, saved as safetensors.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import torch

FAMILIES = ("llama", "mistral", "qwen2", "qwen3")

SHAPE: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 5,  # more than 4: the three residual streams of EAGLE-3 are then different ones
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    "rms_norm_eps": 1e-5,
}

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

CORPUS = (
    "Remove the catheter when it is no longer needed. Wash your hands before and after each patient.",
    "Answer the question in one or two full sentences, using the words of the passages.",
    "Verwijder de katheter zodra deze niet meer nodig is. Was uw handen voor en na elke patiënt.",
    "The nurse on duty writes the time, the dose and the name of the medicine in the record.",
    "De dienstdoende verpleegkundige noteert het tijdstip, de dosis en de naam van het geneesmiddel.",
)


@cache
def tiny_tokenizer() -> Any:
    """Byte-level BPE of 400 tokens: any text goes through and comes back; ChatML; `<|im_end|>` ends
    an answer."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(CORPUS, trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token="<|im_end|>", pad_token="<|endoftext|>", clean_up_tokenization_spaces=False
    )
    tokenizer.chat_template = CHATML
    return tokenizer


def tiny_model(family: str = "llama", seed: int = 0, **shape: Any) -> Any:
    """transformers' model of the family (fp32, eval), random weights of that seed; `shape`
    overrides config fields."""
    import transformers

    prefix = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3"}[family]
    tokenizer = tiny_tokenizer()
    fields = {
        "vocab_size": len(tokenizer),
        "eos_token_id": tokenizer.eos_token_id,
        "bos_token_id": None,
        "pad_token_id": tokenizer.pad_token_id,
    }
    fields |= {"tie_word_embeddings": False, "attn_implementation": "eager"}
    if family == "mistral":
        fields["sliding_window"] = None
    if family == "qwen3":
        fields["head_dim"] = 16  # not hidden / heads, as in the published ones
    config = getattr(transformers, f"{prefix}Config")(**(SHAPE | fields | shape))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = getattr(transformers, f"{prefix}ForCausalLM")(config)
        with torch.no_grad():
            for name, weight in model.named_parameters():
                if "norm" in name:
                    weight.uniform_(0.5, 1.5)
                else:
                    weight.normal_(0.0, 0.3 if weight.dim() > 1 else 0.1)
    return model.float().eval()


def tiny_checkpoint(tmp_path: Path, family: str = "llama", seed: int = 0, **shape: Any) -> Path:
    """A folder with config.json, model.safetensors and the tokenizer; one folder per (family, seed,
    shape)."""
    name = "-".join(
        [family, str(seed), *(f"{key}={value}" for key, value in sorted(shape.items()) if not isinstance(value, dict))]
    )
    folder = tmp_path / name
    model = tiny_model(family, seed, **shape)
    model.save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder
