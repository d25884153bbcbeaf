"""An answer and what was said of it -> a judged question: from a test session (one's own answers),
from logged feedback (others'); and a judged question as a reviewer rewrites it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag_api.db import Database
from rag_api.db.documents import current_document, get_document, read_pages
from rag_api.db.questions.answers import get_answer
from rag_api.db.questions.judged import Made, answers_with_feedback, ids_of, read_question, save_open, save_questions
from rag_api.domain import Document, User
from rag_api.errors import InvalidInput, NotFound, Wrong
from rag_api.evaluate.judged import Judged, Place, half_of


@dataclass(frozen=True, slots=True)
class MarkedPlace:
    """A document that held the answer, and where in it if that was said."""

    document_id: str
    page: int | None = None
    span: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    found: str  # yes, partly, no or nothing said
    marked: tuple[MarkedPlace, ...] = ()
    no_answer: bool = False  # someone looked: no document holds it
    function: str = ""
    department: str = ""
    group: str = ""
    note: str = ""


def judge_answer(db: Database, user: User, name: str, answer_id: str, judgement: Judgement) -> Judged:
    """Put the user's own answer into a set; judged again, the last judgement counts. Raises
    NotFound, InvalidInput.

    What is kept is what was searched for, so that a follow-up question can be measured without its
    conversation.
    """
    if judgement.no_answer and judgement.marked:
        raise _wrong("both_said", "Either a document holds the answer, or none does.")
    answer = get_answer(db, user, answer_id)
    places = [_place(db, user, marked) for marked in judgement.marked]
    judged = _judged(answer_id, answer.query, places, answer.language, answer.conversation_id, judgement)
    if judgement.no_answer or places:
        save_questions(db, user, name, [judged], [Made(answer_id=answer_id)])
    else:
        save_open(db, user, name, judged, Made(answer_id=answer_id))
    return judged


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """A question and its places as a reviewer wants them, whatever they were."""

    judged: Judged
    no_answer: bool = False  # without places: someone looked, and no document holds it; False: left open


def write_question(db: Database, user: User, name: str, written: WrittenQuestion) -> Judged:
    """Put it in place of the question with its id, or make it. Raises NotFound, and InvalidInput
    for a place that is not there.

    Places that stand as they stood are not looked at again: their document may have been replaced
    since."""
    judged, before = written.judged, _known(db, user, name, written.judged.id)
    if judged.answerable and written.no_answer:
        raise _wrong("both_said", "Either a document holds the answer, or none does.")
    for number, place in enumerate(judged.places, 1):
        if place not in before:
            _check_place(db, user, place, f"Place {number}: " if len(judged.places) > 1 else "")
    if judged.answerable or written.no_answer:
        save_questions(db, user, name, [judged])
    else:
        save_open(db, user, name, judged, Made())
    return judged


def _known(db: Database, user: User, name: str, question_id: str) -> tuple[Place, ...]:
    try:
        return read_question(db, user, name, question_id).places
    except NotFound:
        return ()


def _check_place(db: Database, user: User, place: Place, which: str) -> None:
    document = current_document(db, user, place.document)
    if document is None:
        message = f"{which}There is no document called {place.document}: choose one from the list."
        raise NotFound(message, [Wrong(which, message, "no_document", {"document": place.document})])
    _check(db, document, place.page, place.span, which)


def from_feedback(db: Database, user: User, name: str) -> tuple[int, int]:
    """Answers of which their readers said something, unless they are in the set: how many became
    judged questions, and how many were left open because nobody said where the answer stands."""
    known = ids_of(db, user, name)
    said = [one for one in answers_with_feedback(db, user) if one.answer_id not in known]
    for one in said:
        judgement = Judgement(one.found, function=one.function, department=one.department)
        judged = _judged(one.answer_id, one.question, one.places, one.language, one.conversation_id, judgement)
        if one.places:
            save_questions(db, user, name, [judged], [Made(copied_from=one.answer_id)])
        else:
            save_open(db, user, name, judged, Made(copied_from=one.answer_id))
    placed = sum(bool(one.places) for one in said)
    return placed, len(said) - placed


def _judged(
    id: str, question: str, places: Sequence[Place], language: str, conversation: str, judgement: Judgement
) -> Judged:
    first = places[0] if places else Place("")
    question = question.strip()
    return Judged(
        id=id,
        question=question,
        language=language,
        document=first.document,
        page=first.page,
        span=first.span,
        split=half_of(question),
        group=judgement.group.strip(),
        note=judgement.note.strip(),
        function=judgement.function.strip(),
        department=judgement.department.strip(),
        conversation=conversation,
        found=judgement.found,
        more=tuple(places[1:]),
    )


def _place(db: Database, user: User, marked: MarkedPlace) -> Place:
    """Raises NotFound, and InvalidInput for a page that is not there or words that do not stand on
    it."""
    document = get_document(db, user, marked.document_id)
    place = Place(document.source, marked.page, marked.span.strip())
    _check(db, document, place.page, place.span)
    return place


def _check(db: Database, document: Document, page: int | None, span: str, which: str = "") -> None:
    if page is not None and page > document.page_count:
        values = {"document": document.source, "pages": str(document.page_count), "page": str(page)}
        raise _wrong(
            "few_pages", f"{which}{document.source} has {document.page_count} pages, not {page}.", which, **values
        )
    if span:
        numbers = None if page is None else (page, page + 1)  # words may run on to the next page
        text = "".join(one.text for one in read_pages(db, document.id, numbers))
        if _plain(span) not in _plain(text):
            message = f"{which}These words do not stand there in {document.source}: choose them from the passage."
            raise _wrong("no_words", message, which, document=document.source)


def _wrong(code: str, message: str, where: str = "", **values: str) -> InvalidInput:
    """With what the page says in its reader's language."""
    return InvalidInput(message, [Wrong(where, message, code, values)])


def _plain(text: str) -> str:
    return " ".join(text.split())
