"""Drugs that a question names, and whether a text names them too.

A drug is known by the table (drugs.csv: a substance in a line, with its names in Dutch and English,
the brands that staff say, and its class; drug_classes.csv: what a class is called, and how a text
begins to name it; the hospital's own names with it, drug_list.py), or by the ending that its name
has. Nothing follows from one that is neither. Spelling is forgiven as far as two drugs are not
taken for one.

Some classes are one substance whose products may not take each other's place: the insulins,
amphotericin, the salts of calcium and of potassium. Then the substance's own line stands for all of
them. A class that is `over` others is what lay people call these ("blood thinner"); what they call
so too, and what is given for something else, is `beside` it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from rag_api.guard.numbers.salts import NO_DOSE, SALTS
from rag_api.guard.tables import rows_of
from rag_api.guard.words import folded, respelled

_ENDS_LIKE_A_DRUG = re.compile(
    r"(?:[ck]in[e]?|mycin[e]?|micine|cill?ine?|penem|azole?|pam|lam|olol|aban|parine?|tanyl|tanil|m(?:orf|orph)ine|ca[iï]ne|profen|cetamol|"
    r"dipine|pril|sartan|statine?|oxacine?|solone?|drine|azine|[mt]idine|setron|stine|blastine|plati(?:n|ne)|ziride|semide|nitine|trigine|toine|oxone?|mazenil|dexaat|inase|plase|"
    r"[aeiou]mab|tinib|gliptine?|gliflozine?|racetam|triptan)$"
)  # fmt: skip
_ELSE = frozenset(
    ["medicine", "medicin", "vaccine", "magazine", "foreskin", "versatile", "macrolide", "macrolid", "ergometrie"]
)
# spelled: AST is no aspart, an enzyme no phosphate
_BEGIN_ALIKE = ("aspartaa", "aspartam", "aspartat", "aspartic", "aspartil", "fosfatas")
_SHORTEST = 7  # of a name known by its ending: "april" and "skin" end like drugs too
_WORD = re.compile(r"[^\W_]{3,}")
_LEVEL = re.compile(
    rf"\b(?:{'|'.join(dict.fromkeys(name for salt in SALTS for name in salt.names))})"
    r"(?: (?:van|of|is|at|boven|onder|above|below|over|under))?\s*[=:<>]?\s*\d{1,3}(?:[.,]\d+)?" + NO_DOSE
)
_BEGINS = 6  # letters of a name from which a longer word that begins with it is about it: "insulinepomp"
_FORGIVEN = 8  # letters from which a table's name may have one wrong; kalium is not calcium


def drugs_in(text: str) -> tuple[str, ...]:
    """In the question's order, each once, in lower case and without accents."""
    return tuple(dict.fromkeys(word for word in _WORD.findall(_joined(folded(text))) if is_drug(word)))


def given_in(text: str) -> tuple[str, ...]:
    """The drugs of a question but for those that it tells the level of: with a potassium of 6.7 no
    potassium is given."""
    given = drugs_in(_LEVEL.sub(" ", folded(text)))
    return tuple(drug for drug in drugs_in(text) if drug in given)


def is_drug(word: str) -> bool:
    """One folded word."""
    if _line_of(_spelled(word)) is not None:
        return True
    if word in _ELSE or len(word) < _SHORTEST or not word.isalpha():
        return False
    return bool(_ENDS_LIKE_A_DRUG.search(word)) or _misspelt(_spelled(word)) is not None


def also_called(drug: str) -> tuple[str, ...]:
    """Its other names in the table."""
    line, spelled = _known(drug)
    return () if line is None else tuple(name for name in table_lines()[line].names if _spelled(name) != spelled)


def class_names(drug: str) -> tuple[str, ...]:
    """What its class is called; nothing where texts speak of none."""
    line, _ = _known(drug)
    return described_classes()[of].names if line is not None and (of := table_lines()[line].of) else ()


def substance_of(drug: str) -> str:
    """What the table calls it first: a brand's substance, and that in Dutch; empty when it is
    called so already, or unknown."""
    line, spelled = _known(drug)
    return "" if line is None or table_lines()[line].spelled[0] == spelled else table_lines()[line].names[0]


def is_of(drug: str, name: str) -> bool:
    """Return whether a drug is this one by any of its names, or of this class of the table."""
    line, _ = _known(drug)
    return line is not None and (
        table_lines()[line].of == name or line == (named := _known(name)[0]) or _is_product(line, named)
    )


def names_class(text: str, name: str) -> bool:
    """Return whether a text speaks of this class of drugs as such."""
    return name in described_classes() and bool(described_classes()[name].begins.search(folded(text)))


def is_of_another(text: str, drugs: Iterable[str]) -> bool:
    """Return whether a text names a drug, or a class of them, and none of these."""
    return bool(drugs_in(text) or _any_class().search(folded(text))) and not names(text, drugs)


