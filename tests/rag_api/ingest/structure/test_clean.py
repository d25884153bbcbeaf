"""Lines cleaned: signs, hyphens, headers and footers, each character with its box."""

from __future__ import annotations

import re
import time
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import Page
from rag_api.ingest.common.boxed_text import Marked
from rag_api.ingest.common.characters import SOFT_HYPHEN, clean_line
from rag_api.ingest.layout.lines import Line, Row
from rag_api.ingest.structure.clean import LaidOut
from rag_api.ingest.structure.clean import clean as cleaned
from rag_api.ingest.structure.headers_footers import furniture
from rag_api.ingest.structure.hyphens import judge, lexicon
from tests.rag_api.ingest.readers.test_read_pdf import read_bytes
from tests.rag_api.made_files.pdfs import both, lines, pdf, read_handbook
from tests.support.handbook.render import SOURCES
from tests.support.handbook.source import Callout, Heading, ListBlock, Paragraph, Procedure, TableBlock, read_procedure

pytestmark = pytest.mark.quick


def marked(text: str) -> Marked:
    """Each character ten points wide, one after the other."""
    left = 10.0 * np.arange(len(text))
    return Marked(
        text, np.column_stack([left, np.zeros(len(text)), left + 10, np.full(len(text), 12.0)]).astype(np.float32)
    )


def line(
    text: str, y: float = 100.0, x: float = 50.0, width: float | None = None, size: float = 12.0, bold: bool = False
) -> Line:
    """A line of a page; width: where it ends, from x."""
    right = x + (width if width is not None else 6.0 * len(text))
    return Line(
        marked(text),
        x,
        y,
        right,
        y + size,
        size,
        6.0 * len(text.split()[0]) if text.split() else 0.0,
        bold,
        False,
        False,
    )


def page(number: int, *items: Line | Row) -> LaidOut:
    return LaidOut(number, 595.0, 842.0, 0, 842.0, items)


def paragraph(*texts: str, y: float = 200.0, width: float = 480.0) -> list[Line]:
    """Lines that reach the right margin, the last one excepted."""
    return [line(text, y + 15 * i, width=width if i + 1 < len(texts) else None) for i, text in enumerate(texts)]


def clean(pages: list[LaidOut], language: str) -> tuple[Page, ...]:
    return cleaned(pages, language).pages


def text_of(pages: tuple[Page, ...]) -> str:
    return "".join(p.text for p in pages)


# Characters


@pytest.mark.parametrize(
    ("dirty", "tidy"),
    [
        ("diﬀerentiaal eﬃciënt ﬁbrine", "differentiaal efficiënt fibrine"),
        ("\ufeffgeef\u200b 5\u00a0mg\u202e", "geef 5 mg"),
        ("be\u00adademing", "beademing"),
        ("cafe\u0301", "café"),
        ("dosis \\ 5 mg\\", "dosis 5 mg"),
        ("stop \\- bel \\(2222\\)", "stop - bel (2222)"),
        ("open C:\\map\\lijst.pdf", "open C:\\map\\lijst.pdf"),
        ("\\\\server\\protocollen", "\\\\server\\protocollen"),
        ("Doel ........ 3", "Doel\t3"),
        ("een  twee   drie", "een twee drie"),
        ("10\u202fml/kg\u2009per uur", "10 ml/kg per uur"),
        ("1,73 m² en 10⁹/l, ≥ 38 °C, 5 µg", "1,73 m² en 10⁹/l, ≥ 38 °C, 5 µg"),
        ("\uf0b7 bel de arts", "• bel de arts"),
        ("half \ud83d paar", "half paar"),
        ("Ĳzer en bĳwerking", "IJzer en bijwerking"),
        ("\U000e0041\U000e0042tag", "tag"),
    ],
)
def test_a_line_keeps_what_can_be_read_and_loses_what_cannot_be_seen(dirty: str, tidy: str) -> None:
    assert clean_line(marked(dirty)).text == tidy


def test_signs_of_a_symbol_font_become_what_they_show() -> None:
    assert clean_line(marked("temperatuur \uf0b3 38"), symbol=True).text == "temperatuur ≥ 38"


def test_a_ligatures_letters_share_its_box() -> None:
    tidy = clean_line(marked("ﬁn"))
    assert tidy.text == "fin"
    assert tidy.boxes[:, 0].tolist() == [0, 5, 10]
    assert tidy.boxes[:, 2].tolist() == [5, 10, 20]


