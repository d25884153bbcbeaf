"""Names of patients and of their families, by rules for Dutch and English.

A word is a name by what stands before it ("mevr.", "patiënt", "J."), or by the lists, or by both
capitals and what a question says of people ("bij", ", 5 jaar", "heeft"). Eponyms, drugs, brands and
wards are none; whom a title of staff precedes is no patient.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_api.guard.personal.found import Identifying, IdentityKind
from rag_api.guard.personal.name_lists import is_nobody, name_lists
from rag_api.guard.words import folded

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
PARTICLES = frozenset(
    {
        "van", "von", "vande", "vanden", "vander", "de", "der", "den", "ter", "ten", "te", "el", "al", "la", "le", "ben", "'t", "op",
        "in", "du", "di", "da", "dos", "o'"
    }
)  # fmt: skip
TITLES = frozenset(
    {
        "mevrouw", "mevr", "mw", "mvr", "dhr", "heer", "meneer", "mijnheer", "mr", "mrs", "ms", "miss", "mister", "juffrouw", "juf",
        "mej"
    }
)  # fmt: skip
PATIENTS = frozenset(
    {
        "patient", "patiente", "pt", "pat", "baby", "kindje", "zuigeling", "client", "bewoner", "dossier", "achternaam", "naam",
        "heet", "surname", "named"
    }
)  # fmt: skip
STAFF = frozenset(
    {
        "dr", "dokter", "doctor", "prof", "professor", "arts", "zuster", "broeder", "collega", "apotheker", "nurse", "chirurg"
    }
)  # fmt: skip
_LINKS = frozenset(
    {
        "bij", "voor", "van", "aan", "met", "for", "of", "in", "with", "on", "zie", "see", "dochter", "zoon", "moeder", "echtgenote"
    }
)  # fmt: skip
_SAID = (
    r"(?:heeft|is|krijgt|ligt|slikt|gebruikt|kan|wil|weigert|start|heet|spreekt|zijn|haar|has|had|needs|wants|gets|was|speaks|"
    r"refuses|fell|lost|geb|born|dob|"
    r"on|op|met|with|laten|mislukt|ontbreekt|pas|delayed|ondanks|met|nuchter|fasting)"
)
_AFTER = re.compile(
    rf"(?i)^\s*(?:[,(]?\s*(?:°|\*|geb|d\.?o\.?b|born|aged|\d{{1,3}}\s?(?:-?j\b|jaar|jr|years?|yo?\b|mnd|maand|weken|weeks?|"
    rf"months?|kg|mg/kg)|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}})"
    rf"|{_SAID}(?!\w)|(?:van|of)\s\d|(?:on|op)?\s?(?:kamer|bed|room)\s?\d|sat\w*\s\d|saturatie|\)|[,:?]|$)"
)
_AGE_AFTER = re.compile(
    r"(?i)^\s*(?:,?\s*(?:is\s)?(?:van\s|of\s|aged\s)?\d{1,3}\s?(?:j\b|jaar|jr|years?|weken|weeks|maanden|months)|\s*\(?(?:°|geb|"
    r"d\.?o\.?b)|\s(?:van|op|in)\s(?:kamer|bed|room)\s?\d|\sin bed\s?\d)"
)
# What family names begin with that are written in one word: "McDonald", "VanDamme".
_BEFORE_A_CAPITAL = frozenset({"mc", "mac", "fitz"}) | PARTICLES
_INNER_CAPITAL = re.compile(r"(?<=[^\W\d_])(?=[A-ZÀ-ÖØ-Þ])")
_BIRTH_AFTER = re.compile(r"^\s*[(°*]\s?°?\s?(?:geb\.?\s?)?\d{1,2}[-/. ](?:\d{1,2}|[a-z]{3,9})[-/. ]\d{2,4}")


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    text: str
    folded: str
    figured: bool = False  # a figure is part of it, as of "SpO2"

    @property
    def capital(self) -> bool:
        return self.text[0].isupper()

    @property
    def shouted(self) -> bool:
        return len(self.text) > 1 and self.text.isupper()

    @property
    def proper(self) -> bool:
        """Written as a name is, and not as what abbreviates something ("QTcF", "NaCl", "SpO2") or
        is sold ("CellCept")."""
        return self.capital and not self.shouted and len(self.text) > 1 and not self.figured and not self.abbreviates

    @property
    def abbreviates(self) -> bool:
        """A capital within, but for one behind what family names begin with."""
        split = [_INNER_CAPITAL.split(part) for part in re.split("['’-]", self.text)]
        return any(len(parts) > 2 or (len(parts) == 2 and folded(parts[0]) not in _BEFORE_A_CAPITAL) for parts in split)


def names(text: str) -> Iterator[Identifying]:
    """Yield them in the order of the text, then what is said of them again: "mag Yasmine ...?
    Yasmine Haddad"."""
    found = list(_named(text))
    yield from found
    parts = {match[0] for one in found for match in _WORD.finditer(text[one.start : one.end])}
    for match in _WORD.finditer(text):
        again = match[0] in parts and match[0][0].isupper() and len(match[0]) > 2
        if (
            again
            and not is_nobody(folded(match[0]))
            and all(match.end() <= one.start or match.start() >= one.end for one in found)
        ):
            yield Identifying(match.start(), match.end(), IdentityKind.NAME)


