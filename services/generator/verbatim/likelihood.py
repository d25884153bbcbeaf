"""log p(question | sentence): how likely the model finds the question, having read the sentence.

A small model judges better than it writes: on SQuAD this puts a sentence with the answer first for
three questions of four, where its own prose holds the answer for two of five. Knows nothing of
tries, requests or spans.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq

import torch

from services.generator.models import StepInput, Target
from services.generator.text.codec import Codec


class QuestionLikelihood:
    """Scores sentences in portions of about `portion` tokens: one batched forward each, rows
    without padding cost."""

    def __init__(self, codec: Codec, question: str, sentences: Seq[tuple[str, str]], portion: int = 512) -> None:
        """Prepare the texts. `sentences`: (title of the document, sentence)."""
        self.scores: list[float] = []  # nats, in the order of the sentences; grows with every portion
        self.question_tokens = codec.encode(" " + question.strip())[0]
        tail = codec.encode("\nQuestion:")[0]
        contexts = [f"{title}: {sentence.strip()}" if title else sentence.strip() for title, sentence in sentences]
        self._contexts = [codec.prefix_ids + codec.encode(context)[0] + tail for context in contexts]
        self._portion = portion

    @property
    def done(self) -> bool:
        return len(self.scores) == len(self._contexts)

    def advance(self, target: Target) -> None:
        """Score the next portion."""
        batch: list[list[int]] = []
        room = self._portion
        for context in self._contexts[len(self.scores) :]:
            tokens = (context + self.question_tokens)[-target.config.max_positions :]
            if batch and len(tokens) > room:
                break
            batch.append(tokens)
            room -= len(tokens)
        self.scores += question_log_probabilities(target, batch, len(self.question_tokens))


def question_log_probabilities(target: Target, batch: Seq[Seq[int]], count: int) -> list[float]:
    """Return, per row, the summed log-probability of its last `count` tokens."""
    counts = tuple(len(tokens) - 1 for tokens in batch)  # nothing follows the last token
    size, rows = max(counts), len(batch)
    token_ids = torch.zeros(rows, size, dtype=torch.int64)
    for row, tokens in enumerate(batch):
        token_ids[row, : counts[row]] = torch.tensor(tokens[:-1])
    step = StepInput(
        token_ids.to(target.device),
        torch.arange(size, device=target.device).expand(rows, -1),
        slots=tuple(range(rows)),
        lengths=(0,) * rows,
        counts=counts,
        tree_mask=None,
        logits_from=-count,
    )
    logits = target.forward(step, target.new_cache(rows, size)).logits  # [rows, count, V]
    wanted = torch.tensor([tokens[-count:] for tokens in batch], device=logits.device)
    return logits.log_softmax(-1).gather(-1, wanted[..., None])[..., 0].sum(-1).tolist()
