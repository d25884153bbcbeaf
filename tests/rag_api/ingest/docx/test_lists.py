"""Numbers of lists as Word counts them, from the paragraph or from its styles."""

from __future__ import annotations

from lxml import etree

from rag_api.ingest.docx.lists import ListNumbers
from rag_api.ingest.docx.package import Element
from rag_api.ingest.docx.styles import Styles
from tests.rag_api.made_files.docx_files import NAMES, p

_LEVELS = "".join(
    f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="{text}"/></w:lvl>'
    for level, text in enumerate(("%1", "%1.%2"))
)
_NUMBERS = f'<w:abstractNum w:abstractNumId="1">{_LEVELS}</w:abstractNum><w:num w:numId="5"><w:abstractNumId w:val="1"/></w:num>'
_STYLES = (
    '<w:style w:type="paragraph" w:styleId="Kop1"><w:pPr><w:numPr><w:numId w:val="5"/></w:numPr></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Kop2"><w:basedOn w:val="Kop1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Los"><w:basedOn w:val="Kop1"/><w:pPr><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr></w:style>'
)  # fmt: skip


def _root(name: str, content: str) -> Element:
    return etree.fromstring(f"<w:{name} {NAMES}>{content}</w:{name}>")


def test_a_style_that_says_only_how_deep_has_the_list_of_the_one_it_is_based_on() -> None:
    numbers = ListNumbers(_root("numbering", _NUMBERS), Styles(_root("styles", _STYLES)))
    styled = [_root("body", p(style=style))[0][0] for style in ("Kop1", "Kop2", "Kop2", "Los", "Kop1", "Kop2")]
    assert [numbers.label(one) for one in styled] == ["1", "1.1", "1.2", "", "2", "2.1"]
