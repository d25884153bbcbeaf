"""plots: the pictures of docs/benchmarks.md from the JSON that `decode --json` printed. Needs
matplotlib (extra `dev`).

Reads decode-<set>.json of a folder and writes decode.svg (tokens per second by method and set) and
accepted.svg (how many tokens of a source a step accepted, as in the thesis's figure 5.5) beside
them; of peers-<set>.json, runs beside other engines, peers.svg; of methods.json, which `methods
--json` printed, methods.svg: tau against the nodes of a step, for each source on recorded answers.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from services.generator.bench.common.timing import is_peer

FOLDER = Path(__file__).resolve().parents[4] / "evaluation" / "results" / "decoding" / "runs"
COLOURS = {"copy": "#2a7f8f", "eagle": "#d98032"}
MARKERS = "osv^D*PXh"
LONGEST = 10  # tokens; longer runs are counted with these


def speeds(sets: dict[str, dict[str, Any]], file: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, len(sets), figsize=(4.2 * len(sets), 3.6), squeeze=False, sharey=True, layout="constrained"
    )
    for axis, (name, printed) in zip(axes[0], sets.items(), strict=True):
        methods = printed["methods"]
        values = [own["tokens_per_second"] for own in methods.values()]
        colours = ["#999999" if is_peer(method) else "#2a7f8f" for method in methods]
        bars = axis.barh(list(methods), values, color=colours)
        axis.bar_label(bars, fmt="%.0f", padding=2, fontsize=8)
        axis.set_title(
            f"{name}: {printed['prompts']} prompts, {printed['repeats']} repeat{'s' * (printed['repeats'] > 1)}",
            fontsize=9,
        )
        axis.set_xlabel("tokens/s after the first")
        axis.margins(x=0.15)
    axes[0][0].invert_yaxis()  # which all share
    _save(figure, file)


def lengths(sets: dict[str, dict[str, Any]], method: str, file: Path) -> None:
    """Share of the steps in which a source proposed anything, by how many of its tokens were
    accepted from the root on."""
    import matplotlib.pyplot as plt

    counted = {
        name: printed["accepted_lengths"][method]
        for name, printed in sets.items()
        if method in printed["accepted_lengths"]
    }
    figure, axes = plt.subplots(
        1, len(counted), figsize=(4.2 * len(counted), 2.8), squeeze=False, sharey=True, layout="constrained"
    )
    for axis, (name, by_source) in zip(axes[0], counted.items(), strict=True):
        for offset, (source, counts) in enumerate(sorted(by_source.items())):
            shares = histogram({int(length): steps for length, steps in counts.items()})
            places = [place + 0.4 * offset for place in range(LONGEST + 1)]
            axis.bar(places, shares, width=0.4, label=source, color=COLOURS.get(source))
        axis.set_title(f"{name}, {method}", fontsize=9)
        axis.set_xlabel("tokens of a source accepted in a step")
        axis.legend(fontsize=8)
    axes[0][0].set_ylabel("share of steps")
    _save(figure, file)


def curves(replayed: list[dict[str, Any]], file: Path) -> None:
    """Draw tau by nodes a step; a point for each budget of nodes."""
    import matplotlib.pyplot as plt

    sets = list(dict.fromkeys(own["set"] for own in replayed))
    figure, axes = plt.subplots(1, len(sets), figsize=(5.2 * len(sets), 3.8), squeeze=False, layout="constrained")
    for axis, name in zip(axes[0], sets, strict=True):
        for number, drafter in enumerate(dict.fromkeys(own["drafter"] for own in replayed)):
            points = sorted(
                (own["nodes_per_step"], own["tau"])
                for own in replayed
                if (own["set"], own["drafter"]) == (name, drafter)
            )
            axis.plot(
                *zip(*points, strict=True),
                marker=MARKERS[number % len(MARKERS)],
                markersize=4,
                linewidth=1,
                label=drafter,
            )
        axis.set_title(name, fontsize=9)
        axis.set_xlabel("nodes drafted a step")
        axis.set_xscale("symlog", linthresh=1)
    axes[0][0].set_ylabel("tau")
    axes[0][-1].legend(fontsize=7)
    _save(figure, file)


def histogram(counts: dict[int, int]) -> list[float]:
    steps = [0] * (LONGEST + 1)
    for length, count in counts.items():
        steps[min(length, LONGEST)] += count
    return [count / max(sum(steps), 1) for count in steps]


def _save(figure: Any, file: Path) -> None:
    figure.savefig(file, metadata={"Date": None})  # the same figures give the same file


def _sets(folder: Path, kind: str) -> dict[str, dict[str, Any]]:
    return {
        file.stem.removeprefix(f"{kind}-"): json.loads(file.read_text())
        for file in sorted(folder.glob(f"{kind}-*.json"))
    }


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="plots", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--method", default="EAGLE + CASD", help="whose accepted lengths are drawn")
    options = parser.parse_args(argv)
    sets = _sets(options.folder, "decode")
    if not sets:
        print(f"{options.folder}: no decode-<set>.json", file=sys.stderr)
        return 2
    try:
        import matplotlib

        matplotlib.use("svg")
        matplotlib.rcParams["svg.hashsalt"] = "bedside"
    except ImportError:
        print("plots need matplotlib (pip install matplotlib)", file=sys.stderr)
        return 2
    speeds(sets, options.folder / "decode.svg")
    lengths(sets, options.method, options.folder / "accepted.svg")
    if peers := _sets(options.folder, "peers"):
        speeds(peers, options.folder / "peers.svg")
    if (path := options.folder / "methods.json").exists():
        curves(json.loads(path.read_text())["replayed"], options.folder / "methods.svg")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
