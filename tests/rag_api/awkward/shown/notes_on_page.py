"""Annotations and form fields: what they hold, and what they show of it."""

from collections.abc import Callable

from tests.rag_api.awkward.shown.between import FALSE, INSTEAD, SEEN, Built, write

_FREE_TEXT = {"/Subtype": "/FreeText", "/DA": "/Helv 10 Tf 0 g"}


def _picture(built: Built, sentence: str, colour: str = "0 g") -> dict[str, object]:
    return {"/N": built.form(f"BT {colour} /Plain 10 Tf 2 8 Td ({sentence}) Tj ET", 300, 25)}


def _note(flags: int, sentence: str, colour: str = "0 g") -> bytes:
    built = Built()
    built.annotate({**_FREE_TEXT, "/Contents": sentence, "/F": flags, "/AP": _picture(built, sentence, colour)})
    return built.bytes()


def _bare(subtype: str, **more: object) -> bytes:
    built = Built(lambda canvas: write(canvas, INSTEAD))
    built.annotate({"/Subtype": subtype, "/Contents": FALSE, **{f"/{key}": value for key, value in more.items()}})
    return built.bytes()


def _clear() -> bytes:
    built = Built()
    built.annotate({**_FREE_TEXT, "/Contents": FALSE, "/CA": 0.0, "/AP": {"/N": built.form("", 300, 25)}})
    return built.bytes()


def _over() -> bytes:
    built = Built(lambda canvas: write(canvas, FALSE))
    built.annotate({"/Subtype": "/Square", "/AP": {"/N": built.form("0.9 g 0 0 300 25 re f", 300, 25)}})
    return built.bytes()


def _field(value: str, seen: str, **more: object) -> bytes:
    built = Built()
    widget = {
        "/Subtype": "/Widget",
        "/FT": "/Tx",
        "/T": "dosis",
        "/V": value,
        "/DA": "0 g",
        "/AP": _picture(built, seen),
    }
    field = built.annotate({**widget, **{f"/{key}": one for key, one in more.items()}})
    built.root("/AcroForm", {"/Fields": [field], "/NeedAppearances": False})
    return built.bytes()


_FILLER = "Wat hierna komt staat buiten het veld en is op de pagina niet te lezen."

HIDDEN: dict[str, Callable[[], bytes]] = {
    "a hidden note": lambda: _note(2, FALSE),
    "a note that is not viewed": lambda: _note(32, FALSE),
    "a white note": lambda: _note(4, FALSE, "1 g"),
    "a transparent note": _clear,
    "a note closed in a popup": lambda: _bare("/Text"),
    "contents of a highlight": lambda: _bare("/Highlight", QuadPoints=[60, 612, 260, 612, 60, 598, 260, 598]),
    "a note over it": _over,
    "a hidden field": lambda: _field(FALSE, FALSE, F=2),
    "a field whose picture says otherwise": lambda: _field(FALSE, INSTEAD),
    "a password field": lambda: _field(FALSE, "*" * len(FALSE), Ff=1 << 13),
    "options of a choice": lambda: _field(INSTEAD, INSTEAD, FT="/Ch", Ff=1 << 17, Opt=[INSTEAD, FALSE]),
    "the end of a full field": lambda: _field(f"{_FILLER} {FALSE}", f"{_FILLER} {FALSE}"),
}
VISIBLE: dict[str, Callable[[], bytes]] = {
    "a note": lambda: _note(4, SEEN),
    "a field": lambda: _field(SEEN, SEEN),
}
