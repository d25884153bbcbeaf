"""Tables without rules whose cells are too narrow for their words, written as programs do: cell by
cell, or line by line."""

from collections.abc import Sequence
from itertools import zip_longest

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import BOLD, FONT, Paper, wrapped

_TITLE = "Instellingen van de pomp"
_BEFORE = (
    "De therapie start enkel na akkoord van de verpleegkundige van het wondzorgteam, die ook de pomp instelt en "
    "uitlegt."
)
_AFTER = "De opvangbeker wordt vervangen als hij vol is, en minstens eenmaal per week, ook wanneer er nog plaats in is."
HEADER = ("Wonde", "Druk", "Schuim")
ROWS = (
    ("Chirurgische wonden", "-125 mmHg continu", "zwart schuim"),
    ("Diabetische voet", "-100 mmHg continu", "zwart schuim"),
    ("Huidgreffe", "-75 mmHg continu", "wit"),
    ("Open buik", "-80 mmHg met pauzes", "buikset met folie"),
    ("Patiënt op bloedverdunners", "-75 mmHg eerste 24 uur", "volgens wonde"),
)
_WIDTHS = (112, 62, 60)
_GROUPS = (
    ("Volwassene", "paracetamol", "1 g"),
    ("", "ibuprofen", "400 mg"),
    ("Kind", "paracetamol", "15 mg/kg"),
    ("", "ibuprofen", "7 mg/kg"),
    ("Zuigeling", "paracetamol", "10 mg/kg"),
)
_CARDS = (
    (("Dienst Wonden", "Verdieping 2", "toestel 5530"), ("Dienst Pijn", "Verdieping 4", "toestel 6660")),
    (("Dienst Diabetes", "Verdieping 1", "toestel 4477"), ("Dienst Sonde", "Verdieping 3", "toestel 3341")),
    (("Dienst Hygiëne", "Verdieping 0", "toestel 4410"), ("Dienst Nier", "Verdieping 5", "toestel 7120")),
)


def by_cells() -> Made:
    """Return a table whose cells come one after the other, each down its lines."""
    return _table("cel-voor-cel.pdf", middle=False, lines=False)


def by_cells_in_the_middle() -> Made:
    """Return the same with each cell in the middle of its row's height."""
    return _table("cel-voor-cel-midden.pdf", middle=True, lines=False)


def by_lines() -> Made:
    """Return the same with each line written across the row."""
    return _table("regel-voor-regel.pdf", middle=False, lines=True)


def groups() -> Made:
    """Return a table whose first cell stands for two rows, with more white between the groups than
    within: no row goes on in the next."""
    paper, written = Paper(), [_TITLE]
    paper.heading(_TITLE)
    for name, drug, dose in _GROUPS:
        paper.y -= 8 if name else 0
        cells = [(name, 60), (drug, 150), (dose, 250)]
        for cell, x in cells[not name :]:
            paper.line(x, paper.y, cell)
        paper.y -= 12.5
        written.append("\t".join(cell for cell, _ in cells if cell))
    return Made("groepen.pdf", paper.bytes(), (tuple(written),))


def below_a_rule() -> Made:
    """Return a title with a rule below it, a heading, and a table with one rule below its header
    and a shade behind every second row."""
    paper = Paper()
    paper.heading(_BEFORE[:30])
    paper.canvas.line(60, paper.y + 14, 400, paper.y + 14)
    paper.heading(_TITLE, size=13)
    rows = tuple(tuple(cell.split()[0] for cell in row) for row in ROWS)
    for n, cells in enumerate((HEADER, *rows)):
        if n and n % 2 == 0:
            paper.canvas.setFillGray(0.9)
            paper.canvas.rect(55, paper.y - 4, 350, 15, stroke=0, fill=1)
            paper.canvas.setFillGray(0)
        paper.row(cells, (60, 180, 300), font=FONT if n else BOLD)
        if not n:
            paper.canvas.line(55, paper.y + 13, 405, paper.y + 13)
    return Made("streep.pdf", paper.bytes(), ((_BEFORE[:30], _TITLE, *("\t".join(row) for row in (HEADER, *rows))),))


