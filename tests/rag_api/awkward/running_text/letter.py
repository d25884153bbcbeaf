"""A letter on letterhead: its first page's foot and its second page's head stand in the middle of a
sentence."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import BOLD, HEIGHT, Paper, wrapped

_HEAD = ("Ziekenhuis De Linde", "Postbus 12, 1234 AB Lindestad", "Telefoon 0123 - 45 67 89")
_FOOT = (
    "KvK 12345678   IBAN NL00 BANK 0123 4567 89",
    "Op al onze diensten zijn de algemene voorwaarden van toepassing.",
)
_NEXT = "Vervolg brief van 12 maart 2025, blad 2"
_OPENING = (
    "Aan de huisartsen in de regio",
    "Betreft: gewijzigd beleid bij antistolling rond ingrepen",
    "Geachte collega,",
)
_BODY = (
    "Met ingang van 1 april wijzigt ons beleid voor patiënten die een vitamine K-antagonist gebruiken en een ingreep "
    "ondergaan.",
    "Bij een laag bloedingsrisico wordt acenocoumarol niet gestaakt en is een INR tot 2,5 op de dag van de ingreep "
    "aanvaardbaar.",
    "Bij een hoog bloedingsrisico wordt acenocoumarol drie dagen en fenprocoumon vijf dagen tevoren gestaakt. ",
    "Overbruggen met een laagmoleculairgewichtheparine gebeurt alleen bij een mechanische mitralisklep of een "
    "trombose korter dan "
    "drie maanden geleden; dan wordt nadroparine 5700 IE tweemaal daags gegeven vanaf de tweede dag na het staken, en "
    "de laatste "
    "dosis uiterlijk 24 uur voor de ingreep, waarbij bij een klaring onder 30 ml/min de dosis wordt gehalveerd en de "
    "anti-Xa-spiegel "
    "vier uur na de derde gift wordt bepaald.",
    "Na de ingreep wordt de oude dosering dezelfde avond hervat, tenzij de operateur anders bepaalt.",
)
_CLOSING = ("Met collegiale groet,", "Namens de vakgroep interne geneeskunde", "Bijlage: stroomschema antistolling")
_ON_FIRST_PAGE = 3  # lines of the paragraph that runs over


def letter() -> Made:
    """Return a letter of two pages."""
    paper = Paper()
    paper.line(60, HEIGHT - 40, _HEAD[0], 16, BOLD)
    for k, text in enumerate(_HEAD[1:]):
        paper.line(400, HEIGHT - 40 - 11 * k, text, 7)
    for k, text in enumerate(_FOOT):
        paper.line(60, 40 - 10 * k, text, 7)
    paper.y = 330
    for text in (*_OPENING, *_BODY[:3]):
        paper.paragraph(text.strip())
    lines = wrapped(_BODY[3], 470)
    paper.lines(lines[:_ON_FIRST_PAGE])
    paper.turn()
    paper.line(60, HEIGHT - 40, _NEXT, 8)
    paper.lines(lines[_ON_FIRST_PAGE:])
    paper.y -= 8
    for text in (_BODY[4], *_CLOSING):
        paper.paragraph(text)
    flow = (*_OPENING, *(text.strip() for text in _BODY), *_CLOSING)
    return Made("brief-huisartsen.pdf", paper.bytes(), (flow,), (*_HEAD, *_FOOT, _NEXT))
