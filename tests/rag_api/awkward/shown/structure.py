"""Objects of a page and what they do with a sentence: boxes, masks, patterns, blending, marked
content, forms."""

from collections.abc import Callable

from tests.rag_api.awkward.shown.between import FALSE, SEEN, Built, X, Y, shown, write


def _cropped() -> bytes:
    built = Built(lambda canvas: write(canvas, FALSE, y=820))
    built.page.cropbox.upper_right = (595, 790)
    return built.bytes()


def _alternate(key: str) -> bytes:
    return _drawn(f"/Span << /{key} ({FALSE}) >> BDC {X} {Y} 40 10 re f EMC")


def _drawn(content: str) -> bytes:
    built = Built()
    built.draw(content)
    return built.bytes()


def _attached() -> bytes:
    built = Built()
    built.writer.add_attachment("dosis.txt", FALSE.encode())
    return built.bytes()


def _form(drawn: bool, sentence: str) -> bytes:
    built = Built()
    inner = built.form(shown(sentence), 595, 842)
    outer = built.form("q 1 0 0 1 10 -10 cm /Binnen Do Q", 595, 842, {"/Resources": {"/XObject": {"/Binnen": inner}}})
    built.resource("/XObject", "/Buiten", outer)
    built.draw("/Buiten Do" if drawn else "q Q")
    return built.bytes()


def _state(values: Callable[[Built], dict[str, object]], sentence: str, ground: str = "") -> bytes:
    built = Built()
    built.resource("/ExtGState", "/Zo", values(built))
    built.draw(f"q {ground} /Zo gs 0 g {shown(sentence)} Q")
    return built.bytes()


def _mask(built: Built) -> dict[str, object]:
    group = {"/Group": {"/S": "/Transparency", "/CS": "/DeviceGray"}}
    return {"/SMask": {"/S": "/Luminosity", "/G": built.form("0 g 0 0 595 842 re f", 595, 842, group)}}


def _separation() -> bytes:
    built = Built()
    tint = {"/FunctionType": 2, "/Domain": [0, 1], "/C0": [1], "/C1": [0], "/N": 1}
    built.resource("/ColorSpace", "/Niets", ["/Separation", "/None", "/DeviceGray", tint])
    built.draw(f"q /Niets cs 1 scn {shown(FALSE)} Q")
    return built.bytes()


def _pattern(content: str, sentence: str) -> bytes:
    built = Built()
    kind = {"/Type": "/Pattern", "/PatternType": 1, "/PaintType": 1, "/TilingType": 1}
    tile = {**kind, "/BBox": [0, 0, 10, 10], "/XStep": 10, "/YStep": 10, "/Resources": {}}
    built.resource("/Pattern", "/Tegel", built.stream(content, tile))
    built.draw(f"q /Pattern cs /Tegel scn {shown(sentence, size=14)} Q")
    return built.bytes()


def _inline() -> bytes:
    built = Built(lambda canvas: write(canvas, FALSE))
    built.draw(f"q 300 0 0 25 {X - 4} {Y - 8} cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q")
    return built.bytes()


_WHITE = f"1 g {X - 5} {Y - 5} 260 20 re f"
HIDDEN: dict[str, Callable[[], bytes]] = {
    "outside the crop box": _cropped,
    "alternate text": lambda: _alternate("Alt"),
    "actual text of a shape": lambda: _alternate("ActualText"),
    "the file's attachment": _attached,
    "a form that is never drawn": lambda: _form(False, FALSE),
    "an empty soft mask": lambda: _state(_mask, FALSE),
    "blend mode screen": lambda: _state(lambda built: {"/BM": "/Screen"}, FALSE, _WHITE),
    "blend mode lighten": lambda: _state(lambda built: {"/BM": "/Lighten"}, FALSE, _WHITE),
    "a colour that prints nothing": _separation,
    "an empty pattern": lambda: _pattern("", FALSE),
    "a white pattern": lambda: _pattern("1 g 0 0 10 10 re f", FALSE),
    "an inline image over it": _inline,
}
VISIBLE: dict[str, Callable[[], bytes]] = {
    "a form in a form": lambda: _form(True, SEEN),
    "a pattern": lambda: _pattern("0 0.2 0.6 rg 0 0 10 10 re f 0.2 0.4 0.8 rg 0 0 5 10 re f", SEEN),
    "multiplied": lambda: _state(lambda built: {"/BM": "/Multiply"}, SEEN),
}
