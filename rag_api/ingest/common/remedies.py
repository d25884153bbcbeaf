"""Remedies for a file that could not be read, by the reason of its failure. Messages of failures
hold no names of programs' parts."""

from __future__ import annotations

import re

ADVICE = {
    "encrypted": "Save it without a password, then load it again.",
    "empty": "Check that it is the right file; then load it again.",
    "broken": "Open it in the program that made it, save it as PDF, then load that.",
    "too_large": "Split it, or raise BEDSIDE_MAX_FILE_MB or BEDSIDE_MAX_PAGES; a sheet or a document with huge "
    "tables: save it as PDF.",
    "too_slow": "Raise BEDSIDE_READ_TIMEOUT, or save it as PDF anew, then load it again.",
    "too_much_memory": "Raise BEDSIDE_READ_MEMORY_MB, or save it as PDF anew, then load it again.",
    "no_text_layer": "It is a scan without readable words: scan it again, straight and at 300 dpi; with "
    "BEDSIDE_OCR=off no scan is read.",
    "xfa_form": "Open it in the program that shows it, print it as PDF, then load that.",
    "not_permitted": "Give a group that is known here access to it in SharePoint, and the application the role "
    "fullcontrol on the site.",
    "only_rendered": "Install LibreOffice, which lays out its pages, or save it as PDF; then load that.",
    "wrong_metadata": "Correct it in metadata.csv; the next run takes the document in.",
    "not_indexed": "The next run tries it again; where that fails too, save it as PDF, then load that.",
    "unsupported": "Save it as PDF, then load that.",
}
_WORDS = r"\b(?:PDFium|Success|error|Error|Exception|exit status)\b|\w(?:Error|Exception)\b"
_INNER = re.compile(rf"\s*\([^()]*(?:{_WORDS})[^()]*\)|\b[A-Z]\w+Error\b:?")


def advice(reason: str) -> str:
    return ADVICE.get(reason, "")


def plain_message(message: str, path: str, name: str) -> str:
    """Return a failure's message without what only programmers read, and with the file's own name
    in place of a temporary one."""
    named, colon, what = message.replace(path, name).rpartition(f"{name}: ")
    return named + colon + re.sub(r"\s+", " ", _INNER.sub("", what)).strip()
