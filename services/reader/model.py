"""The reader as torch trains it: what each of the question's tokens finds in a span, near it, above it and anywhere, weighed together.

States of question and passage come from the encoder that is deployed, computed apart. Tokens are compared after projections that are
learned ("after", "na" and "hip" each look for something else); a condition of the question that the span does not hold, nor its
neighbours, nor the heading, then stands out by itself. rag_api/readers/network.py computes the same without torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from rag_api.readers.network import PLACES, Sizes


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded. `segments` and `leads` as in rag_api/readers/text.py. `rows[b]` is how many spans row b has, `most` the most of them."""

    question: Tensor  # [rows, question's tokens, hidden]
    passage: Tensor  # [rows, passage's tokens, hidden]
    question_ids: Tensor  # -1: no token
    passage_ids: Tensor  # -2: no token
    rarity: Tensor  # [rows, question's tokens]
    segments: Tensor  # [rows, passage's tokens]
    leads: Tensor  # [rows, most]
    most: int
    rows: tuple[int, ...]


class ReaderModel(nn.Module):
    def __init__(self, sizes: Sizes, dropout: float = 0.2, seed: int = 0) -> None:
        super().__init__()
        self.sizes, self.dropout = sizes, dropout
        self.mean, self.scale = nn.Buffer(torch.zeros(sizes.hidden)), nn.Buffer(torch.ones(1))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.compare = nn.Linear(sizes.hidden, sizes.heads * sizes.width, bias=False)
            nn.init.orthogonal_(self.compare.weight)
            self.token = nn.Linear(sizes.hidden, sizes.token)
            self.found = nn.Linear(PLACES * (sizes.heads + 1), sizes.inner)
            self.own = nn.Linear(sizes.token + 1, sizes.inner, bias=False)
            self.told = nn.Linear(sizes.inner, sizes.told)
            self.weight = nn.Linear(sizes.hidden, 1)
            self.asked, self.said = nn.Linear(sizes.hidden, sizes.told), nn.Linear(sizes.hidden, sizes.told)
            self.joined, self.out = nn.Linear(5 * sizes.told, sizes.joined), nn.Linear(sizes.joined, 2)

    def standardise(self, states: Tensor) -> None:
        """Take these states' mean out of all that come, and their spread."""
        self.mean.copy_(states.mean(0))
        self.scale.copy_(states.std().reshape(1))

    def forward(self, batch: Batch) -> Tensor:
        """Return for each span the log-odds that it answers, and that the whole answer holds it: [rows, most, 2]."""
        question, passage = (batch.question - self.mean) / self.scale, (batch.passage - self.mean) / self.scale
        there = batch.question_ids >= 0
        found = self._found(question, passage, batch)
        own = self.own(torch.cat([self.token(question), batch.rarity[..., None]], -1))
        told = self.told(self._dropped(F.gelu(self.found(found) + own[:, :, None], approximate="tanh")))
        weight = self.weight(question).squeeze(-1).masked_fill(~there, -1e4).softmax(-1)
        mean = (weight[:, :, None, None] * told).sum(1)
        largest = told.masked_fill(~there[:, :, None, None], -1e4).amax(1)
        asked = self.asked((question * there[..., None]).sum(1) / there.sum(1, keepdim=True)).tanh()[:, None].expand_as(mean)
        inside = (batch.segments[:, None, :] == torch.arange(batch.most)[None, :, None]).float()
        said = self.said((inside @ passage) / inside.sum(-1, keepdim=True).clamp(min=1)).tanh()
        joined = self.joined(torch.cat([mean, largest, asked, said, asked * said], -1))
        out: Tensor = self.out(self._dropped(F.gelu(joined, approximate="tanh")))
        return out

    def _found(self, question: Tensor, passage: Tensor, batch: Batch) -> Tensor:
        """How near the nearest token is in the span and elsewhere: [rows, tokens, spans, PLACES * (heads + 1)]."""
        asked, said = self._compared(self._dropped(self.compare(question))), self._compared(self.compare(passage))
        same = (batch.question_ids[:, :, None] == batch.passage_ids[:, None, :]).float()[:, None]
        near = torch.cat([torch.matmul(asked, said.transpose(2, 3)), same], 1)  # [rows, heads + 1, question's tokens, passage's]
        rows, heads, tokens, _ = near.shape
        places = batch.segments[:, None, None, :].expand_as(near)
        nearest = torch.full((rows, heads, tokens, 2 * batch.most + 2), -1.0).scatter_reduce(3, places, near, "amax").permute(0, 2, 3, 1)
        span = nearest[:, :, : batch.most]
        beside = torch.maximum(F.pad(span, (0, 0, 1, 0), value=-1.0)[:, :, :-1], F.pad(span, (0, 0, 0, 1), value=-1.0)[:, :, 1:])
        led = nearest.gather(2, batch.leads[:, None, :, None].expand(-1, tokens, -1, heads))
        above = nearest[:, :, batch.most : batch.most + 1].expand_as(span)
        anywhere = nearest.amax(2, keepdim=True).expand_as(span)
        return torch.cat([span, beside, led, above, anywhere], -1)

    def _compared(self, projected: Tensor) -> Tensor:
        rows, tokens, _ = projected.shape
        return F.normalize(projected.view(rows, tokens, self.sizes.heads, self.sizes.width), dim=-1).transpose(1, 2)

    def _dropped(self, values: Tensor) -> Tensor:
        return F.dropout(values, self.dropout, self.training)

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return what rag_api/readers/network.py computes with."""
        return {name: value.detach().float().numpy().copy() for name, value in self.state_dict().items()}


def split_rows(found: Tensor, rows: Sequence[int]) -> Sequence[Tensor]:
    """Return the spans of each row, without padding."""
    return [own[:count] for own, count in zip(found, rows, strict=True)]
