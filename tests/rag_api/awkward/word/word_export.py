"""Characters in which Word hides something: soft hyphens, ligatures, hard spaces, raised figures,
breaks."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.word.word import docx, heading, paragraph, run

_RAISED, _LOWERED = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
_HARD_HYPHEN = "<w:r><w:noBreakHyphen/></w:r>"
_AT_LEAST = '<w:r><w:sym w:font="Symbol" w:char="F0B3"/></w:r>'
_SOFT = "Nier\u00adfunctie\u00adstoornis en lever\u00adinsuffi\u00adciëntie verlengen de werkings\u00adduur."
_PARAGRAPHS = (  # as runs, and as read
    (run(_SOFT), _SOFT),
    (run("E\ufb03ciënt en \ufb02exibel: geef \ufb01nasteride 5 mg."), "Efficiënt en flexibel: geef finasteride 5 mg."),
    (run("Geef 2\u00a0mg tot 4\u00a0mg per keer."), "Geef 2 mg tot 4 mg per keer."),
    (
        run("De arts") + _HARD_HYPHEN + run("assistent belt de IC") + _HARD_HYPHEN + run("afdeling."),
        "De arts-assistent belt de IC-afdeling.",
    ),
    (
        run("Trombocyten boven 50 x 10") + run("9", _RAISED) + run(" per liter."),
        "Trombocyten boven 50 x 10⁹ per liter.",
    ),
    (run("De pCO") + run("2", _LOWERED) + run(" blijft onder 6,5 kPa."), "De pCO2 blijft onder 6,5 kPa."),
    (run("Dosis") + "<w:r><w:tab/></w:r>" + run("5 mg"), "Dosis\t5 mg"),
    (
        "".join(run(part) for part in ("Geef ", "0", ",", "5", " mg ")) + run("lorazepam", "<w:i/>") + run("."),
        "Geef 0,5 mg lorazepam.",
    ),
    (run("Vanaf ") + _AT_LEAST + run(" 38 °C."), "Vanaf ≥ 38 °C."),
    (run("Bij pijn:") + "<w:r><w:br/></w:r>" + run("geef 1000 mg paracetamol."), "Bij pijn: geef 1000 mg paracetamol."),
)


def word_export() -> Made:
    """Return one page."""
    title = "Pijnstilling na ontslag"
    body = heading(title) + "".join(paragraph(runs) for runs, _ in _PARAGRAPHS)
    return Made("pijnstilling-ontslag.docx", docx(body), ((title, *(text for _, text in _PARAGRAPHS)),))
