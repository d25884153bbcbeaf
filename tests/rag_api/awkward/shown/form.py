"""A filled form: words of the page and words that stand only in its fields."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import Paper

_FIELDS = (
    ("Gewicht", "gewicht", "18,5 kg"),
    ("Allergie", "allergie", "penicilline: anafylaxie in 2019"),
    ("Medicatie", "medicatie", "levetiracetam 250 mg tweemaal daags"),
    ("Bijzonderheden", "bijzonder", "nooit NSAID geven bij deze nierfunctie"),
)
_INTRODUCTION = "In te vullen door de arts-assistent voor elke ingreep onder sedatie."
_CLOSING = "Bewaar dit formulier tot 24 uur na de ingreep in het dossier."


def form() -> Made:
    """Return a form with text fields, a choice and two boxes of which one is ticked."""
    paper = Paper()
    paper.heading("Formulier sedatie bij kinderen")
    paper.paragraph(_INTRODUCTION)
    fields = paper.canvas.acroForm
    for label, name, value in _FIELDS:
        paper.line(60, paper.y, label)
        fields.textfield(name=name, value=value, x=180, y=paper.y - 5, width=300, height=16, fontSize=10, borderWidth=0)
        paper.y -= 30
    paper.line(60, paper.y, "Sedatie met")
    place = {"x": 180, "y": paper.y - 5, "width": 120, "height": 16}
    fields.choice(name="middel", value="midazolam", options=["midazolam", "esketamine"], fontSize=10, **place)
    paper.y -= 30
    for label, ticked in (("Nuchter", True), ("Zwanger", False)):
        fields.checkbox(name=label.lower(), x=180, y=paper.y - 4, size=14, checked=ticked)
        paper.line(60, paper.y, label)
        paper.y -= 30
    paper.paragraph(_CLOSING)
    rows = tuple(f"{label}\t{value}" for label, _, value in _FIELDS)
    flow = ("Formulier sedatie bij kinderen", _INTRODUCTION, *rows, "Sedatie met\tmidazolam")
    return Made("formulier-sedatie.pdf", paper.bytes(), (flow, ("Nuchter",), ("Zwanger",), (_CLOSING,)))
