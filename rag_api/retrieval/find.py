"""question + who asks -> a Retrieval: rank, keep what is current, leave out what may not answer,
weigh the sentences, decide.

Everything that answering, measuring and calibrating need of a question's search, whole when it
exists. Knows no HTTP and no generator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from rag_api.config import Settings
from rag_api.db import Database
from rag_api.db.documents import get_documents, read_text, read_uncertain
from rag_api.db.ingestion.structures import read_packed
from rag_api.db.sentences import vectors_of
from rag_api.domain import Candidate, Document, DocumentStatus, Filters, Hit, User
from rag_api.embed import Embedder
from rag_api.embed.vector_cache import DbVectorCache
from rag_api.errors import ConfigurationError
from rag_api.guard.complications import is_about_another, names_it
from rag_api.guard.drugs import names
from rag_api.guard.numbers.levels import is_about_the_other
from rag_api.guard.people.patient import Patient
from rag_api.query.analysis import Analysis
from rag_api.retrieval.decision.answerability import Rule, decide
from rag_api.retrieval.decision.calibration import Calibration, NotFoundModel, calibration
from rag_api.retrieval.reader_model.pointing_reader import NEEDED, PointingReader, pointed
from rag_api.retrieval.reader_model.reader_scores import ReaderScores, read, rescored
from rag_api.retrieval.search.patient_ranking import RetrievalContainer, is_for_others, rank
from rag_api.retrieval.sentence_scorer import Scored, scored_sentences
from rag_api.text.quotable.prompt_injection import addressed
from rag_api.text.quotable.uncertain import BLANK, Places, blanked, together

# characters; beyond this a document's sentences are looked for in its chunks alone, and no reader
# that points is given them: cutting it takes a second the first time, and its text megabytes
LONGEST_TEXT = 2_000_000
MOST_BLANK = 0.5  # of a passage's letters: a passage with more is as good as none to quote


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a question finds, and whether that answers it."""

    hits: tuple[Hit, ...]  # best first; empty: nothing that this user may read
    confidence: float  # that an answer is among them, in [0, 1]; comparable for one embedder only
    answerable: bool
    alpha: float = 0.7  # as used
    documents: Mapping[str, Document] = field(default_factory=dict)  # of the hits, by id
    # by the rules alone: some hit is for these patients and of these drugs, and none for others
    # fits better
    may_answer: bool = True
    may_be_quoted: tuple[Hit, ...] = ()  # those for these patients and of these drugs, best first
    scored: tuple[Scored, ...] = ()  # their sentences, best first
    signals: Mapping[str, float] = field(default_factory=dict)  # what the decision was made from
    read: ReaderScores | None = None  # what a reader made of them, in the order of `scored`
    # Of the documents, by id; very long ones are left out. What was read in doubt or speaks to a
    # machine is blank, as in the hits' chunks.
    texts: Mapping[str, str] = field(default_factory=dict)
    structures: Mapping[str, str] = field(default_factory=dict)  # their blocks, packed (rag_api/text/blocks.py)
    # places of the documents that may say something else than their pages
    uncertain: Mapping[str, Places] = field(default_factory=dict)
    of_other_drugs: frozenset[str] = frozenset()  # ids of documents that name none of the question's drugs
    needed: float = 0.0  # the confidence from which it is answerable, where no rule is against it
    forbidden: Rule = Rule.NONE  # what is against an answer, however sure
    pointed: bool = False  # a reader pointed to the sentences: to all that is to be quoted, of each passage
    # of those titled after another one than the question's, which they never name
    of_other_complications: frozenset[str] = frozenset()

    @property
    def sentences(self) -> tuple[Candidate, ...]:
        return tuple(scored.candidate for scored in self.scored)

    @property
    def best_is_withheld(self) -> bool:
        """The passage that fits best is shown and never quoted."""
        return bool(self.withheld(1))

    def withheld(self, first: int) -> frozenset[str]:
        """Of the `first` chunks that fit best the ids of those of which most is shown and never
        quoted: it was read in doubt, stands in a drawing, or speaks to a machine."""
        chunks = (hit.chunk for hit in self.may_be_quoted[:first])
        return frozenset(chunk.id for chunk in chunks if _is_withheld(chunk.text))


def _is_withheld(text: str) -> bool:
    said = "".join(text.split())
    return said.count(BLANK) > MOST_BLANK * len(said)


