"""Layers that run: hidden states in, hidden states out, by ONNX Runtime.

A text is computed alone and on one thread: nothing is padded, a vector does not depend, to the last
bit, on what was embedded with it, and no thread waits or spins for another. (Batches of eight would
save a quarter of the time of texts of 16 tokens, nothing from 64 on.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from onnx import ModelProto

from rag_api.embed.e5.graph import layers_graph, product_graph
from rag_api.embed.e5.weights import ModelShape

States = NDArray[np.float32]  # [tokens, hidden]


class Layers:
    """Some layers of the encoder, with the weights of `arrays` (under BERT's names, float32).
    Threads may share it.

    Raises KeyError when an array is missing, RuntimeError when ONNX Runtime does not take the graph
    here.
    """

    def __init__(self, arrays: Mapping[str, NDArray[np.float32]], layers: Sequence[int], shape: ModelShape) -> None:
        self._session = _session(layers_graph(arrays, layers, shape.heads, shape.epsilon), unsigned=products_overflow())

    def __call__(self, states: States) -> States:
        found: States = self._session.run(None, {"before": states[None]})[0][0]
        return found


@cache
def products_overflow() -> bool:
    """Return whether this processor adds products of u8 and s8 in 16 bits, and so gets large ones
    wrong: x86 without VNNI does."""
    ones = np.ones((1, 8, 64), np.float32)
    found = _session(product_graph(ones[0]), unsigned=False).run(None, {"before": ones})[0]
    return not np.allclose(found, 64, rtol=0.01)


def _session(model: ModelProto, unsigned: bool) -> ort.InferenceSession:
    """`unsigned`: matrices in u8, which never overflows and takes 1.6 times as long."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if unsigned:
        options.add_session_config_entry("session.x64quantprecision", "1")
    try:
        return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no base class of their own
        raise RuntimeError(f"ONNX Runtime {ort.__version__} does not run the encoder: {error}") from error
