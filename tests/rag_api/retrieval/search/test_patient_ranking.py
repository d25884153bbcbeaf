"""The order of an asker's sources, which may be answered from, and what is said of them: on a real
database and index."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from rag_api.answering.ask import ask, new_question
from rag_api.answering.warnings import source_warnings
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import superseded_ids, twin_documents
from rag_api.db.questions.answers import get_answer
from rag_api.domain import (
    LOCAL_USER,
    Answer,
    AnswerStatus,
    Chunk,
    Document,
    Done,
    Filters,
    Found,
    Hit,
    Metadata,
    Mode,
    TargetGroup,
    User,
)
from rag_api.guard.numbers.conflicts import conflicts
from rag_api.guard.people.asker import departments_of, function_of, functions
from rag_api.guard.people.twin_documents import are_twins, same_subject, subject
from rag_api.retrieval.search import patient_ranking
from rag_api.retrieval.search.retriever import Ranking
from tests.support.questions import analysed
from tests.support.scripted_server import Scripted, piece, stats
from tests.support.world import load

A, C, N, P = TargetGroup.ADULT, TargetGroup.CHILD, TargetGroup.NEONATE, TargetGroup.PREGNANCY
TODAY = date.today()
CHILD_TEXT = (
    "Geef kinderen 15 mg/kg gentamicine per gift. Prik de dalspiegel voor de tweede gift. De streefwaarde is "
    "lager dan 1 mg/l. "
)
ADULT_TEXT = (
    "Geef volwassenen 5 mg/kg gentamicine per dag. Prik de dalspiegel voor de tweede gift. De streefwaarde "
    "is lager dan 1 mg/l. "
)
SPIDER = "Spinnenbeet: koel de huid en bel het antigifcentrum. Observeer de patiënt 4 uur na de beet. "


@pytest.fixture
def settings(settings: Settings, server: Scripted) -> Settings:
    return settings.model_copy(update={"generator_url": server.url, "not_found_threshold": 0.0})


@pytest.fixture
def twins(container: Container) -> dict[str, Document]:
    nl: dict[str, Any] = {"language": "nl"}
    return {
        "child": load(
            container,
            "genta-kind.pdf",
            CHILD_TEXT,
            title="Gentamicine bij kinderen",
            target_groups=(C,),
            department="Pediatrie",
            **nl,
        ),
        "adult": load(
            container,
            "genta-volw.pdf",
            ADULT_TEXT,
            title="Gentamicine bij volwassenen",
            target_groups=(A,),
            department="Apotheek",
            **nl,
        ),
        "all": load(
            container,
            "handen.pdf",
            "Ontsmet de handen voor en na elk contact met een patiënt. ",
            title="Handhygiëne",
            **nl,
        ),
    }


def sources_of(container: Container, question: str, user: User = LOCAL_USER, **filters: Any) -> list[str]:
    """Titles, best first."""
    return [
        hit.chunk.title for hit in patient_ranking.rank(analysed(question), user, Filters(**filters), container).hits
    ]


async def answered(
    container: Container, question: str, mode: Mode = Mode.SOURCES, user: User = LOCAL_USER, **filters: Any
) -> Answer:
    asked = new_question(user, container, question, mode=mode, filters=Filters(**filters))
    events = [event async for event in ask(asked, user, container)]
    assert isinstance(events[-1], Done)
    assert any(isinstance(event, Found) for event in events)
    return events[-1].answer


def told(answer: Answer) -> list[str]:
    return [notice.code for notice in answer.notices if notice.code != "demo_model"]


def on_cards(answer: Answer) -> dict[str, list[str]]:
    return {source.document.metadata.title: [caution.code for caution in source.cautions] for source in answer.sources}


async def test_no_answer_comes_from_a_document_that_does_not_name_the_questions_drug(
    container: Container, twins: dict[str, Document]
) -> None:
    """A dose of another drug is no answer, however much else of the question its document holds."""
    other = await answered(container, "dalspiegel amoxicilline bij volwassenen?", Mode.VERBATIM)
    assert (other.status, other.text) == (AnswerStatus.NOT_FOUND, "")
    assert "other_drug" in told(other)
    assert all("other_drug" in codes for codes in on_cards(other).values())
    asked = await answered(container, "dalspiegel gentamicin bij volwassenen?", Mode.VERBATIM)
    assert asked.status == AnswerStatus.ANSWERED
    assert "other_drug" not in told(asked)
    assert on_cards(asked)["Gentamicine bij volwassenen"] == []


class TestOrder:
    def test_the_source_for_the_questions_patient_comes_before_its_twin(
        self, container: Container, twins: dict[str, Document]
    ) -> None:
        for question, first in [
            ("gentamicine dosis bij een kind van 12 kg", "Gentamicine bij kinderen"),
            ("gentamicine dosis, 4 jr", "Gentamicine bij kinderen"),
            # the words of the other document
            ("geef 5 mg/kg gentamicine per dag, kleuter", "Gentamicine bij kinderen"),
            ("gentamicine dosis 75-jarige", "Gentamicine bij volwassenen"),
            ("geef 15 mg/kg gentamicine per gift aan een volwassene?", "Gentamicine bij volwassenen"),
        ]:
            assert sources_of(container, question)[0] == first, question

    def test_sources_for_other_patients_come_after_all_others(
        self, container: Container, twins: dict[str, Document]
    ) -> None:
        titles = sources_of(container, "dalspiegel gentamicine kind")
        assert titles == ["Gentamicine bij kinderen", "Handhygiëne", "Gentamicine bij volwassenen"]

    def test_the_askers_function_decides_between_twins_when_the_question_names_nobody(
        self, container: Container, twins: dict[str, Document]
    ) -> None:
        question = "wanneer dalspiegel gentamicine prikken"
        for function, first in [
            ("paediatrician", "Gentamicine bij kinderen"),
            ("Internist", "Gentamicine bij volwassenen"),
        ]:
            assert sources_of(container, question, replace(LOCAL_USER, function=function))[0] == first

    def test_the_askers_department_comes_first_among_equals(
        self, container: Container, twins: dict[str, Document]
    ) -> None:
        question = "wanneer dalspiegel gentamicine prikken"
        for department, first in [
            ("pediatrie", "Gentamicine bij kinderen"),
            ("Apotheek", "Gentamicine bij volwassenen"),
        ]:
            assert sources_of(container, question, replace(LOCAL_USER, department=department))[0] == first

    def test_neither_function_nor_department_leaves_anything_out(
        self, container: Container, twins: dict[str, Document]
    ) -> None:
        plain = sources_of(container, "gentamicine")
        user = replace(LOCAL_USER, function="midwife", department="Materniteit")
        assert sorted(sources_of(container, "gentamicine", user)) == sorted(plain)

    def test_what_is_for_the_askers_patients_passes_only_what_is_for_others_and_means_no_more(self) -> None:
        def order(*described: tuple[str, float, float, tuple[TargetGroup, ...]]) -> list[str]:
            hits = tuple(
                replace(
                    h,
                    score=score,
                    dense_score=dense,
                    chunk=replace(h.chunk, metadata=replace(h.chunk.metadata, target_groups=groups)),
                )
                for rank, (name, score, dense, groups) in enumerate(described, 1)
                for h in [hit(name, "tekst", rank=rank)]
            )
            found = patient_ranking.boosted(Ranking(hits), replace(LOCAL_USER, function="paediatrician"), own)
            return [h.chunk.title for h in found.hits]

        own = Settings()

        assert order(("volw", 0.60, 0.85, (A,)), ("kind", 0.58, 0.86, (C,))) == ["kind", "volw"]
        assert order(("volw", 0.60, 0.85, (A,)), ("kind", 0.58, 0.84, (C,))) == ["volw", "kind"]  # it means less
        assert order(("volw", 0.60, 0.85, (A,)), ("kind", 0.56, 0.86, (C,))) == ["volw", "kind"]  # too far behind
        # nothing for others to pass
        assert order(("allen", 0.60, 0.85, ()), ("kind", 0.58, 0.86, (C,))) == ["allen", "kind"]
        own = Settings(function_boost=0.0)
        assert order(("volw", 0.60, 0.85, (A,)), ("kind", 0.58, 0.86, (C,))) == ["volw", "kind"]

    def test_what_the_question_leaves_open_the_askers_function_decides(self, container: Container) -> None:
        for name, group, text in [
            ("adult", A, "Geef volwassenen 40 mg."),
            ("pregnancy", P, "Geef zwangeren 60 mg enoxaparine."),
        ]:
            for_whom_ = {"adult": "bij volwassenen", "pregnancy": "bij zwangeren"}[name]
            load(
                container, f"{name}.pdf", text, title=f"Enoxaparine {for_whom_}", target_groups=(group,), language="nl"
            )
        adults, pregnant = "Enoxaparine bij volwassenen", "Enoxaparine bij zwangeren"
        for function, first in [("internist", adults), ("midwife", pregnant)]:
            assert (
                sources_of(container, "hoeveel enoxaparine geven", replace(LOCAL_USER, function=function))[0] == first
            )
            # A weight is a grown person's and tells of no pregnancy, whoever asks.
            assert (
                sources_of(container, "enoxaparine patiënt van 120 kg", replace(LOCAL_USER, function=function))[0]
                == adults
            )

    def test_the_order_that_a_reranker_has_put_hits_in_is_kept_where_nothing_is_boosted(self) -> None:
        hits = tuple(
            replace(hit(name, "tekst", rank=rank), score=score)
            for rank, (name, score) in enumerate([("a", 0.4), ("b", 0.6)], 1)
        )
        ordered = patient_ranking.boosted(Ranking(hits), replace(LOCAL_USER, function="paediatrician"), Settings())
        assert [h.chunk.title for h in ordered.hits] == ["a", "b"]

    def test_a_filter_on_patients_is_the_readers_own_word(
        self, container: Container, twins: dict[str, Document]
    ) -> None:
        assert sources_of(container, "gentamicine kind", target_groups=(A,)) == [
            "Gentamicine bij volwassenen",
            "Handhygiëne",
        ]

    def test_a_document_that_a_user_may_not_read_is_nobodys_twin(
        self, container: Container, twins: dict[str, Document]
    ) -> None:
        stranger = replace(LOCAL_USER, id="x", groups=("others",))
        assert twin_documents(container.db, stranger, [twins["child"].metadata]) == []
        assert [d.id for d in twin_documents(container.db, LOCAL_USER, [twins["child"].metadata])] == [
            twins["adult"].id
        ]
        assert sources_of(container, "gentamicine kind", stranger) == []

    def test_a_twin_is_found_although_an_earlier_release_wrote_its_row(
        self, container: Container, twins: dict[str, Document]
    ) -> None:
        container.db.run("update documents set subject = null")
        assert [d.id for d in twin_documents(container.db, LOCAL_USER, [twins["adult"].metadata])] == [
            twins["child"].id
        ]


class TestWhatIsSaid:
    async def test_a_source_for_other_patients_carries_it_and_is_not_answered_from(
        self, container: Container, server: Scripted, twins: dict[str, Document]
    ) -> None:
        server.script = lambda request: [piece("Geef 15 mg/kg.", finish="stop", stats=stats())]
        answer = await answered(container, "gentamicine dosis kind", Mode.ANSWER)
        assert on_cards(answer)["Gentamicine bij kinderen"] == []
        assert on_cards(answer)["Gentamicine bij volwassenen"] == ["other_group"]
        assert answer.sources[-1].cautions[0].text == "Dit document is voor volwassenen; de vraag noemt een kind."
        assert all("volwassenen" not in document["text"] for document in server.requests[0]["documents"])
        assert answer.status == AnswerStatus.ANSWERED

    async def test_what_fits_best_but_is_for_others_leaves_the_question_unanswered_and_is_named(
        self, container: Container
    ) -> None:
        load(container, "spin.pdf", SPIDER, title="Spinnenbeet bij volwassenen", target_groups=(A,), language="nl")
        load(
            container,
            "handen.pdf",
            "Ontsmet de handen voor elk contact. ",
            title="Handhygiëne",
            target_groups=(C,),
            language="nl",
        )
        answer = await answered(container, "spinnenbeet bij een kind: hoe lang observeren na de beet", Mode.VERBATIM)
        assert answer.status == AnswerStatus.NOT_FOUND
        assert answer.notices[0].code == "patient_group"
        assert answer.notices[0].text == (
            "Spinnenbeet bij volwassenen gaat over het onderwerp, maar is voor volwassenen; de vraag noemt een kind."
        )
        assert (answer.text, on_cards(answer)["Spinnenbeet bij volwassenen"]) == ("", ["other_group"])

    async def test_when_everything_is_for_others_nothing_is_written(self, container: Container) -> None:
        load(container, "spin.pdf", SPIDER, title="Spider bite in adults", target_groups=(A,), language="en")
        answer = await answered(container, "spider bite in a child", Mode.VERBATIM)
        assert (answer.status, answer.text) == (AnswerStatus.NOT_FOUND, "")
        assert answer.notices[0].text == "These sources are for adults; the question mentions a child."

    async def test_both_twins_are_offered_when_the_question_names_nobody_and_only_one_is_answered_from(
        self, container: Container, server: Scripted, twins: dict[str, Document]
    ) -> None:
        answer = await answered(container, "wanneer dalspiegel gentamicine prikken", Mode.ANSWER)
        assert "twins" in told(answer)
        both = [s for s in answer.sources if s.document.metadata.title.startswith("Gentamicine")]
        assert sorted([c.code for c in one.cautions] for one in both) == [[], ["twin"]]
        better, other = sorted(both, key=lambda one: len(one.cautions))
        sent = " ".join(document["text"] for document in server.requests[0]["documents"])
        assert better.hit.chunk.text.strip() in sent
        assert other.hit.chunk.text.strip() not in sent

    async def test_the_notice_says_for_whom_the_source_is_that_is_answered_from(
        self, container: Container, twins: dict[str, Document]
    ) -> None:
        user = replace(LOCAL_USER, function="paediatrician")
        answer = await answered(container, "wanneer dalspiegel gentamicine prikken", user=user)
        text = next(n.text for n in answer.notices if n.code == "twins")
        assert answer.sources[0].document.id == twins["child"].id
        assert text == "De vraag noemt geen patiënt: bron 1 is alleen voor kinderen, bron 2 voor volwassenen."

    @pytest.mark.parametrize(
        ("function", "groups", "told_so"),
        [("", (C,), True), ("", (A,), False), ("", (), False), ("paediatrician", (A,), True), ("paediatrician", (C,), False),
         ("internist", (C, N), True), ("nurse", (P,), True)],
    )  # fmt: skip
    async def test_a_question_that_names_nobody_is_told_when_the_source_is_for_patients_not_thought_of(
        self, container: Container, function: str, groups: tuple[TargetGroup, ...], told_so: bool
    ) -> None:
        load(container, "spin.pdf", SPIDER, title="Spinnenbeet", target_groups=groups, language="nl")
        answer = await answered(
            container, "hoe lang observeren na een spinnenbeet", user=replace(LOCAL_USER, function=function)
        )
        assert ("only_for" in told(answer)) == told_so
        assert told_so == any("is alleen voor" in n.text for n in answer.notices)

    @pytest.mark.parametrize(
        ("function", "ranks", "words"),
        [
            ("", [2], "alleen voor kinderen"),
            ("", [1], ""),
            ("", [], ""),
            ("paediatrician", [2, 2], ""),
            ("paediatrician", [1, 3], "alleen voor volwassenen"),
        ],
    )
    async def test_it_is_told_for_whom_an_answer_from_a_later_source_is(
        self, container: Container, function: str, ranks: list[int], words: str
    ) -> None:
        for name, groups in [
            ("Handhygiëne", ()),
            ("Spinnenbeet bij kinderen", (C,)),
            ("Insectenbeet bij volwassenen", (A,)),
        ]:
            load(container, f"{name}.pdf", SPIDER, title=name, target_groups=groups, language="nl")
        found = {
            s.document.metadata.title: s
            for s in (await answered(container, "hoe lang observeren na een spinnenbeet")).sources
        }
        sources = [
            found[title] for title in ("Handhygiëne", "Spinnenbeet bij kinderen", "Insectenbeet bij volwassenen")
        ]
        notices = source_warnings.answered_from(
            ranks, sources, analysed("spinnenbeet"), replace(LOCAL_USER, function=function), "nl"
        )
        assert [n.code for n in notices] == (["only_for"] if words else [])
        assert words in "".join(n.text for n in notices)
        assert source_warnings.answered_from([2], sources, analysed("spinnenbeet volwassene"), LOCAL_USER, "nl") == []

    async def test_a_twin_that_retrieval_leaves_out_is_fetched(
        self, container: Container, twins: dict[str, Document]
    ) -> None:
        few = container.settings.model_copy(update={"sources": 1, "passages": 1})
        container.settings = few
        answer = await answered(container, "wanneer dalspiegel gentamicine prikken")
        assert {s.document.id for s in answer.sources} == {twins["child"].id, twins["adult"].id}

    async def test_a_question_about_a_source_for_everyone_is_told_nothing(
        self, container: Container, twins: dict[str, Document]
    ) -> None:
        assert told(await answered(container, "handen ontsmetten contact patiënt volwassene")) == []

    async def test_two_valid_sources_with_other_numbers_are_both_named(self, container: Container) -> None:
        same: dict[str, Any] = {"language": "nl", "target_groups": (A,)}
        load(
            container,
            "a.pdf",
            "De arts berekent de Paduascore binnen 24 uur na opname. ",
            title="Trombose",
            version="1",
            **same,
        )
        load(container, "b.pdf", "De arts berekent de Paduascore binnen 48 uur na opname. ", title="Opname", **same)
        answer = await answered(container, "binnen hoeveel uur berekent de arts de paduascore")
        (notice,) = [n for n in answer.notices if n.code == "conflict"]
        assert all(words in notice.text for words in ("Trombose (1)", "24 uur", "Opname", "48 uur", "bron 1", "bron 2"))
        assert all([c.code for c in s.cautions] == ["conflict"] for s in answer.sources)

    async def test_two_valid_documents_of_one_title_are_named(self, container: Container) -> None:
        for number in ("1", "2"):
            load(
                container,
                f"map{number}/spin.pdf",
                SPIDER + f"Versie {number}. ",
                title="Spinnenbeet",
                version=number,
                language="nl",
            )
        assert "versions" in told(await answered(container, "spinnenbeet"))


class TestValidity:
    @pytest.fixture
    def versions(self, container: Container) -> dict[str, Document]:
        yesterday = TODAY - timedelta(days=1)
        nl: dict[str, Any] = {"language": "nl"}
        old = "Was met chloorhexidine 4 % gedurende 7 dagen. "
        return {
            "old": load(container, "mrsa-2021.pdf", old, title="MRSA", version="4", valid_until=yesterday, **nl),
            "kept": load(container, "map/mrsa-2023.pdf", "Was met octenidine gedurende 6 dagen. ", title="MRSA wassen", version="5", **nl),
            "new": load(container, "mrsa.pdf", "Was met chloorhexidine 4 % gedurende 5 dagen. ", title="MRSA", version="6",
                        supersedes="mrsa-2023.pdf", valid_from=yesterday, **nl),
        }  # fmt: skip

    async def test_expired_and_superseded_documents_are_no_sources(
        self, container: Container, versions: dict[str, Document]
    ) -> None:
        answer = await answered(container, "MRSA wassen hoeveel dagen")
        assert [s.document.id for s in answer.sources] == [versions["new"].id]
        assert told(answer) == []

    async def test_asked_for_they_are_sources_that_say_what_they_are(
        self, container: Container, versions: dict[str, Document]
    ) -> None:
        answer = await answered(container, "MRSA wassen hoeveel dagen", include_expired=True)
        codes = {s.document.id: [c.code for c in s.cautions] for s in answer.sources}
        assert codes == {versions["old"].id: ["expired"], versions["kept"].id: ["superseded"], versions["new"].id: []}
        assert {"expired", "superseded"} <= set(told(answer))
        assert answer.sources[0].document.id == versions["new"].id
        assert [s.document.id for s in source_warnings.usable(answer.sources, 3)] == [versions["new"].id]
        assert "conflict" not in told(answer)  # between a valid and an expired one there is none

    def test_a_document_is_superseded_by_file_name_with_or_without_folder_and_ending_or_by_title(
        self, container: Container
    ) -> None:
        old = load(container, "map/Oud Protocol.pdf", "Tekst een. ", title="Spinnenbeet", valid_from=date(2020, 1, 1))
        for number, name in enumerate(["oud protocol.pdf", "map/Oud Protocol.pdf", "Oud Protocol", "SPINNENBEET"]):
            newer = load(
                container,
                f"nieuw{number}.pdf",
                f"Tekst twee {number}. ",
                title="Beet",
                supersedes=name,
                valid_from=date(2024, 1, 1),
            )
            assert superseded_ids(container.db, LOCAL_USER, TODAY) == (old.id,), name
            assert superseded_ids(container.db, LOCAL_USER, date(2023, 1, 1)) == (), "not yet"
            container.db.run("delete from documents where id = %(id)s", {"id": newer.id})

    def test_a_title_supersedes_only_what_is_older(self, container: Container) -> None:
        load(container, "v4.pdf", "Vier. ", title="MRSA", supersedes="MRSA", valid_from=date(2021, 1, 1))
        new = load(container, "v5.pdf", "Vijf. ", title="MRSA", supersedes="MRSA", valid_from=date(2025, 1, 1))
        assert new.id not in superseded_ids(container.db, LOCAL_USER, TODAY)
        assert len(superseded_ids(container.db, LOCAL_USER, TODAY)) == 1


class TestNumbers:
    async def test_numbers_that_no_passage_holds_are_stored_with_their_places_and_named(
        self, container: Container, server: Scripted, twins: dict[str, Document]
    ) -> None:
        server.script = lambda request: [
            piece("Geef 20 mg/kg, dus niet 15 mg/kg. "),
            piece("Max. 1 mg/l.", finish="stop", stats=stats()),
        ]
        answer = await answered(container, "gentamicine dosis kind", Mode.ANSWER)
        (found,) = answer.unsupported
        assert answer.text[found.start : found.end] == found.text == "20 mg/kg"
        assert [n.text for n in answer.notices if n.code == "unsupported"] == [
            "Dit staat niet in de bronnen van het antwoord, kijk het na in het document: 20 mg/kg."
        ]
        assert get_answer(container.db, LOCAL_USER, answer.id).unsupported == answer.unsupported

    async def test_an_exact_quote_has_no_unsupported_number(
        self, container: Container, twins: dict[str, Document]
    ) -> None:
        answer = await answered(container, "gentamicine dosis kind", Mode.VERBATIM)
        assert answer.text
        assert answer.unsupported == ()


class TestTwins:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Anafylaxie bij kinderen", "Anafylaxie bij volwassenen"),
            ("Vancomycin in adults, dosing and levels", "Vancomycin in children, dosing and levels"),
            (
                "Profylaxe van veneuze trombo-embolie bij zwangeren en kraamvrouwen",
                "Profylaxe van veneuze trombo-embolie bij volwassenen",
            ),
            ("Protocol paracetamol IV kinderen", "Paracetamol iv volwassenen PAZA"),
        ],
    )
    def test_titles_about_the_same_for_other_patients_are_twins(self, one: str, other: str) -> None:
        assert same_subject(subject(one), subject(other))
        assert are_twins(Metadata(title=one, target_groups=(C,)), Metadata(title=other, target_groups=(A, P)))

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Gentamicine bij kinderen, dosering en spiegels", "Vancomycine bij volwassenen, dosering en spiegels"),
            ("Toediening van bloed bij kinderen", "Toediening van chemotherapie bij volwassenen"),
            ("Kinderen", "Volwassenen"),
            ("", ""),
            ("Pijn bij kinderen", "Pijn meten met de schaal van de dienst bij volwassenen"),
        ],
    )
    def test_titles_about_something_else_are_not(self, one: str, other: str) -> None:
        assert not are_twins(Metadata(title=one, target_groups=(C,)), Metadata(title=other, target_groups=(A,)))

    def test_documents_for_the_same_patients_of_another_language_or_for_everyone_are_no_twins(self) -> None:
        child = Metadata(title="Anafylaxie bij kinderen", target_groups=(C,), language="nl")
        for other in [(A, C), (C,), ()]:
            assert not are_twins(child, Metadata(title="Anafylaxie bij volwassenen", target_groups=other))
        assert not are_twins(child, Metadata(title="Anafylaxie bij volwassenen", target_groups=(A,), language="en"))


def hit(document: str, text: str, *groups: TargetGroup, rank: int = 1, title: str = "") -> Hit:
    about = Metadata(title=title or document, target_groups=groups, language="nl")
    return Hit(Chunk(f"{document}{rank}", document, about.title, (1,), 0, len(text), text, about), 0.5, 0.5, 1.0, rank)


class TestConflicts:
    SAYS_24 = "De arts berekent de Paduascore binnen 24 uur na opname en opnieuw bij elke overplaatsing. "
    QUESTION = "padua score opname"

    @pytest.mark.parametrize(
        "other",
        [
            "De arts berekent de Paduascore binnen 48 uur na opname. ",
            "De arts berekent de Paduascore binnen twee dagen na opname. ",
        ],
    )
    def test_the_same_sentence_with_another_number_is_a_conflict(self, other: str) -> None:
        (found,) = conflicts([hit("a", self.SAYS_24, A), hit("b", other, A)], analysed(self.QUESTION).terms)
        assert (found.first, found.second, found.first_value) == (0, 1, "24 uur")

    @pytest.mark.parametrize(
        "other",
        [
            "De arts berekent de Paduascore binnen 24 uur na opname. ",
            "De arts berekent de Paduascore binnen 1 dag na opname. ",
            "De arts berekent de Paduascore binnen 24 minuten en 3 uur na opname. ",
            "De verpleegkundige meet de bloeddruk binnen 48 uur na opname. ",
            "Bel de chirurg na 48 uur. ",
            "De arts berekent de Paduascore binnen 24 uur na opname. De arts berekent de Paduascore binnen 48 uur na "
            "opname. ",
            "",
        ],
    )
    def test_an_equal_amount_another_measure_and_another_matter_are_none(self, other: str) -> None:
        assert conflicts([hit("a", self.SAYS_24, A), hit("b", other, A)], analysed(self.QUESTION).terms) == []

    def test_other_patients_one_document_and_another_question_are_none(self) -> None:
        other = "De arts berekent de Paduascore binnen 48 uur na opname. "
        assert conflicts([hit("a", self.SAYS_24, A), hit("b", other, C)], analysed(self.QUESTION).terms) == []
        assert conflicts([hit("a", self.SAYS_24, A), hit("a", other, A, rank=2)], analysed(self.QUESTION).terms) == []
        assert (
            conflicts([hit("a", self.SAYS_24, A), hit("b", other, A)], analysed("wie haalt de wasmand op").terms) == []
        )
        assert len(conflicts([hit("a", self.SAYS_24, A, P), hit("b", other, P)], analysed(self.QUESTION).terms)) == 1

    @pytest.mark.parametrize(
        ("other", "values"),
        [
            (
                "Situatie\tDuur\nTotale heupprothese of heupfractuur\t35 dagen\nTotale knieprothese\t14 dagen\n",
                ("28 dagen", "35 dagen"),
            ),
            (
                "Situatie\tDuur\nTotale heupprothese of heupfractuur\t28 dagen\nTotale knieprothese\t14 dagen\n",
                ("10 dagen", "14 dagen"),
            ),
            ("Situatie\tDuur\nTotale heupprothese\t4 weken\nTotale knieprothese\t10 dagen\n", None),  # 28 days
            ("Situatie\tDuur\nGips onderste lidmaat\t35 dagen\nGips bovenste lidmaat\t14 dagen\n", None),
            (
                "Na een totale heupprothese is er controle na 6 dagen, na een totale heupprothese met pijn na 3 "
                "dagen. ",
                None,
            ),
        ],
    )
    def test_of_versions_an_amount_that_moved_into_a_table_is_compared(
        self, other: str, values: tuple[str, str] | None
    ) -> None:
        said = "Na een totale heupprothese duurt de profylaxe 28 dagen, na een totale knieprothese 10 dagen. "
        versions = [hit("a", said, A, title="VTE-profylaxe"), hit("b", other, A, rank=2, title="VTE-profylaxe")]
        question = "hoe lang profylaxe na totale heupprothese of knieprothese"
        assert [(c.first_value, c.second_value) for c in conflicts(versions, analysed(question).terms)] == (
            [values] if values else []
        )
        assert conflicts([versions[0], hit("b", other, A, rank=2)], analysed(question).terms) == []  # of another title
        assert conflicts(versions, analysed("wie haalt de wasmand op").terms) == []

    def test_rows_of_a_table_that_differ_in_several_numbers_are_none(self) -> None:
        one = "Patiënt van 50 tot 100 kg krijgt enoxaparine subcutaan profylactisch 40 mg. "
        other = "Patiënt van 101 tot 150 kg krijgt enoxaparine subcutaan profylactisch 60 mg. "
        assert conflicts([hit("a", one, A), hit("b", other, A)], analysed("enoxaparine dosis").terms) == []


class TestAskers:
    def test_a_function_is_known_by_id_and_by_its_name_in_either_language(self) -> None:
        for name in ("paediatrician", "Kinderarts", "PAEDIATRICIAN", " kinderarts "):
            assert function_of(replace(LOCAL_USER, function=name)).id == "paediatrician"
        assert function_of(replace(LOCAL_USER, function="tovenaar")).groups == frozenset()
        assert function_of(LOCAL_USER).groups == frozenset()

    def test_ids_and_names_are_unique(self) -> None:
        for names in ([f.id for f in functions()], [f.nl for f in functions()], [f.en for f in functions()]):
            assert len(names) == len(set(names))

    def test_an_own_department_counts_before_those_of_the_function(self) -> None:
        assert "pediatrie" in departments_of(replace(LOCAL_USER, function="Kinderarts"))
        assert departments_of(replace(LOCAL_USER, function="Kinderarts", department="Spoed ")) == {"spoed"}
