"""References in a DOCX as their last result, the text that Word shows: no program need look them
up."""

from __future__ import annotations

from rag_api.ingest.docx.package import Element, attribute, tag

# laid out, or a form
_KEPT = ("PAGE", "NUMPAGES", "SECTIONPAGES", "FORMTEXT", "FORMCHECKBOX", "FORMDROPDOWN", "HYPERLINK", "TOC")


def keep_results(root: Element) -> None:
    """Take the instructions of references out, and leave their results."""
    # what marks it, its instruction, whether there is a result
    open_fields: list[tuple[list[Element], list[str], bool]] = []
    for element in list(root.iter()):
        name = tag(element)
        if name == "w:fldSimple" and _is_reference(attribute(element, "instr")):
            _unwrap(element)
        elif name == "w:instrText" and open_fields:
            open_fields[-1][0].append(element)
            open_fields[-1][1].append(element.text or "")
        elif name == "w:fldChar":
            _step(element, open_fields)


def _step(mark: Element, open_fields: list[tuple[list[Element], list[str], bool]]) -> None:
    kind = attribute(mark, "fldCharType")
    if kind == "begin":
        open_fields.append(([mark], [], False))
    elif open_fields:
        marks, words, _ = open_fields.pop()
        marks.append(mark)
        if kind == "separate":
            open_fields.append((marks, words, True))
        elif open_fields == [] or all(result for _, _, result in open_fields):
            _finish(marks, "".join(words), any(attribute(one, "fldCharType") == "separate" for one in marks))


def _finish(marks: list[Element], instruction: str, has_result: bool) -> None:
    if has_result and _is_reference(instruction):
        for one in marks:
            if (parent := one.getparent()) is not None:
                parent.remove(one)


def _is_reference(instruction: str) -> bool:
    words = instruction.split()
    return bool(words) and words[0].upper() not in _KEPT


def _unwrap(element: Element) -> None:
    parent = element.getparent()
    if parent is not None:
        at = parent.index(element)
        parent[at : at + 1] = list(element)
