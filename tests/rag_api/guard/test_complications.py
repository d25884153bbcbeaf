"""A complication that a question's words are together has a name of its own, under which its
procedure is found, and which another procedure must name."""

from __future__ import annotations

import csv
import shutil
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path

import pytest

from rag_api import handbook
from rag_api.answering.ask import ask, new_question
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.domain import LOCAL_USER, AnswerStatus, Done, Mode, TargetGroup
from rag_api.guard.complications import complications_in, is_about_another
from rag_api.guard.concepts import concepts, concepts_in
from rag_api.guard.drugs import drugs_in, names_class
from rag_api.guard.signs import known, signs_in
from rag_api.guard.tables import rows_of
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.sources import find_sources
from rag_api.query.analysis import analyse
from rag_api.query.synonyms import Expander
from rag_api.text.word_match import held
from tests.support.scripted_server import scripted_server

quick = pytest.mark.quick
BLOOD_FEVER = "hij krijgt bloed en heeft nu 38,5, zonder klachten: wat moet ik doen"


def expanded(question: str) -> set[str]:
    return set(analyse(question, Expander([])).expansions)


def is_together(question: str) -> tuple[str, ...]:
    return analyse(question, Expander([])).complications.names


@quick
@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("zwangere begint te stuipen, wat doen", "eclampsie"),
        ("hoogzwangere vrouw met insulten", "eclampsia"),
        ("pregnant woman having a seizure", "eclampsia"),
        ("preggers, hypertensive", "pre-eclampsia"),
        ("veel bloedverlies na de bevalling", "fluxus"),
    ],
)
def test_what_ails_a_pregnant_woman_is_looked_for_by_the_name_it_has_then(question: str, name: str) -> None:
    analysis = analyse(question, Expander([]))
    assert name in analysis.expansions
    assert any(held(called, f"Behandeling van {name}.") == 1.0 for called in analysis.sought)


@quick
@pytest.mark.parametrize(
    "question", ["kind met stuipen", "stuipen bij een volwassene", "stuipen", "baby met stuipen", "zwangere met hoest"]
)
def test_nobody_elses_does(question: str) -> None:
    assert not {"eclampsie", "pre-eclampsie", "fluxus"} & expanded(question)


@quick
def test_who_the_patient_is_must_be_clear() -> None:
    assert complications_in({TargetGroup.PREGNANCY}, "stuipen").names
    assert not complications_in({TargetGroup.PREGNANCY, TargetGroup.NEONATE}, "stuipen").names
    assert not complications_in((), "stuipen").names


@quick
@pytest.mark.parametrize(
    ("question", "name"),
    [
        (BLOOD_FEVER, "transfusiereactie"),
        ("39 graden terwijl zakje bloed loopt", "transfusiereactie"),
        ("temp of 38.6 during blood", "transfusion reaction"),
        ("hives halfway a bag of blood", "transfusion reaction"),
        ("packed cells running and now he has rigors", "transfusion reaction"),
        ("rugpijn tijdens transfusie", "transfusiereactie"),
        ("jeuk bij het tweede zakje plasma", "transfusiereactie"),
        ("chemo loopt en de arm brandt", "extravasatie"),
        ("vincristine going in, arm is swollen", "extravasation"),
        ("koorts een week na chemo", "neutropene koorts"),
        ("rilt bij de rituximab", "infuusreactie"),
        ("red and itchy neck, vanco running", "red man syndrome"),
        ("huiduitslag na contrast", "contrastreactie"),
        ("hand zwelt op bij inspuiten contrast", "extravasatie"),
        ("epidurale en nu tintelende lippen", "lokaal anestheticum toxiciteit"),
        ("seizure after bupivacaine", "local anaesthetic toxicity"),
        ("na de insuline bezweet en verward", "hypoglykemie"),
        ("shaky after novorapid", "hypoglycaemia"),
        ("clexane sinds een week, plaatjes gehalveerd", "HIT"),
        ("platelets dropped on heparin", "heparin induced thrombocytopenia"),
        ("rillingen na spoelen van de picc", "lijnsepsis"),
        ("hickman line came off and now short of breath", "air embolism"),
        ("morfinepomp, ademt traag", "ademdepressie"),
        ("oxycodone, resp rate 7", "respiratory depression"),
        ("patient met pca moeilijk wekbaar", "ademdepressie"),
        ("mgso4 loopt, geen reflexen meer", "magnesiumintoxicatie"),
        ("magnesium infusion and absent reflexes", "magnesium toxicity"),
        ("haldol gekregen, stijf en 39,4 graden", "maligne neurolepticasyndroom"),
        ("rigid after suxamethonium", "malignant hyperthermia"),
        ("lisinopril en dikke tong", "angio-oedeem"),
        ("hoofdpijn na actilyse", "hersenbloeding"),
        ("sore throat on clozapine", "neutropenia"),
        ("misselijk en wazig zien met digoxine", "digoxine-intoxicatie"),
        ("lithium and diarrhoea", "lithium toxicity"),
        ("headache after spinal anaesthesia", "post-dural puncture headache"),
        ("gips onderbeen, tenen tintelen", "compartimentsyndroom"),
        ("paraplegic with a pounding headache", "autonomic dysreflexia"),
        ("peritoneale dialyse, troebele zak", "peritonitis"),
    ],
)
def test_what_two_things_are_together_is_looked_for_by_its_name(question: str, name: str) -> None:
    analysis = analyse(question, Expander([]))
    assert name in analysis.complications.names
    assert name in analysis.expansions
    assert any(held(called, f"Bij {name}: bel de arts.") == 1.0 for called in analysis.sought)


