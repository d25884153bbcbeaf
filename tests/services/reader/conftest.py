"""A tiny random model of Qwen2's shape with a tokenizer that knows the words of the reading prompt,
made where the tests run."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from services.contract.reading_prompt import BECAUSE, LABELS, NONE, REASONS, TO


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("tiny-reader")
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = [f"Ġ{word.strip()}" for word in (*LABELS, *REASONS.values(), TO, BECAUSE)]
    vocabulary = {token: number for number, token in enumerate(dict.fromkeys([*letters, *LABELS, NONE, *words]))}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=_merges(words, vocabulary)))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    torch.manual_seed(7)
    config = Qwen2Config(
        vocab_size=len(tokenizer.get_vocab()),
        hidden_size=48,
        intermediate_size=96,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=2_048,
    )
    Qwen2ForCausalLM(config).save_pretrained(folder)
    return str(folder)


def _merges(words: list[str], vocabulary: dict[str, int]) -> list[tuple[str, str]]:
    """From its left end on: a word becomes one token."""
    merges: dict[tuple[str, str], None] = {}
    for word in words:
        left = word[0]
        for letter in word[1:]:
            merges[left, letter] = None
            left += letter
            vocabulary.setdefault(left, len(vocabulary))
    return list(merges)