def _named(text: str) -> Iterator[Identifying]:
    words = [
        _Word(
            m.start(),
            m.end(),
            m[0],
            folded(m[0]),
            text[m.end() : m.end() + 1].isdigit() or text[: m.start()][-1:].isdigit(),
        )
        for m in _WORD.finditer(text)
    ]
    at = 0
    while at < len(words):
        last = _name_from(words, at, text)
        if last is None:
            at += 1
            continue
        if at == 0 or words[at - 1].folded not in STAFF:
            yield Identifying(words[at].start, words[last].end, IdentityKind.NAME)
        at = last + 1


def _name_from(words: Sequence[_Word], at: int, text: str) -> int | None:
    """Return the last word of the name that begins with this one; None where none does."""
    for rule in (_after_title, _initial, _listed_pair, _small_pair, _capitals, _alone):
        if (last := rule(words, at, text)) is not None:
            return last
    return None


def _after_title(words: Sequence[_Word], at: int, text: str) -> int | None:
    """ "mevr. De Backer", "patiënt Karel Dumoulin", "mr singh"."""
    if at == 0 or not _near(words[at - 1], words[at], text, r"[.,:]?\s*(?:&\s)?"):
        return None
    before, word = words[at - 1].folded, words[at]
    titled = before in TITLES and (words[at - 1].shouted or not words[at - 1].abbreviates)  # the mRS is a score
    if not titled and before not in PATIENTS:
        return None
    end = _surname(words, at, text, small=titled)
    if end is None or (not titled and is_nobody(words[end].folded)):
        return None
    return _stretch(words, end, text, _is_first(word)) if word.capital else end


def _surname(words: Sequence[_Word], at: int, text: str, small: bool = False) -> int | None:
    """Return the last word of a family name with its particles: capitals, or (`small`) in the list
    of names."""
    end = at
    while end + 1 < len(words) and words[end].folded in PARTICLES and _near(words[end], words[end + 1], text):
        end += 1
    word = words[end]
    lists = name_lists()
    if word.proper and word.folded not in lists.ordinary | PARTICLES:
        return end
    if word.proper and end > at:
        return end  # "De Groot", "de Groot"
    return end if small and _family(words[at : end + 1]) and word.folded not in lists.ordinary else None


def _family(words: Sequence[_Word]) -> bool:
    """The words, joined as the lists write them, are a family name."""
    family = name_lists().family
    own = [word.folded for word in words]
    return " ".join(own) in family or "".join(own) in family or (len(own[-1]) > 3 and own[-1] in family)


def _stretch(words: Sequence[_Word], end: int, text: str, first: bool = False) -> int:
    """A name goes on into the next: "Karel Dumoulin"; after a `first` name also into what is a word
    or an eponym too: "Liam Murphy"."""
    if end + 1 == len(words) or not _near(words[end], words[end + 1], text):
        return end
    after = words[end + 1]
    if first and after.proper and _family([after]):
        return end + 1
    further = _surname(words, end + 1, text)
    return end if further is None or is_nobody(words[further].folded) else further


def _is_first(word: _Word) -> bool:
    """Also of two with a hyphen: "Ann-Sophie"."""
    return all(part in name_lists().first for part in word.folded.split("-")) or word.folded in name_lists().first


def _initial(words: Sequence[_Word], at: int, text: str) -> int | None:
    """ "M. Verhaegen", "A. de Groot"; and "Jansen, P.", "Vlaeminck G"."""
    word = words[at]
    if at + 1 == len(words):
        return None
    if word.capital and len(word.text) == 1 and _near(word, words[at + 1], text, r"\.\s?"):
        end = _surname(words, at + 1, text)
        if end is None or is_nobody(words[end].folded):
            return None
        return _stretch(words, end, text)
    one_letter = len(words[at + 1].text) == 1 and words[at + 1].capital
    if word.proper and one_letter and word.folded in name_lists().family and not is_nobody(word.folded):
        return at + 1 if _near(word, words[at + 1], text, r",?\s") else None
    return None


