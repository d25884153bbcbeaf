"""Fonts whose letters draw nothing, or bars, and say what they stand for."""

from collections.abc import Callable

from tests.rag_api.awkward.shown.between import FALSE, SEEN, Built, shown


def _type3(sentence: str, drawing: Callable[[int], str]) -> bytes:
    built = Built()
    codes = sorted({ord(letter) for letter in sentence})
    procedures = {f"/g{code}": built.stream(f"600 0 d0 {'' if code == ord(' ') else drawing(code)}") for code in codes}
    differences = [part for code in codes for part in (code, f"/g{code}")]
    font = {
        "/Type": "/Font",
        "/Subtype": "/Type3",
        "/FontBBox": [0, 0, 600, 800],
        "/FontMatrix": [0.001, 0, 0, 0.001, 0, 0],
        "/CharProcs": procedures,
        "/Encoding": {"/Type": "/Encoding", "/Differences": differences},
        "/FirstChar": codes[0],
        "/LastChar": codes[-1],
        "/Widths": [600] * (codes[-1] - codes[0] + 1),
        "/Resources": {},
        "/ToUnicode": built.stream(cmap({code: chr(code) for code in codes})),
    }
    built.resource("/Font", "/Drie", font)
    built.draw(shown(sentence, "/Drie"))
    return built.bytes()


def cmap(letters: dict[int, str]) -> str:
    lines = "\n".join(f"<{code:02x}> <{ord(letter):04x}>" for code, letter in letters.items())
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <ff> endcodespacerange\n{len(letters)} beginbfchar\n{lines}\nendbfchar\nendcmap "
        f"end end"
    )


def _bars(code: int) -> str:
    return f"{60 + 20 * (code % 5)} 0 80 700 re {200 + 10 * (code % 7)} {100 * (code % 7)} 300 90 re f"


HIDDEN: dict[str, Callable[[], bytes]] = {"empty letters": lambda: _type3(FALSE, lambda code: "")}
VISIBLE: dict[str, Callable[[], bytes]] = {"type3 letters": lambda: _type3(SEEN, _bars)}
