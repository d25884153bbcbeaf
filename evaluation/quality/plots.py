"""The thesis's figures 3.10 to 3.13, as SVG. Needs the extra `report`; knows numbers only."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rag_api.errors import ConfigurationError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOUR = "#0f5e63"


def need_matplotlib() -> None:
    """Raises ConfigurationError with what to install."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ConfigurationError(
            "the report draws with matplotlib, which is not installed: pip install -e '.[report]'"
        ) from error


def counts_svg(name: str, counts: Sequence[int], what: str) -> str:
    """Figures 3.10 and 3.11: how many conversations (questions) had 0, 1, 2 ... right documents."""
    found = Counter(counts)
    numbers = list(range(max(found, default=0) + 1))
    shares = [found[n] / max(1, len(counts)) for n in numbers]

    def draw(axes: Axes) -> None:
        bars = axes.bar(numbers, shares, color=COLOUR, width=0.7)
        axes.bar_label(bars, [f"{share:.0%}" for share in shares])
        axes.set(
            xlabel="right documents found",
            ylabel=f"share of {what}",
            xticks=numbers,
            ylim=(0, max(shares, default=0) * 1.15 or 1),
        )

    return _svg(name, draw)


def density_svg(name: str, ranks: Sequence[int | None], deepest: int) -> str:
    """Figure 3.12: where the first right document stood; not found counts as the deepest rank, as
    in the thesis."""
    found = Counter(deepest if rank is None else rank for rank in ranks)
    places = list(range(1, deepest + 1))

    def draw(axes: Axes) -> None:
        axes.bar(places, [found[place] / max(1, len(ranks)) for place in places], color=COLOUR, width=0.9)
        axes.set(xlabel=f"rank of the first right document ({deepest}: also not found)", ylabel="share of questions")

    return _svg(name, draw)


def cumulative_svg(name: str, ranks: Sequence[int | None], deepest: int) -> str:
    """Figure 3.13: how likely a right document is among the first k."""
    places = list(range(1, deepest + 1))
    shares = [sum(rank is not None and rank <= place for rank in ranks) / max(1, len(ranks)) for place in places]

    def draw(axes: Axes) -> None:
        axes.step(places, shares, where="post", color=COLOUR)
        marked = [place for place in (1, 3, 7) if place <= deepest]
        axes.plot(marked, [shares[k - 1] for k in marked], "o", color=COLOUR)
        for line, k in enumerate(reversed(marked)):
            axes.text(0.97, 0.08 + 0.09 * line, f"Hit@{k} {shares[k - 1]:.2f}", transform=axes.transAxes, ha="right")
        axes.set(xlabel="k", ylabel="share of questions", ylim=(0, 1.02), xlim=(0, deepest + 0.5))

    return _svg(name, draw)


def risk_svg(name: str, curves: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Share of answers that are wrong or should have been refused, by the share of questions
    answered; a line for each curve, and the middle 95% of one that is alone."""

    def draw(axes: Axes) -> None:
        for label, points in curves.items():
            x, y = [p["coverage"] for p in points], [p["risk"] for p in points]
            axes.plot(x, y, marker="o", markersize=3, label=label, color=COLOUR if len(curves) == 1 else None)
            if len(curves) == 1:
                axes.fill_between(
                    x, [p["interval"][0] for p in points], [p["interval"][1] for p in points], color=COLOUR, alpha=0.15
                )
        axes.set(
            xlabel="share of questions answered",
            ylabel="share of answers that are wrong",
            xlim=(0, 1.02),
            ylim=(0, None),
        )
        if len(curves) > 1:
            axes.legend(frameon=False)

    return _svg(name, draw)


def _svg(name: str, draw: object) -> str:
    """Without pyplot: nothing global is touched. `name` makes ids that several figures in one page
    do not share."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        axes = figure.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        assert callable(draw)
        draw(axes)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()[out.getvalue().index("<svg") :]
