"""BERT layers as an ONNX graph in 8 bits: [1, tokens, hidden] in, the same out. Knows nothing of
texts, pieces or pooling.

Matrices are int8 with a scale for each output. What goes into them is quantised as it comes, with
one scale for a text; where tokens differ most, around the feed-forward part, each token is first
divided by its own largest value (with one scale for all, the vectors of passages come out at a
cosine of .9972 to those in fp32; with this .9995).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

Tensors = Mapping[str, NDArray[np.float32]]
MICROSOFT = "com.microsoft"  # the operators that ONNX Runtime adds to the standard


def layers_graph(arrays: Tensors, layers: Sequence[int], heads: int, epsilon: float) -> ModelProto:
    """Return these layers, in this order; `arrays` has theirs under BERT's names (weights.py).
    Raises KeyError when one is missing."""
    graph = _Graph(arrays, epsilon)
    states = "before"
    for layer in layers:
        states = graph.layer(states, f"encoder.layer.{layer}.", heads)
    return graph.model(states)


def product_graph(weight: NDArray[np.float32]) -> ModelProto:
    """Return one matrix in 8 bits, [outputs, inputs]: to see how it is multiplied here."""
    graph = _Graph({"product.weight": weight}, 0)
    return graph.model(graph.dense("before", "product", bias=False))


class _Graph:
    """A value has the name of what made it."""

    def __init__(self, arrays: Tensors, epsilon: float) -> None:
        self._arrays, self._epsilon = arrays, epsilon
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self._last = self.constant("last axis", np.array([-1], np.int64))
        self._least = self.constant("least", np.array(1e-6, np.float32))

    def model(self, states: str) -> ModelProto:
        self.add("Identity", [states], "after")
        shape: list[str | int | None] = [1, "tokens", None]
        before, after = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("before", "after"))
        made = helper.make_graph(self.nodes, "layers", [before], [after], self.constants)
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(made, opset_imports=opsets, ir_version=9)

    def layer(self, states: str, at: str, heads: int) -> str:
        query, key, value = (self.dense(states, f"{at}attention.self.{part}") for part in ("query", "key", "value"))
        mixed = self.add("MultiHeadAttention", [query, key, value], f"{at}attention.self", MICROSOFT, num_heads=heads)
        attended = self.plus_norm(
            states, self.dense(mixed, f"{at}attention.output.dense", bias=False), f"{at}attention.output"
        )
        inner = self.by_token(attended, f"{at}intermediate.dense")
        active = self.add(
            "BiasGelu", [inner, self.array(f"{at}intermediate.dense.bias")], f"{at}intermediate", MICROSOFT
        )
        return self.plus_norm(attended, self.by_token(active, f"{at}output.dense"), f"{at}output")

    def dense(self, states: str, name: str, bias: bool = True) -> str:
        weight = self._arrays[f"{name}.weight"]
        scale = np.maximum(np.abs(weight).max(axis=1) / 127, np.finfo(np.float32).tiny)
        inputs = [
            states,
            self.constant(f"{name}.weight", np.rint(weight / scale[:, None]).astype(np.int8).T),
            self.constant(f"{name}.scale", scale.astype(np.float32)),
            self.constant(f"{name}.zero", np.zeros(len(weight), np.int8)),
        ]
        return self.add(
            "DynamicQuantizeMatMul", [*inputs, self.array(f"{name}.bias")] if bias else inputs, name, MICROSOFT
        )

    def by_token(self, states: str, name: str) -> str:
        """Each token over its largest value, without the bias."""
        largest = self.add(
            "ReduceMax", [self.add("Abs", [states], f"{name}.abs"), self._last], f"{name}.max", keepdims=1
        )
        largest = self.add("Max", [largest, self._least], f"{name}.largest")
        product = self.dense(self.add("Div", [states, largest], f"{name}.even"), name, bias=False)
        return self.add("Mul", [product, largest], f"{name}.scaled")

    def plus_norm(self, states: str, change: str, at: str) -> str:
        inputs = [
            states,
            change,
            *(self.array(f"{at}.{name}") for name in ("LayerNorm.weight", "LayerNorm.bias", "dense.bias")),
        ]
        return self.add("SkipLayerNormalization", inputs, at, MICROSOFT, epsilon=self._epsilon)

    def add(self, operator: str, inputs: Sequence[str], name: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, domain=domain, **attributes))
        return name

    def array(self, name: str) -> str:
        return self.constant(name, self._arrays[name])

    def constant(self, name: str, values: NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name