def test_a_soft_hyphen_at_the_end_says_that_the_word_goes_on() -> None:
    assert clean_line(marked("be\u00adade\u00ad")).text == "beade" + SOFT_HYPHEN


@given(st.text(st.characters(codec=None), max_size=80), st.booleans())
def test_cleaning_never_fails_and_keeps_a_box_for_each_character(text: str, symbol: bool) -> None:
    """Any code points, lone surrogates and unassigned ones included."""
    tidy = clean_line(marked(text), symbol)
    assert len(tidy.boxes) == len(tidy.text)
    for character, box in zip(tidy.text, tidy.boxes, strict=True):
        assert character in (" ", "\t", SOFT_HYPHEN) or not np.isnan(box).any()
        assert unicodedata.category(character) not in ("Cc", "Cs", "Co", "Cn") or character == "\t"
    assert clean_line(tidy, symbol).text == tidy.text


# Hyphens


@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("paracetamol intrave-", "neus bij kinderen", "intraveneus"),
        ("de spoed-", "opname van", "spoedopname"),
        ("een CT-", "scan van", "CT-scan"),
        ("bij COVID-19-", "patiënten", "COVID-19-patiënten"),
        ("spitse T-", "toppen", "T-toppen"),
        ("satelliet-", "en radarbeelden", "satelliet- en radarbeelden"),
        ("in-", "of uitgaand", "in- of uitgaand"),
        ("na ontdooi-", "en", "ontdooien"),
        ("een auto-", "ongeluk", "auto-ongeluk"),
        ("wisser van perine-", "um; wonden", "perineum"),
        ("non-", "invasieve beademing", "non-invasieve"),
        ("2024-", "2025", "2024-2025"),
        ("'ver-", "lamt", "verlamt"),
        ("be" + SOFT_HYPHEN, "ademing", "beademing"),
        ("Sint-", "Aurelia", "Sint-Aurelia"),
        ("deur-naar-", "naald", "deur-naar-naald"),
    ],
)
def test_a_hyphen_at_a_lines_end_is_judged_as_dutch_spells(before: str, after: str, joined: str) -> None:
    verdict = judge(before, after, Counter(), "nl")
    assert joined in before[:-1] + verdict.value + after


@pytest.mark.parametrize("language", ["nl", "en", ""])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("zie https://www.zorg-", "inspectie.nl/meldingen"),
        ("zie https://www.voorbeeld.nl/brand-", "wonden/eerste-hulp"),
        ("zie www.sint-", "aurelia.be"),
        ("zie sint-", "aurelia.be voor meer"),
        ("mail naar jan.de-", "wit@voorbeeld.nl"),
        ("mail naar apotheek-", "noord@voorbeeld.nl"),
        ("mail naar info@sint-", "aurelia.be"),
        ("mail naar info@sint-aurelia-", "noord.be."),
        ("zie voorbeeld.org/work-", "instructions/pump"),
        ("https://doi.org/10.1000/abc-", "def"),
        ("https://voorbeeld.nl/2024-", "versie"),
        ("ftp://bestanden.voorbeeld.nl/les-", "materiaal"),
        ("the follow-", "up visit"),
        ("de follow-", "up na een week"),
        ("de arts-", "assistent van wacht"),
        ("de kinderarts-", "specialist belt"),
    ],
)
def test_hyphens_of_addresses_and_of_words_that_have_one_stay(before: str, after: str, language: str) -> None:
    assert before + after == before[:-1] + judge(before, after, Counter(), language).value + after


def test_an_address_over_a_lines_end_is_whole(tmp_path: Path) -> None:
    one = "Meld elk incident met de pomp binnen een dag op https://www.zorg-"
    page_ = lines(one, "inspectie.nl/medische-hulp-", "middelen of per mail aan apotheek-", "noord@voorbeeld.nl.")
    text = read_bytes(tmp_path, pdf(page_)).text
    assert "https://www.zorg-inspectie.nl/medische-hulp-middelen of per mail aan apotheek-noord@voorbeeld.nl." in text