def find(question: Analysis, user: User, filters: Filters, container: RetrievalContainer) -> Retrieval:
    """Search, in an order that is safe for the patient, and decide. Blocks."""
    settings, measured = container.settings, calibration(container.embedder.name, container.settings.data_dir)
    ranking = rank(question, user, filters, container)
    documents = get_documents(container.db, user, [hit.chunk.document_id for hit in ranking.hits])
    hits = _current(ranking.hits, documents)
    patient = Patient() if filters.target_groups else question.patient
    for_these = [hit for hit in hits if not is_for_others(hit, patient)]
    texts = texts_of(container.db, hits if question.drugs else for_these)
    others = _without_drugs(question, hits, documents, texts)
    elsewhere = _of_other_complications(question, documents, texts)
    wrong = others | elsewhere | _of_other_level(question, documents)
    may_answer = [hit for hit in for_these if hit.chunk.document_id not in wrong]
    uncertain, structures = read_uncertain(container.db, list(documents)), read_packed(container.db, list(texts))
    withheld = {
        document_id: together(uncertain.get(document_id, ()), addressed(text)) for document_id, text in texts.items()
    }
    whole = Retrieval(
        hits=tuple(_blanked(hit, uncertain, withheld) for hit in hits),
        confidence=0.0,
        answerable=False,
        alpha=ranking.alpha,
        documents=documents,
        may_answer=bool(may_answer) and not ranking.only_for_others,
        may_be_quoted=tuple(_blanked(hit, uncertain, withheld) for hit in may_answer),
        texts={document_id: blanked(text, 0, withheld[document_id]) for document_id, text in texts.items()},
        structures=structures,
        uncertain=uncertain,
        of_other_drugs=others,
        of_other_complications=elsewhere,
    )
    if (read := _pointed(question, whole, measured, container)) is not None:
        return read
    scored = scored_sentences(
        question, may_answer, _kept_vectors(may_answer, container), measured.weights, texts, uncertain, structures
    )
    may_answer = list(whole.may_be_quoted)
    scored, fitted, judged = _read(question, may_answer, scored, measured, container)
    decision = decide(
        question,
        may_answer,
        [s.candidate for s in scored],
        fitted,
        only_for_others=ranking.only_for_others,
        threshold=threshold_of(fitted, settings, container.risk),
        read=judged.signals(0) if judged is not None else None,
        texts=texts,
    )
    return replace(
        whole,
        confidence=decision.confidence,
        answerable=decision.answerable,
        needed=decision.needed,
        forbidden=decision.forbidden,
        scored=tuple(scored),
        signals=decision.signals,
        read=judged,
    )


def _pointed(
    question: Analysis, whole: Retrieval, measured: Calibration, container: RetrievalContainer
) -> Retrieval | None:
    """What a reader that points makes of what was found; None without one, or where it is away."""
    reader = container.reader
    if not isinstance(reader, PointingReader):
        return None
    found = pointed(question.text, whole.may_be_quoted, whole.texts, whole.structures, reader)
    if found is None:
        return None
    needed = needed_by(reader, measured, container.settings, container.risk)
    return replace(
        whole,
        confidence=found.confidence,
        answerable=whole.may_answer and bool(found.candidates) and found.confidence >= needed,
        needed=needed,
        scored=tuple(
            Scored(candidate, (), title) for candidate, title in zip(found.candidates, found.titles, strict=True)
        ),
        signals={"reader": found.candidates[0].score} if found.candidates else {},
        forbidden=Rule.NONE if whole.may_answer else Rule.NOTHING_FITS,
        pointed=True,
    )


def merged(found: Sequence[Retrieval], most: int) -> Retrieval:
    """One of several searches: the first hits of each in turn, up to `most`; what one of them found
    answerable is."""
    return replace(
        found[0],
        hits=_in_turn([one.hits for one in found], most),
        may_be_quoted=_in_turn([one.may_be_quoted for one in found], most),
        answerable=any(one.answerable for one in found),
        forbidden=Rule.NONE if any(not one.forbidden for one in found) else found[0].forbidden,
        documents={name: document for one in found for name, document in one.documents.items()},
        texts={name: text for one in found for name, text in one.texts.items()},
        structures={name: structure for one in found for name, structure in one.structures.items()},
        of_other_drugs=frozenset.intersection(*(one.of_other_drugs for one in found)),
        of_other_complications=frozenset.intersection(*(one.of_other_complications for one in found)),
    )


def _in_turn(found: Sequence[Sequence[Hit]], most: int) -> tuple[Hit, ...]:
    hits: dict[str, Hit] = {}
    for turn in zip_longest(*found):
        for hit in turn:
            if hit is not None:
                hits.setdefault(hit.chunk.id, hit)
    return tuple(replace(hit, rank=place) for place, hit in enumerate(list(hits.values())[:most], 1))