def two_headers() -> Made:
    """Return a ruled table whose header takes two rows: a name as high as both, and one in the
    middle of two columns."""
    paper = Paper()
    paper.heading(_TITLE)
    paper.paragraph(_BEFORE)
    xs, top = (60, 160, 240, 320, 400), paper.y
    middle = (xs[1] + xs[3]) / 2 - paper.canvas.stringWidth("Te warm", BOLD, 10) / 2
    for x, y, name in ((66, top - 26, "Vaccin"), (middle, top - 14, "Te warm"), (xs[3] + 6, top - 14, "Bevroren")):
        paper.line(x, y, name, 10, BOLD)
    for x, name in zip(xs[1:], ("8 tot 15 °C", "15 tot 25 °C", "onder 0 °C"), strict=False):
        paper.line(x + 6, top - 34, name, 10, BOLD)
    rows = (("Griepvaccin", "72 uur", "24 uur", "vernietigen"), ("Hepatitis B", "14 dagen", "7 dagen", "vernietigen"))
    for n, row in enumerate(rows):
        for x, cell in zip(xs, row, strict=False):
            paper.line(x + 6, top - 54 - 20 * n, cell)
    for y in (0, 40, 60, 80):
        paper.canvas.line(xs[0], top - y, xs[4], top - y)
    paper.canvas.line(xs[1], top - 20, xs[4], top - 20)
    for x, y in ((xs[0], 0), (xs[1], 0), (xs[2], 20), (xs[3], 0), (xs[4], 0)):
        paper.canvas.line(x, top - y, x, top - 80)
    heads = ("Vaccin\tTe warm\tBevroren", "8 tot 15 °C\t15 tot 25 °C\tonder 0 °C")
    return Made("twee-koppen.pdf", paper.bytes(), ((_TITLE, _BEFORE, *heads, *("\t".join(row) for row in rows)),))


def cards() -> Made:
    """Return three rows of two cards, each of three lines: no table."""
    paper = Paper()
    paper.heading(_TITLE)
    flows = []
    for row in _CARDS:
        for x, card in zip((60, 200), row, strict=True):
            for n, line in enumerate(card):
                paper.line(x, paper.y - 12.5 * n, line)
            flows.append(card)
        paper.y -= 55
    return Made("kaartjes.pdf", paper.bytes(), ((_TITLE,), *flows))


def _table(name: str, middle: bool, lines: bool) -> Made:
    paper = Paper()
    paper.heading(_TITLE)
    paper.paragraph(_BEFORE, width=300)
    for cells, font in ((HEADER, BOLD), *((row, FONT) for row in ROWS)):
        _row(
            paper,
            [wrapped(cell, width - 1, 10, font) for cell, width in zip(cells, _WIDTHS, strict=True)],
            font,
            middle,
            lines,
        )
    paper.y -= 10
    paper.paragraph(_AFTER, width=300)
    rows = ("\t".join(row) for row in (HEADER, *ROWS))
    return Made(name, paper.bytes(), ((_TITLE, _BEFORE, *rows, _AFTER),))


def _row(paper: Paper, cells: Sequence[Sequence[str]], font: str, middle: bool, lines: bool) -> None:
    most = max(map(len, cells))
    xs = [60 + sum(_WIDTHS[:n]) + 8 * n for n in range(len(cells))]
    placed = [
        [(x, paper.y - 12.5 * (n + (most - len(cell)) / 2 * middle), line) for n, line in enumerate(cell)]
        for x, cell in zip(xs, cells, strict=True)
    ]
    if lines:
        placed = [[one for one in line if one] for line in zip_longest(*placed)]
    for part in placed:
        for x, y, text in part:
            paper.line(x, y, text, 10, font)
    paper.y -= 12.5 * most + 5
