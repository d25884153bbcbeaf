"""Settings of earlier versions: named at the start, for what is set and changes nothing would be
passed over in silence."""

from __future__ import annotations

from collections.abc import Mapping

# -> what holds now
DROPPED = {
    "BEDSIDE_LOG_FORMAT": "logs are JSON in production, else text",
    "BEDSIDE_WEAVIATE_GRPC_PORT": "write it behind the URL, http://weaviate:8080#50051",
    "BEDSIDE_GENERATOR_TIMEOUT": "two minutes",
    "BEDSIDE_PROMPT_TEMPLATE": "the generator's own (BEDSIDE_GENERATOR_TEMPLATE)",
    "BEDSIDE_RERANK": "the reranker reads 20 hits",
    "BEDSIDE_COMPLETE_PASSAGES": "passages are always completed",
    "BEDSIDE_WIDEN": "a question is searched for once, as it was asked",
    "BEDSIDE_AUDIT_JOURNAL_MB": "4 MB are set aside",
    "BEDSIDE_ABBREVIATIONS": "abbreviations.csv in the data directory",
    "BEDSIDE_SYNONYMS": "synonyms.csv in the data directory",
    "BEDSIDE_MULTI_QUERY": "a question is searched for once, as it was asked",
    "BEDSIDE_GENERATOR_POLICY": "all drafts are merged in one tree",
    "BEDSIDE_GENERATOR_NODES": "64 at most",
    "BEDSIDE_GENERATOR_PREFILL_CHUNK": "512 tokens",
    "BEDSIDE_GENERATOR_QUEUE": "64 requests",
    "BEDSIDE_GENERATOR_MAX_BODY_MB": "8 MB",
    "BEDSIDE_GENERATOR_MAX_TOKENS": "512, where a request names no limit",
    "BEDSIDE_EMBEDDER_MAX_TEXTS": "256 in one request",
    "BEDSIDE_EMBEDDER_MAX_CHARACTERS": "32,000 in one text",
}


def dropped(environment: Mapping[str, str], prefix: str = "") -> list[str]:
    """Return a sentence for each of them that is set and begins so."""
    return [
        f"{name} is no setting any more and changes nothing: {now}"
        for name, now in DROPPED.items()
        if name in environment and name.startswith(prefix)
    ]
