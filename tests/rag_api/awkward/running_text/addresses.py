"""Web and mail addresses broken at line ends, at a hyphen."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import Paper
from tests.rag_api.awkward.running_text.broken_line import broken_line

_TITLE = "Waar een incident te melden is"
_HYPHENS = (  # the address goes on behind its own hyphen
    (
        "te melden op https://intranet.linden.example/quality-",
        "safety/incidents/new-report voor het einde van de dienst.",
    ),
    ("te mailen aan klinische-", "apotheek@linden.example binnen vierentwintig uur na het incident."),
    (
        "te openen op https://linden.example/a/b/pad-met-",
        "streepjes?dosis=5-10&eenheid=mg met de code van de afdeling.",
    ),
)


def addresses() -> Made:
    """Return a page of addresses broken at hyphens."""
    return _page("incident-melden.pdf", _HYPHENS)


def _page(name: str, paragraphs: tuple[tuple[str, str], ...]) -> Made:
    paper = Paper()
    paper.heading(_TITLE)
    written = [broken_line(paper, *parts) for parts in paragraphs]
    return Made(name, paper.bytes(), ((_TITLE, *written),))
