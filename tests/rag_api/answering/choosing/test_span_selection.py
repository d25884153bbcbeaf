"""Spans that may be quoted for whom: whole lists, exceptions first, nothing of another drug,
patient or weight; and what a quote is made of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rag_api.answering.choosing.fitting import fitting
from rag_api.answering.choosing.read_documents import ReadDocuments
from rag_api.answering.choosing.span_selection import (
    Section,
    sections,
    with_all_that_is_pointed_to,
    with_the_rest,
)
from rag_api.answering.quote_structure import parts_of
from rag_api.domain import Candidate, PartKind
from rag_api.query.analysis import Analysis, analyse
from rag_api.query.synonyms import Expander
from rag_api.text.blocks import blocks_of, packed
from rag_api.text.quotable.quotable_spans import quotable_of

pytestmark = pytest.mark.quick

NEEDLE = (
    "2. Meteen doen\nDoe dit in volgorde:\n1. Laat de wonde goed doorbloeden.\n2. Spoel vijf minuten met water.\n3. "
    "Ontsmet en dek af.\n\n"
    "3. Melden\nMeld het ongeval binnen 2 uur. Is de bron onbekend, dan wordt de naald niet onderzocht.\n"
)
DELIER = (
    "5. Geneesmiddelen\nPatiënt\tMiddel\tDosis\noudere met delier\thaloperidol\t0,5 mg\n"
    "delier bij parkinson\tgeen haloperidol, wel quetiapine\t12,5 mg\nonrust in de nacht\tmelatonine\t3 mg\n"
)


def question(text: str) -> Analysis:
    return analyse(text, Expander([]))


def candidates(text: str, *first: str) -> tuple[list[Candidate], ReadDocuments]:
    """What may be quoted of it; those that hold one of these words first, in their order."""
    found = [
        Candidate("d", q.start, q.end, q.lead, "".join(text[a:b] for a, b in (*q.lead, (q.start, q.end))), 0.0, 1)
        for q in quotable_of(text)
    ]
    order = sorted(
        found, key=lambda c: next((n for n, words in enumerate(first) if words in text[c.start : c.end]), len(first))
    )
    return [
        Candidate(c.document_id, c.start, c.end, c.lead, c.text, -float(n), 1) for n, c in enumerate(order)
    ], ReadDocuments({"d": text}, {})


def quoted(text: str, asked: str, *first: str) -> list[str]:
    sentences, read = candidates(text, *first)
    return [section.candidates[0].text for section in sections(question(asked), sentences, read)]


def test_an_action_list_asked_for_as_a_whole_is_quoted_whole_with_its_heading_and_introduction() -> None:
    whole = NEEDLE[: NEEDLE.index("3. Melden")]
    assert quoted(NEEDLE, "geprikt aan een naald, wat nu", "Is de bron onbekend", "Meld") == [whole]


NEUTROPENIA = (
    "2. The first hour\nThe first dose of antibiotic is given within 60 minutes. Take two sets of blood cultures.\n\n"
    "5. Growth factor\nFilgrastim is not given within 24 hours after chemotherapy.\n"
)


def test_what_is_done_in_the_first_hour_is_what_to_do_though_another_sentence_says_more_of_what_happened() -> None:
    first = "The first dose of antibiotic is given within 60 minutes. Take two sets of blood cultures."
    assert first in quoted(NEUTROPENIA, "koorts na chemotherapie, wat nu", "Filgrastim")[0]
    assert "Filgrastim" in quoted(NEUTROPENIA, "filgrastim na chemotherapie, wanneer", "Filgrastim")[0]


TRANSFUSION = (
    "1. Vooraf\nDe arts vraagt toestemming aan de patiënt.\n\n"
    "5. Transfusiereactie\nStop de transfusie en bel de arts. Controleer het nummer van de zak.\n"
)


@pytest.mark.parametrize(
    "asked", ["patiënt maakt 38,9 tijdens bloedtransfusie", "patiënt maakt 38,9 tijdens bloedtransfusie, wat nu"]
)
def test_who_only_tells_what_is_a_complication_gets_the_section_of_that_name(asked: str) -> None:
    assert quoted(TRANSFUSION, asked, "toestemming") == [TRANSFUSION[TRANSFUSION.index("5. ") :]]


CLONIDINE = "Dosering\nLeeftijd\tDosis\n1 tot 5 maanden\t2 µg/kg\n\nBij onrust\nGeef dan midazolam 0,1 mg/kg.\n"


def test_a_dose_that_names_no_drug_is_that_of_the_documents_title() -> None:
    sentences, _ = candidates(CLONIDINE, "1 tot 5 maanden", "midazolam")
    for title, asked, said in [
        ("Dexmedetomidine bij kinderen", "midazolam bij een baby van 3 maanden, dosis", "midazolam 0,1 mg/kg"),
        ("Dexmedetomidine bij kinderen", "dexmedetomidine bij een baby van 3 maanden, dosis", "2 µg/kg"),
    ]:
        found = sections(question(asked), sentences, ReadDocuments({"d": CLONIDINE}, {}, {"d": title}))
        assert said in found[0].candidates[0].text
        assert not ("midazolam" in asked and any("2 µg/kg" in c.text for c in found[0].candidates))


def test_what_is_too_low_is_not_replaced_by_another_drug_of_a_row_that_fits() -> None:
    text = "Nierfunctie\tMiddel\tDosis\neGFR 30 tot 59\tfenytoïne\t100 mg\neGFR 30 tot 59\tfosfaat\t20 mmol\n"
    assert "fosfaat" in quoted(text, "fosfaat 0,45 mmol/l met eGFR 55, hoeveel iv", "fenytoïne")[0]


def test_a_table_is_quoted_whole_only_when_no_row_of_it_stands_out() -> None:
    text = "Kiem\tKamer\nmrsa\teenpersoons\nnoro\teenpersoons\ngriep\tcohorte\n"
    assert quoted(text, "welke kiemen en welke kamers", "mrsa", "noro", "griep") == [text]
    sentences, read = candidates(text, "mrsa")
    sentences[0] = replace(sentences[0], score=10.0)
    assert (
        sections(question("welke maatregelen en kamers"), sentences, read)[0]
        .candidates[0]
        .text.endswith("mrsa\teenpersoons\n")
    )


def test_what_to_do_is_not_answered_by_a_paragraph_that_fits_less_than_a_row() -> None:
    text = (
        "Patient\tMiddel\nparkinson en verward\tquetiapine\nandere\thaloperidol\n\nMaak een ECG bij verwardheid. "
        "Herhaal het ECG.\n"
    )
    assert "quetiapine" in quoted(text, "parkinson en verward, wat dan", "quetiapine", "Maak")[0]


def test_a_fact_is_quoted_alone() -> None:
    assert quoted(NEEDLE, "binnen hoeveel uur een prikongeval melden", "Meld") == ["Meld het ongeval binnen 2 uur. "]


def test_an_exception_that_concerns_the_patient_stands_before_what_it_overrules() -> None:
    found = quoted(DELIER, "haldol bij man met delier en parkinson", "oudere met delier", "parkinson")
    assert "geen haloperidol" in found[0]
    assert found[0].startswith("5. Geneesmiddelen\nPatiënt\tMiddel\tDosis\n")


def test_without_the_condition_the_exception_stands_back() -> None:
    assert "0,5 mg" in quoted(DELIER, "haldol bij oudere met delier", "oudere met delier")[0]


def test_a_row_for_another_weight_is_not_shown_beside_the_right_one() -> None:
    text = (
        "Gewicht\tDosis\tMaximum\nkind tot 10 kg\t75 mg\t4\nkind 11 tot 20 kg\t150 mg\t4\nkind 21 tot 30 kg\t300 "
        "mg\t4\n"
    )
    sentences, _ = candidates(text)
    assert ["150 mg" in c.text for c in fitting(question("dosis kind 15 kg"), sentences)] == [True]


def test_a_sentence_about_another_drug_and_one_for_other_patients_are_no_answer() -> None:
    text = (
        "Geef kinderen vancomycine traag. Gentamicine wordt bij kinderen in een keer gegeven. Volwassenen krijgen "
        "vancomycine in 1 uur.\n"
    )
    sentences, _ = candidates(text)
    assert [c.text.strip() for c in fitting(question("vancomycine bij een kind van 5 jaar"), sentences)] == [
        "Geef kinderen vancomycine traag."
    ]


SEDATION = (
    "Kind\tGift midazolam\tMaximum\nkind van 3 tot 12 maanden\t0,05 mg/kg\t2 mg\nkind van 1 tot 6 jaar\t0,3 mg/kg\t10 "
    "mg\n"
    "kind van 7 tot 15 jaar\t0,2 mg/kg\t15 mg\n"
    "kind met een spierziekte\t0,1 mg/kg\t5 mg\n"
)


def test_a_row_without_an_age_stands_before_the_one_for_the_age_when_more_is_told_of_the_patient() -> None:
    found = quoted(SEDATION, "midazolam kind van 4 jaar met duchenne", "1 tot 6", "7 tot 15", "spierziekte")
    assert [row.splitlines()[-1].split("\t")[0] for row in found] == [
        "kind met een spierziekte",
        "kind van 1 tot 6 jaar",
    ]


def test_a_row_for_the_age_stands_alone_when_nothing_else_is_told() -> None:
    assert [row.splitlines()[-1] for row in quoted(SEDATION, "midazolam kind van 4 jaar", "1 tot 6", "7 tot 15")] == [
        "kind van 1 tot 6 jaar\t0,3 mg/kg\t10 mg"
    ]


def test_a_table_is_quoted_whole_when_the_question_names_the_case_of_no_row() -> None:
    text = "Bron\tMiddel\nlong\tceftriaxon\nbuik\ttemocilline\nurinewegen\tamikacine\nhuid\tflucloxacilline\n"
    close = {"long": 0.0, "buik": -0.5, "huid": -1.0}
    sentences, read = candidates(text, *close)
    near = [replace(one, score=-float(n) / 2) for n, one in enumerate(sentences)]
    assert [s.candidates[0].text for s in sections(question("wat geven als het van de blaas komt"), near, read)] == [
        text
    ]
    named = sections(question("wat geven als het van de huid komt"), near, read)
    assert named[0].candidates[0].text != text
    far = [replace(one, score=-3.0 * n) for n, one in enumerate(sentences)]
    assert (
        sections(question("wat geven als het van de blaas komt"), far, read)[0].candidates[0].text
        == "Bron\tMiddel\nlong\tceftriaxon\n"
    )


def test_two_rows_that_would_be_quoted_together_bring_their_table_when_the_question_names_the_case_of_none() -> None:
    text = (
        "Toestand\tMiddel\nShock\tmeropenem\nAllergie\taztreonam\nGewoon\tpiperacilline\n\nStop na 48 uur zonder "
        "koorts.\n"
    )
    sentences, read = candidates(text, "Shock", "Allergie", "Stop")
    near = [replace(one, score=-float(n) / 5) for n, one in enumerate(sentences)]
    assert (
        sections(question("welk middel bij neutropenie"), near, read)[0].candidates[0].text
        == text[: text.index("\nStop")] + "\n"
    )
    assert "aztreonam" not in sections(question("welk middel bij shock"), near, read)[0].candidates[0].text
    apart = [replace(one, score=-float(n)) for n, one in enumerate(sentences)]
    assert "aztreonam" not in sections(question("welk middel bij neutropenie"), apart, read)[0].candidates[0].text


SUGAR = (
    "3. Behandeling\nGlycemie en toestand\tBehandeling\nWakker, glycemie 54 tot 69 mg/dl\t15 g suikers\n"
    "Wakker, glycemie onder 54 mg/dl\t20 g suikers\nBewusteloos\tglucagon 1 mg\n"
)


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("glycemie 58 mg/dl, patiënt wakker: wat geven?", 1),
        ("suiker laag 52, patiënt wakker: wat geven?", 3),  # of what the number is, nothing says
        ("suiker 2,9 mmol/l, patiënt wakker: wat geven?", 3),  # in another unit
    ],
)
def test_a_row_for_other_numbers_than_may_be_compared_brings_its_table(asked: str, rows: int) -> None:
    (text,) = quoted(SUGAR, asked, "54 tot 69")
    assert sum(line in text for line in ("15 g", "20 g", "1 mg")) == rows


def test_beside_the_best_sentence_nothing_for_another_weight_is_quoted() -> None:
    text = (
        "2. Dosering\nGewicht\tGift\nKind van 10 tot 33 kg\t15 mg/kg\n\n"
        "Een kind van 12 kg krijgt 180 mg per gift.\n\nWacht minstens 6 uur tussen twee giften.\n"
    )
    sentences, read = candidates(text, "10 tot 33", "12 kg", "6 uur")
    for weight, found in (("20", ["10 tot 33", "6 uur"]), ("12", ["10 tot 33", "12 kg", "6 uur"])):
        (section,) = sections(question(f"hoeveel geef ik een kind van {weight} kg?"), sentences, read)
        assert [
            words for words in ("10 tot 33", "12 kg", "6 uur") if any(words in c.own for c in section.candidates)
        ] == found


def test_a_row_for_another_germ_does_not_answer_where_its_table_has_one_for_the_germ_that_is_asked_about() -> None:
    text = "Kiem\tIsolatie\nInfluenza, vermoeden\tdruppel\nMazelen\tlucht\nMeningitis\tdruppel\n"
    assert [row.splitlines()[-1] for row in quoted(text, "what isolation for measles", "Influenza", "Meningitis")] == [
        "Mazelen\tlucht"
    ]
    # the table says nothing of it: nothing is left out
    assert "Influenza" in quoted(text, "isolation type for scabies", "Influenza")[0]


def test_a_word_of_the_header_names_the_case_of_no_row() -> None:
    text = (
        "Patiënt bij opname\tScreening\nopname op intensieve\tja\nverblijf in het buitenland\tja\ncontact met "
        "varkens\tja\n"
    )
    sentences, read = candidates(text, "intensieve", "buitenland", "varkens")
    near = [replace(one, score=-float(n) / 5) for n, one in enumerate(sentences)]
    assert sections(question("welke patiënten bij opname screenen"), near, read)[0].candidates[0].text == text


@pytest.mark.parametrize(("asked", "said"), [("4 days", "within"), ("3 weeks", "after"), ("30 hours", "within")])
def test_of_rows_for_sooner_and_later_the_one_for_the_time_that_is_asked_about_stands_alone(
    asked: str, said: str
) -> None:
    text = "Problem\tFirst action\nTube out within 7 days\tcover the hole\nTube out after 7 days\tinsert a new tube\n"
    for first, second in (("within", "after"), ("after", "within")):
        sentences, read = candidates(text, f"out {first}", f"out {second}")
        near = [replace(one, score=-float(n) / 5) for n, one in enumerate(sentences)]
        (section,) = sections(question(f"tube came out, put in {asked} ago, what first"), near, read)
        assert [said in one.text for one in section.candidates] == [True]


def test_a_row_for_the_weight_asked_about_is_for_these_patients_though_a_cell_speaks_of_an_adult() -> None:
    text = "Gewicht\tFles\n4 tot 13 kg\téén kinderfles\n14 tot 36 kg\téén set als bij een volwassene\n"
    sentences, _ = candidates(text)
    assert [
        "14 tot 36" in one.text for one in fitting(question("hoeveel flessen bij een kind van 20 kg"), sentences)
    ] == [True]


def test_a_line_that_only_introduces_comes_with_what_it_introduces_or_not_at_all() -> None:
    text = "Boven 8 punten is het risico hoog.\n\nHoog risico, bijkomend:\n\nBedalarm en een kamer dicht bij de post.\n"
    whole = text[text.index("Hoog risico") :]
    assert quoted(text, "welke maatregelen bij een hoog risico", "Hoog risico") == [whole]
    ending = "Boven 8 punten is het risico hoog.\n\nHoog risico, bijkomend:\n"
    assert quoted(ending, "welke maatregelen bij een hoog risico", "Hoog risico") == [
        "Boven 8 punten is het risico hoog.\n\n"
    ]


def test_a_value_without_a_unit_is_in_the_one_that_what_is_measured_has() -> None:
    text = "2. Hypoglycemie\n• 54 tot 70 mg/dl: geef 15 gram suiker.\n• Lager dan 54 mg/dl: geef 20 gram suiker.\n"
    sentences, _ = candidates(text)
    assert ["20 gram" in one.text for one in fitting(question("glyc 48, wat geven"), sentences)] == [True]
    assert ["15 gram" in one.text for one in fitting(question("glyc 62, wat geven"), sentences)] == [True]


def test_of_somebody_of_whom_nothing_is_said_no_childs_dose_stands_behind_the_one_for_all() -> None:
    text = (
        "2. Hypoglycemie\n• Lager dan 54 mg/dl: 20 gram suiker.\n\n7. Bijzonder\n• Kind, hypoglycemie: 0,3 gram "
        "suiker per kg.\n"
    )
    sentences, read = candidates(text, "20 gram", "Kind")
    found = sections(question("hypoglycemie, wat geven"), sentences, read)
    assert ["20 gram" in one.text for section in found for one in section.candidates] == [True]
    child = sections(question("hypoglycemie bij een kind, wat geven"), sentences[::-1], read)
    assert "0,3 gram" in child[0].candidates[0].text


def test_an_example_for_other_numbers_is_left_out_and_one_for_these_is_not() -> None:
    text = "Geef de dosis traag. Voorbeeld: een kind van 20 kg krijgt 300 mg.\n"
    sentences, _ = candidates(text)
    assert len(fitting(question("dosis kind van 12 kg"), sentences)) == 1
    assert len(fitting(question("dosis kind van 20 kg"), sentences)) == 2


def test_what_a_document_says_of_itself_stands_back_behind_what_it_says() -> None:
    text = "Deze procedure legt vast hoe vaak de score wordt gemeten. De score wordt om de 4 uur gemeten.\n"
    sentences, _ = candidates(text)
    assert [c.text.strip() for c in fitting(question("hoe vaak score meten"), sentences)] == [
        "De score wordt om de 4 uur gemeten."
    ]


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("hoe snel zonder telemetrie", "afdeling"),
        ("hoe snel met telemetrie", "afdeling met"),
        ("how fast without telemetrie", "afdeling"),
    ],
)
def test_with_and_without_are_not_quoted_for_each_other(asked: str, left: str) -> None:
    text = "Waar\tSnelheid\nafdeling\t10\nafdeling met telemetrie\t15\nafdeling zonder telemetrie\t12\n"
    sentences, _ = candidates(text)
    words = [c.text.split("\n")[1].split("\t")[0] for c in fitting(question(asked), sentences)]
    wrong = {"hoe snel met telemetrie": "afdeling zonder telemetrie"}.get(asked, "afdeling met telemetrie")
    assert any(word.startswith(left) for word in words)
    assert wrong not in words


ROWS = (
    "Kind\tDosis\neGFR boven 60 ml/min, goede nieren\t15 mg\neGFR 30 tot 60 ml/min, matige nieren\t10 mg\nna "
    "dialyse\t5 mg\n"
)


def test_no_row_for_another_level_stands_beside_the_one_that_is_asked_for_unless_the_question_names_it() -> None:
    def rows(asked: str) -> list[str]:
        sentences, read = candidates(ROWS, "goede", "matige", "dialyse")
        return [c.text.split("\n")[1].split("\t")[1] for c in sections(question(asked), sentences, read)[0].candidates]

    assert rows("dosis kind goede nieren") == ["15 mg"]
    assert rows("dosis kind goede nieren of matige") == ["15 mg", "10 mg"]
    assert rows("dosis kind goede nieren of dialyse") == ["15 mg", "5 mg"]


JOINTS = (
    "Ingreep\tDuur\nTotale knieprothese\t14 dagen\nTotale heupprothese\t35 dagen\nGips zonder steunname\ttot "
    "steunname\n"
)


def test_a_row_for_another_operation_does_not_stand_beside_the_one_that_is_asked_for() -> None:
    def durations(asked: str) -> list[str]:
        sentences, read = candidates(JOINTS, "knie", "heup")
        return [c.text.split("\t")[-1].strip() for c in sections(question(asked), sentences, read)[0].candidates]

    assert durations("hoelang spuiten na knieprothese") == ["14 dagen"]
    assert durations("hoelang spuiten na knieprothese of heupprothese") == ["14 dagen", "35 dagen"]


def test_what_a_document_is_about_is_no_condition_that_makes_an_exception() -> None:
    text = "Antibiotica worden bij roodvonk niet gegeven.\nVernevel adrenaline. Bewaak het kind vier uur.\n"
    sentences, read = candidates(text, "Vernevel")
    titled = ReadDocuments(read.texts, read.structures, {"d": "Roodvonk bij kinderen"})
    assert (
        sections(question("roodvonk, vernevelen waarmee"), sentences, titled)[0]
        .candidates[0]
        .text.startswith("Vernevel")
    )
    assert (
        sections(question("roodvonk, vernevelen waarmee"), sentences, read)[0]
        .candidates[0]
        .text.startswith("Antibiotica")
    )


def test_all_of_a_table_is_quoted_though_one_of_its_cells_has_a_range_for_the_number_asked_about() -> None:
    text = "Stap\tDosis\n1 calcium\t10 ml\n2 insuline\t10 eenheden\n3 dialyse\tboven 6,5 mmol/l\n"
    sentences, read = candidates(text, "dialyse")
    assert sections(question("kalium 6,7 mmol/l, wat nu, alle stappen"), sentences, read)[0].candidates[0].text == text


def test_of_somebody_whose_state_is_told_without_a_question_what_is_done_about_it_is_quoted_too() -> None:
    text = "Een blauwe huid wijst op een vergiftiging. Geef zuurstof en bel de arts. De familie wacht buiten.\n"
    both = "Een blauwe huid wijst op een vergiftiging. Geef zuurstof en bel de arts. "
    assert quoted(text, "blauwe huid na het blok", "blauwe") == [both]
    assert quoted(text, "waarop wijst een blauwe huid", "blauwe") == ["Een blauwe huid wijst op een vergiftiging. "]


def test_a_table_of_which_all_is_asked_for_is_quoted_whole_though_a_sentence_fits_better() -> None:
    text = "Etiketten komen op elke buis na de afname.\n\nVolgorde\tBuis\n1\tcitraat\n2\tserum\n3\tEDTA\n4\tfluoride\n"
    assert "fluoride" in quoted(text, "afname, alle buizen", "Etiketten")[0]
    assert quoted(text, "waar komt het etiket op de buis", "Etiketten")[0].startswith("Etiketten")


def test_rather_all_than_nothing_is_left() -> None:
    sentences, _ = candidates("Gentamicine wordt in een keer gegeven.\n")
    assert fitting(question("vancomycine hoe snel"), sentences) == sentences


def test_a_quoted_list_is_its_introduction_and_its_items() -> None:
    blocks = blocks_of(NEEDLE)
    end = NEEDLE.index("3. Melden")
    heading, introduction, items = parts_of(NEEDLE, blocks, 0, end)
    assert [heading.kind, introduction.kind, items.kind] == [PartKind.HEADING, PartKind.HEADING, PartKind.LIST]
    assert [NEEDLE[item.start : item.end] for item in items.pieces] == [
        "1. Laat de wonde goed doorbloeden.",
        "2. Spoel vijf minuten met water.",
        "3. Ontsmet en dek af.",
    ]
    assert [item.label for item in items.pieces] == ["1.", "2.", "3."]
    assert [heading.end, introduction.end] == [introduction.start, items.start]  # no gap: one exact slice


def test_a_quoted_row_is_its_cells_and_the_asked_one_is_told_by_its_column() -> None:
    blocks = blocks_of(DELIER)
    start, end = DELIER.index("oudere"), DELIER.index("delier bij parkinson")
    asked = question("welke dosis haldol bij een oudere")
    (row,) = parts_of(DELIER, blocks, start, end, asked.text)
    assert row.kind == PartKind.ROW
    assert [(DELIER[c.start : c.end], c.column, c.asked) for c in row.pieces] == [
        ("oudere met delier", 0, False),
        ("haloperidol", 1, False),
        ("0,5 mg", 2, True),
    ]
    (header,) = parts_of(DELIER, blocks, DELIER.index("Patiënt"), start)
    assert all(cell.header for cell in header.pieces)
    assert header.group == row.group


@pytest.mark.parametrize(
    ("asked", "titles", "cells"),
    [
        ("tobra dosis bij eGFR 38", "Nierfunctie\tStartdosis\tVolgende gift", []),  # two columns may be meant
        ("mews 3 hoe vaak meten", "MEWS\tWat doet u\tBinnen welke tijd", []),
        ("max daily dose", "Weight\tDose\tMaximum per day", []),
        ("when to start glucose", "Time\tFluid\tRate", []),  # the first says what the row is for
        ("stop before major surgery", "Drug\tLow risk\tRestart after surgery", []),
        ("welke dosis bij eGFR 45", "Nierfunctie\tStartdosis\tControle", ["3 mg"]),
    ],
)
def test_a_cell_is_told_as_the_asked_one_only_where_one_column_alone_can_be(
    asked: str, titles: str, cells: list[str]
) -> None:
    text = f"5. Tabel\n{titles}\n45 tot 59\t3 mg\t4 uur\n60 tot 89\t5 mg\t8 uur\n90 of meer\t7 mg\t12 uur\n"
    (row,) = parts_of(text, blocks_of(text), text.index("45 tot"), text.index("60 tot"), asked)
    assert [text[cell.start : cell.end] for cell in row.pieces if cell.asked] == cells


STEPS = (
    "3. Bereiding\n1. Bereken de dosis met twee.\n2. Trek op in een kleine spuit.\n3. Verdun onder 5 ml.\n\n"
    "Bewaren\nFlacons staan bij kamertemperatuur.\n"
)


def test_two_items_that_would_be_quoted_bring_what_stands_between_them() -> None:
    assert quoted(STEPS, "flacon optrekken bij een kleintje", "Bereken", "Verdun") == [STEPS[: STEPS.index("Bewaren")]]
    sentences, read = candidates(STEPS, "Verdun")
    sentences[0] = replace(sentences[0], score=10.0)
    assert (
        "Bereken" not in sections(question("flacon optrekken bij een kleintje"), sentences, read)[0].candidates[0].text
    )


def test_who_asks_for_all_steps_gets_a_list_though_a_paragraph_is_more_like_the_question() -> None:
    sentences, read = candidates(STEPS, "Flacons", "Verdun")
    found = sections(question("flacon aanhangen, alle stappen"), sentences, read)
    assert found[0].candidates[0].text == STEPS[: STEPS.index("Bewaren")]


def test_all_steps_are_those_of_the_document_of_the_best_passage_not_of_the_best_sentence() -> None:
    own, other = "1. Bel de bloedbank.\n2. Stuur een loper.\n", "1. Start met hartmassage.\n2. Bel 2222.\n"
    sentences = [
        Candidate(name, q.start, q.end, q.lead, text[q.start : q.end], score, rank)
        for name, text, score, rank in (("other", other, 1.0, 2), ("own", own, 0.0, 1))
        for q in quotable_of(text)
    ]
    found = sections(question("bloeding, wat moet ik doen"), sentences, ReadDocuments({"own": own, "other": other}, {}))
    assert found[0].candidates[0].text == own


def test_the_row_of_what_is_asked_for_stands_alone_though_conditions_are_asked_for() -> None:
    text = "Implantaat\tVoorwaarde\npacemaker\tnooit\nstent\tgeen wachttijd\nspiraal\tgeen controle\n"
    assert "pacemaker" not in "".join(quoted(text, "welke voorwaarden bij een spiraal", "spiraal", "stent"))


def test_no_table_for_other_patients_is_quoted_whole() -> None:
    text = (
        "2. Grenzen bij volwassenen\nBepaling\tHoog\nKalium\t6,2\nGlucose\t450\nNatrium\t158\n\n"
        "3. Grenzen bij pasgeborenen\nBepaling\tHoog\nKalium\t7,0\nGlucose\t250\nBilirubine\t15\n"
    )
    found = quoted(text, "alle bloedwaarden bij een pasgeborene", "6,2", "450", "158", "7,0", "250", "15")
    assert "450" not in "".join(found)


def test_a_row_behind_a_sentence_keeps_rows_for_others_away_too() -> None:
    text = (
        "Morfine verlicht pijn.\nLeeftijd\tAlarm\nKind van 1 tot 4 jaar\tonder 18\nKind van 5 tot 11 jaar\tonder 14\n"
    )
    sentences, read = candidates(text, "verlicht", "1 tot 4", "5 tot 11")
    left = sections(question("kind van 3 jaar morfine alarm"), sentences, read)[0].candidates
    assert [c.text.splitlines()[-1] for c in left] == ["Morfine verlicht pijn.", "Kind van 1 tot 4 jaar\tonder 18"]


def test_a_row_for_months_is_none_for_a_child_of_years() -> None:
    text = "Leeftijd\tAlarm\nKind van 1 tot 4 jaar\tonder 18\nKind van 3 tot 12 maanden\tonder 24\n"
    left, _ = candidates(text, "1 tot 4", "3 tot 12")
    assert [c.text.splitlines()[-1] for c in fitting(question("peuter 3 jaar alarm"), left)] == [
        "Kind van 1 tot 4 jaar\tonder 18"
    ]
    assert [c.text.splitlines()[-1] for c in fitting(question("baby 4 maanden alarm"), left)] == [
        "Kind van 3 tot 12 maanden\tonder 24"
    ]


def test_of_a_table_with_two_headers_only_the_part_for_these_patients_is_quoted() -> None:
    text = (
        "Bij volwassenen\tHoog\nKalium\t6,2\nGlucose\t450\nNatrium\t158\n"
        "Bij pasgeborenen\tHoog\nKalium\t7,0\nGlucose\t250\nBilirubine\t15\n"
    )
    blocks = [
        replace(b, header=b.header or text[b.start :].startswith(("Bij pasgeborenen", "Hoog\nKalium\t7")))
        for b in blocks_of(text)
    ]
    structure = packed(blocks)
    own = sorted(quotable_of(text, structure), key=lambda q: q.start < text.index("Bij pasgeborenen"))
    sentences = [Candidate("d", q.start, q.end, q.lead, text[q.start : q.end], -float(n), 1) for n, q in enumerate(own)]
    found = sections(
        question("alle bloedwaarden bij een pasgeborene"), sentences, ReadDocuments({"d": text}, {"d": structure})
    )
    assert [section.candidates[0].text for section in found] == [text[text.index("Bij pasgeborenen") :]]


def test_a_follow_up_for_another_row_does_not_bring_the_row_of_the_question_before() -> None:
    text = "Doel na een arrest\tWaarde\nZuurstofsaturatie\t94 tot 98 %\nGlucose\t80 tot 180 mg/dl\nBloeddruk\t65 mmHg\n"
    sentences, read = candidates(text, "Glucose", "Zuurstof")
    asked = analyse("welke zuurstofsaturatie na een arrest glucose?", Expander([]), "en glucose?")
    assert "94 tot 98" not in "".join(c.text for c in sections(asked, sentences, read)[0].candidates)


def test_who_asks_what_to_do_gets_the_whole_section_with_what_stands_before_and_after_its_list() -> None:
    text = (
        "2. Eerste uur\nLeg een drukverdelende matras.\n• Meet de pijn.\n• Neem bloed af.\nBel daarna de familie.\n\n"
        "3. Ontslag\nMet de dochter wordt gebeld.\n"
    )
    whole = text[: text.index("3. Ontslag")]
    assert quoted(
        text, "gebroken heup, wat moet er het eerste uur allemaal gebeuren", "Meet de pijn", "Neem bloed"
    ) == [whole]


def test_a_section_that_speaks_of_other_patients_too_is_not_quoted_whole() -> None:
    text = "2. Pijn bij volwassenen\n1. Meet de pijn.\n2. Geef paracetamol.\nBij een kind wordt de kinderarts gebeld.\n"
    found = "".join(quoted(text, "volwassene met pijn, wat nu", "Meet de pijn", "Geef"))
    assert "Geef paracetamol" in found
    assert "kinderarts" not in found


def test_a_paragraph_that_answers_better_is_no_list_of_something_else() -> None:
    text = (
        "2. Stoppen\nStop het infuus en bel de arts bij pijn, bij spitse toppen of bij een hoog kalium.\n\n"
        "3. Bereiden\n1. Reken na.\n2. Meng goed.\n"
    )
    sentences, read = candidates(text, "Stop het infuus", "Reken na", "Meng")
    sentences = [replace(c, score=8.0 * c.score) for c in sentences]
    found = sections(question("wanneer kaliuminfus stoppen, alle redenen"), sentences, read)
    assert "spitse toppen" in found[0].candidates[0].text
    assert "Reken" not in found[0].candidates[0].text


def test_an_exception_within_the_list_that_is_quoted_whole_does_not_stand_before_it() -> None:
    text = (
        "2. Heup\n• Meet de pijn bij een parkinsonpatient.\n• Geen blaassonde bij parkinson.\n• Neem bloed af.\n• "
        "Maak een ecg.\n"
    )
    found = quoted(text, "heup en parkinson, alle stappen", "Meet de pijn", "Neem bloed", "ecg", "Geen blaas")
    assert found == [text]


def test_a_section_with_tables_beside_the_paragraph_that_answers_is_not_quoted_whole() -> None:
    text = (
        "4. Problemen\nNeem de lijn na als er geen bloed komt.\nHandeling\tHoe vaak\nVerband\t7 dagen\nLeiding\t4 "
        "dagen\n\n"
        "Probleem\tEerste stap\nGeen bloed terug\tlaten hoesten\nVerstopt\tniet forceren\n"
    )
    found = "".join(quoted(text, "lijn geeft geen bloed terug, wat nu", "Neem de lijn", "Geen bloed", "Verstopt"))
    assert "Neem de lijn" in found
    assert "Verband" not in found


def test_an_exception_in_the_paragraph_that_answers_stands_before_it() -> None:
    text = "4. Problemen\nNeem bij een picc geen bloeddruk. Spoel de lijn elke dag. Laat hoesten bij een trage lijn.\n"
    sentences, read = candidates(text, "Spoel", "Laat", "geen bloeddruk")
    found = sections(question("picc loopt traag, wat nu"), sentences, read)
    assert "geen bloeddruk" in found[0].candidates[0].text


# --- A second reader: which row or item

WEIGHTS = (
    "3. Dosis\nGewicht\tEnoxaparine\nonder 50 kg\t20 mg\n50 tot 100 kg\t40 mg\nboven 150 kg\t60 mg\n\nDien het "
    "om 18 uur toe.\n"
)


def widened(text: str, chosen: list[str], pointed: str) -> list[str]:
    sentences, read = candidates(text, *chosen)
    places = [next(c for c in sentences if pointed in text[c.start : c.end])]
    (section,) = with_the_rest([Section(tuple(sentences[: len(chosen)]), 2)], lambda _: places, read)
    return [one.text for one in section.candidates]


@pytest.mark.parametrize("pointed", ["boven 150", "50 tot 100", "18 uur"])
def test_of_a_row_the_whole_table_is_quoted_wherever_the_second_reader_points(pointed: str) -> None:
    (whole,) = widened(WEIGHTS, ["boven 150"], pointed)
    assert all(dose in whole for dose in ("20 mg", "40 mg", "60 mg"))


def test_of_a_table_for_one_of_its_rows_that_row_is_pointed_out_where_the_second_reader_does() -> None:
    sentences, read = candidates(WEIGHTS, "50 tot 100", "18 uur")

    def pointed(to: int) -> list[str]:
        chosen = [Section((sentences[0],), 1)]
        (section,) = with_the_rest(chosen, lambda _: (), read, lambda _: [sentences[to]])
        (table,) = section.candidates
        said = [] if table.said is None else [table.said]
        parts = parts_of(WEIGHTS, blocks_of(WEIGHTS), table.start, table.end, said=said)
        cells = (cell for part in parts for cell in part.pieces)
        return [WEIGHTS[cell.start : cell.end] for cell in cells if cell.pointed]

    assert pointed(0) == ["50 tot 100 kg", "40 mg"]
    assert pointed(1) == [], "to something else"


def test_a_row_beside_a_sentence_brings_its_table_too_and_two_rows_bring_it_once() -> None:
    sentence, whole = widened(WEIGHTS, ["18 uur", "boven 150"], "18 uur")
    assert sentence.endswith("Dien het om 18 uur toe.\n")
    assert "40 mg" in whole
    assert len(widened(WEIGHTS, ["boven 150", "onder 50"], "18 uur")) == 1


def test_a_table_with_a_row_for_other_patients_is_not_brought() -> None:
    text = "3. Dosis\nPatiënt\tParacetamol\nvolwassene\t1 g\nkind\t15 mg/kg\n\nDien het traag toe.\n"
    sentences, read = candidates(text, "volwassene", "traag")
    chosen = [Section((sentences[0],), 1, question("paracetamol bij een volwassene"))]
    (section,) = with_the_rest(chosen, lambda _: sentences[1:2], read)
    assert section.candidates == chosen[0].candidates
    (section,) = with_the_rest(
        [replace(chosen[0], asked=question("hoeveel paracetamol"))], lambda _: sentences[1:2], read
    )
    assert "15 mg/kg" in section.candidates[0].text


def test_a_table_that_two_questions_bring_is_quoted_once() -> None:
    sentences, read = candidates(WEIGHTS, "boven 150", "onder 50", "18 uur")
    of_two = [Section((one,), 1) for one in sentences[:3]]
    table, sentence = with_the_rest(of_two, lambda _: sentences[2:3], read)
    assert "40 mg" in table.candidates[0].text
    assert "18 uur" in sentence.candidates[0].text


def test_an_item_that_the_second_reader_does_not_point_to_is_quoted_with_its_list_and_a_sentence_as_it_is() -> None:
    (whole,) = widened(NEEDLE, ["Spoel"], "Ontsmet")
    assert all(step in whole for step in ("goed doorbloeden", "Spoel", "Ontsmet"))
    assert widened(NEEDLE, ["Is de bron"], "Spoel") == widened(NEEDLE, ["Is de bron"], "Is de bron")
    (alone,) = widened(NEEDLE, ["Spoel"], "Spoel")
    assert "goed doorbloeden" not in alone


# --- A second reader: all that is asked for

LOW = (
    "1. Definitie\nEen glycemie onder 54 is te laag.\n\n2. Behandeling\nToestand\tMiddel\nwakker\tcola\nsuf\tglucose IV\n"
    "bewusteloos\tglucagon\n\nGeef een kind niets.\n"
)


def shown(asked: str, first: str, last: str, chosen: str) -> list[str]:
    """What is quoted where a sentence was chosen and the reader points from a line to another."""
    own, read = candidates(LOW)
    begin, end, best = (next(c for c in own if words in LOW[c.start : c.end]) for words in (first, last, chosen))
    place = replace(begin, end=end.end, text=LOW[begin.start : end.end])
    found = with_all_that_is_pointed_to([Section((best,), 1)], question(asked), [place], read)
    return [section.candidates[0].text for section in found]


def test_where_all_is_asked_for_the_range_of_the_second_reader_takes_the_place_of_its_part() -> None:
    (whole,) = shown("wat te doen bij een lage glycemie", "te laag", "bewusteloos", "te laag")
    assert "te laag" in whole
    assert "glucose IV" in whole


def test_where_all_is_asked_for_what_the_second_reader_points_to_elsewhere_is_quoted_in_reading_order() -> None:
    before, table = shown("wat te doen bij een lage glycemie", "suf", "suf", "te laag")
    assert "te laag" in before
    assert all(said in table for said in ("cola", "glucose IV", "glucagon"))
    table, after = shown("wat te doen bij een lage glycemie", "suf", "suf", "een kind")
    assert "glucagon" in table
    assert "een kind" in after


def test_whatever_the_words_ask_for_the_range_of_the_second_reader_takes_the_place_of_its_part() -> None:
    (whole,) = shown("behandeling lage glycemie", "wakker", "bewusteloos", "suf")
    assert all(said in whole for said in ("cola", "glucose IV", "glucagon"))


def test_where_a_fact_is_asked_for_nothing_is_added() -> None:
    assert len(shown("welke glycemie is te laag", "suf", "suf", "te laag")) == 1


def test_a_range_with_a_line_for_other_patients_is_not_added() -> None:
    asked = "wat te doen bij een volwassene met een lage glycemie"
    assert len(shown(asked, "suf", "een kind", "te laag")) == 1


def test_a_range_of_a_document_about_another_drug_is_not_added() -> None:
    text = "1. Werkwijze\nSpoel de lijn.\n\n2. Toediening\nGeef de bolus traag.\n"
    own, read = candidates(text, "Spoel", "bolus")
    asked = question("wat te doen bij een bolus morfine")
    for title, sections_quoted in (("Morfine", 2), ("Ketamine", 1)):
        titled = replace(read, titles={"d": title})
        found = with_all_that_is_pointed_to([Section((own[0],), 1)], asked, [own[1]], titled)
        assert len(found) == sections_quoted