@pytest.mark.parametrize(
    ("before", "after", "elsewhere", "joined"),
    [
        ("de bloed-", "gasanalyse", ["de bloed-gasanalyse"], "bloed-gasanalyse"),
        ("een e-", "mail", ["een email"], "email"),
        ("shared decision-", "making", ["the decision is yours", "in making it"], "decision-making"),
        ("medi-", "cation", ["the decision is yours"], "medication"),
        ("the back-", "up fridge", [], "back-up"),
        ("neurological ex-", "amination", [], "examination"),
        ("the high-", "est rate", [], "highest"),
        ("a high-", "risk drug", [], "high-risk"),
    ],
)
def test_the_documents_own_spelling_decides_a_hyphen(
    before: str, after: str, elsewhere: list[str], joined: str
) -> None:
    verdict = judge(before, after, lexicon(elsewhere), "en")
    assert joined in before[:-1] + verdict.value + after


def test_words_broken_at_line_ends_are_no_witnesses() -> None:
    words = lexicon(["de spoed-", "opname en de CT-scan"])
    assert words["opname"] == words["spoed"] == 0
    assert words["ct-scan"] == 1


# Lines


def test_a_paragraph_becomes_one_line_and_the_next_one_another() -> None:
    first = paragraph("De dosis wordt berekend op het", "werkelijke gewicht van het kind.")
    second = paragraph("Bij obesitas geldt het ideale", "gewicht.", y=260)
    assert text_of(clean([page(1, *first, *second)], "nl")) == (
        "De dosis wordt berekend op het werkelijke gewicht van het kind.\n\nBij obesitas geldt het ideale gewicht.\n"
    )


def test_headings_and_list_items_keep_their_own_lines() -> None:
    items = [
        line("2. Dosering", 100, size=15, bold=True),
        *paragraph("De dosis wordt berekend op het", "gewicht:", y=130),
        line("• tot 10 kg: 7,5 mg/kg", 160, width=480),
        line("• vanaf 10 kg: 15 mg/kg, hoogstens", 175, width=480),
        line("4 g per dag", 190, x=62),
        line("1. Bel de arts", 240),
        line("2. Noteer het uur", 255),
    ]
    assert text_of(clean([page(1, *items)], "nl")).split("\n") == [
        "2. Dosering",
        "De dosis wordt berekend op het gewicht:",
        "• tot 10 kg: 7,5 mg/kg",
        "• vanaf 10 kg: 15 mg/kg, hoogstens 4 g per dag",
        "",
        "1. Bel de arts",
        "2. Noteer het uur",
        "",
    ]


def test_a_wrapped_line_that_begins_with_a_number_is_no_list_item() -> None:
    lines_ = paragraph("Zie voor de bewaartermijn van plasma punt", "4.2 van de procedure op het intranet.")
    assert "plasma punt 4.2 van de procedure" in text_of(clean([page(1, *lines_)], "nl"))


def test_a_paragraph_set_to_a_margin_of_its_own_beside_a_box_goes_on_with_a_name() -> None:
    wide = paragraph("De arts beslist over de opname en", "licht het hele team daarover in", "en noteert het.", y=100)
    beside = [
        line(text, 160 + 15 * n, width=260)
        for n, text in enumerate(
            (
                "Alleen wie MDR-TB heeft met uitgebreide ziekte en",
                "XDR-TB blijft tot de kweek twee",
                "keer na elkaar negatief is, volgens het",
            )
        )
    ]
    doses = [line(text, 260 + 15 * n, width=60) for n, text in enumerate(("Van 500 mg", "Van 250 mg", "Van 125 mg"))]
    text = text_of(clean([page(1, *wide, *beside, line("protocol.", 205), *doses)], "nl"))
    assert "met uitgebreide ziekte en XDR-TB blijft tot de kweek twee keer na elkaar negatief is" in text
    assert "Van 500 mg\nVan 250 mg\nVan 125 mg" in text  # as wide each, but short: lines of their own


def test_a_paragraph_goes_on_over_a_page_border() -> None:
    one = page(1, *paragraph("De verpleegkundige belt de arts van wacht en", "noteert het", width=480))
    two = page(2, *paragraph("uur van de oproep in het dossier.", y=80))
    pages = clean([one, two], "nl")
    assert (
        text_of(pages) == "De verpleegkundige belt de arts van wacht en noteert het uur van de oproep in het dossier.\n"
    )
    assert [p.start for p in pages] == [0, len(pages[0].text)]
    assert pages[1].text == "uur van de oproep in het dossier.\n"


