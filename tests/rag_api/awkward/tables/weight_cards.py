"""Cards of one layout for six weights: the pages differ in nothing but numbers, from edge to
edge."""

from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.paper import BOLD, HEIGHT, Paper

_WEIGHTS = (5, 10, 15, 20, 25, 30)


def weight_cards() -> Made:
    """Return cards whose first and last lines hold doses."""
    paper, written = Paper(), list[str]()
    for number, weight in enumerate(_WEIGHTS, 1):
        rows = _rows(weight)
        paper.line(60, HEIGHT - 40, rows[0], 16, BOLD)
        for k, row in enumerate(rows[1:-1]):
            paper.line(60, HEIGHT - 80 - 24 * k, row, 11)
        paper.line(60, 44, rows[-1], 11)
        paper.line(480, 20, f"Kaart {number} van {len(_WEIGHTS)}", 8)
        written += rows
        paper.canvas.showPage()
    furniture = tuple(f"Kaart {number} van {len(_WEIGHTS)}" for number in range(1, len(_WEIGHTS) + 1))
    return Made("reanimatiekaarten.pdf", paper.bytes(), (tuple(written),), furniture)


def _rows(weight: int) -> tuple[str, ...]:
    return (
        f"Reanimatiekaart {weight} kg",
        f"Adrenaline iv {weight / 100:.2f} mg".replace(".", ","),
        f"Defibrillatie {4 * weight} J",
        f"Amiodaron {5 * weight} mg",
        f"Tubemaat {weight / 10 + 3:.1f}".replace(".", ","),
        f"Vullen {10 * weight} ml",
        f"Glucose 10% {2 * weight} ml",
        f"Maximaal {weight // 5 + 1} doses",
    )
