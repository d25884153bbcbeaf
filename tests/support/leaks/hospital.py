"""Made documents of a hospital whose wards may not read each other's: alike enough that one would
show in the answers from another.

Every topic has its procedure, and by the draw a twin for other patients, a newer version, one that
says another dose, a copy, each for other groups; letterheads that several share; long ones and such
as repeat a topic's words, which shift how rare and how long things are; and words that stand in one
document alone.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from tests.rag_api.made_files.pdfs import both, lines, pdf

WARDS = ("icu", "surgery", "pharmacy", "midwives")
EVERYONE = "everyone"
# Who may read a document: of few kinds, as in a hospital.
READERS = (
    (EVERYONE,), (EVERYONE,), (EVERYONE,), ("icu",), ("surgery",), ("pharmacy",), ("midwives",),
    ("icu", "surgery"), ("midwives", "pharmacy"), (EVERYONE, "icu"),
)  # fmt: skip
DRUGS = (
    "propofol",
    "heparine",
    "paracetamol",
    "oxytocine",
    "insuline",
    "morfine",
    "kalium",
    "vancomycine",
    "amoxicilline",
    "furosemide",
)
DUTIES = (
    "het infuus spoelen",
    "de katheter verzorgen",
    "een drain verwijderen",
    "de wonde verbinden",
    "een sonde plaatsen",
    "bloed afnemen",
)
_BEGIN, _MIDDLE = "abdfgklmnprstvwz", "aeiou"
PER_LINE = 11  # words


@dataclass(frozen=True, slots=True)
class Made:
    """A file, what its sidecar says, and who may read it."""

    name: str
    title: str
    text: tuple[str, ...]  # sentences
    groups: tuple[str, ...]
    head: str = ""  # a letterhead, larger than the title, which then stands in the text
    said: dict[str, str] = field(default_factory=dict)

    def content(self) -> bytes:
        words = " ".join(self.text).split()
        rows = [" ".join(words[at : at + PER_LINE]) for at in range(0, len(words), PER_LINE)]
        parts = [rows[at : at + 44] for at in range(0, len(rows), 44)]
        return pdf(*(both(lines(self.head or self.title, y=800, size=18), lines(*part, y=760)) for part in parts))


@dataclass(frozen=True, slots=True)
class Hospital:
    documents: tuple[Made, ...]
    words: tuple[str, ...]  # that questions are made of

    def readable(self, groups: Sequence[str]) -> list[Made]:
        return [one for one in self.documents if set(one.groups) & set(groups)]


def hospital(seed: int, topics: int = 16) -> Hospital:
    dice = random.Random(seed)
    subjects = [*(f"{drug} toedienen" for drug in DRUGS), *DUTIES][:topics]
    documents = [one for number, subject in enumerate(subjects) for one in _topic(dice, number, subject)]
    documents += list(_letters(dice))
    rare = tuple(word for one in documents for word in one.said.get("rare", "").split())
    common = tuple(
        {
            word.strip(".,")
            for one in documents
            for sentence in one.text[:3]
            for word in sentence.split()
            if len(word) > 3
        }
    )
    return Hospital(tuple(documents), (*sorted(common), *rare))


def write(documents: Sequence[Made], folder: Path) -> None:
    """Files and the sidecar that says of each who may read it."""
    folder.mkdir(parents=True)
    for one in documents:
        (folder / one.name).write_bytes(one.content())
    columns = ("source", "groups", "department", "target_groups", "valid_until", "version", "supersedes")
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, delimiter=",", extrasaction="ignore")
    writer.writeheader()
    for one in documents:
        writer.writerow(dict.fromkeys(columns, "") | one.said | {"source": one.name, "groups": "; ".join(one.groups)})
    (folder / "metadata.csv").write_text(out.getvalue(), encoding="utf-8")


def visible_sets() -> list[tuple[str, ...]]:
    """What somebody may be a member of: everyone is in the first group of all."""
    return [(EVERYONE, *chosen) for count in range(len(WARDS) + 1) for chosen in combinations(WARDS, count)]


def _topic(dice: random.Random, number: int, subject: str) -> Iterator[Made]:
    name = f"{number:02d}-{subject.replace(' ', '-')}"
    dose, rare = dice.randint(2, 40), _word(dice)
    text = (
        f"Deze procedure zegt hoe verpleegkundigen {subject} bij een patiënt.",
        f"De gewone dosis is {dose} mg/kg per gift, ten hoogste viermaal per dag.",
        f"Controleer vooraf {rare} en noteer de saturatie, de bloeddruk en de pijnscore in het dossier.",
        *(_sentence(dice, subject) for _ in range(dice.randint(2, 40))),
    )
    said = {"department": dice.choice(["Intensieve zorgen", "Heelkunde", "Apotheek", "Verloskunde", ""]), "rare": rare}
    title = f"{subject[0].upper()}{subject[1:]}"
    yield Made(f"{name}.pdf", title, text, dice.choice(READERS), said={**said, "version": "1"})
    if dice.random() < 0.6:
        twin = (text[0].replace("een patiënt", "een kind"), text[1].replace(str(dose), str(dose + 3)), *text[2:])
        for group, patients in (("kinderen", "child"), ("volwassenen", "adult")):
            yield Made(
                f"{name}-{group}.pdf",
                f"{title} bij {group}",
                twin,
                dice.choice(READERS),
                said={**said, "target_groups": patients},
            )
    if dice.random() < 0.6:
        newer = (text[0], text[1].replace(str(dose), str(dose + 1)), *text[2:], f"Nieuw is {_word(dice)}.")
        said_newer = {**said, "version": "2", "supersedes": f"{name}.pdf"}
        yield Made(f"{name}-v2.pdf", title, newer, dice.choice(READERS), said=said_newer)
    if dice.random() < 0.5:
        other = (*text[:1], f"De gewone dosis is {dose + 11} mg/kg per gift, ten hoogste viermaal per dag.", *text[2:])
        yield Made(f"{name}-ander.pdf", title, other, dice.choice(READERS), said=said)
    if dice.random() < 0.4:
        yield Made(f"{name}-kopie.pdf", title, text, dice.choice(READERS), said={**said, "version": "1"})
    if dice.random() < 0.3:
        yield Made(
            f"{name}-oud.pdf",
            f"{title} vroeger",
            text,
            dice.choice(READERS),
            said={**said, "valid_until": "2024-12-31"},
        )
    if dice.random() < 0.5:
        often = tuple(f"{subject} {_sentence(dice, subject)} {rare}" for _ in range(30))
        yield Made(f"{name}-lijst.pdf", f"Lijst {number}", often, dice.choice(READERS), said={"rare": _word(dice)})


def _letters(dice: random.Random) -> Iterator[Made]:
    """Two heads that documents about different things bear; who may read how many of them decides
    whether it is a letterhead for them."""
    for head in ("Raad van de Regio", "Nieuwsbrief van de afdeling"):
        for number in range(5):
            text = tuple(
                _sentence(dice, _word(dice)) + " " + " ".join(_word(dice) for _ in range(12)) for _ in range(6)
            )
            yield Made(
                f"{head.split()[0].lower()}-{number}.pdf",
                head,
                text,
                dice.choice(READERS),
                head=head,
                said={"rare": _word(dice)},
            )


def _sentence(dice: random.Random, subject: str) -> str:
    said = dice.choice(["Controleer", "Noteer", "Meet", "Bespreek", "Herhaal", "Vraag"])
    about = dice.choice(
        [
            "de temperatuur",
            "de saturatie",
            "het gewicht",
            "de allergie",
            "de nierfunctie",
            "het bloedbeeld",
            "de voeding",
        ]
    )
    when = dice.choice(
        ["na een uur", "voor elke gift", "om de vier uur", "bij koorts", "bij een saturatie onder 92%", "met de arts"]
    )
    return f"{said} {about} {when} bij {subject}, zoals de {_word(dice)} voorschrijft."


def _word(dice: random.Random) -> str:
    """None that there is."""
    return "".join(dice.choice(_BEGIN) + dice.choice(_MIDDLE) for _ in range(4))
