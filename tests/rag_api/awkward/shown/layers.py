"""Sentences in layers that are on or off, by each of the ways that a PDF has to say so."""

from collections.abc import Callable

from tests.rag_api.awkward.shown.between import FALSE, SEEN, Built, shown


def _in_layer(built: Built, name: str, sentence: str) -> bytes:
    built.draw(f"/OC {name} BDC {shown(sentence)} EMC")
    return built.bytes()


def _layer(built: Built, default: str, **more: object) -> object:
    """Add a layer that is /ON, /OFF or off by the document's base state."""
    group = built.add({"/Type": "/OCG", "/Name": "laag", **{f"/{key}": value for key, value in more.items()}})
    states = {"/BaseState": "/OFF"} if default == "/BaseState" else {default: [group]}
    built.root("/OCProperties", {"/OCGs": [group], "/D": states})
    built.resource("/Properties", "/Laag", group)
    return group


def _switched(default: str, sentence: str) -> bytes:
    built = Built()
    _layer(built, default)
    return _in_layer(built, "/Laag", sentence)


def _membership() -> bytes:
    built = Built()
    group = _layer(built, "/ON")
    built.resource("/Properties", "/Lid", {"/Type": "/OCMD", "/OCGs": [group], "/P": "/AllOff"})
    return _in_layer(built, "/Lid", FALSE)


def _form() -> bytes:
    built = Built()
    group = _layer(built, "/OFF")
    built.resource("/XObject", "/Vorm", built.form(shown(FALSE), 595, 842, {"/OC": group}))
    built.draw("/Vorm Do")
    return built.bytes()


def _not_viewed() -> bytes:
    built = Built()
    group = _layer(built, "/ON", Usage={"/View": {"/ViewState": "/OFF"}})
    rule = {"/Event": "/View", "/Category": ["/View"], "/OCGs": [group]}
    built.root("/OCProperties", {"/OCGs": [group], "/D": {"/AS": [rule]}})
    return _in_layer(built, "/Laag", FALSE)


HIDDEN: dict[str, Callable[[], bytes]] = {
    "a layer that is off": lambda: _switched("/OFF", FALSE),
    "a layer off by base state": lambda: _switched("/BaseState", FALSE),
    "a membership of layers": _membership,
    "a form in a layer that is off": _form,
    "a layer that is not viewed": _not_viewed,
}
VISIBLE: dict[str, Callable[[], bytes]] = {"a layer that is on": lambda: _switched("/ON", SEEN)}
