"""A question's drugs are known by their endings, and a text names them or not."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from rag_api.evaluate.judged import HANDBOOK, read_judged
from rag_api.guard import drugs
from rag_api.guard.drugs import drugs_in, names
from rag_api.guard.words import folded
from rag_api.query.analysis import analyse
from rag_api.query.synonyms import Expander
from tests.rag_api.made_files.pdfs import handbook_document

pytestmark = pytest.mark.quick

FOLDER = Path(drugs.__file__).parent


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("dosis amoxicilline bij een zwangere", ("amoxicilline",)),
        ("Fenytoïne of midazolam?", ("fenytoine", "midazolam")),
        ("piperacilline-tazobactam", ("piperacilline",)),
        ("which internal medicine ward, since april, for skin care?", ()),
        ("hoe vaak de mond spoelen?", ()),
        ("insuline bij sondevoeding, en KCl?", ("insuline", "kcl")),
        ("insulinepomp", ("insulinepomp",)),
        ("noradrenalien starten", ("noradrenalien",)),
        ("infliximab infuus", ("infliximab",)),
        ("kalm blijven, alarm, calamiteit, ijskast, versatile", ()),
        (
            "medicines, macroliden, fietsergometrie, ergometrie, aspartaam, aspartaataminotransferase, retroviral, "
            "inspraak",
            (),
        ),
        ("xalatan of stromectol?", ("xalatan", "stromectol")),
    ],
)
def test_drugs_are_known_by_the_table_and_by_their_endings(question: str, found: tuple[str, ...]) -> None:
    assert drugs_in(question) == found


@pytest.mark.parametrize(
    ("drug", "text"),
    [
        ("amoxicillin", "Amoxicilline 50 mg/kg"),
        ("phenytoin", "fenytoïne traag inlopen"),
        ("vancomicine", "de vancomycinespiegel"),
        ("morphine", "MORFINE"),
        ("gentamycine", "gentamicine"),
        ("epinephrine", "adrenaline IM"),
        ("perfalgan", "Paracetamol IV 15 mg/kg"),
        ("noradrenalien", "noradrenaline"),
        ("potassium", "het serumkalium stijgt"),
        ("ventolin", "Salbutamol, corticosteroïden"),
        ("merrem", "Meropenem iv"),
        ("perdolan", "Paracetamol oraal"),
        ("xalatan", "Latanoprost 50 microgram/ml"),
        ("lantus", "Geef 80% van de insuline in de avond"),
        ("insuline", "NovoRapid en Lantus"),
        ("ambisome", "Amfotericine B liposomaal 3 mg/kg"),
        ("toujeo", "insuline glargine; insuline aspart bij de maaltijd"),
        ("calcium gluconate", "Calciumgluconaat 10 % 30 ml"),
        ("calcium", "calcium-chloride 10 ml"),
        ("calcium chloride", "calcium 10 ml"),
        ("kcl", "kalium 10 mmol per uur"),
        ("potassium", "KCl 40 mmol"),
        ("ambisome", "liposomal amphotericin 3 mg/kg"),
    ],
)
def test_a_drug_is_found_in_two_languages_in_longer_words_and_misspelt(drug: str, text: str) -> None:
    assert names(text, [drug])


@pytest.mark.parametrize(
    ("drug", "text"),
    [
        ("amoxicilline", "enoxaparine, flucloxacilline"),
        ("ropivacaine", "bupivacaïne"),
        ("cefazoline", "cefoxitine"),
        ("lorazepam", "clonazepam"),
        ("adrenaline", "noradrenaline"),
        ("kalium", "calcium, Valium en natrium"),
        ("ketamine", "esketamine"),
        ("cefalexine", "cefazoline"),
        ("leucovorin", "foliumzuur, folic acid"),  # what is given after methotrexate is no vitamin
        ("clobetasol", "clobetasone"),
        ("lantus", "NovoRapid 6 E bij de maaltijd, insuline in de koelkast"),
        ("insuline aspart", "Insuline glargine 10 E voor de nacht"),
        ("ambisome", "Amfotericine B (Fungizone) 1 mg/kg"),
        ("botox", "Dysport 500 E"),
        ("prograft", "Advagraf (tacrolimus) eenmaal per dag"),
        ("neulasta", "Filgrastim 5 microgram/kg"),
        ("morfine", "Apomorfine, diamorphine en dihydrocodeïne"),
        ("ganciclovir", "Valganciclovir 900 mg"),
        ("gentamicine", "neomycine"),
        ("trimethoprim", "Wellvone"),
        ("naloxon", "Nalador"),
        ("calcium chloride", "Calciumgluconaat 10 % 30 ml IV"),  # a third of its calcium: three times the dose
        ("calciumgluconaat", "Calcium chloride 10 % 10 ml"),
        ("KCl", "kaliumfosfaat 20 mmol"),
        ("penadur", "Penicilline G 4 miljoen E IV"),  # never into a vein
        ("benzylpenicillin", "Penadur 2,4 miljoen E IM"),
        ("haldol decanoas", "haloperidol 0,5 mg"),
        ("haldol", "haldol decanoas 50 mg om de 4 weken"),
        ("liposomal amphotericin", "Amfotericine B (Fungizone) 1 mg/kg"),
    ],
)
def test_one_drug_is_not_taken_for_another(drug: str, text: str) -> None:
    assert not names(text, drugs_in(drug))


@pytest.mark.parametrize(
    ("drug", "text", "speaks_of_it"),
    [
        ("xarelto", "Opereren 24 uur na de laatste inname van een DOAC", True),
        ("rivaroxaban", "DOAC: apixaban 5 mg", False),  # the dose would be apixaban's
        ("ibuprofen", "NSAID's niet geven onder 30 ml/min", True),
        ("ibuprofen", "Geen NSAID (diclofenac 75 mg)", False),
        ("nadroparine", "LMWH: enoxaparine 40 mg", False),
        ("paracetamol", "DOAC", False),
        ("sevorane", "Stop alle vluchtige anesthetica", True),
        ("perindopril", "ACE-remmers worden 24 uur vooraf gestopt", True),
        ("keppra", "Anti-epileptica gaan door op de dag van de ingreep", True),
        ("bisoprolol", "Betablokker: metoprolol 50 mg", False),
        ("atorvastatine", "stating the dose", False),
        ("perindopril", "Sartanen worden 24 uur vooraf gestopt", False),
        ("eliquis", "Neemt u bloedverdunners? Bel ons drie dagen vooraf.", True),
        ("marcoumar", "Do you take blood thinners? Call us.", True),
        ("eliquis", "Bloedverdunners: Marcoumar vijf dagen vooraf stoppen", False),
        ("eliquis", "Bloedverdunners: een VKA vijf dagen vooraf stoppen", False),
        ("eliquis", "Bloedverdunners als aspirine stopt u niet", False),  # none of these classes, but called so
        ("plavix", "Bloedverdunners stopt u drie dagen vooraf", False),
        ("xalatan", "Gebruikte u al glaucoomdruppels, dan druppelt u verder", True),
        ("burinex", "Neem uw plaspil niet op de ochtend van de ingreep", True),
        ("burinex", "De plaspil (spironolacton) niet innemen", False),
        ("lipitor", "Uw cholesterolpil neemt u door", True),
        ("losec", "Een maagbeschermer mag u nemen", True),
        ("temesta", "Een slaappil mag de avond vooraf", True),
        ("temesta", "Een slaappil: zolpidem 10 mg", False),
    ],
)
def test_a_text_that_names_only_its_class_speaks_of_a_drug(drug: str, text: str, speaks_of_it: bool) -> None:
    assert names(text, [drug]) is speaks_of_it


def test_no_name_stands_for_two_substances_and_every_class_is_described() -> None:
    rows = [line.split(",") for line in (FOLDER / "tables" / "drugs.csv").read_text(encoding="utf-8").splitlines()[1:]]
    spelled = [name for line in drugs.table_lines() for name in line.spelled]
    assert len(spelled) == len(set(spelled)) > 300
    assert {row[1] for row in rows} - {""} == set(drugs.described_classes())
    known = {folded(row[0].split("|")[0]) for row in rows}
    for lay in drugs.lay_classes():
        assert lay.over <= set(drugs.described_classes())
        assert lay.called <= set(drugs.described_classes()) | known


@pytest.mark.longer
def test_every_judged_answer_stands_in_a_document_that_names_the_questions_drug() -> None:
    """By the handbook's own words: so the rule refuses nothing that is answered there."""
    asked = [
        (drugs_in(one.question), one.places)
        for one in read_judged(HANDBOOK)
        if one.answerable and drugs_in(one.question)
    ]
    assert len(asked) >= 100
    assert [
        found for found, places in asked if not any(names(text_of(place.document), found) for place in places)
    ] == []


