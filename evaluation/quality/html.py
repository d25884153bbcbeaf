"""A run of `bedside quality evaluate` as one HTML file that needs nothing else: figures with their
intervals, the thesis's plots (3.10 to 3.13), and the questions whose document did not come first
enough. Text from outside is escaped; there is no script in it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from html import escape
from typing import Any

from evaluation.quality.plots import counts_svg, cumulative_svg, density_svg, risk_svg

DEEPEST = 50  # ranks that are looked at, as in the thesis

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b2426 }
table { border-collapse: collapse; margin: 1rem 0 } td, th { padding: .25rem .75rem; border-bottom: 1px solid #d9dedf; text-align: left }
td.number { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap } small { color: #566265 }
figure { margin: 2rem 0 } svg { max-width: 100%; height: auto } figcaption { color: #566265 }
"""
NOTE = (
    "In brackets the middle 95% of 1,000 bootstrap resamples. The rank is that of the first passage of a judged "
    "document."
)
COLUMNS = {
    "hit@1": ("hit@1", "Hit@1"),
    "hit@3": ("hit@3", "Hit@3"),
    "hit@7": ("hit@7", "Hit@7"),
    "mrr": ("mrr", "MRR"),
    "not_found_precision": ("precision", "not found: precision"),
    "not_found_recall": ("recall", "not found: recall"),
}


def html_report(
    figures: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], deep: Sequence[int | None], title: str
) -> str:
    """figures: as report() has them; rows: as rows_of(); deep: the rank of each answerable question
    among the first 50."""
    about = ", ".join(f"{name} {figures[name]}" for name in ("embedder", "store") if name in figures)
    return "".join(
        (
            f'<!doctype html><html lang="en"><meta '
            f'charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>',
            f"<h1>{escape(title)}</h1><p>{len(rows)} questions, {len(deep)} with an answer. {escape(about)}, "
            f"{date.today()}.</p>",
            _table(figures),
            f"<p><small>{NOTE}</small></p>",
            *_plots(rows, deep),
            _risk(figures["not_found"]),
            _verdicts(rows),
            _misses(rows),
        )
    )


def _table(figures: Mapping[str, Any]) -> str:
    parts = {"all": figures, **figures.get("splits", {}), **figures["languages"], **figures["departments"]}
    head = "".join(f"<th>{name}</th>" for name in ("", "n", *(label for _, label in COLUMNS.values())))
    body = "".join(f"<tr><th>{escape(name)}</th>{_numbers(part)}</tr>" for name, part in parts.items())
    return f"<table><tr>{head}</tr>{body}</table>"


def _numbers(part: Mapping[str, Any]) -> str:
    cells = [f'<td class="number">{part["n"]}</td>']
    for key, (own, _) in COLUMNS.items():
        value = part["not_found"][own] if own in part["not_found"] else part[own]
        low, high = part["intervals"][key]
        cells.append(f'<td class="number">{value:.3f}<br><small>[{low:.2f}, {high:.2f}]</small></td>')
    return "".join(cells)


def _plots(rows: Sequence[Mapping[str, Any]], deep: Sequence[int | None]) -> Iterable[str]:
    answerable = [row for row in rows if row["answerable"]]
    conversations: dict[str, set[str]] = defaultdict(set)
    for row in answerable:
        conversations[row["conversation"] or f"question {row['id']}"] |= set(row["right"])
    yield _figure(counts_svg("conversations", [len(v) for v in conversations.values()], "conversations"),
                  f"Right documents found in a conversation ({len(conversations)}; the thesis's figure 3.10)")  # fmt: skip
    yield _figure(counts_svg("questions", [len(row["right"]) for row in answerable], "questions"),
                  "Right documents found by a question (the thesis's figure 3.11)")  # fmt: skip
    yield _figure(density_svg("density", deep, DEEPEST), "Rank of the first right document (the thesis's figure 3.12)")
    yield _figure(
        cumulative_svg("cumulative", deep, DEEPEST), "A right document among the first k (the thesis's figure 3.13)"
    )


def _risk(decided: Mapping[str, Any]) -> str:
    """Where something has no answer: what each threshold would risk and cost."""
    if not decided["n"]:
        return ""
    caption = (
        "Risk by coverage: the share of answers that are wrong or should have been refused, by the share of "
        "questions answered"
    )
    head = "".join(
        f"<th>{name}</th>"
        for name in (
            "answerable refused",
            "threshold",
            "answered rightly",
            "near misses refused",
            "off topic refused",
            "risk",
        )
    )
    body = "".join(
        f"<tr><td>{row['refused']:.0%}</td><td>{row['threshold']}</td>"
        + "".join(
            f'<td class="number">{_share(row[name])}</td>'
            for name in ("answered_right", "near_misses", "off_topic", "risk")
        )
        + "</tr>"
        for row in decided["at_refused"]
    )
    return f"{_figure(risk_svg('risk', {'all': decided['curve']}), caption)}<table><tr>{head}</tr>{body}</table>"


def _share(found: Mapping[str, Any]) -> str:
    if found["share"] is None:
        return "-"
    low, high = found["interval"]
    return f"{found['share']:.3f}<br><small>[{low:.2f}, {high:.2f}] of {found['n']}</small>"


def _figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def _verdicts(rows: Sequence[Mapping[str, Any]]) -> str:
    """What testers said, where they said something: the thesis's table 3.1, without the system that
    was there before."""
    said = [row["verdict"] for row in rows if row.get("verdict")]
    if not said:
        return ""
    cells = "".join(
        f'<tr><th>{verdict}</th><td class="number">{said.count(verdict)}</td></tr>'
        for verdict in ("yes", "partly", "no")
    )
    return f"<h2>Was the answer found?</h2><p>As said by those who asked.</p><table>{cells}</table>"


def _misses(rows: Sequence[Mapping[str, Any]]) -> str:
    missed = [row for row in rows if row["answerable"] and (row["rank"] is None or row["rank"] > 3)]
    lines = "".join(
        f"<tr><td>{escape(row['id'])}</td><td>{escape(row['question'])}</td><td "
        f'class="number">{row["rank"] or "-"}</td>'
        f"<td>{escape(row['first'])}</td></tr>"
        for row in missed
    )
    head = "<tr><th>id</th><th>question</th><th>rank</th><th>first hit</th></tr>"
    return f"<h2>Not among the first three: {len(missed)}</h2><table>{head}{lines}</table>"
