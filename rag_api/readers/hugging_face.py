"""Any Hugging Face model that reads question and passage together: one for extractive question answering, or a cross-encoder that reranks.

By folder or hub name; which of the two it is follows from its configuration. Needs transformers and torch (extra `embedder`).
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_api.errors import ConfigurationError
from rag_api.retrieval.reader import Judgement, Passage

LONGEST = 512  # tokens of question and passage; what is beyond is not read
AT_ONCE = 8  # passages in one pass
CLAMP = 30.0
UNREAD = -1e4  # a logit of what is beyond


def open_hugging_face(name: str) -> ExtractiveReader | CrossEncoderReader:
    """Raises ConfigurationError: not installed, not there, or neither of the two kinds."""
    try:
        from transformers import AutoConfig, AutoModelForQuestionAnswering, AutoModelForSequenceClassification, AutoTokenizer
    except ImportError as error:
        raise ConfigurationError(f"BEDSIDE_READER={name} needs transformers and torch: pip install -e '.[embedder]'") from error
    try:
        kind = (AutoConfig.from_pretrained(name).architectures or [""])[0]
        tokenizer = AutoTokenizer.from_pretrained(name)
        if kind.endswith("ForQuestionAnswering"):
            return ExtractiveReader(name, AutoModelForQuestionAnswering.from_pretrained(name, use_safetensors=True), tokenizer)
        if kind.endswith("ForSequenceClassification"):
            return CrossEncoderReader(name, AutoModelForSequenceClassification.from_pretrained(name, use_safetensors=True), tokenizer)
    except (OSError, ValueError, KeyError) as error:
        raise ConfigurationError(f"the reader {name!r} could not be loaded: {error}") from error
    raise ConfigurationError(
        f"the reader {name!r} is a {kind or 'model without architecture'}: name one for question answering or a cross-encoder"
    )


class _Model:
    """Tokenizer and model, one caller at a time: tokenizers are not promised to be thread-safe."""

    def __init__(self, name: str, model: Any, tokenizer: Any) -> None:
        self.name = name
        self._model, self._tokenizer = model.eval().requires_grad_(False), tokenizer
        self._lock = threading.Lock()

    def _run(self, question: str, texts: Sequence[str]) -> tuple[Any, Any]:
        """Return the model's output and the tokens."""
        with self._lock:
            tokens = self._tokenizer(
                [question] * len(texts),
                list(texts),
                truncation="only_second",
                max_length=min(LONGEST, self._tokenizer.model_max_length),
                padding=True,
                return_tensors="pt",
                return_offsets_mapping=self._tokenizer.is_fast,
            )
            known = {name: tokens[name] for name in ("input_ids", "attention_mask", "token_type_ids") if name in tokens}
            return self._model(**known), tokens

    def close(self) -> None:
        return None


class ExtractiveReader(_Model):
    """A model that says where an answer begins and ends; at its first token when there is none (SQuAD 2.0)."""

    def judge(self, question: str, passages: Sequence[Passage]) -> list[Judgement]:
        found: list[Judgement] = []
        for start in range(0, len(passages), AT_ONCE):
            part = passages[start : start + AT_ONCE]
            output, tokens = self._run(question, [_above(passage) + passage.text for passage in part])
            for row, passage in enumerate(part):
                offsets = tokens["offset_mapping"][row].numpy()
                second = np.array([place == 1 for place in tokens.sequence_ids(row)])
                logits = output.start_logits[row].float().numpy(), output.end_logits[row].float().numpy()
                found.append(judgement_of(passage, len(_above(passage)), *logits, offsets, second))
        return found


def judgement_of(
    passage: Passage,
    above: int,
    starts: NDArray[np.float32],
    ends: NDArray[np.float32],
    offsets: NDArray[np.int64],
    second: NDArray[np.bool_],
) -> Judgement:
    """A span is worth the best pair of a start and a later end in it. Log-odds of an answer: the best pair anywhere against the first
    token's, as SQuAD 2.0 has it. `above`: characters of title and heading before the passage's text."""
    null = float(starts[0] + ends[0])
    values = np.array([_best(starts, ends, _inside(offsets, second, above + a, above + b)) for a, b in passage.spans])
    inside = _inside(offsets, second, above, above + len(passage.text))
    answers = max(-CLAMP, min(CLAMP, _best(starts, ends, inside) - null))
    return Judgement(answers, tuple((values - _log_sum(values)).tolist()) if len(values) else ())


def _inside(offsets: NDArray[np.int64], second: NDArray[np.bool_], start: int, end: int) -> NDArray[np.intp]:
    """Return the tokens of the passage that begin in these characters."""
    return np.flatnonzero(second & (offsets[:, 0] >= start) & (offsets[:, 0] < end) & (offsets[:, 1] > offsets[:, 0]))


def _best(starts: NDArray[np.float32], ends: NDArray[np.float32], tokens: NDArray[np.intp]) -> float:
    """Return the greatest sum of a start and an end that does not come before it."""
    if not len(tokens):
        return UNREAD
    return float((np.maximum.accumulate(starts[tokens]) + ends[tokens]).max())


class CrossEncoderReader(_Model):
    """A model with one logit for a pair of texts: of each passage whether it answers, and of each of its spans which of them does."""

    def judge(self, question: str, passages: Sequence[Passage]) -> list[Judgement]:
        texts = [_above(p) + p.text for p in passages] + [f"{p.title}: {p.text[a:b]}" for p in passages for a, b in p.spans]
        logits = [self._logits(question, texts[start : start + AT_ONCE]) for start in range(0, len(texts), AT_ONCE)]
        told = np.concatenate(logits) if logits else np.empty(0)
        found, at = [], len(passages)
        for answers, passage in zip(told[: len(passages)], passages, strict=True):
            own = told[at : at + len(passage.spans)]
            at += len(passage.spans)
            spans = tuple((own - _log_sum(own)).tolist()) if len(own) else ()
            found.append(Judgement(max(-CLAMP, min(CLAMP, float(answers))), spans))
        return found

    def _logits(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return log-odds: the one logit, or of two that of the second against the first."""
        output, _ = self._run(question, texts)
        logits: NDArray[np.float64] = output.logits.double().numpy()
        return logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]


def _above(passage: Passage) -> str:
    return "".join(f"{part}\n" for part in (passage.title, passage.heading) if part.strip())


def _log_sum(values: NDArray[np.float64]) -> float:
    top = float(values.max())
    return top + math.log(float(np.exp(values - top).sum()))