@cache
def text_of(source: str) -> str:
    return "\n".join(page.text for page in handbook_document(source).pages)


def test_a_brand_in_the_midst_of_another_word_is_no_drug() -> None:
    assert not drugs.names("Het kinderalarm gaat af.", ("propranolol",))
    assert drugs.names("Spoel met natriumheparine.", ("heparine",))


def test_a_drug_has_other_names() -> None:
    assert drugs.also_called("Xarelto") == ("rivaroxaban",)
    assert "epinefrine" in drugs.also_called("adrenaline")
    assert drugs.also_called("trofosfamide") == drugs.also_called("afdeling") == ()


def test_what_is_said_of_another_class_is_of_another_drug() -> None:
    assert drugs.is_of_another("Benzodiazepine: dosis halveren, niet plots stoppen", ["coversyl"])
    assert not drugs.is_of_another("ACE-remmer, sartaan: niet geven tot de tweede dag", ["coversyl"])
    assert not drugs.is_of_another("Bel de arts.", ["coversyl"])


def test_a_drug_is_looked_for_by_its_class_too() -> None:
    assert drugs.class_names("Emconcor") == ("bètablokker", "beta blocker")
    assert drugs.class_names("adrenaline") == drugs.class_names("trofosfamide") == ()
    assert "ACE-remmer" in analyse("perindopril voor de operatie stoppen", Expander([])).expansions


def test_a_product_is_of_its_substance_and_what_lay_people_call_a_class_is_no_other_drug() -> None:
    assert drugs.is_of("lantus", "insuline")
    assert not drugs.is_of("insuline", "lantus")
    assert not drugs.is_of_another("Bloedverdunners: drie dagen vooraf bellen", ["paracetamol"])
    assert drugs.is_of_another("Marcoumar: drie dagen vooraf bellen", ["eliquis"])


@pytest.mark.parametrize("text", ["alkalische fosfatase 300", "alkaline phosphatase of 200"])
def test_an_enzyme_is_no_phosphate(text: str) -> None:
    assert drugs_in(text) == ()


def test_a_phosphate_is_not_another_one() -> None:
    assert not names("Natriumglycerofosfaat 20 mmol.", ["kaliumfosfaat"])
    assert names("Sodium glycerophosphate 20 mmol.", ["natriumglycerofosfaat"])