def substances() -> tuple[tuple[str, ...], ...]:
    """Return the names of each line of the table, folded."""
    return tuple(line.names for line in table_lines())


def names(text: str, drugs: Iterable[str]) -> bool:
    """Whether the text has one of them: by any of its names, also within a longer word or with a
    letter or two wrong; or by its class ("NSAID"), where none of the others is named that the table
    has of that class: their dose might be taken for its own."""
    wanted = _told_apart([_known(drug) for drug in drugs])
    read = _words_of(text)
    if any(line in read.lines for line, _ in wanted) or any(
        _is_among(read.others, line, drug) for line, drug in wanted
    ):
        return True
    if any(_is_product(line, whole) for whole, _ in wanted if whole in _wholes() for line in read.lines):
        return True
    classes = (
        {table_lines()[line].of for line, _ in wanted if line is not None}
        - {table_lines()[line].of for line in read.lines}
        - {""}
    )
    plain = folded(text) if classes else ""
    return any(described_classes()[of].begins.search(plain) or _is_meant(of, plain, read.lines) for of in classes)


def _told_apart(wanted: list[tuple[int | None, str]]) -> list[tuple[int | None, str]]:
    """Who asks for "insulin aspart" wants no other insulin."""
    products = {table_lines()[line].of for line, _ in wanted if line is not None}
    return [(line, drug) for line, drug in wanted if line is None or _wholes().get(line) not in products]


def _is_product(line: int, whole: int | None) -> bool:
    return whole is not None and table_lines()[line].of == _wholes().get(whole)


def _is_meant(of: str, plain: str, lines: Iterable[int]) -> bool:
    """Whether a folded text speaks of this class as lay people do, and of nothing else that they
    call so."""
    return any(
        of in lay.over
        and lay.begins.search(plain)
        and not (lay.others and lay.others.search(plain))
        and not any((there := table_lines()[line]).of in lay.called or there.names[0] in lay.called for line in lines)
        for lay in lay_classes()
    )


@dataclass(frozen=True, slots=True)
class _Words:
    lines: frozenset[int]  # of the table, that the text names
    others: frozenset[str]  # all other words, spelled


@lru_cache(maxsize=64)
def _words_of(text: str) -> _Words:
    """A document is read once, not at every question."""
    lines = {word: _line_of(word) for word in {_spelled(found) for found in _WORD.findall(_joined(folded(text)))}}
    return _Words(
        frozenset(line for line in lines.values() if line is not None),
        frozenset(word for word, line in lines.items() if line is None),
    )


@lru_cache(maxsize=4096)
def _known(drug: str) -> tuple[int | None, str]:
    """The table's line, when it has one, and the spelling."""
    spelled = _spelled(_joined(folded(drug)))
    line = _line_of(spelled)
    return (_misspelt(spelled) if line is None else line), spelled


def _spelled(word: str) -> str:
    """Without what tells Dutch from English: phenytoin is fenytoïne, cephalexin is cefalexine."""
    return respelled(word).removesuffix("e")


@dataclass(frozen=True, slots=True)
class _Substance:
    names: tuple[str, ...]  # folded
    spelled: tuple[str, ...]
    of: str  # its class; empty: none that texts speak of


_own: tuple[tuple[tuple[str, ...], str], ...] = ()


def use(own: Iterable[tuple[tuple[str, ...], str]]) -> None:
    """Take these substances with the table's: names, folded, and class. Before the first question,
    for all of this process."""
    global _own
    if (own := tuple(own)) == _own:
        return
    _own = own
    for made in (table_lines, _names_of_words, _table, _wholes, _halves, _words_of, _known):
        made.cache_clear()


def classes() -> frozenset[str]:
    """Return the classes that a drug may be of."""
    return frozenset(described_classes())


@cache
def table_lines() -> tuple[_Substance, ...]:
    """Return the table's, a line each, with those that the hospital added."""
    rows = [(tuple(folded(row["names"]).split("|")), row["class"]) for row in rows_of("drugs.csv")]
    for names, of in _own:
        spelled = _spellings(names).keys()
        same = [n for n, (known, _) in enumerate(rows) if not spelled.isdisjoint(_spellings(known))]
        if not same:
            rows.append((names, of))
        for n in same:
            rows[n] = (tuple(dict.fromkeys((*rows[n][0], *names))), of or rows[n][1])
    return tuple(_Substance(names, tuple(_spellings(names)), of) for names, of in rows)


def _spellings(names: Iterable[str]) -> dict[str, None]:
    return dict.fromkeys(_spelled(name.replace(" ", "")) for name in names)


