"""Words and ranges broken at a line's end, at hyphens that belong to the word and at hyphens that
do not."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import Paper
from tests.rag_api.awkward.running_text.broken_line import broken_line

_TITLE = "Afspraken op de afdeling"
_KEPT = (  # the hyphen is the word's own
    ("de dosering, ingevuld door de arts-", "assistent, te worden gecontroleerd door de IC-verpleegkundige."),
    ("de controle door een IC-", "verpleegkundige die de pomp kent en die voor deze patiënt is ingedeeld."),
    ("bij twijfel een X-", "thorax en een CT-scan van de longen, en zo nodig een tweede na een week."),
    ("een dosis van 0,5-", "1 mg per keer, in stappen die de arts bepaalt, tot de patiënt rustig is."),
    ("een controle na 6-", "8 weken op de polikliniek, met een bloedbeeld en een elektrocardiogram."),
    ("een gesprek per telefoon bij COVID-", "19 of een andere besmettelijke ziekte van de luchtwegen."),
    ("een afspraak voor follow-", "up na drie maanden, te maken door het secretariaat van de polikliniek."),
    ("geen ACE-", "remmer bij zwangerschap, en ook niet bij wie zwanger wil worden."),
    ("een meting van de anti-", "Xa-spiegel vier uur na de derde gift, bij een klaring onder dertig."),
    ("geen vitamine K-", "antagonist naast een directe remmer, ook niet voor een enkele dag."),
    ("wat bij na-", "en voorzorg staat beschreven in het zorgpad van de betrokken patiëntengroep."),
    ("een flacon met 2 x 10-", "20 ml zoutoplossing, door te spuiten voor en na elke gift."),
)
_JOINED = (  # the hyphen only parts syllables
    ("een duur van de behande-", "ling van zeven dagen, tenzij de kweek iets anders laat zien."),
    ("een schriftelijke over-", "dracht van de medicatie aan de huisarts en aan de apotheek."),
    ("een lage dosis acetylsalicyl-", "zuur naast de andere remmer, gedurende ten hoogste een jaar."),
    ("een halve dosis para-", "cetamol bij een gewicht onder vijftig kilo of bij leverziekte."),
)


def hyphens() -> Made:
    """Return two pages."""
    paper = Paper()
    paper.heading(_TITLE)
    kept = []
    for before, after in _KEPT:
        kept.append(broken_line(paper, before, after, " " if before.endswith("na-") else "", ragged=True))
    paper.turn()
    joined = [broken_line(paper, before, after).replace(before, before[:-1]) for before, after in _JOINED]
    return Made("afspraken-afdeling.pdf", paper.bytes(), ((_TITLE, *kept, *joined),))
