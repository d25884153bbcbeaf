"""The sentences on a document for who loads it: by their stable codes, with what stands in them.
web/src/i18n/notes.nl.json has them in Dutch; a test holds the two to the same codes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag_api.domain import Note

NOTES = {
    "tracked_changes": "holds tracked changes, read as accepted; accept or reject them in Word",
    "tracked_deletions": "holds tracked changes, read as accepted, deleted words are not read: {words}; accept or reject them in Word",
    "hidden_in_word": "hidden words are not read; show or remove them in Word: {words}",
    "comments": "{count} comments are not read; what staff must know belongs in the text",
    "embedded_objects": "{count} embedded objects (sheets, charts, inserted files) are not read as text; check that the text says it",
    "large_pictures": "{count} large pictures: words in them are not read; type what staff must find",
    "margins": "its headers and footers are no part of the text; what staff must read belongs in the body: {words}",
    "no_office": "no rendering as PDF (LibreOffice is not installed): its place on the page cannot be shown; install {packages}",
    "no_rendering": "no rendering as PDF ({why}): its place on the page cannot be shown; save it as PDF",
    "lost_words": "words of the file that its pages do not show are not read; save it as PDF and check: {words}",
    "hidden_words": "hidden words are not read; show or remove them: {words}",
    "struck_words": "words that are struck out are not read: {words}",
    "holds_unread": "{what} is not read; save the page as PDF and check",
    "hidden_parts": "hidden parts are not read; show or remove them: {parts}",
    "formulas": "{count} formulas have no stored value and are not read; open and save it in Excel, or save it as PDF",
    "remarks": "{count} cells have remarks, which are not read; what staff must know belongs in cells",
    "hidden_slides": "{count} hidden slides are not read; show or remove them in PowerPoint",
    "slide_notes": "notes of {count} slides are not read; what staff must know belongs on the slide",
    "missing_letters": "characters that the pages cannot show are read all the same; install fonts-dejavu-core: {letters}",
    "page_broken": "{on_pages}: cannot be read",
    "page_unseen": "{on_pages}: text that cannot be seen (white, tiny, covered, clipped or off the page) or is struck through was left out",
    "page_watermark": "{on_pages}: slanted text (a watermark) was left out: its words are among the lines that were cut",
    "page_garbled": "{on_pages}: its fonts do not say which letters they show: what is found in it may be garbled",
    "page_untrue_letters": "{on_pages}: letters show others than their fonts say: those sentences are found and shown, never quoted; "
    "print it to a PDF and load that",
    "page_uncompared": "{on_pages}: invisible words over a picture were not compared with it: they are found and shown, never quoted",
    "page_other_words": "{on_pages}: the file says other words than its page shows (ActualText): those that are shown were read",
    "page_uncertain_rows": "{on_pages}: which cells of a table (or parts of a drawing) stand in one row is not certain: those words are "
    "found and shown, never quoted; draw lines between its rows and columns, and load that",
    "page_uncertain_heads": "{on_pages}: under which caption, or which name of its header, a table's row stands is not certain: "
    "those rows are found and shown, never quoted; draw lines between its columns, give each table a line above it, "
    "and load that",
    "page_unplaced": "{on_pages}: under which heading or bar words stand, or which sentence they are part of, is not certain "
    "(cards, boxes side by side, a bracket over several lines): they are found and the page is opened, never quoted; "
    "write what staff must be able to quote as text beside it",
    "page_no_order": "{on_pages}: letters or lines are drawn in no order in which they can be read: those words are found and shown, "
    "never quoted; save it anew from the program that it was written in, or scan it, and load that",
    "page_chart": "{on_pages}: words in boxes that lines or arrows join (a flow chart): they are found and the page is opened, "
    "never quoted in pieces; write what staff must be able to quote as text beside it",
    "page_unaccounted": "{on_pages}: what was read lacks letters that are seen there, or has some twice: it is found and shown, "
    "never quoted; print it to a PDF and load that",
    "page_not_read": "{on_pages}: only a picture, no text layer: nothing of it is found",
    "page_no_words": "{on_pages}: only a picture, in which no words could be read: nothing of it is found",
    "page_too_slow": "{on_pages}: only a picture that took longer to read than BEDSIDE_OCR_TIMEOUT: nothing of it is found",
    "page_partly": "{on_pages}: its image shows something that could not be read: open the page to see it",
    "page_stamp": "{on_pages}: slanted words in its image (a stamp) were left out",
    "page_one_reader": "{on_pages}: read from the image by one program alone, so more of it is in doubt: install tesseract-ocr and "
    "tesseract-ocr-nld",
    "page_scanned": "{on_pages}: read from an image",
    "page_scanned_in_doubt": "{on_pages}: read from an image; {share} of the text is in doubt, and is found and shown but never quoted",
    "scan": "{pages_were} read from {their} image",
    "scan_in_doubt": "{pages_were} read from {their} image; {share} of the text is in doubt, and is found and shown but never quoted",
    "mostly_in_doubt": "only {share} of its text can be quoted; the rest is found and shown: its other notes say why, and what helps",
    "says_lapsed": "says that it is no longer in force, without a day: {words}; take it out, or give it a last day",
    "edit_outdated": "{field}: the file now says {said}, so the edit {edit} is not used",
    "same_content": "same content as {documents}: each answer from it has two sources that are one; take one of them out",
    "same_name": "has the same file name as {documents}; if it is a new version of it, put it there in its place",
    "replaces_other_folder": "replaces another file of this name, in {folder}; to keep both, ingest the folder above them",
    "replaces_uploaded": "replaces the uploaded file of this name and is read by whom that was for ({groups}), "
    "until metadata.csv or an admin says otherwise; to keep both, give that one another name",
    "replaces_in_folder": "replaces the file of this name in {folder}, which the next run over that folder brings back; replace it there",
    "other_patients": "{by} says that it is about {said}, the file itself {own}: check which patients it is for",
    "other_patients_in_title": "{by} says the title {title}, of {said}, and {whose} {own}: check which patients it is for",
    "other_from": "{by} says that it is valid from {said}, the file itself {own}",
    "other_until": "{by} says that it is valid until {said}, the file itself {own}",
    "other_title": "{by} says that it is called {title}, and the file does not hold most of those words: "
    "check whether it is the right document",
    "took_name": "has the name that {other} had, which is answered from too: "
    "where that is no longer in force, take it out or end its validity",
    "speaks_to_machine": "holds words addressed to a machine, not to staff; they are never quoted and no model is told them; "
    "ask who wrote: {words}",
    "kept": "its file cannot be read now ({why}): the version before it still answers, for a day at most",
    "other_readers": "may be read by SharePoint's {groups} too: say in `group_names` of sources.toml who that is here",
    "shared_by_name": "was shared with {people} people by name, who cannot read it here for that: give their group access",
}  # fmt: skip


def note(code: str, **values: object) -> Note:
    """Return a note in English, with its code and values."""
    said = {name: str(value) for name, value in values.items()}
    return Note(NOTES[code].format(**said), code, said)


def on_pages(code: str, pages: Sequence[int], **values: object) -> Note:
    """The same of some pages, of which a dozen are named."""
    shown = ", ".join(map(str, pages[:12])) + (", …" if len(pages) > 12 else "")
    return note(code, pages=shown, on_pages=f"page {shown}" if len(pages) == 1 else f"pages {shown}", **values)


def recognised(text: str) -> Note:
    """Return a sentence that was kept without its code as the note that it is; as it stands where
    it is none."""
    for code, sentence in NOTES.items():
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(sentence))
        if found := re.fullmatch(pattern, text, re.DOTALL):
            return Note(text, code, found.groupdict())
    return Note(text)
