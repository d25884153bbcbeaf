"""Slyer ways to hide a false dose in a Word file: by colour, size, place, table, style, field,
drawing or vocabulary. `WAYS` are each the body's XML and must be named when they are left out; of
`COVERING` only pages tell what is seen; of `VISIBLE` all is seen."""

from collections.abc import Iterable

from tests.rag_api.awkward.shown.between import AROUND, FALSE, SEEN
from tests.rag_api.awkward.word.word import cell, docx, field, paragraph, part, row, run, table, text_box

_FILLED = '<w:shd w:val="clear" w:color="auto" w:fill="{}"/>'
_RED, _BLUE = _FILLED.format("C00000"), _FILLED.format("1F4E79")
_WHITE = '<w:color w:val="FFFFFF"/>'
_THEME = (
    '<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="x"><a:themeElements><a:clrScheme '
    'name="x">'
    '<a:dk1><a:sysClr val="windowText" lastClr="000000"/></a:dk1><a:lt1><a:sysClr val="window" '
    'lastClr="FFFFFF"/></a:lt1>'
    '<a:dk2><a:srgbClr val="44546A"/></a:dk2><a:lt2><a:srgbClr val="E7E6E6"/></a:lt2><a:accent1><a:srgbClr '
    'val="4472C4"/></a:accent1>'
    "</a:clrScheme></a:themeElements></a:theme>"
)


def _style(kind: str, name: str, inner: str, base: str = "") -> str:
    based = f'<w:basedOn w:val="{base}"/>' if base else ""
    return f'<w:style w:type="{kind}" w:styleId="{name}"><w:name w:val="{name}"/>{based}{inner}</w:style>'


def _part(kind: str, properties: str, shading: str = "") -> str:
    """Return a part of a table style."""
    cells = f"<w:tcPr>{shading}</w:tcPr>" if shading else ""
    return f'<w:tblStylePr w:type="{kind}"><w:rPr>{properties}</w:rPr>{cells}</w:tblStylePr>'


_STYLES = "".join(
    (
        _style("table", "Gone", "<w:rPr><w:vanish/></w:rPr>"),
        _style("table", "GoneHeir", "", "Gone"),
        _style("table", "WhiteBands", _part("band1Horz", _WHITE)),
        _style("table", "Dark", _part("firstRow", _WHITE, _BLUE)),
        _style("table", "DarkHeir", "", "Dark"),
        _style("table", "BlueOnBlue", _part("firstRow", '<w:color w:val="1F4E79"/>', _BLUE)),
        _style("character", "Clear", '<w:rPr><w14:textFill><w14:noFill/></w14:textFill></w:rPr>'),
        _style("character", "Narrow", '<w:rPr><w:w w:val="1"/></w:rPr>'),
        _style("character", "NarrowHeir", "", "Narrow"),
        _style("paragraph", "Red", f"<w:pPr>{_RED}</w:pPr><w:rPr><w:color w:val=\"C00000\"/></w:rPr>"),
        _style("paragraph", "Flat", '<w:pPr><w:spacing w:line="2" w:lineRule="exact"/></w:pPr>'),
        _style("paragraph", "Away", '<w:pPr><w:ind w:left="-30000" w:right="30000"/></w:pPr>'),
    )
)  # fmt: skip
_NUMBERS = (
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
    f'<w:lvlText w:val="{FALSE} %1"/><w:rPr><w:vanish/></w:rPr></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
)
_NOTES = f'<w:footnote w:id="7">{paragraph(FALSE)}</w:footnote>'
_PARTS = {
    "theme1.xml": ("theme", _THEME),
    "numbering.xml": ("numbering", part("numbering", _NUMBERS)),
    "footnotes.xml": ("footnotes", part("footnotes", _NOTES)),
}


def between_sentences(ways: Iterable[str], styles: str = "") -> bytes:
    """Return a file with these ways between the two sentences that are printed."""
    return docx(paragraph(AROUND[0]) + "".join(ways) + paragraph(AROUND[1]), _PARTS, _STYLES + styles)


def _so(properties: str, about: str = "", text: str = FALSE) -> str:
    return paragraph(run(text, properties), about)