def test_a_word_broken_by_a_page_border_is_made_whole() -> None:
    pages = clean([page(1, *paragraph("Spoel de kathe-")), page(2, *paragraph("ter met 10 ml.", y=80))], "nl")
    assert [p.text for p in pages] == ["Spoel de kathe", "ter met 10 ml.\n"]


def test_a_paragraph_that_ends_with_its_page_is_not_joined() -> None:
    one = page(1, *paragraph("Bel bij twijfel altijd de arts van wacht", "op 2222."))
    assert text_of(clean([one, page(2, *paragraph("Noteer het uur.", y=80))], "nl")).endswith(
        "op 2222.\nNoteer het uur.\n"
    )


def test_repeated_headers_footers_and_page_numbers_are_cut() -> None:
    bodies = [
        "De eerste pagina gaat over dosering.",
        "De tweede gaat over bewaring.",
        "De derde en laatste gaat over overdosering.",
    ]
    pages = [
        page(
            n,
            line("Sint-Aurelia Ziekenhuis", 30),
            line(f"Paracetamol versie 3.1 - pagina {n} van 3", 44),
            line(body, 200),
            line("Afdruk enkel vandaag geldig", 800),
        )
        for n, body in enumerate(bodies, start=1)
    ]
    assert text_of(clean(pages, "nl")) == "\n".join([*bodies, ""])


def test_a_running_head_that_says_the_title_again_is_cut_though_it_holds_a_number() -> None:
    title = "Brandwonden: eerste 24 uur"
    head = Row(((line("Ziekenhuis", 30),), (line(title, 30),), (line("SPO-009 versie 3.1", 30),)))
    pages = [
        page(1, head, line(title, 90, size=18), line("Geef vocht.", 200)),
        page(2, head, line("Meet de diurese.", 200)),
    ]
    assert text_of(clean(pages, "nl")) == f"{title}\nGeef vocht.\nMeet de diurese.\n"


def test_a_sentence_repeated_in_the_body_stays() -> None:
    pages = [
        page(
            n,
            line(f"Stap {n * 7} van het plan begint", 60),
            line("Was de handen.", 400),
            line(f"Einde deel {'abc'[n]}", 700),
        )
        for n in range(3)
    ]
    assert text_of(clean(pages, "nl")).count("Was de handen.") == 3


@pytest.mark.longer
def test_a_document_of_three_thousand_pages_is_cleaned_in_seconds() -> None:
    """Every line of every page differs: all of them would be compared with all others."""
    count = 3000
    pages = [
        page(n, *(line(f"Regel {i} van blad {n} gaat over {n * i}", 20 + 20 * i) for i in range(40)))
        for n in range(1, count + 1)
    ]
    began = time.process_time()
    assert furniture([one.items for one in pages], [842.0] * count) == ({}, set())
    assert time.process_time() - began < 60


def test_a_lone_page_number_is_cut_even_from_a_single_page() -> None:
    assert text_of(clean([page(1, line("Bel de arts.", 200), line("Pagina 1 van 1", 810))], "nl")) == "Bel de arts.\n"


def test_small_print_of_a_single_page_is_cut_only_where_it_tells_of_the_document_itself() -> None:
    body = [
        *paragraph("De dosis wordt berekend op het", "gewicht."),
        line("Bel de arts.", 300),
        line("Noteer het uur.", 400),
    ]
    around = [
        line("Ziekenhuis | Apotheek | versie 3.1", 30, size=9),
        line("maximaal 2 gram per dag", 800, size=8),
        line("Alleen IV", 815, size=8),
    ]
    found = cleaned([page(1, around[0], *body, *around[1:])], "nl")
    assert [(one.text, one.reason) for one in found.cut] == [("Ziekenhuis | Apotheek | versie 3.1", "header")]
    assert text_of(found.pages).endswith("maximaal 2 gram per dag Alleen IV\n")


def cards(*bodies: list[str]) -> list[LaidOut]:
    """Pages of one layout."""
    return [
        page(n, *(line(text, 40 + 40 * i) for i, text in enumerate(texts))) for n, texts in enumerate(bodies, start=1)
    ]


