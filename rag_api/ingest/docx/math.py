"""Formulas of Word written in a line ("(140 − leeftijd) / 72"), and raised text as the signs that
Unicode has for it."""

from __future__ import annotations

from rag_api.ingest.docx.package import Element, attribute, child, tag

_RAISED = str.maketrans("0123456789+-−–=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ")


def raised(text: str) -> str:
    """Write "10" with a raised "3" as 10³: run together they would read as 103. Raised letters
    ("1ste") lose nothing."""
    signs = text.translate(_RAISED)
    if all(c != sign or c.isspace() for c, sign in zip(text, signs, strict=True)):
        return signs
    return f"^{text}" if any(c.isdigit() for c in text) else text


def formula(element: Element) -> str:
    """Return a formula's text. Brackets are added where leaving them out would give another
    formula."""
    name = tag(element)
    if name == "m:t":
        return element.text or ""
    if name == "m:f":
        return f"{_grouped(child(element, 'm:num'))} / {_grouped(child(element, 'm:den'))}"
    if name in ("m:sSup", "m:sSubSup"):
        power = raised(_all(child(element, "m:sup")))
        base = _grouped(child(element, "m:e")) + _all(child(element, "m:sub"))
        return base + (power if power.strip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ") == "" else "^" + _grouped(child(element, "m:sup")))
    if name == "m:rad":
        degree = _all(child(element, "m:deg"))
        return f"{raised(degree) if degree else ''}√({_all(child(element, 'm:e'))})"
    if name == "m:d":
        marks = child(element, "m:dPr")
        opening, closing = (attribute(child(marks, f"m:{side}"), "val") for side in ("begChr", "endChr"))
        return f"{opening or '('}{'; '.join(_all(one) for one in element if tag(one) == 'm:e')}{closing or ')'}"
    if name == "m:nary":
        sign = attribute(child(child(element, "m:naryPr"), "m:chr"), "val") or "∫"
        limits = " ".join(filter(None, (_all(child(element, "m:sub")), _all(child(element, "m:sup")))))
        return f"{sign}[{limits}] {_all(child(element, 'm:e'))}" if limits else f"{sign} {_all(child(element, 'm:e'))}"
    if name == "m:oMathPara":
        return "; ".join(filter(None, (_all(one) for one in element if tag(one) == "m:oMath")))
    return _all(element)


def _all(element: Element | None) -> str:
    return "".join(formula(one) for one in element) if element is not None else ""


def _grouped(element: Element | None) -> str:
    text = _all(element).strip()
    return text if text.replace(",", "").replace(".", "").isalnum() or not text else f"({text})"
