"""Mails (.eml, .msg) -> subject, sender, date and text. Attachments are named, not read: each is a
document of its own."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import olefile

from rag_api.errors import UnreadableDocument
from rag_api.ingest.readers.read_html import HtmlText, read_html

# Properties of a .msg, by their number (MS-OXPROPS); 001F: Unicode text, 001E: of one byte, 0102:
# bytes.
_SUBJECT, _SENDER, _BODY, _HTML, _ATTACHED = "0037", "0C1A", "1000", "1013", "3707"


def read_eml(path: Path, name: str) -> HtmlText:
    """Raises UnreadableDocument: empty."""
    with path.open("rb") as file:
        message = email.message_from_binary_file(file, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    body = message.get_body(("html", "plain"))
    text = _content(body) if body is not None else ""
    shown = (
        read_html(text, name)
        if body is not None and body.get_content_subtype() == "html" and text.strip()
        else HtmlText(text.splitlines())
    )
    head = [f"{label}: {message[label]}" for label in ("From", "Date") if message[label]]
    attached = [part.get_filename() or part.get_content_type() for part in message.iter_attachments()]
    return _mail(shown, str(message["Subject"] or ""), head, [str(one) for one in attached])


def read_msg(path: Path, name: str) -> HtmlText:
    """Raises UnreadableDocument: broken, unsupported."""
    try:
        with olefile.OleFileIO(path) as file:
            html_body, body = _property(file, _HTML), _property(file, _BODY)
            subject, sender = _property(file, _SUBJECT), _property(file, _SENDER)
            folders = {entry[0] for entry in file.listdir() if entry[0].startswith("__attach")}
            attached = [_property(file, _ATTACHED, folder) or "a file" for folder in sorted(folders)]
    except (OSError, ValueError, IndexError, KeyError) as error:
        raise UnreadableDocument("broken", f"{name}: is damaged: it cannot be opened as a mail") from error
    if not body.strip() and not html_body.strip():
        raise UnreadableDocument("unsupported", f"{name}: its text is in a form that is not read")
    shown = HtmlText(body.splitlines()) if body.strip() else read_html(html_body, name)
    return _mail(shown, subject, [f"From: {sender}"] if sender else [], attached)


def _mail(shown: HtmlText, subject: str, head: list[str], attached: list[str]) -> HtmlText:
    shown.title = subject or shown.title
    shown.lines = [*filter(None, [subject]), *head, "", *shown.lines]
    shown.holds += [f"the attachment {one!r}" for one in attached]
    return shown


def _content(part: Any) -> str:
    try:
        return str(part.get_content())
    except (LookupError, UnicodeDecodeError):  # a character set that nobody knows
        raw = part.get_payload(decode=True)
        return raw.decode("cp1252", "replace") if isinstance(raw, bytes) else ""


def _property(file: olefile.OleFileIO, number: str, folder: str = "") -> str:
    for kind, encoding in (("001F", "utf-16-le"), ("001E", "cp1252"), ("0102", "utf-8")):
        stream = [*filter(None, [folder]), f"__substg1.0_{number}{kind}"]
        if file.exists(stream):
            return str(file.openstream(stream).read().decode(encoding, "replace")).replace("\0", "")
    return ""
