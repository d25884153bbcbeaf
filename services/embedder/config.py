"""Settings of the embedding service: the only reader of the environment here. Every variable begins
with BEDSIDE_EMBEDDER_."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class EmbedderSettings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="BEDSIDE_EMBEDDER_", env_file=None, extra="ignore")

    model: str = Field(
        "BAAI/bge-m3",
        description="A sentence-transformers model: a folder or a Hugging Face name; or 'e5-small', "
        "which a package carries.",
    )
    served_name: str = Field("bge-m3", description="Name clients ask for.")
    device: str | None = Field(None, description="'cuda', 'cpu'; absent: the best there is.")
    host: str = "127.0.0.1"
    port: int = Field(8002, ge=0, le=65535)
    logs: Literal["text", "json"] = Field("text", description="One line each, for people or for machines.")
    otlp_url: str | None = Field(
        None, pattern=r"^https?://", description="An OpenTelemetry collector, http://collector:4318; absent: no traces."
    )
    api_key: SecretStr | None = Field(None, description="When set, /v1 wants it as a bearer token.")
    batch_size: int = Field(16, ge=1, description="Texts that the model takes at a time.")