def _listed_pair(words: Sequence[_Word], at: int, text: str) -> int | None:
    """ "Karel Dumoulin", "Peeters Maria": one of them is in the list of first names."""
    word, lists = words[at], name_lists()
    if not word.proper or at + 1 == len(words) or not _near(word, words[at + 1], text):
        return None
    if (
        _is_first(word)
        and not is_nobody(word.folded)
        and word.folded not in lists.ordinary - {"jan", "mark", "rose", "roos", "grace"}
    ):
        if (whole := _stretch(words, at, text, first=True)) > at:
            return _stretch(words, whole, text)
        end = _surname(words, at + 1, text)
        if end is not None and not is_nobody(words[end].folded):
            return _stretch(words, end, text)
    end = _surname(words, at, text)
    if end is not None and end + 1 < len(words) and _near(words[end], words[end + 1], text):
        after = words[end + 1]
        if (
            after.proper
            and after.folded in lists.first
            and _family(words[at : end + 1])
            and not is_nobody(words[end].folded)
        ):
            return end + 1
    return None


def _small_pair(words: Sequence[_Word], at: int, text: str) -> int | None:
    """ "jan de vos", "tom baker": both in the lists, written in haste."""
    word, lists = words[at], name_lists()
    if word.folded not in lists.first or at + 1 == len(words) or not _near(word, words[at + 1], text):
        return _small_family(words, at, text)
    if word.folded in lists.ordinary - {"jan", "mark"} or word.folded in PARTICLES or len(word.folded) < 3:
        return None
    end = _surname(words, at + 1, text, small=True)
    if end is None or words[end].folded in lists.ordinary:
        return None
    if is_nobody(words[end].folded) and (is_nobody(word.folded) or not _family(words[end : end + 1])):
        return None
    return end


def _small_family(words: Sequence[_Word], at: int, text: str) -> int | None:
    """ "van dijk op ic", "peeters kamer 12"."""
    end = at
    while end + 1 < len(words) and words[end].folded in PARTICLES and _near(words[end], words[end + 1], text):
        end += 1
    word, lists = words[end], name_lists()
    whole = " ".join(one.folded for one in words[at : end + 1])
    known = (
        whole in lists.family
        and word.folded not in lists.ordinary
        and not is_nobody(word.folded)
        and len(word.folded) > 3
    )
    return (
        end
        if known and re.match(r"(?i)\s+(?:(?:op\s)?(?:kamer|bed|room)\s?\d|op ic\b|on icu\b)", text[word.end :])
        else None
    )


def _capitals(words: Sequence[_Word], at: int, text: str) -> int | None:
    """ "Oleksandr Kovalenko heeft ...": in no list, but written and spoken of as a person."""
    word, lists = words[at], name_lists()
    if not word.proper or word.folded in lists.ordinary or is_nobody(word.folded) or at + 1 == len(words):
        return None
    if not _near(word, words[at + 1], text, r"\s"):
        return None
    end = _surname(words, at + 1, text)
    if end is None or is_nobody(words[end].folded):
        return None
    end = _stretch(words, end, text)
    linked = at > 0 and words[at - 1].folded in _LINKS | PATIENTS | TITLES
    known = any(one.folded in lists.family | lists.first for one in words[at : end + 1])
    return end if (linked or known) and (linked or _AFTER.match(text[words[end].end :])) else None


def _alone(words: Sequence[_Word], at: int, text: str) -> int | None:
    """ "Lotte, 5 jaar", "bij Yasmine": a first name of which a person's things are said."""
    word, lists = words[at], name_lists()
    if not word.proper or is_nobody(word.folded) or word.folded in lists.ordinary:
        return None
    if _BIRTH_AFTER.match(text[word.end :]):
        return at
    if not _is_first(word):
        return None
    linked = at > 0 and words[at - 1].folded in {"bij", "voor", "for", "van"} and _near(words[at - 1], word, text)
    return at if linked or _AGE_AFTER.match(text[word.end :]) else None


def _near(one: _Word, other: _Word, text: str, between: str = r"\.?\s") -> bool:
    return re.fullmatch(between, text[one.end : other.start]) is not None
