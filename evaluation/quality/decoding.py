"""A benchmark of decoding from judged questions, in the form of the thesis's UZGentRAG (section
5.3.2): prompts that hold a question and its three best chunks, and the statistics of its table 5.1.

A row is {id, language, question, documents, prompt, stop, template, answer, answer_from}. `prompt`
is the whole prompt, the thesis's. `answer` is what a model said to it, or the judged words where
none was asked (`answer_from` says which): what drafting by copying is measured on.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rag_api.domain import Hit
from rag_api.errors import ConfigurationError, InvalidInput
from rag_api.evaluate.judged import Judged
from rag_api.text.language import detect
from services.contract import templates, wire

CHUNKS = 3
TEMPLATE = "thesis"
JUDGED = "judged words"  # `answer_from` where no model was asked


def row_of(judged: Judged, hits: Sequence[Hit]) -> dict[str, Any]:
    """The prompt of a question and its best chunks; its answer, for now, is the judged words."""
    language = "en" if judged.language == "en" or (not judged.language and detect(judged.question) == "en") else "nl"
    documents = [{"title": hit.chunk.title, "text": hit.chunk.text} for hit in hits[:CHUNKS]]
    passages = [wire.DocumentIn(id=str(i), title=d["title"], text=d["text"]) for i, d in enumerate(documents)]
    rendered = templates.render(TEMPLATE, judged.question, passages, language)  # type: ignore[arg-type]
    return {
        "id": judged.id,
        "language": language,
        "question": judged.question,
        "documents": documents,
        "prompt": rendered.text,
        "stop": list(rendered.stop),
        "template": rendered.version,
        "answer": " ".join(place.span for place in judged.places if place.span),
        "answer_from": JUDGED,
    }


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def statistics(rows: Sequence[Mapping[str, Any]], tokens: Callable[[str], int] | None = None) -> dict[str, Any]:
    """Table 5.1, of all rows and by language. Lengths in tokens are None without a tokenizer."""
    languages = sorted({row["language"] for row in rows})
    parts = {name: _table([row for row in rows if row["language"] == name], tokens) for name in languages}
    return {**_table(rows, tokens), "languages": parts}


def _table(rows: Sequence[Mapping[str, Any]], tokens: Callable[[str], int] | None) -> dict[str, Any]:
    prompts, answers = [row["prompt"] for row in rows], [row["answer"] for row in rows]
    contexts = ["\n".join(document["text"] for document in row["documents"]) for row in rows]
    return {
        "prompts": len(rows),
        "chunks_per_prompt": _mean([len(row["documents"]) for row in rows]),
        "prompt_characters": _mean([len(text) for text in prompts]),
        "prompt_tokens": _mean([tokens(text) for text in prompts]) if tokens else None,
        "answer_characters": _mean([len(text) for text in answers]),
        "answer_tokens": _mean([tokens(text) for text in answers]) if tokens else None,
        "bleu": round(bleu(answers, contexts), 4),
        "answers_from": dict(Counter(row["answer_from"] for row in rows)),
    }


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 1) if values else 0.0


def bleu(answers: Sequence[str], contexts: Sequence[str]) -> float:
    """Return how much of the answers is copied: BLEU of the whole corpus against the contexts,
    without its brevity penalty (an answer is always shorter than its context). The geometric mean
    of the clipped precisions of 1 to 4 words; 0.0 when one of them is."""
    from sacrebleu import corpus_bleu  # takes a while, and few commands want it

    found = corpus_bleu(_words(answers), [_words(contexts)], tokenize="none", smooth_method="none", force=True)
    return math.prod(found.precisions) ** (1 / len(found.precisions)) / 100


def _words(texts: Sequence[str]) -> list[str]:
    """Part words and signs by spaces."""
    return [" ".join(re.findall(r"\w+|[^\w\s]", text)) for text in texts]


def token_counter(path: Path) -> Callable[[str], int]:
    """Counts by a tokenizer.json, plain or gzipped. Raises InvalidInput, and ConfigurationError
    where the library is missing."""
    import gzip

    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ConfigurationError(
            "counting tokens needs the package tokenizers: pip install -e '.[generator]'"
        ) from error
    try:
        data = path.read_bytes()
        tokenizer = Tokenizer.from_str((gzip.decompress(data) if path.suffix == ".gz" else data).decode())
    except Exception as error:  # tokenizers raises bare Exception
        raise InvalidInput(f"{path}: not a tokenizer file: {error}") from error
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