def _styled(style: str, first: str, switched: str = "", second: str = "") -> str:
    """Return a table of a style, of one column."""
    about = (
        f'<w:tblPr><w:tblStyle w:val="{style}"/><w:tblLook {switched}/></w:tblPr><w:tblGrid><w:gridCol '
        f'w:w="5000"/></w:tblGrid>'
    )
    return f"<w:tbl>{about}{row(cell(first))}{row(cell(second)) if second else ''}</w:tbl>"


def _fixed(widths: tuple[int, ...], *texts: str) -> str:
    grid = "".join(f'<w:gridCol w:w="{one}"/>' for one in widths)
    cells = (cell(text, f'<w:tcW w:w="{wide}" w:type="dxa"/>') for wide, text in zip(widths, texts, strict=True))
    return f'<w:tbl><w:tblPr><w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{row(*cells)}</w:tbl>'


def _anchored(x: int, content: str = FALSE, fill: str = "", behind: int = 0, wrap: str = "wrapNone") -> str:
    """Return a text box that floats at so many EMU from the left of the page."""
    placed = (
        f'<wp:anchor simplePos="0" relativeHeight="9" behindDoc="{behind}" locked="0" layoutInCell="1" '
        f'allowOverlap="1">'
        f'<wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="page"><wp:posOffset>{x}</wp:posOffset></wp:positionH>'
        '<wp:positionV relativeFrom="paragraph"><wp:posOffset>0</wp:posOffset></wp:positionV>'
    )
    box = (
        text_box(paragraph(content), fallback=False)
        .replace("<wp:inline>", placed)
        .replace("</wp:inline>", "</wp:anchor>")
    )
    box = box.replace("<wp:docPr", f'<wp:{wrap} wrapText="bothSides"/><wp:docPr')
    return box.replace("</wps:spPr>", f"{fill}</wps:spPr>")


def _filled_box(fill: str, content: str) -> str:
    return paragraph(text_box(content, fallback=False).replace("</wps:spPr>", f"{fill}</wps:spPr>"))


def _solid(colour: str) -> str:
    return f'<a:solidFill><a:srgbClr val="{colour}"/></a:solidFill>'


def _older(style: str, about: str = "", content: str = FALSE) -> str:
    box = f"<v:textbox><w:txbxContent>{paragraph(content)}</w:txbxContent></v:textbox>"
    return paragraph(f'<w:r><w:pict><v:shape type="#t" style="{style}" {about}>{box}</v:shape></w:pict></w:r>')


def _choice(requires: str, choice: str, fallback: str) -> str:
    known = f'<mc:Choice Requires="{requires}">{choice}</mc:Choice>'
    return f'<mc:AlternateContent xmlns:x="urn:x">{known}<mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent>'


_LETTERS = '<w14:textFill><w14:solidFill><w14:srgbClr w14:val="{}"/></w14:solidFill></w14:textFill>'
_SEPARATOR = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
_OTHER = "Zie het schema."

