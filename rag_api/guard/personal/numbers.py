"""National, patient and telephone numbers, e-mail addresses.

A Belgian national register number and a Dutch BSN are known by their check digits; where the text
says that it is one, also with a slip. Numbers of lots, articles, pumps and forms are nobody's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag_api.guard.personal.found import Identifying, IdentityKind

EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_REGISTER = re.compile(r"(?<![\d.,/-])\d{2}[. ]?\d{2}[. ]?\d{2}[-. ]?\d{3}[-. ]?\d{2}(?![\d]|[.,/-]\d)")
_NATIONAL_CUE = (
    r"(?:rijksregister(?:nummer|nr\.?)?|rrn|insz|niss|nrn|bsn|burgerservicenummer|sofinummer|nationaal nummer|"
    r"national (?:register )?(?:number|no\.?)|nhs (?:number|no\.?))"
)
_NATIONAL = re.compile(rf"(?i)(?<!\w){_NATIONAL_CUE}[^\d\n]{{0,14}}(\d[\d .-]{{6,14}}\d)(?!\d)")
_NINE = re.compile(r"(?<![\d.,/+-])\d{9}(?![\d]|[.,/-]\d)")
_THING = re.compile(
    r"(?i)(?:lot|charge|batch|artikel|article|cnk|form\w*|code|serie\w*|serial|bestel\w*|order)\w*[\s.:#-]{0,3}(?:n[ro]\.?|nummer|"
    r"number)?\s*$"
)

_PATIENT_CUE = (
    r"(?:(?:apotheek)?dossier(?:nummer|nr\.?)?|dos\.|pati[eëé]nt(?:en)?-?(?:nummer|nr\.?|dossier|id|no\.?)|pati[eëé]nt "
    r"(?:nummer|"
    r"nr\.?|id|no\.?|number)|"
    r"pati[eë]nt met nummer|pat\.? ?nr\.?|pt\.? ?nr\.?|patnr|epd(?:-?nr\.?)?|opname(?:nummer|nr\.?)|eadnr|mrn|"
    r"(?:hospital|pharmacy|patient|medical|chart)? ?(?:file|record|chart|hospital|patient) ?(?:number|no\.?|nr\.?|id)?|"
    r"trial patient|pati[eëé]nte?|pt)"
)
_PATIENT = re.compile(
    rf"(?i)(?<!\w){_PATIENT_CUE}(?!\w)[\s.:#]{{0,3}}(?:(?:[^\d\n]{{0,25}}(?<!\w))?(?:nr|no|number|nummer|id)[\s.:#]{{1,3}})?"
    r"((?:[a-z]{1,4}-?)?\d[\d./-]*\d)(?!\w)"
)
_LEAST_DIGITS = 5  # of a patient's number: "dossier 12" is a place in a list

_PHONE = re.compile(
    r"(?<![\w.,/+-])(?:\+|00)\d{2}[ ./-]?\(?0?\)?\d(?:[ ./-]?\d){6,9}(?!\d)|(?<![\w.,/+-])0\d(?:[ "
    r"./-]{0,2}\d){6,9}(?!\w|[.,/]\d)"
)
_SERVICE = re.compile(r"^0(?:70|78|800|90\d)")  # of everybody: the poison centre's 070 245 245


def emails(text: str) -> Iterator[Identifying]:
    for match in EMAIL.finditer(text):
        yield Identifying(match.start(), match.end(), IdentityKind.EMAIL)


def national_numbers(text: str) -> Iterator[Identifying]:
    for match in _NATIONAL.finditer(text):
        yield Identifying(match.start(1), match.end(1), IdentityKind.NATIONAL_NUMBER)
    for match in _REGISTER.finditer(text):
        if is_register_number(digits(match[0])):
            yield Identifying(match.start(), match.end(), IdentityKind.NATIONAL_NUMBER)
    for match in _NINE.finditer(text):
        if is_bsn(match[0]) and not match[0].startswith("0") and not _THING.search(text[: match.start()]):
            yield Identifying(match.start(), match.end(), IdentityKind.NATIONAL_NUMBER)


def patient_numbers(text: str) -> Iterator[Identifying]:
    for match in _PATIENT.finditer(text):
        if len(digits(match[1])) >= _LEAST_DIGITS:
            yield Identifying(match.start(1), match.end(1), IdentityKind.PATIENT_NUMBER)


def phones(text: str) -> Iterator[Identifying]:
    for match in _PHONE.finditer(text):
        number = digits(match[0])
        if (
            9 <= len(number) <= 13
            and not (_SERVICE.match(number) and len(number) <= 10)
            and not _THING.search(text[: match.start()])
        ):
            yield Identifying(match.start(), match.end(), IdentityKind.PHONE)


def digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit())


def is_register_number(number: str) -> bool:
    """Eleven digits: a date of birth, a serial number, and 97 less what is left of them modulo 97;
    from 2000 on a 2 stands before them."""
    if len(number) != 11:
        return False
    body, check, month = number[:9], int(number[9:]), int(number[2:4]) % 20
    return month <= 12 and int(number[4:6]) <= 31 and check in {97 - int(body) % 97, 97 - int("2" + body) % 97}


def is_bsn(number: str) -> bool:
    """Nine digits weighed 9 to 2 and -1 make a multiple of eleven."""
    weighed = sum(int(digit) * weight for digit, weight in zip(number, (9, 8, 7, 6, 5, 4, 3, 2, -1), strict=False))
    return len(number) == 9 and int(number) > 0 and weighed % 11 == 0