@quick
@pytest.mark.parametrize(
    "question",
    [
        "geen koorts tijdens bloed",
        "transfusie zonder koorts of rillingen, hoe vaak meten",
        "no fever during transfusion",
        "blood running, no rash, itch or shivers",
        "bloed loopt, patiënt niet kortademig",
        "bloed loopt, koorts: neen",
        "afebriel tijdens transfusie",
        "chemo zonder koorts",
        "insuline, niet verward",
        "morfinepomp, geen trage ademhaling",
    ],
)
def test_what_is_denied_is_not_there(question: str) -> None:
    assert is_together(question) == ()


@quick
@pytest.mark.parametrize(
    "question",
    [
        "koorts voor de transfusie, mag ze starten",
        "rash before the contrast",
        "verward voor insuline",
        "zakje bloed, hoe snel",
        "tijdens bloed prikken koorts",
        "fever while getting blood taken",
        "fever during blood sampling",
        "krijgt bloed uit de neus en koorts",
        "reflexen testen bij magnesium",
        "heparine en bloedplaatjes bepalen",
        "koorts bij een volwassene",
        "verward en weigert insuline",
        "hoeveel insuline bij een verwarde patiënt",
        "insuline, glycemie 450 en verward",
    ],
)
def test_one_thing_alone_or_what_is_still_to_come_is_no_third(question: str) -> None:
    assert is_together(question) == ()


@quick
@pytest.mark.parametrize(
    "said",
    [
        "38,5 °C", "38.5°", "39 graden", "40 degrees", "temp 39", "T 38,2", "temp: 38.5", "temperatuur van 38,4", "koorts tot 39,1",
        "maakt 38,5", "maakt nu 39", "heeft 38,3", "spiked 38.7", "temp > 38",
    ],
)  # fmt: skip
def test_a_body_temperature_of_38_or_more_is_a_fever(said: str) -> None:
    assert "koorts" in {sign.name for sign in signs_in(f"patiënt {said} wat nu")}
    assert "fever" in expanded(f"patiënt {said} wat nu")


@quick
@pytest.mark.parametrize(
    "said",
    [
        "38 mg", "38,5 mg geven", "38 jaar", "38 weken zwanger", "38+5 weken", "heeft 38,5 kg", "heeft 38,5 mmol", "38,5 ml/uur",
        "38 °C in de koelkast", "fridge at 38 degrees", "hoofdeinde op 40 graden", "bloed opwarmen tot 38 °C", "heeft 38 katheters",
        "37,5 °C", "temp 36,8", "temp 3,8", "temp 55", "onder 38 °C", "< 38°C", "temp 2 keer per dag", "maakt 40 mg klaar",
        "kamer 38", "toestel 3850", "t 4038", "INR 38,5",
    ],
)  # fmt: skip
def test_another_number_is_none(said: str) -> None:
    assert "koorts" not in {sign.name for sign in signs_in(said)}


@quick
@pytest.mark.parametrize(
    ("said", "slow"),
    [
        ("ademt 6 keer per minuut", True),
        ("resp rate 7", True),
        ("8 breaths per minute", True),
        ("ademhaling 14 per minuut", False),
        ("ademt 4 liter zuurstof", False),
        ("ademhaling na 5 min controleren", False),
    ],
)
def test_a_breath_every_seven_seconds_or_fewer_is_slow(said: str, slow: bool) -> None:
    assert ("trage ademhaling" in {sign.name for sign in signs_in(said)}) is slow


@quick
@pytest.mark.parametrize(
    ("title", "text", "another"),
    [
        ("Massieve bloeding en massieve transfusie", "Bel de bloedbank. Verwarm de patiënt.", True),
        ("Massieve bloeding", "Denk bij koorts aan een transfusiereactie.", False),
        ("Transfusie van bloed", "Twee personen controleren.", False),  # about what the question names
        ("Parkeren", "Geef bij koorts een seintje.", False),  # says something of what ails the patient
        ("Parkeren", "Neem een ticket.", True),
        ("Transfusiereactie", "Stop de transfusie.", False),
        ("Anafylaxie bij volwassenen", "Geef adrenaline.", False),  # it may be that as well
        ("Fever during neutropenia", "Neem bloedculturen af.", True),
    ],
)
def test_a_document_about_another_complication_that_never_names_this_one_is_known(
    title: str, text: str, another: bool
) -> None:
    assert is_about_another(complications_in((), "38,5 tijdens bloed"), title, f"{title}\n{text}") is another


