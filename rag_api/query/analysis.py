"""A question, read once: what it says of its language, patient, drugs and numbers, and which words
to look for.

Whoever finds, orders, decides or warns gets the analysis and never reads the question again; the
text itself goes on only to what must have it: the embedder, the stores' BM25, the generator. Knows
no document, no user and no settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag_api.guard import concepts
from rag_api.guard.complications import NOTHING, Complications, complications_in
from rag_api.guard.drugs import also_called, class_names, given_in, substance_of
from rag_api.guard.numbers.levels import Level, is_about_the_other, level_in
from rag_api.guard.people.patient import Patient, patient_of
from rag_api.query.question_parts import without_form
from rag_api.query.shorthand import written_out
from rag_api.query.synonyms import Expander
from rag_api.text.bm25_analyzer import question_terms
from rag_api.text.language import Language, language_said
from rag_api.text.ranges import AskedNumber, asked
from rag_api.text.word_match import Called, Expand, content_words, sought_words


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a question says. `text` stands alone, with nothing abbreviated: a follow-up is here as
    what it means."""

    text: str
    language: Language | None  # None: its words tell nothing
    terms: tuple[str, ...]  # of BM25, distinct
    # what else its words are called, by the hospital's lists and the tables of drugs and concepts
    expansions: tuple[str, ...]
    sought: tuple[Called, ...]  # its content words, each with its other names
    patient: Patient
    drugs: tuple[str, ...]  # as the question calls them, or as the hospital's lists do
    drug_names: tuple[str, ...]  # the same and what else the lists call them
    numbers: tuple[AskedNumber, ...]
    said: str = ""  # a follow-up as it was typed, where that is not the text: what is new in it is what is asked
    fresh: tuple[Called, ...] = ()  # the content words of that
    level: Level | None = None  # a salt or the glucose of the blood that it says is too high or too low
    complications: Complications = NOTHING  # what its words mean that it does not say

    @property
    def meant(self) -> str:
        """What an embedder gets: the question, and the complications that its words are."""
        return f"{self.text} ({', '.join(self.complications.names)})" if self.complications.names else self.text


def analyse(text: str, expander: Expander, said: str | None = None) -> Analysis:
    """Read a question. `said`: its words as typed, where `text` is what they mean in a
    conversation: the reader's language is theirs."""
    follow_up = said if said is not None and said.strip() != text.strip() else ""
    text, follow_up = written_out(text), written_out(follow_up)
    listed, content = expander.expand(text), without_form(text)
    drugs = given_in(text) or given_in(" ".join(listed))
    patient, level = patient_of(text), level_in(text)
    if level is not None and level.high:  # of what there is too much none is given
        drugs = tuple(drug for drug in drugs if drug not in level.of.names)
    joined = complications_in(patient.groups, text)
    unsaid = [name for one in joined.named for name in one.names]
    classes = (name for drug in drugs for name in class_names(drug))
    other = (*listed, *filter(None, map(substance_of, drugs)), *classes, *concepts.other_words(text), *unsaid)
    if level is not None:
        other = (*(name for name in other if not is_about_the_other(level, name)), *level.names)
    return Analysis(
        text=text,
        language=language_said(said or text),
        terms=tuple(question_terms(content)),
        expansions=tuple(dict.fromkeys(other)),
        sought=tuple(sought_words(content, other_names(expander, joined, level))),
        patient=patient,
        drugs=drugs,
        drug_names=(*drugs, *expander.expand(" ".join(drugs))),
        numbers=tuple(
            replace(one, scale=level.unit) if level is not None and not one.unit else one for one in asked(text)
        ),
        said=follow_up,
        level=level,
        complications=joined,
        fresh=tuple(sought_words(follow_up, other_names(expander))) if follow_up else (),
    )


def other_names(expander: Expander, joined: Complications = NOTHING, level: Level | None = None) -> Expand:
    """Return what tells a word's other names: the hospital's lists, the table of drugs and that of
    concepts. joined: what the question's words mean together (complications); level: of a salt,
    whose word has that name too."""
    unsaid = [(frozenset(content_words(one.said)), one.names) for one in joined.named]

    def names(word: str) -> Sequence[str]:
        meant = [name for said, called in unsaid if word in said for name in called]
        as_level = level.names if level is not None and word in level.of.names else ()
        return (
            *expander.expand(word),
            *also_called(word),
            *class_names(word),
            *concepts.also_called(word),
            *meant,
            *as_level,
        )

    return names