def _joined(plain: str) -> str:
    """Folded text with the table's names of several words as one: "calcium chloride" is not
    "calcium"."""
    return _names_of_words().sub(lambda found: re.sub(r"[ -]", "", found[0]), plain)


@cache
def _names_of_words() -> re.Pattern[str]:
    parted = sorted((name for line in table_lines() for name in line.names if " " in name), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(re.escape(name).replace(re.escape(' '), '[ -]') for name in parted)})\b")


@cache
def _table() -> Mapping[str, int]:
    """Name -> its line."""
    return {name: number for number, line in enumerate(table_lines()) for name in line.spelled}


@dataclass(frozen=True, slots=True)
class _Class:
    names: tuple[str, ...]
    begins: re.Pattern[str]  # of a folded text that names it
    over: frozenset[str] = frozenset()  # the classes that lay people call so
    called: frozenset[str] = frozenset()  # these, and the classes and substances beside it
    others: re.Pattern[str] | None = None  # of a folded text that names any of them as such


@cache
def described_classes() -> Mapping[str, _Class]:
    """Those that drugs are of."""
    return {
        row["class"]: _Class(tuple(row["names"].split("|")), _begins(_split(row["begins"])))
        for row in _rows()
        if not row["over"]
    }


@cache
def lay_classes() -> tuple[_Class, ...]:
    """Return what lay people call several classes."""
    found = []
    for row in _rows():
        if row["over"]:
            over, beside = _split(row["over"]), _split(row["beside"])
            others = [
                word for other in _rows() if other["class"] in (*over, *beside) for word in _split(other["begins"])
            ]
            called = frozenset((*over, *(name if name in described_classes() else folded(name) for name in beside)))
            found.append(
                _Class(
                    _split(row["names"]),
                    _begins(_split(row["begins"])),
                    frozenset(over),
                    called,
                    _begins((*others, *beside)),
                )
            )
    return tuple(found)


@cache
def _wholes() -> Mapping[int, str]:
    """A line that stands for all products of a substance -> the class that these are."""
    called = {_spelled(folded(name)): of for of, one in described_classes().items() for name in one.names}
    return {
        number: called[name] for number, line in enumerate(table_lines()) for name in line.spelled if name in called
    }


@cache
def _any_class() -> re.Pattern[str]:
    return _begins([word for row in _rows() if not row["over"] for word in _split(row["begins"])])


def _split(cell: str) -> tuple[str, ...]:
    return tuple(cell.split("|")) if cell else ()


@cache
def _rows() -> list[dict[str, str]]:
    return rows_of("drug_classes.csv")


def _begins(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(re.escape(folded(word)) for word in words)})")


def _line_of(word: str) -> int | None:
    """Of a spelled word: a name of the table, or a word that begins with one."""
    if word.startswith(_BEGIN_ALIKE):
        return None
    table = _table()
    for length in range(len(word), 2, -1):
        line = table.get(word[:length])
        if line is not None and (length == len(word) or length >= _BEGINS):
            return line
    return None


def _misspelt(word: str) -> int | None:
    """The line of the one name that it is with a letter wrong."""
    if len(word) < _FORGIVEN:
        return None
    begins, ends = _halves()
    near = {
        line for name, line in (*begins.get(word[:4], ()), *ends.get(word[-4:], ())) if _distance(name, word, 1) <= 1
    }
    return near.pop() if len(near) == 1 else None


@cache
def _halves() -> tuple[Mapping[str, list[tuple[str, int]]], Mapping[str, list[tuple[str, int]]]]:
    """The names that may be misspelt, by their first letters and by their last: one wrong letter
    leaves either as they are."""
    begins: dict[str, list[tuple[str, int]]] = {}
    ends: dict[str, list[tuple[str, int]]] = {}
    for name, line in _table().items():
        if len(name) >= _FORGIVEN:
            begins.setdefault(name[:4], []).append((name, line))
            ends.setdefault(name[-4:], []).append((name, line))
    return begins, ends


def _is_among(others: Iterable[str], line: int | None, drug: str) -> bool:
    """Words that the table does not know. Two letters may be wrong where the beginning is right;
    ropivacaine is not bupivacaine."""
    within = {
        name for name in (drug, *(table_lines()[line].spelled if line is not None else ())) if len(name) >= _BEGINS
    }
    # in its midst by chance: k-inderal-arm
    if any(word.startswith(name) or word.endswith(name) for name in within for word in others):
        return True
    if line is not None and len(drug) < _FORGIVEN:
        return False
    near = (word for word in others if abs(len(word) - len(drug)) <= 2)
    return any(_distance(drug, word, 2) <= (2 if drug[:3] == word[:3] else 1) for word in near)


def _distance(one: str, other: str, most: int) -> int:
    """Letters to insert, take out or replace; `most` + 1 for all that is further."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row, above = [i], row
        for j, its in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != its)))
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
