"""A dose whose letters are others than the file says: what is drawn as 100 says that it is 900. And
fonts that only look as if."""

import re
from collections.abc import Callable

from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from tests.rag_api.awkward.hidden.letters import cmap
from tests.rag_api.awkward.shown.between import FALSE, INSTEAD, Built, X, Y, shown, write

_SHOWN = FALSE.replace("900", "100")
_PLAIN = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}


def _mapped(built: Built, letters: dict[str, str], base: str = "/Helvetica") -> None:
    """Name a font that shows what every font shows, and says other letters."""
    font = {**_PLAIN, "/BaseFont": base, "/Encoding": "/WinAnsiEncoding"}
    said = {code: letters.get(chr(code), chr(code)) for code in range(32, 256)}
    built.resource("/Font", "/Liegt", {**font, "/ToUnicode": built.stream(cmap(said))})


def _said(letters: dict[str, str], content: str, base: str = "/Helvetica") -> bytes:
    built = Built()
    _mapped(built, letters, base)
    built.draw(content)
    return built.bytes()


def _embedded() -> bytes:
    """Of a font in the file, whose codes mean nothing without its map."""
    built = Built(lambda canvas: write(canvas, _SHOWN))
    for font in built.page["/Resources"]["/Font"].values():  # type: ignore[index]
        if "/ToUnicode" in (font := font.get_object()):
            said = font["/ToUnicode"].get_data().decode("latin-1")
            stream = DecodedStreamObject()
            stream.set_data(
                re.sub(r"(<3?1> )?<0031>", lambda one: one.group().replace("0031", "0039"), said).encode("latin-1")
            )
            font[NameObject("/ToUnicode")] = built.writer._add_object(stream)
    return built.bytes()


def _in_a_turned_form() -> bytes:
    built = Built()
    _mapped(built, {"1": "9"})
    fonts = built.page["/Resources"]["/Font"]  # type: ignore[index]
    form = built.form(
        f"BT /Liegt 5 Tf 10 10 Td ({_SHOWN}) Tj ET",
        300,
        40,
        {"/Resources": DictionaryObject({NameObject("/Font"): fonts})},
    )
    built.resource("/XObject", "/Vorm", form)
    built.draw(f"q 0 2 -2 0 {X + 300} {Y - 100} cm /Vorm Do Q")
    return built.bytes()


LYING: dict[str, Callable[[], bytes]] = {
    "letters that lie": lambda: _said({"1": "9"}, shown(_SHOWN, "/Liegt")),
    "in a bold serif": lambda: _said({"1": "9"}, shown(_SHOWN, "/Liegt"), "/Times-Bold"),
    "an embedded font": _embedded,
    "beside the figure itself": lambda: _said({"1": "9"}, shown("Kamer 9. " + _SHOWN, "/Liegt")),
    "a figure that is nearly it": lambda: _said({"8": "9"}, shown(FALSE.replace("900", "800"), "/Liegt", 9)),
    "large": lambda: _said({"1": "9"}, shown(_SHOWN, "/Liegt", 20)),
    "in a turned form": _in_a_turned_form,
    "its unit": lambda: _said({"\xb5": "m"}, shown(FALSE.replace("mg", "\\265g"), "/Liegt")),
    "its words": lambda: _said(
        {"n": "w", "i": "e", "e": "l", "t": " "}, shown("Geef kinderen 900 mg morfine niet.", "/Liegt")
    ),
}


def mostly() -> bytes:
    """Return a page of which more lies than not."""
    said = "Geef kinderen 900 mg morfine niet."
    content = " ".join(shown(said, "/Liegt").replace(f" {Y} Tm", f" {Y - 14 * n} Tm") for n in range(4))
    return _said({"n": "w", "i": "e", "e": "l", "t": " "}, content)


TRUE: dict[str, Callable[[], bytes]] = {
    name: lambda base=name: _said({}, shown(FALSE + " 12345678", "/Liegt"), f"/{base}")  # type: ignore[misc]
    for name in ("Helvetica", "Times-BoldItalic", "Courier-Oblique", "Helvetica-BoldOblique")
}


def _instead(text: str, content: str) -> bytes:
    built = Built()
    built.draw(f"/Span << /ActualText ({text}) >> BDC {content} EMC")
    return built.bytes()


_PARTS = f"BT /Plain 10 Tf 1 0 0 1 {X} {Y} Tm (Kinderen krijgen ) Tj (geen morfine.) Tj ET"
INSTEAD_OF: dict[str, Callable[[], bytes]] = {
    "actual text that lies": lambda: _instead(FALSE, shown(INSTEAD)),
    "in several parts": lambda: _instead(FALSE, _PARTS),
    "of one word": lambda: _figure(),
}


def _figure() -> bytes:
    built = Built()
    text = (
        f"BT /Plain 10 Tf 1 0 0 1 {X} {Y} Tm (Kinderen krijgen geen ) Tj /Span << /ActualText (900 mg) >> BDC "
        f"(morfine.) Tj EMC ET"
    )
    built.draw(text)
    return built.bytes()


def same_instead() -> bytes:
    """Return a page that says instead of its letters what they are."""
    return _instead(INSTEAD, shown(INSTEAD))