@quick
def test_a_complication_that_the_question_names_and_the_drug_that_it_comes_of_are_no_others() -> None:
    named = complications_in((), "38,5 tijdens massieve transfusie")
    assert not is_about_another(named, "Massieve transfusie", "Bel de bloedbank.")
    own = complications_in((), "insuline gekregen en zweet")
    assert not is_about_another(own, "Ketoacidose", "Pas op voor hypoglykemie.")
    assert is_about_another(own, "Ketoacidose", "Pas op voor hypoglykemie.", own=True)
    assert is_about_another(
        complications_in((), "chemo loopt en arm brandt"), "Contrast", "Extravasatie van contrast: koel de arm."
    )
    assert not is_about_another(
        complications_in((), "chemo loopt en arm brandt"), "Extravasatie", "Extravasatie van contrast en chemo."
    )
    assert not is_about_another(
        complications_in((), "contrast gespoten, arm zwelt"), "Contrast", "Extravasatie van contrast: koel de arm."
    )
    asked = complications_in((), "insuline gekregen en zweet, hoeveel paracetamol na een heupprothese")
    assert not is_about_another(asked, "Paracetamol intraveneus", "Geef 1 g.")
    assert not is_about_another(asked, "Heupprothese", "Geef een pijnstiller.")
    assert is_about_another(asked, "Parkeren", "Neem een ticket.")
    stiff = complications_in((), "haldol, stijf en koorts")
    assert is_about_another(stiff, "Sedatie", "Haloperidol. Meet de temperatuur bij koorts.")  # of one of the two alone
    assert not is_about_another(stiff, "Sedatie", "Bij koorts en stijfheid: stop haloperidol.")
    magnesium = complications_in((), "magnesium, geen reflexen")
    assert not is_about_another(magnesium, "Hartinfarct en magnesiumsulfaat", "Stop het infuus.")
    assert is_about_another(magnesium, "Hartinfarct", "Stop het infuus.")
    assert not is_about_another(complications_in((), "koorts"), "Hartinfarct", "Stop het infuus.")


@quick
def test_every_name_in_the_tables_means_something() -> None:
    own = {concept.names[0] for concept in concepts()}
    for row in rows_of("complications.csv"):
        given, signs = row["of"].split("|"), row["with"].replace(" & ", "|").split("|")
        # what the patient gets or has, and what ails them
        for name in filter(None, (*given, *signs, *row["unless"].split("|"))):
            assert name in own | known() or drugs_in(name) or names_class(name, name), (name, row)
        for name in filter(None, (*row["is"].split("|"), *row["or"].split("|"))):
            assert concepts_in(name), (name, row)
        assert bool(row["with"]) == bool(row["is"]), row
        assert row["is"] or row["or"], row
    used = {
        name
        for row in rows_of("complications.csv")
        for cell in ("of", "with")
        for name in row[cell].replace(" & ", "|").split("|")
    }
    used |= {name for row in rows_of("complications.csv") for name in row["unless"].split("|")}
    assert known() <= used | own


@quick
@pytest.mark.parametrize("name", ["signs.csv", "complications.csv", "values.csv"])
def test_every_line_of_a_table_has_all_its_columns(name: str) -> None:
    lines = list(csv.reader(files("rag_api.guard.tables").joinpath(name).read_text(encoding="utf-8").splitlines()))
    assert len(lines) > 1
    assert {len(line) for line in lines} == {len(lines[0])}


@pytest.fixture
async def container(settings: Settings, tmp_path: Path) -> AsyncIterator[Container]:
    """A few procedures of the handbook, with the embedder that ships; the generator quotes what
    weighs most."""
    folder = tmp_path / "pdf"
    folder.mkdir()
    for name in ("bloedtransfusie-toedienen", "massieve-transfusie", "isolatie-per-kiem"):
        shutil.copy(Path(handbook.__file__).parent / "pdf" / f"{name}.pdf", folder)
    with scripted_server() as server:
        made = Container(settings.model_copy(update={"generator_url": server.url, "not_found_threshold": 0.0}))
        found = find_sources([folder])
        ingest(
            found,
            settings=made.settings,
            documents_repo=PgDocuments(made.db),
            store=made.store,
            embedder=made.embedder,
            readers=1,
        )
        yield made
        await made.generator.close()
        made.close()


async def test_a_fever_while_blood_runs_is_not_answered_by_what_is_done_in_massive_bleeding(
    container: Container,
) -> None:
    asked = new_question(LOCAL_USER, container, BLOOD_FEVER, mode=Mode.VERBATIM)
    done = [event async for event in ask(asked, LOCAL_USER, container)][-1]
    assert isinstance(done, Done)
    answer, sources = done.answer, {source.document.id: source.document.source for source in done.answer.sources}
    assert answer.status == AnswerStatus.ANSWERED
    assert {sources[citation.document_id] for citation in answer.citations} == {"bloedtransfusie-toedienen.pdf"}
    assert "paracetamol 1 g, niet herstarten zonder akkoord van de arts" in " ".join(answer.text.split())
    cautions = {source.document.source: {caution.code for caution in source.cautions} for source in answer.sources}
    assert "other_complication" in cautions["massieve-transfusie.pdf"]
    assert "other_complication" not in cautions["bloedtransfusie-toedienen.pdf"]
