"""Notes on a document have a stable code with its values, which the page says in the reader's
language."""

import json
import string
from pathlib import Path

import pytest

from rag_api.db import Database
from rag_api.db.documents import PgDocuments
from rag_api.domain import Indexed, Note, code_of
from rag_api.ingest.common.notes import NOTES, note, recognised
from tests.rag_api.awkward.hidden.lying import LYING, mostly
from tests.rag_api.db.test_db import document, documents  # noqa: F401 - a fixture
from tests.rag_api.ingest.test_ingest import Place, place  # noqa: F401 - a fixture
from tests.rag_api.made_files.docx_files import docx, p, r

_DUTCH = json.loads((Path(__file__).parents[4] / "web/src/i18n/notes.nl.json").read_text("utf-8"))


def _names(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def test_the_page_has_every_note_in_dutch() -> None:
    assert list(_DUTCH) == list(NOTES)


@pytest.mark.parametrize("code", NOTES)
def test_the_dutch_sentence_holds_no_other_values(code: str) -> None:
    of_pages = {"pages"} if code.startswith(("page_", "scan")) else set()
    assert _names(_DUTCH[code]) <= _names(NOTES[code]) | of_pages


@pytest.mark.parametrize("code", NOTES)
def test_a_sentence_without_its_code_is_known_again(code: str) -> None:
    said = note(code, **{name: f"<{name}>" for name in _names(NOTES[code])})
    again = recognised(str(said))
    assert (again, again.code, again.values) == (said, said.code, said.values)


def test_a_sentence_of_another_time_stays_as_it_is() -> None:
    assert (recognised("something else"), recognised("something else").code) == ("something else", "")


def test_a_note_keeps_its_code_on_the_way_out_of_the_reader(place: Place) -> None:  # noqa: F811
    docx(place.folder / "zorg.docx", p(r("Geef 5 mg.")), p(r("Oude versie.", "<w:vanish/>")))
    (item,) = place.ingest().items
    (hidden,) = [one for one in item.warnings if code_of(one) == "hidden_in_word"]
    assert isinstance(hidden, Note)
    assert hidden.values == {"words": "“Oude versie.”"}


def test_notes_are_stored_with_their_codes_and_those_of_an_older_time_keep_showing(
    db: Database,
    documents: PgDocuments,  # noqa: F811
) -> None:
    said = (note("comments", count=2), note("hidden_in_word", words="“a\x00b”"))
    documents.save_indexed([Indexed(document("a.pdf", warnings=said), [])])
    kept = documents.current()["a.pdf"].warnings
    assert kept[0] == "2 comments are not read; what staff must know belongs in the text"
    assert [(code_of(one), one.values) for one in kept if isinstance(one, Note)] == [
        ("comments", {"count": "2"}),
        ("hidden_in_word", {"words": "“ab”"}),
    ]
    documents.put_warnings(documents.current()["a.pdf"].id, said[:1])
    assert documents.current()["a.pdf"].warnings == said[:1]
    db.run("update documents set warnings = %(old)s, notes = '[]'", {"old": ["2 comments are not read"]})
    assert documents.current()["a.pdf"].warnings == ("2 comments are not read",)


def test_who_loads_a_document_of_which_less_than_half_can_be_quoted_is_told(place: Place) -> None:  # noqa: F811
    place.write("een.pdf", LYING["its words"]())
    place.write("veel.pdf", mostly())
    told = {item.source: {code_of(one) for one in item.warnings} for item in place.ingest().items}
    assert {name for name, codes in told.items() if "page_untrue_letters" in codes} == {"een.pdf", "veel.pdf"}
    assert {name for name, codes in told.items() if "mostly_in_doubt" in codes} == {"veel.pdf"}