WAYS: dict[str, str] = {
    "colour of its shading": _so(f'<w:color w:val="C00000"/>{_RED}'),
    "colour of its marker": _so('<w:color w:val="FFFF00"/><w:highlight w:val="yellow"/>'),
    "colour of its paragraph": paragraph(run(FALSE), '<w:pStyle w:val="Red"/>'),
    "white on a white shading in a dark cell": table(row("x", cell(_so(_WHITE + _FILLED.format("FFFFFF")), _BLUE)), columns=2),
    "solid shading": _so('<w:color w:val="1F4E79"/><w:shd w:val="solid" w:color="1F4E79" w:fill="FFFFFF"/>'),
    "shaded by a theme": _so('<w:color w:val="4472C4"/><w:shd w:val="clear" w:fill="auto" w:themeFill="accent1"/>'),
    "a theme's white called black": _so('<w:color w:val="000000" w:themeColor="background1"/>'),
    "a theme's black tinted to white": _so('<w:color w:val="000000" w:themeColor="text1" w:themeTint="05"/>'),
    "white letters of Word 2010": _so(_LETTERS.format("FFFFFF")),
    "no fill by a character style": _so('<w:rStyle w:val="Clear"/>'),
    "no fill": _so("<w14:textFill><w14:noFill/></w14:textFill>"),
    "one percent wide": _so('<w:w w:val="1"/>'),
    "narrow by a style's style": _so('<w:rStyle w:val="NarrowHeir"/>'),
    "letters on each other": _so('<w:spacing w:val="-400"/>'),
    "fitted into nothing": _so('<w:fitText w:val="10" w:id="5"/>'),
    "raised off the page": _so('<w:position w:val="3000"/>'),
    "hidden for good": _so("<w:specVanish/>"),
    "lines of no height": paragraph(run(FALSE), '<w:spacing w:line="2" w:lineRule="exact"/>'),
    "lines of no height by a style": paragraph(run(FALSE), '<w:pStyle w:val="Flat"/>'),
    "a frame off the page": paragraph(run(FALSE), '<w:framePr w:w="2000" w:wrap="around" w:vAnchor="page" w:hAnchor="page" w:x="-20000"/>'),
    "a frame of no height": paragraph(run(FALSE), '<w:framePr w:w="2000" w:h="1" w:hRule="exact" w:wrap="around" w:x="20" w:y="20"/>'),
    "indented off the page": paragraph(run(FALSE), '<w:ind w:left="-30000" w:right="30000"/>'),
    "indented off the page by a style": paragraph(run(FALSE), '<w:pStyle w:val="Away"/>'),
    "a hidden row": table(row("Middel", "Dosis"), row(FALSE, "x", properties="<w:hidden/>"), columns=2),
    "a flat row": table(row("Middel", "Dosis"), row(FALSE, "x", properties='<w:trHeight w:val="20" w:hRule="exact"/>'), columns=2),
    "a narrow cell": _fixed((4000, 0), "Middel", FALSE),
    "a narrow cell in a cell": table(row("Schema", cell(_fixed((3000, 20), "Middel", FALSE) + paragraph("Zie hier."))), columns=2),
    "cell text of the cell's colour": table(row("Middel", cell(_so('<w:color w:val="1F4E79"/>'), _BLUE)), columns=2),
    "hidden by a table style": _styled("Gone", FALSE),
    "hidden by a table style's style": _styled("GoneHeir", FALSE),
    "white by a band of a table style": _styled("WhiteBands", FALSE, 'w:firstRow="0" w:noHBand="0"'),
    "blue on blue by a table style": _styled("BlueOnBlue", FALSE, 'w:firstRow="1"'),
    "a table off the page": _styled("Dark", FALSE).replace("<w:tblLook", '<w:tblpPr w:tblpX="-20000" w:tblpY="1"/><w:tblLook'),
    "in a field's instruction": paragraph(field("IF 1 = 2", _OTHER).replace(_SEPARATOR, run(FALSE) + _SEPARATOR)),
    "a note whose mark is hidden": paragraph(run(_OTHER) + '<w:r><w:rPr><w:vanish/></w:rPr><w:footnoteReference w:id="7"/></w:r>'),
    "a hidden list number": paragraph(run(_OTHER), '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'),
    "a choice that Word does not know": paragraph(_choice("x", run(FALSE), run(_OTHER))),
    "a fallback beside a choice without words": paragraph(_choice("wps", run(""), run(FALSE))),
    "a vocabulary that Word does not know": paragraph(f'<x:more xmlns:x="urn:x">{run(FALSE)}</x:more>'),
    "a hidden text box": paragraph(text_box(paragraph(FALSE), fallback=False).replace('name="Tekstvak 1"', 'name="1" hidden="1"')),
    "a white text box": paragraph(text_box(_so(_WHITE))),
    "a text box of its letters' colour": _filled_box(_solid("1F4E79"), _so('<w:color w:val="1F4E79"/>')),
    "a text box off the page": paragraph(_anchored(-9_000_000)),
    "a text box of no height": paragraph(text_box(paragraph(FALSE), fallback=False).replace('cy="900000"', 'cy="100"')),
    "an older text box that is hidden": _older("width:200pt;height:50pt;visibility:hidden"),
    "an older text box off the page": _older("position:absolute;margin-left:-900pt;width:200pt;height:50pt"),
    "an older text box of its letters' colour": _older("width:200pt;height:50pt", 'fillcolor="black"').replace(
        '<w:t xml', '<w:rPr><w:color w:val="000000"/></w:rPr><w:t xml'
    ),
}  # fmt: skip

