"""Settings of the generator service: the only reader of the environment here. Every variable begins
with BEDSIDE_GENERATOR_."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from services.contract.templates import TEMPLATES


class GeneratorSettings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="BEDSIDE_GENERATOR_", env_file=None, extra="ignore", protected_namespaces=()
    )

    model: str = Field(
        "demo", description="'demo' (the small model in a package), a GGUF file, a folder, or a Hugging Face name."
    )
    served_name: str | None = Field(None, description="Name clients ask for; absent: the model as given.")
    head: Path | None = Field(
        None, description="Folder of an EAGLE head for this model; absent: none, but for the demo model its own."
    )
    small_model: str | None = Field(
        None, description="A smaller model with the same tokenizer, for the drafters 'small-model' and 'rag'."
    )
    dense_datastore: Path | None = Field(
        None, description="Folder of a dense datastore of this model's answers, for the drafter 'dresd'."
    )
    adapters: str = Field(
        "", description="LoRA adapters in PEFT's files: name=folder with commas between, or a folder of such folders."
    )
    device: str = "auto"
    dtype: Literal["auto", "fp32", "bf16"] = "auto"
    threads: int | None = Field(None, ge=1, description="CPU threads; absent: torch's choice.")

    host: str = "127.0.0.1"
    port: int = Field(8001, ge=0, le=65535)
    logs: Literal["text", "json"] = Field("text", description="One line each, for people or for machines.")
    otlp_url: str | None = Field(
        None, pattern=r"^https?://", description="An OpenTelemetry collector, http://collector:4318; absent: no traces."
    )
    api_key: SecretStr | None = Field(None, description="When set, /v1 wants it as a bearer token.")

    max_rows: int = Field(4, ge=1, description="Requests decoded at a time.")
    readings: int = Field(8, ge=1, description="Prompts whose continuations are scored at a time, beside those.")
    max_context: int = Field(4096, ge=64, description="Tokens of prompt and answer together.")
    step_seconds: float = Field(
        120.0, ge=0, description="A step of the engine that takes longer hangs: the process ends; 0: never."
    )
    prefix_mb: int | None = Field(
        None,
        ge=0,
        description="Memory for prompts' prefixes that are kept; absent: what 128 passages of 384 tokens take in this "
        "model, at most an eighth of the memory.",
    )
    drafter: str | None = Field(
        None,
        description="'none', 'copy', 'copy+eagle' ...; absent: 'blend' ('copy' without a C compiler), with 'eagle' "
        "where there is a head.",
    )
    datastore: Path | None = Field(
        None,
        description="Folder of `python -m services.generator.datastore build`: texts that everyone who asks may "
        "read, to draft from.",
    )
    template: str | None = Field(
        None, description="Prompt template of answer mode; absent: 'demo' for the demo model, else 'thesis'."
    )

    @field_validator("template")
    @classmethod
    def _known(cls, value: str | None) -> str | None:
        if value is not None and value not in TEMPLATES:
            raise ValueError(f"no template {value!r}; there are: {', '.join(TEMPLATES)}")
        return value

    @property
    def name(self) -> str:
        return self.served_name or self.model

    @property
    def default_template(self) -> str:
        return self.template or ("demo" if self.model == "demo" else "thesis")
