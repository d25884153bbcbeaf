"""Other models' tokenizers: prompts keep their origins and quotations their characters, byte-level
and SentencePiece alike."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from services.generator.text.codec import Codec
from services.generator.types import Passage
from services.generator.verbatim.likelihood import QuestionLikelihood
from services.generator.verbatim.quotes import split_sentences, to_quote
from services.generator.verbatim.text import VerbatimText
from services.generator.verbatim.trie import Verbatim, VerbatimLimits, VerbatimPreparation
from tests.services.generator.text.test_prompt import HOSTILE, assert_origins, built, told
from tests.services.generator.tiny import CORPUS, tiny_tokenizer

DATA = Path(__file__).resolve().parents[5] / "shared" / "data" / "tokenizers"
END = 2


def sentencepiece(prefix: str) -> Any:
    """As Llama 2's and Mistral's: spaces are U+2581, one is put in front, unknown characters are
    bytes."""
    bpe = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    if prefix == "normalizer":
        bpe.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    else:
        bpe.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=prefix, split=False)
    bpe.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    specials = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    bpe.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=500, special_tokens=specials, show_progress=False))
    bare = Tokenizer.from_str(bpe.to_str())
    made = PreTrainedTokenizerFast(
        tokenizer_object=_with_specials(bare), bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )
    made.chat_template = "<s>{% for m in messages %}[INST] {{ m['content'] }} [/INST]{% endfor %}"
    return made


def _with_specials(bpe: Tokenizer) -> Tokenizer:
    """The bytes are ordinary entries of the vocabulary; only three tokens are control tokens."""
    import json

    description = json.loads(bpe.to_str())
    description["added_tokens"] = [
        entry for entry in description["added_tokens"] if entry["content"] in ("<unk>", "<s>", "</s>")
    ]
    return Tokenizer.from_str(json.dumps(description))


def normalising() -> Any:
    """As Qwen's: byte-level, and composes characters first."""
    bpe = Tokenizer.from_str(tiny_tokenizer().backend_tokenizer.to_str())
    bpe.normalizer = normalizers.NFC()
    made = PreTrainedTokenizerFast(tokenizer_object=bpe, eos_token="<|im_end|>")
    made.add_tokens([AddedToken("<tool_call>", special=False)])
    made.chat_template = tiny_tokenizer().chat_template
    return made


def published(name: str) -> Any:
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(gzip.open(DATA / f"{name}.tokenizer.json.gz", "rt").read())
    )


@cache
def codec(name: str) -> Codec:
    if name in ("llama3", "mistral_v1"):
        return Codec(published(name))
    return Codec(normalising() if name == "normalising" else sentencepiece(name))


def is_there(name: str) -> bool:
    return (DATA / f"{name}.tokenizer.json.gz").exists()


NAMES = [
    "first",
    "always",
    "normalizer",
    "normalising",
    *(
        pytest.param(
            name,
            marks=pytest.mark.skipif(
                not is_there(name), reason=f"{name}.tokenizer.json.gz is not in ../shared/data/tokenizers"
            ),
        )
        for name in ("llama3", "mistral_v1")
    ),
]


def test_both_tokenizers_have_one_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    codec = Codec(tiny_tokenizer())
    monkeypatch.setattr(codec.full.model, "dropout", 0.25)  # which every test's tokenizer would have, were it left
    assert codec.plain.model.dropout == 0.25


@pytest.mark.parametrize("name", NAMES)
def test_origins_are_kept_and_control_tokens_are_not_forged(name: str) -> None:
    own = codec(name)
    passages = [Passage(str(n), "", value + " </s> <s> <tool_call> <|eot_id|>") for n, value in enumerate(HOSTILE)]
    prompt = built("Wat </s> nu?", passages, codec=own)
    assert_origins(prompt, own, told("thesis", "Wat </s> nu?", passages))
    inside = [token for token, origin in zip(prompt.token_ids, prompt.origins, strict=True) if origin]
    assert not set(inside) & (own.special_ids - {own.control.get("<unk>")})


words = st.sampled_from(
    ["De", "dosis", "5 mg.", "🙂", "e\u0301", "</s>", "<0x41>", "▁", "A.", "is?", "\u00a0", "\t", "\n", "  ", "Zin."]
)
texts = st.lists(words, min_size=1, max_size=14).map(" ".join)


@pytest.mark.parametrize("name", NAMES)
@given(
    texts=st.lists(texts, min_size=1, max_size=3),
    weights=st.lists(st.floats(-3, 3), min_size=60, max_size=60),
    count=st.integers(1, 4),
)
@settings(max_examples=60, deadline=None)
def test_quotations_read_as_their_source(name: str, texts: list[str], weights: list[float], count: int) -> None:
    own = codec(name)
    passages = [Passage(str(n), "", value) for n, value in enumerate(texts)]
    quotes = [
        quote for candidate in split_sentences(passages) if (quote := to_quote(candidate, own, passages)) is not None
    ]
    preparation = VerbatimPreparation(quotes, None, 0.0, VerbatimLimits(count, 0.0))
    preparation.constraint = Verbatim(quotes, weights[: len(quotes)], VerbatimLimits(count, 0.0), END)
    answer = VerbatimText(own, (), preparation, passages)
    for token in preparation.constraint.draft(0, 10_000).token_ids[1:]:
        preparation.constraint.advance(token)
        if token != END:
            answer.add(token, ())
    spans = answer.finish().spans
    at = 0
    for span in spans:
        assert span.answer_start == at
        assert answer.text[span.answer_start : span.answer_end] == texts[int(span.passage_id)][span.start : span.end]
        at = span.answer_end
    assert at == len(answer.text)
    assert bool(answer.text) == bool(quotes)


@pytest.mark.parametrize("name", NAMES)
def test_ordinary_sentences_can_be_quoted(name: str) -> None:
    passages = [Passage("a", "", "Geef 5 mg. Controleer na 15 min.\n- Was uw handen: é, 🙂.\nKlaar.")]
    assert all(to_quote(candidate, codec(name), passages) is not None for candidate in split_sentences(passages))


@pytest.mark.parametrize("name", NAMES)
def test_a_question_has_tokens_to_score(name: str) -> None:
    scorer = QuestionLikelihood(codec(name), "Hoeveel mg?", [("T", "Geef 5 mg.")])
    assert scorer.question_tokens


@pytest.mark.parametrize("name", NAMES)
def test_tokens_bytes_add_up_to_the_text(name: str) -> None:
    own, text = codec(name), "Geef é 🙂 5 mg\nnu"
    read = b"".join(own.token_bytes(token) for token in own.encode(text)[0])
    assert read.decode().removeprefix(" ") == text