COVERING: dict[str, str] = {
    "covered by a shape": paragraph(run(FALSE) + _anchored(900_000, "Deksel.", _solid("DDDDDD"))),
    "covered by an older shape": paragraph(run(FALSE))
    + _older("position:absolute;margin-left:0;width:300pt;height:50pt", "", "Deksel."),
    "cut off by its text box": paragraph(text_box(paragraph("Lees eerst alle stappen. " * 60 + FALSE), fallback=False)),
    "cut off by its row": table(
        row(f"{_OTHER * 30} {FALSE}", "x", properties='<w:trHeight w:val="240" w:hRule="exact"/>'), columns=2
    ),
    "a field without an end": paragraph('<w:r><w:fldChar w:fldCharType="begin"/></w:r>' + run(FALSE)),
}

VISIBLE: dict[str, str] = {
    "white on a dark cell": table(row("x", cell(_so(_WHITE, "", SEEN), _BLUE)), columns=2),
    "white on a dark first row by a table style": _styled("DarkHeir", SEEN, 'w:firstRow="1"', "x"),
    "white in a first row that its style darkens": _styled("Dark", _so(_WHITE, "", SEEN), 'w:val="04A0"', "x"),
    "white on a dark paragraph": _so(_WHITE, _BLUE, SEEN),
    "white in a dark text box": _filled_box(_solid("1F4E79"), _so(_WHITE, "", SEEN)),
    "white in a box of a theme's colour": _filled_box(
        '<a:solidFill><a:schemeClr val="accent1"/></a:solidFill>', _so(_WHITE, "", SEEN)
    ),
    "white in a dark older text box": _older("width:200pt;height:50pt", 'fillcolor="#1f4e79"').replace(FALSE, SEEN),
    "marked yellow": _so('<w:highlight w:val="yellow"/>', "", SEEN),
    "red": _so('<w:color w:val="C00000"/>', "", SEEN),
    "automatic on black": _so('<w:color w:val="auto"/>' + _FILLED.format("000000"), "", SEEN),
    "a theme's blue": _so('<w:color w:val="4472C4" w:themeColor="accent1"/>', "", SEEN),
    "hidden on the web": _so("<w:webHidden/>", "", SEEN),
    "a hidden end of its paragraph": paragraph(run(SEEN), "<w:rPr><w:vanish/></w:rPr>"),
    "hiding that is switched off": _so('<w:vanish w:val="0"/>', "", SEEN),
    "narrow letters": _so('<w:w w:val="66"/><w:spacing w:val="-10"/>', "", SEEN),
    "raised a little": _so('<w:position w:val="6"/>', "", SEEN),
    "exact lines": paragraph(run(SEEN), '<w:spacing w:line="240" w:lineRule="exact"/>'),
    "an indent into the margin": paragraph(run(SEEN), '<w:ind w:left="-400" w:hanging="300"/>'),
    "an exact row": table(row(SEEN, "x", properties='<w:trHeight w:val="700" w:hRule="exact"/>'), columns=2),
    "a column that grows": table(row(SEEN, "x"), columns=2).replace('<w:gridCol w:w="3000"/>', '<w:gridCol w:w="0"/>'),
    "a field's result": paragraph(field("REF Dosis", SEEN)),
    "a box beside the text": paragraph(_anchored(900_000, SEEN, _solid("FFF2CC"), wrap="wrapSquare")),
    "a box without a fill before the text": paragraph(_anchored(900_000, SEEN)),
    "a choice and its fallback in the body": _choice("w14", paragraph(SEEN), paragraph(SEEN)),
    "the fallback of a choice that Word does not know": paragraph(_choice("x", run(""), run(SEEN))),
}

HIDDEN_BY_DEFAULT = (
    '<w:docDefaults><w:rPrDefault><w:rPr><w:vanish/></w:rPr></w:rPrDefault></w:docDefaults>',
    '<w:style w:type="paragraph" w:default="1" w:styleId="Basis"><w:name w:val="Basis"/><w:rPr><w:vanish/></w:rPr></w:style>',
)  # fmt: skip


def hidden_by_default(styles: str) -> bytes:
    """Return a file whose runs say nothing and are hidden by its styles, but for the two sentences
    that are printed."""
    shown = '<w:vanish w:val="0"/>'
    return docx(_so(shown, "", AROUND[0]) + paragraph(FALSE) + _so(shown, "", AROUND[1]), {}, styles)