@pytest.mark.parametrize(
    "varying",
    [
        ["Reanimatie 10 kg", "Reanimatie 12 kg", "Reanimatie 20 kg"],
        ["Kaart 10", "Kaart 20", "Kaart 30"],
        ["Dag 1", "Dag 2", "Dag 3"],
        ["Stap 1: bel", "Stap 2: bel", "Stap 3: bel"],
        ["1 van 3 zakjes", "2 van 3 zakjes", "3 van 3 zakjes"],
        ["40 J", "80 J", "120 J"],
        ["Kamer 12 | 10", "Kamer 12 | 20", "Kamer 12 | 30"],
        ["10", "20", "30"],
        ["0,9", "1,2", "3,5"],
        ["NACL-0.45", "NACL-0.90", "NACL-3.00"],
    ],
)
@pytest.mark.parametrize("at", ["top", "bottom"])
def test_lines_of_one_place_that_differ_in_a_number_are_text(varying: list[str], at: str) -> None:
    for count in (2, 3):
        bodies = [
            [one, f"De {word} kaart."] for one, word in zip(varying[:count], ("ene", "andere", "laatste"), strict=False)
        ]
        if at == "bottom":
            bodies = [[*body[1:], *[""] * 16, body[0]] for body in bodies]
        found = cleaned(cards(*bodies), "nl")
        assert found.cut == ()
        assert all(text_of(found.pages).count(one) == 1 for one in varying[:count])


@pytest.mark.parametrize(
    "repeated",
    [
        "Bij glucose boven 15 mmol/l: 6 eenheden.",
        "maximaal 2 gram per dag",
        "Dosis (mg/kg)",
        "Amiodaron",
        "Niet bij zwangeren",
        "Bel altijd de arts van wacht.",
        "Het gewicht wordt elke dag bepaald",
        "15",
    ],
)
def test_what_a_reader_may_need_is_never_cut_however_often_it_repeats(repeated: str) -> None:
    for count in (2, 3, 6):
        bodies = [[repeated, f"Groep {chr(65 + n)}.", *[""] * 16, repeated] for n in range(count)]
        found = cleaned(cards(*bodies), "nl")
        assert found.cut == ()
        assert text_of(found.pages).count(repeated) == 2 * count


@pytest.mark.parametrize(
    "footer",
    [
        "Apotheek | pagina {n} van 3",
        "Apotheek | versie 2.{n}",
        "Afgedrukt op {n}-03-2025",
        "Handboek | {n}",
        "{n} / 3",
        "Apotheek, document PRO-0012{n}",
        "werkwijze_{n}.docx",
        "- {n} -",
    ],
)
def test_a_footer_may_differ_in_what_it_tells_of_the_document_and_what_is_cut_is_kept(footer: str) -> None:
    texts = [footer.format(n=n) for n in (1, 2, 3)]
    found = cleaned(
        cards(*[[f"Deel {'abc'[i]} van het plan.", *[""] * 17, text] for i, text in enumerate(texts)]), "nl"
    )
    assert [(one.page, one.text) for one in found.cut] == list(enumerate(texts, start=1))
    assert {one.reason for one in found.cut} <= {"footer", "page_number"}
    assert " ".join(text_of(found.pages).split()) == "Deel a van het plan. Deel b van het plan. Deel c van het plan."


def test_a_tables_head_that_repeats_stays_below_a_letterhead_that_is_cut() -> None:
    def letterhead(n: int) -> list[Row]:
        cells = ((("Dienst", "Apotheek"), 30.0), (("Versie", "versie 2"), 50.0), (("Gewicht", "Dosering"), 70.0))
        rows = [Row(tuple((line(text, y, 50 + 200 * i),) for i, text in enumerate(texts))) for texts, y in cells]
        return [*rows, Row(((line(f"tot {n}0 jaar", 90),), (line(f"{n} tabletten", 90, 250),)))]

    found = cleaned([page(n, *letterhead(n)) for n in (1, 2, 3)], "nl")
    assert {one.text for one in found.cut} == {"Dienst\tApotheek", "Versie\tversie 2"}
    assert text_of(found.pages).count("Gewicht\tDosering") == 3


def test_a_number_in_the_body_is_no_page_number() -> None:
    assert "15" in text_of(clean([page(1, line("Maximum", 380), line("15", 400), line("Bel de arts.", 500))], "nl"))


