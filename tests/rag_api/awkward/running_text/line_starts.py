"""Paragraphs with a line that happens to begin with what looks like a list's mark: a number, a
letter, a dash."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import Paper
from tests.rag_api.awkward.running_text.broken_line import broken_line

_TITLE = "Pijn en koorts"
_PARAGRAPHS = (  # before and after the line end
    (
        "alleen paracetamol boven de",
        "38,5 graden of bij pijn, in een dosis van 15 mg/kg en met als maximum vier gram per dag.",
    ),
    (
        "twee schema's, dat van tabel",
        "a) voor volwassenen en dat van de andere tabel voor kinderen tot en met zestien jaar.",
    ),
    (
        "morfine in een hoeveelheid van",
        "2 mg per keer, te herhalen tot de pijnscore onder de vier is gedaald of de patiënt slaapt.",
    ),
    (
        "een spiegel tussen de grenzen van",
        "1.5 en 2.5 mg per liter, gemeten op de derde dag van de behandeling en daarna wekelijks.",
    ),
    (
        "een temperatuur van de koelkast onder de",
        "-15 °C bij lang bewaren, en van vier graden boven nul voor gebruik binnen een week.",
    ),
    (
        "de pomp op de stand die de arts kiest",
        "- en die tekent de arts in het dossier - tot de volgende controle van het bloedgas.",
    ),
    (
        "een herhaling van de gift pas na",
        "10 minuten wachten, en nooit meer dan drie keer achter elkaar zonder overleg.",
    ),
    ("de dosis van tabel", "3. Daarna volgt overleg met de kinderarts over de rest van de behandeling."),
)


def line_starts() -> Made:
    """Return one page."""
    paper = Paper()
    paper.heading(_TITLE)
    written = [broken_line(paper, *parts, " ", ragged=True) for parts in _PARAGRAPHS]
    return Made("pijn-koorts.pdf", paper.bytes(), ((_TITLE, *written),))