def needed_by(reader: PointingReader, measured: Calibration, settings: Settings, risk: str | float) -> float:
    """The confidence from which what it points to is an answer. Raises ConfigurationError for a
    risk that nobody proved for it."""
    if settings.not_found_threshold is not None:
        return settings.not_found_threshold
    if (own := measured.pointing.get(reader.name)) is not None:
        return own.at(risk)
    if isinstance(risk, float):
        raise ConfigurationError(
            f"BEDSIDE_RISK={risk}: the reader {reader.name} was never measured here: run `bedside quality calibrate`"
        )
    return NEEDED


def threshold_of(fitted: NotFoundModel | None, settings: Settings, risk: str | float) -> float | None:
    """Raises ConfigurationError for a risk that this decision does not reach."""
    return (
        settings.not_found_threshold if settings.not_found_threshold is not None or fitted is None else fitted.at(risk)
    )


def _read(
    question: Analysis, hits: Sequence[Hit], scored: list[Scored], measured: Calibration, container: RetrievalContainer
) -> tuple[list[Scored], NotFoundModel | None, ReaderScores | None]:
    """The sentences, the decision and what was read, with a reader's share where one reads and was
    measured for this."""
    reader = container.reader
    with_reader = measured.readers.get(reader.name) if reader is not None else None
    if reader is None or isinstance(reader, PointingReader) or with_reader is None:
        return scored, measured.not_found, None
    found = read(question.text, hits, [s.candidate for s in scored], reader)
    if found is None:
        return scored, measured.not_found, None
    scored, found = rescored(scored, found, with_reader.span_weight)
    return scored, with_reader.not_found, found


def _blanked(hit: Hit, uncertain: Mapping[str, Places], withheld: Mapping[str, Places]) -> Hit:
    """From here on nobody sees what was read in doubt or speaks to a machine: no model, no warning,
    no reader but on the page itself. withheld: both, by the documents whose whole text is at
    hand."""
    chunk = hit.chunk
    places = withheld.get(chunk.document_id)
    if places is None:
        spoken = [(start + chunk.start, end + chunk.start) for start, end in addressed(chunk.text)]
        places = together(uncertain.get(chunk.document_id, ()), spoken)
    return replace(hit, chunk=replace(chunk, text=blanked(chunk.text, chunk.start, places))) if places else hit


def texts_of(db: Database, hits: Sequence[Hit]) -> dict[str, str]:
    """Return the texts of the hits' documents by id, very long ones left out."""
    read = {
        document_id: read_text(db, document_id, LONGEST_TEXT) for document_id in {hit.chunk.document_id for hit in hits}
    }
    return {document_id: text for document_id, text in read.items() if text is not None}


def _current(hits: Sequence[Hit], documents: Mapping[str, Document]) -> tuple[Hit, ...]:
    """The index may be ahead of or behind the documents list for a moment; the list decides."""
    indexed = {name for name, document in documents.items() if document.status == DocumentStatus.INDEXED}
    current = [hit for hit in hits if hit.chunk.document_id in indexed]
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(current, 1))


def _without_drugs(
    question: Analysis, hits: Sequence[Hit], documents: Mapping[str, Document], texts: Mapping[str, str]
) -> frozenset[str]:
    """The documents that name none of the question's drugs: a dose would be another drug's. One
    whose text is not there names them."""
    if not question.drugs:
        return frozenset()
    titles = {hit.chunk.document_id: documents[hit.chunk.document_id].metadata.title for hit in hits}
    there = {name: f"{title}\n{texts[name]}" for name, title in titles.items() if name in texts}
    return frozenset(name for name, text in there.items() if not names(text, question.drug_names))


def _of_other_level(question: Analysis, documents: Mapping[str, Document]) -> frozenset[str]:
    """The documents whose title says that they are about the same salt the other way round."""
    level = question.level
    if level is None:
        return frozenset()
    return frozenset(name for name, document in documents.items() if is_about_the_other(level, document.metadata.title))


def _of_other_complications(
    question: Analysis, documents: Mapping[str, Document], texts: Mapping[str, str]
) -> frozenset[str]:
    """The documents that are titled after another complication than what the question's words are
    together. One whose text is not there may name it."""
    titles = {name: documents[name].metadata.title for name in texts if name in documents}
    own = any(names_it(question.complications, title) for title in titles.values())
    return frozenset(
        name for name, title in titles.items() if is_about_another(question.complications, title, texts[name], own)
    )


def _kept_vectors(hits: Sequence[Hit], container: RetrievalContainer) -> Embedder:
    """The embedder, which knows already what is kept of these hits' sentences."""
    document_ids = sorted({hit.chunk.document_id for hit in hits})
    return DbVectorCache(container.embedder, lambda keys: vectors_of(container.db, document_ids, keys))
