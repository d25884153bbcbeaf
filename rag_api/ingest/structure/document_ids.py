"""Marks of a line that tell of the document itself: page numbers, dates, versions, document codes
and file names.

Only these may differ between two lines that are one header or footer. Any other number is the
text's: "Bij 10 kg: 1 mg" and "Bij 12 kg: 1,2 mg" are two lines, wherever they stand.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rag_api.guard.drugs import drugs_in, is_drug
from rag_api.guard.numbers.quantities import quantities

_PAGE = re.compile(
    r"\b(?:pagina(?:nummer)?|page|pag\b\.?|blz\b\.?|bladzijde|p\.)\s*[:.]?\s*\d{1,4}(?:\s*(?:van|of|uit|/)\s*\d{1,4})?\b"
)
_DATE = re.compile(
    # Between dots a year of two figures stands behind two and two: "2.5.10" is a version.
    r"\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}([-/])\d{1,2}\1(?:\d{4}|\d{2})\b"
    r"|(?<![\d.])(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.\d{4}\b|(?<![\d.])(?:0[1-9]|[12]\d|3[01])\.(?:0[1-9]|1[0-2])\.\d{2}(?!\.?\d)"
    r"|\b\d{1,2} (?:jan(?:uari|uary)?|feb(?:ruari|ruary)?|mrt|maart|"
    r"march|apr(?:il)?|mei|may|jun[ie]?|jul[iy]?|aug(?:ustus|ust)?|sept?(?:ember)?|o[kc]t(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.? "
    r"\d{4}\b"
)
_VERSION = re.compile(
    r"\b(?:versie|version|vers\.|rev(?:isie|ision)?\.?|v\.?) ?(?:nr\.? ?|nummer |number )?:? " r"?\d+(?:\.\d+)*\b"
)
_FILE = re.compile(r"\S+\.(?:pdf|docx?|xlsx?|pptx?|odt|indd)\b")
_CODE = re.compile(r"\b([a-z]{2,6})[-_./](?:[a-z0-9]+[-_./])*[a-z0-9]*\d[a-z0-9]*\b")
_TOKENS = ((_PAGE, "‹page›"), (_DATE, "‹date›"), (_VERSION, "‹version›"), (_FILE, "‹file›"))
_SIGN = re.compile(r"‹[^›]*›")
# Numbers that are page numbers only when they count along with the pages.
_OF = re.compile(r"(?<![\w.,/])(\d{1,4}) ?(?:/|van|of|uit) ?(\d{1,4})(?![\w.,/])")
_LONE = re.compile(
    r"^([-–—|·• ]*)(\d{1,4})([-–—|·• ]*)$|(?<=[\t|•·–—])( ?)(\d{1,4})()$|^()(\d{1,4})( ?)(?=[\t|•·–—]| "
    r"[^\W\d_]{3}| \d+\.)"
)
_UNIT = re.compile(r"(?<![^\W_])(?:mg|µg|μg|mcg|ng|ml|mmol|µmol|mosm|ie|iu|meq|joule|kcal|mmhg|kpa|kg)(?![^\W_])")
_VERB = re.compile(
    r"\b(?:is|zijn|wordt|worden|moet|moeten|mag|mogen|kan|kunnen|heeft|hebben|geldt|gelden|are|must|may|should|shall|can|has|have)\b"
)
_WARNS = re.compile(
    r"\b(?:niet|geen|nooit|niks|cave|let op|contra-?indicaties?|not|never|do " r"not|don't|caution|warning)\b"
)
_PRINT = re.compile(
    r"\b(?:afdruk\w*|afgedrukt\w*|(?:uit)?geprint\w*|printed "
    r"(?:cop(?:y|ies)|versions?)|print-?outs?|uncontrolled|copyright)\b|©"
)
_ENDS = re.compile(r"[^\W\d_]{2}[)\"'”’»\]]*[.!?](?:[)\"'”’»\]]*$| +[A-ZÀ-Þ])")


@lru_cache(maxsize=4096)
def bare(text: str) -> str:
    """In small letters, each page number with a label, date, version, code and file name as a
    sign."""
    plain = re.sub(r"[^\S\t]+", " ", text.casefold()).strip()
    for pattern, sign in _TOKENS:
        plain = pattern.sub(sign, plain)
    return _CODE.sub(lambda m: "‹code›" if _is_code(m) else m[0], plain)


def codes(text: str) -> set[str]:
    """The document codes that stand in a text, in small letters and without a version."""
    plain = text.casefold()
    for pattern, sign in _TOKENS:
        plain = pattern.sub(sign, plain)
    return {found[0] for found in _CODE.finditer(plain) if _is_code(found)}


def _is_code(found: re.Match[str]) -> bool:
    return sum(c.isdigit() for c in found[0]) >= 4 and not is_drug(found[1])


def keys(text: str, page: int) -> tuple[str, ...]:
    """By any of which it is the same line as on another page: as it stands, and with its page
    number counted from this page."""
    plain = bare(text)
    counted = _OF.sub(lambda m: f"‹{int(m[1]) - page}/{m[2]}›", plain)
    counted = _LONE.sub(lambda m: f"‹{int(next(n for n in (m[2], m[5], m[8]) if n)) - page}›", counted)
    return (_tight(plain),) if counted == plain else (_tight(plain), _tight(counted))


def _tight(text: str) -> str:
    return re.sub(r"\s", "", text)


def is_page_number(text: str) -> bool:
    """Nothing else stands on the line, and it says so itself: "Pagina 3 van 12"."""
    return bool(re.fullmatch(r"[-–—|·•\s]*‹page›[-–—|·•\s]*", bare(text)))


def is_number(text: str) -> bool:
    """Nothing but a number that may be a page's: "- 3 -", "3 / 12"."""
    return bool(re.fullmatch(r"[-–—|·•\s]*\d{1,4}(?: ?(?:/|van|of|uit) ?\d{1,4})?[-–—|·•\s]*", bare(text)))


def counts(text: str, page: int) -> bool:
    """It is this page's own number: "3" or "3 / 12" on the third."""
    return is_number(text) and re.search(r"\d+", text)[0] == str(page)  # type: ignore[index]


def has_imprint(text: str) -> bool:
    plain = bare(text)
    return bool(_SIGN.search(plain) or _PRINT.search(plain))


@lru_cache(maxsize=4096)
def is_content(text: str) -> bool:
    """It holds a unit, a drug, a warning or a sentence: never to be cut. A drug may stand in a
    running title that counts its pages, and a sentence may say what a print of the document is
    worth."""
    plain = bare(text)
    rest = _SIGN.sub(" ", plain)
    if not any(c.isalpha() for c in rest) and any(c.isdigit() for c in rest):  # a value whose unit stands elsewhere
        return True
    if (
        _UNIT.search(rest)
        or any(q.dimension for q in quantities(rest, "nl"))
        or ("‹page›" not in plain and drugs_in(rest))
    ):
        return True
    if _PRINT.search(rest):
        return False
    if _WARNS.search(rest):
        return True
    words = text.split()
    return len(words) >= 3 and (bool(_ENDS.search(text)) or (len(words) >= 5 and bool(_VERB.search(rest))))
