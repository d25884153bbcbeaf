"""Collections -> cases: each becomes an index of its own, through the product's chunking,
embedding, ranking and rules, and is asked all its questions once. What was found is kept, so that
fitting, another reader and another curve need no index."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from evaluation.calibration.cases import CasePassage, DecisionCase, Extract, QuestionKind, Sentence
from evaluation.decision.collections import Collection, CollectionQuestion, TextDocument
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import DocumentQuery, PgDocuments, list_documents
from rag_api.domain import LOCAL_USER, Document, DocumentStatus, Filters, Indexed, Page
from rag_api.ingest.common.chunk import chunk, embedding_text
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.sources import survey
from rag_api.query.analysis import analyse
from rag_api.query.synonyms import put_lists
from rag_api.retrieval.find import Retrieval, find
from rag_api.retrieval.reader_model.reader_scores import passages_of

Tell = Callable[[int], object]
SENTENCES = 60  # of a case that are kept


def extract(settings: Settings, collection: Collection, tell: Tell = lambda done: None) -> Extract:
    """Ask everything. tell: called with how many questions are done."""
    with tempfile.TemporaryDirectory(prefix="bedside-decision-") as folder:
        own = settings.model_copy(
            update={
                "data_dir": Path(folder),
                "database_url": None,
                "store": "lance",
                "follow_ups": "off",
                "reader": None,
            }
        )
        with Container(own) as container:
            sources = _index(collection, container)
            cases, passages = list[DecisionCase](), dict[str, CasePassage]()
            for done, question in enumerate(collection.questions, 1):
                cases.append(_case(collection, question, container, sources, passages))
                if collection.leave_out and question.kind == QuestionKind.ANSWERABLE:
                    cases.append(
                        _case(collection, replace(question, kind=QuestionKind.LEFT_OUT), container, sources, passages)
                    )
                tell(done)
            return Extract(container.embedder.name, tuple(cases), passages)


def _index(collection: Collection, container: Container) -> dict[str, str]:
    """Return the document's source by its id."""
    if collection.lists is not None:
        put_lists(collection.lists, container.settings.data_dir)
    if collection.folder is not None:
        repo = PgDocuments(container.db)
        ingest(
            survey([collection.folder]),
            settings=container.settings,
            documents_repo=repo,
            store=container.store,
            embedder=container.embedder,
        )
    for text in collection.texts:
        index_text(text, container)
    container.store.tidy()
    documents = list_documents(container.db, LOCAL_USER, DocumentQuery(status=DocumentStatus.INDEXED, limit=100_000))[0]
    return {document.id: document.source for document in documents}


def index_text(text: TextDocument, container: Container) -> None:
    sha256 = hashlib.sha256(f"{text.source}\0{text.text}".encode()).hexdigest()
    page = Page(1, 595.0, 842.0, 0, 0, text.text, np.full((len(text.text), 4), np.nan, np.float32))
    chunks = chunk(sha256[:32], text.about, [page])
    document = Document(
        sha256[:32],
        text.source,
        sha256,
        "text/plain",
        DocumentStatus.INDEXED,
        "",
        text.about,
        1,
        len(chunks),
        len(text.text),
    )
    PgDocuments(container.db).save_indexed([Indexed(document, [page])])
    container.store.replace_document(
        document.id, chunks, container.embedder.passages([embedding_text(c) for c in chunks])
    )


def _case(
    collection: Collection,
    question: CollectionQuestion,
    container: Container,
    sources: dict[str, str],
    passages: dict[str, CasePassage],
) -> DecisionCase:
    left_out = (
        tuple(name for name, source in sources.items() if source in question.sources)
        if question.kind == QuestionKind.LEFT_OUT
        else ()
    )
    user = replace(LOCAL_USER, function=question.function)
    retrieval = find(
        analyse(question.text, container.expander), user, Filters(excluded_document_ids=left_out), container
    )
    read = passages_of(retrieval.may_be_quoted, retrieval.sentences)
    keys = [f"{collection.name} {hit.chunk.id}" for hit in retrieval.may_be_quoted]
    passages |= {
        key: CasePassage(passage.title, passage.heading, passage.text)
        for key, (passage, _) in zip(keys, read, strict=True)
    }
    return DecisionCase(
        collection.name,
        question.split,
        question.kind,
        question.text,
        question.language,
        question.unit,
        retrieval.may_answer,
        retrieval.signals,
        tuple(keys),
        _sentences(question, retrieval, sources),
        retrieval.sentences[0].text if retrieval.sentences else "",
    )


def _sentences(question: CollectionQuestion, retrieval: Retrieval, sources: dict[str, str]) -> tuple[Sentence, ...]:
    """Places are those that a reader is told; of a list that stands in none of the passages it is
    told nothing."""
    places = dict[int, tuple[int, int, int]]()
    for index, (passage, members) in enumerate(passages_of(retrieval.may_be_quoted, retrieval.sentences)):
        places |= {member: (index, *span) for member, span in zip(members, passage.spans, strict=True)}
    found = []
    for number, scored in enumerate(retrieval.scored[:SENTENCES]):
        if number not in places:
            continue
        candidate = scored.candidate
        right = question.kind == QuestionKind.ANSWERABLE and question.right(sources[candidate.document_id], candidate)
        hit, start, end = places[number]
        found.append(Sentence(hit, start, end, scored.features, right))
    return tuple(found)
