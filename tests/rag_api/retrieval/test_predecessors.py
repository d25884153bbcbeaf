"""A new version under another file name is told from what is merely related, by what both say."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.domain import LOCAL_USER, Document, TargetGroup
from rag_api.retrieval.predecessors import predecessors
from tests.support.world import CHILD, load

pytestmark = pytest.mark.usefixtures("documents")

STEPS = (
    "Spoel de infuuspomp met 20 ml fysiologisch serum. Sluit de lijn aan op de zijpoort van de katheter. "
    "Controleer de druk op het scherm van de pomp. Noteer het debiet en het uur in het dossier. "
)


def asked(container: Container, document: Document) -> list[tuple[str, str]]:
    found = predecessors(container.db, container.store, LOCAL_USER, document, date(2026, 6, 1))
    return [(one.document.source, one.code) for one in found]


def test_a_revised_text_under_another_name_and_title_is_a_new_version(container: Container) -> None:
    load(container, "pomp.pdf", f"Infuuspomp spoelen. {STEPS}", language="nl")
    load(
        container, "katheter.pdf", f"Katheterzorg. {STEPS[:50]}Vervang het verband om de zeven dagen. Ontsmet de huid."
    )
    new = load(container, "2026-werkwijze.pdf", f"Werken met de pomp. {STEPS}Bel bij een alarm de technische dienst. ")
    assert asked(container, new) == [("pomp.pdf", "")]


def test_a_rewritten_one_is_told_by_its_code_and_not_by_a_forms_that_many_bear(container: Container) -> None:
    for number in range(4):
        load(container, f"ander-{number}.pdf", f"Regel {number}. FORM-2020-11. Bewaar tabel {number} tien jaar. ")
    load(container, "pomp.pdf", f"Infuuspomp spoelen. FORM-2020-11. Code KLI-2041. {STEPS}")
    load(container, "noemt.pdf", "Alarmen. Wat bij een alarm te doen staat, leest u in KLI-2041 op het intranet. ")
    new = load(
        container, "nieuw.pdf", f"De pomp. FORM-2020-11. Code KLI-2041. {STEPS[:90]}Al het overige is herschreven."
    )
    assert asked(container, new) == [("pomp.pdf", "kli-2041")]
    load(container, "KLI-2077_v2.pdf", "Bloedafname. Neem twee buizen. ")
    named = load(container, "KLI-2077_v3.pdf", "Prikken. Alles werd herschreven in dit jaar. ")
    assert asked(container, named) == [("KLI-2077_v2.pdf", "kli-2077")]


def test_what_has_its_title_is_asked_about_whatever_it_says(container: Container) -> None:
    new = load(container, "nieuw.pdf", "Alles is anders. ", title="Openingsuren van het Restaurant")
    assert asked(container, new) == [("restaurant.pdf", "")]


def test_none_is_for_other_patients_out_of_force_superseded_or_not_the_users_to_read(container: Container) -> None:
    load(container, "oud.pdf", CHILD, target_groups=(TargetGroup.NEONATE,))
    load(container, "verlopen.pdf", CHILD, valid_until=date(2026, 5, 1))
    load(container, "vervangen.pdf", CHILD)
    load(container, "vervangt.pdf", CHILD, supersedes="vervangen.pdf")
    load(container, "geheim.pdf", CHILD)
    load(container, "weg.pdf", CHILD)
    container.db.run("update documents set groups = '{surgery}' where source = 'geheim.pdf'")
    PgDocuments(container.db, LOCAL_USER).retire(["weg.pdf"])
    new = load(container, "nieuw.pdf", CHILD, target_groups=(TargetGroup.CHILD,))
    assert sorted(asked(container, new)) == [("paracetamol-kind.pdf", ""), ("vervangt.pdf", "")]
    surgeon = replace(LOCAL_USER, groups=("everyone", "surgery"))
    found = predecessors(container.db, container.store, surgeon, new, date(2026, 6, 1))
    assert "geheim.pdf" in {one.document.source for one in found}