def test_a_table_row_is_one_line_with_a_tab_between_cells() -> None:
    row = Row(((line("SIC, levensbedreigende hypokali-"), line("ëmie", 115)), (line("40 mmol/uur", x=300),)))
    assert text_of(clean([page(1, row)], "nl")) == "SIC, levensbedreigende hypokaliëmie\t40 mmol/uur\n"


@given(
    st.lists(
        st.lists(
            st.tuples(
                st.text(st.characters(codec=None), max_size=30), st.floats(0, 900), st.floats(-50, 700), st.booleans()
            ),
            max_size=6,
        ),
        max_size=4,
    ),
    st.sampled_from(["nl", "en", ""]),
)
def test_any_pages_become_text_with_a_box_for_each_character(
    texts: list[list[tuple[str, float, float, bool]]], language: str
) -> None:
    laid = [page(n, *(line(t, y, x, bold=b) for t, y, x, b in found)) for n, found in enumerate(texts, start=1)]
    at = 0
    for whole in clean(laid, language):
        assert whole.start == at
        assert whole.boxes.shape == (len(whole.text), 4)
        assert all(c.isspace() or not np.isnan(b).any() for c, b in zip(whole.text, whole.boxes, strict=True))
        at += len(whole.text)


# Whole documents


def test_headers_of_a_real_layout_are_cut_and_its_paragraph_joined(tmp_path: Path) -> None:
    def body(number: int, *texts: str):  # type: ignore[no-untyped-def]
        return both(lines("Ziekenhuis | Apotheek", y=810), lines(*texts, y=760), lines(f"Pagina {number} van 2", y=30))

    one = body(
        1,
        "Geef eerst een oplaaddosis over dertig minuten en daarna een",
        "onderhoudsdosis over acht uur, samen met een tweede zak en een",
    )
    two = body(2, "controle van de spiegel.")
    assert read_bytes(tmp_path, pdf(one, two)).text == (
        "Geef eerst een oplaaddosis over dertig minuten en daarna een onderhoudsdosis over acht uur, "
        "samen met een tweede zak en een controle van de spiegel.\n"
    )


def written(procedure: Procedure) -> list[str]:
    """Every heading, paragraph, list item and table row of a handbook source, as one line each."""
    found = [procedure.title]
    for block in procedure.blocks:
        if isinstance(block, Heading):
            found.append(block.text)
        elif isinstance(block, ListBlock):
            found += block.items
        elif isinstance(block, TableBlock):
            found += ["\t".join(cell for cell in row if cell) for row in (block.header, *block.rows)]
        elif isinstance(block, Paragraph | Callout):
            found.append(block.text)
    return [re.sub(r"\*(.+?)\*", r"\1", re.sub(r"\*\*(.+?)\*\*", r"\1", text)) for text in found]


@pytest.mark.longer
def test_the_handbooks_pdfs_read_as_they_were_written() -> None:
    """Against the sources they were rendered from: hyphenated, in tables and columns, turned, over
    page borders.

    A word broken exactly at its own hyphen cannot be told from a syllable: a few may differ."""
    missing, total = [], 0
    for name, document in read_handbook().items():
        label = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[a-z]\)|•|–|-)\s+")
        found = {label.sub("", one) for one in document.text.split("\n")} | set(document.text.split("\n"))
        wanted = written(read_procedure(SOURCES / f"{Path(name).stem}.md"))
        total += len(wanted)
        missing += [(name, one) for one in wanted if one not in found]
    assert total > 300
    assert len(missing) <= 0.01 * total, missing


def drawn(canvas: Canvas) -> None:
    """An accent over an e, drawn before its letter, then after it; the last stands by itself."""
    for y, first, signs, last in ((760, "pati", "¨e", "nt"), (740, "orchide", "e¨", "")):
        x = 60 + canvas.stringWidth(first)
        canvas.drawString(60, y, first)
        for sign in signs:
            canvas.drawString(x, y, sign)
        canvas.drawString(x + canvas.stringWidth("e"), y, last)
    canvas.drawString(60, 720, "naast ¨ niets")


def test_accents_drawn_over_letters_are_read_with_them(tmp_path: Path) -> None:
    text = read_bytes(tmp_path, pdf(drawn)).text
    assert text.split() == ["patiënt", "orchideë", "naast", "¨", "niets"]
