"""Document text and its blocks -> what an answer may quote of it, each with the words that it must
not be read without.

"Ernstige leverinsufficientie" under "Niet geven bij:" says the opposite of what it says alone; a
table's row without its header does not say which number is what; "These patients get none" needs
the patients. So a list item brings the line that introduces its list and the item that it belongs
to; a row its table's heading and caption, its header, and the row or cell that groups it; a
sentence below a heading such as "Contra-indicaties" that heading; and a sentence that points back,
or that takes something back ("Behalve ..."), comes with the sentence before it. When in doubt words
are added: too much is read over, too little may be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rag_api.domain import Block, BlockKind
from rag_api.text.block_shapes import HISTORY, NUMBERED_CAPTION
from rag_api.text.blocks import above, blocks_of, headings, names_of, structure_of
from rag_api.text.sentence_splitter import LineKind, sentences_of
from services.contract import wire

LONGEST_LEAD = 400  # characters; a longer introduction is no introduction
LONGEST_ITEM = 350  # characters; a longer item of three sentences and more is a paragraph, and read as one
# Rows that say what the document is, not what it says.
_ABOUT = re.compile(
    r"(documentnummer|document ?number|documenttype|document type|versie|version|geldig (vanaf|tot)|valid "
    r"(from|until|to)"
    r"|eigenaar|owner|doelgroep|target group|dienst|department)$",
    re.IGNORECASE,
)
# A heading without which what stands below it may be read as its opposite, or for the wrong
# patient.
_TURNS_OVER = re.compile(
    r"\b(contra-?\s?indicati\w*|niet|nooit|geen|zonder|verboden|vermijd\w*|uitgesloten|exclusie\w*|uitzondering\w*|behalve|tenzij|stop\w*"
    r"|not|never|no|without|avoid\w*|exclu\w+|exception\w*|except|unless|do "
    r"not|don't|contraindicat\w*|prohibited|forbidden"
    r"|volwassen\w*|kind|kinderen|neonat\w*|neonaten|prematu\w*|zwanger\w*|adults?|child|children|infants?|pregnan\w*|newborns?)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"(deze|dit|die|dat|daarbij|daarna|daarvoor|daarmee|hierbij|hierna|hiervoor|ze|zij|het gaat|nadien|vervolgens|in "
    r"dat geval|dan|anders"
    r"|sindsdien|intussen|(?:tot|vanaf|voor|na) dan"
    r"|(?:after|before|until|since|from) (?:that|this|then)|meanwhile"
    r"|this|these|those|that|they|he|she|it|then|thereafter|afterwards|otherwise|in that case|such)\b",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"(behalve|uitgezonderd|uitzondering\w*|tenzij|maar|echter|niet bij|niet geven|niet voor|geldt niet"
    r"|except\w*|unless|but|however|not (?:in|for|with)|this does not)\b",
    re.IGNORECASE,
)

# What a document said before, and what was changed in it since: a dose that holds no longer.
_VERSION = r"(?:versies?|versions?|vers\.|revisies?|revisions?|rev\.|uitgaven?|editions?|v ?\d)"
_CHANGED = re.compile(
    rf"\W*(?:(?:de |the )?(?:oude|vorige|vroegere|eerdere|old|previous|former|earlier|superseded) {_VERSION}(?= "
    rf"?[\d(:–—-]| *$)"
    r"|(?:wijziging\w*|gewijzigd|aanpassing\w*|aangepast|verschil\w*|veranderd|verandering\w*|nieuw|vernieuwd|chang(?:es?|ed)|differences?"
    r"|amendments?|amended|updated?|updates|new|what(?:'s| is) new|wat is (?:er )?(?:nieuw|veranderd|gewijzigd))"
    r"(?::| (?:sinds|since|t\.? ?o\.? ?v\.?|ten opzichte van|tegenover|vergeleken met|compared "
    r"(?:to|with)|from|in|with|vs\.?)) "
    rf"(?:de |the )?(?:vorige |previous )?{_VERSION}"
    r"|versiebeheer|versiegeschiedenis|versiehistori\w*|revisiegeschiedenis|revisiehistori\w*|wijzigingshistori\w*|wijzigingenlijst"
    r"|(?:document|version|revision|change) (?:history|log)\b|change ?log\b|changelog"
    rf"|{_VERSION} ?\d*(?:\.\d+)* ?(?:(?:→|->|–>|=>)|: |(?:gave|allowed|said|had|used|was|gaf|zei|stond|liet|had)\b)"
    rf"|(?:deze versie |dit document |this (?:version|document) "
    rf")?(?:vervangt|replaces|supersedes)\b[^.\n]{{0,30}}?\b{_VERSION}"
    rf"|[^\n]{{0,200}}?\b(?:was|waren|were|had|stond|gold)\b[^\n]{{0,200}}?\((?:in )?{_VERSION} ?\d*(?:\.\d+)*\))",
    re.IGNORECASE,
)

_PAGE = re.compile(r"\d{1,4}")
_FEWEST_ENTRIES = 3  # of a table of contents
_LABEL = re.compile(r"^\W*(?:\d{1,3}\.?)+\W*")

Offsets = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Quotable:
    """text[start:end], to be read after text[a:b] for every (a, b) of `lead`, which come before it
    and end in white space."""

    start: int
    end: int
    kind: LineKind
    lead: tuple[Offsets, ...] = ()
    path: tuple[Offsets, ...] = ()  # the headings that it stands below, the outermost first
    block: int = -1  # the index of its paragraph, item or row
    group: int = -1  # that of its list or table; below a table's second header, that of the header


def quotable(text: str, blocks: Sequence[Block] | None = None) -> list[Quotable]:
    """In reading order. Headings, headers and introductions are no quotes of their own: they answer
    nothing."""
    quotes = _Quotes(text, blocks_of(text) if blocks is None else blocks)
    found = (_led(quotes.without_a_far_name(quote)) for quote in quotes.found())
    return [q for q in found if _can_be_told(q) and text[q.start : q.end].strip() and not _tells_of_changes(text, q)]


@lru_cache(maxsize=512)
def quotable_of(text: str, structure: str = "") -> tuple[Quotable, ...]:
    """What may be quoted of a text by its packed blocks, without them by its characters. A document
    is cut once, not at every question."""
    return tuple(quotable(text, structure_of(text, structure)))


def wholes(text: str, blocks: Sequence[Block]) -> dict[int, Quotable]:
    """Lists, tables and paragraphs as wholes, with what introduces them, by the index of their
    block."""
    quotes = _Quotes(text, blocks)
    found = ((index, _led(quotes.without_a_far_name(quote))) for index, quote in quotes.wholes())
    return {index: quote for index, quote in found if _can_be_told(quote) and not _tells_of_changes(text, quote)}


def _can_be_told(quote: Quotable) -> bool:
    return len(quote.lead) <= wire.MAX_LEAD and not _is_far(quote)


def _is_far(quote: Quotable) -> bool:
    """What must be read before it stands more than a request holds before its end."""
    return quote.end - min((start for start, _ in quote.lead), default=quote.start) >= wire.MAX_TEXT


def _led(quote: Quotable) -> Quotable:
    """With what stands at one stretch as one place, where its lead has more than may be told: a
    table's ten header rows. What has more all the same is not quoted: cut, it would say less than
    it must be read with."""
    if len(quote.lead) <= wire.MAX_LEAD:
        return quote
    lead = list(quote.lead[:1])
    for start, end in quote.lead[1:]:
        lead[-1:] = [(lead[-1][0], end)] if start == lead[-1][1] else [lead[-1], (start, end)]
    return replace(quote, lead=tuple(lead))


def _tells_of_changes(text: str, quote: Quotable) -> bool:
    """By the heading that it stands below, its own first words, or those of the line that
    introduces it."""
    return any(_CHANGED.match(text, a, b) for a, b in (*quote.path[-1:], *quote.lead, (quote.start, quote.end)))


class _Quotes:
    def __init__(self, text: str, blocks: Sequence[Block]) -> None:
        self.text, self.blocks = text, blocks
        self.children: dict[int, list[int]] = {}
        for index, block in enumerate(blocks):
            self.children.setdefault(block.parent, []).append(index)
        self.before: int | None = None  # the leaf that was read last
        # where lines that may be headings stand last, by their words; known when they are asked for
        self.lines: dict[str, int] = {}
        self.names: frozenset[Offsets] | None = None  # of the document; known when they are asked for

    def found(self) -> Iterator[Quotable]:
        for index, block in enumerate(self.blocks):
            if block.kind == BlockKind.TABLE:
                yield from self._rows(index)
            elif block.kind == BlockKind.ITEM:
                yield from self._item(index)
            elif block.kind == BlockKind.PARAGRAPH and not self._is_inner(index):
                yield from self._prose(index)
            if block.kind in (BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.CELL):
                self.before = index

    def wholes(self) -> Iterator[tuple[int, Quotable]]:
        for index, block in enumerate(self.blocks):
            if block.kind == BlockKind.LIST:
                lead = tuple(dict.fromkeys((*self._path(index)[-1:], *self.introduction(index))))
                yield index, self._whole(index, LineKind.ITEM, tuple(sorted(lead)))
            elif block.kind == BlockKind.TABLE and not self._is_apart(index):
                yield from self._tables(index)
            elif block.kind == BlockKind.PARAGRAPH and not self._is_inner(index) and not self._introduces(index):
                yield (
                    index,
                    self._whole(index, LineKind.PROSE, self._lead_of_box(index) or self._turning(self._path(index))),
                )

    def without_a_far_name(self, quote: Quotable) -> Quotable:
        """Of a book whose name stands too far before to be told: it is read above every quote
        anyway."""
        if not _is_far(quote):
            return quote
        if self.names is None:
            self.names = names_of(self.blocks)
        return replace(quote, lead=tuple(place for place in quote.lead if place not in self.names))

    def _whole(self, index: int, kind: LineKind, lead: tuple[Offsets, ...]) -> Quotable:
        kept = tuple((a, b) for a, b in lead if b - a <= LONGEST_LEAD)
        return Quotable(*self._place(index), kind, kept, self._path(index), index, index)

    def _tables(self, table: int) -> Iterator[tuple[int, Quotable]]:
        """What stands below each of its headers: for adults, for the newborn."""
        rows = self._row_blocks(table)
        begins = [table, *(row for n, row in enumerate(rows) if self._begins(rows, n))]
        ends = [*(self.blocks[row].start for row in begins[1:]), self.blocks[table].end]
        for index, end in zip(begins, ends, strict=True):
            whole = self._whole(table, LineKind.ROW, self.introduction(table))
            yield index, replace(whole, start=self.blocks[index].start, end=end, block=index, group=index)

    def _row_blocks(self, table: int) -> list[int]:
        return [index for index in self.children.get(table, []) if self.blocks[index].kind == BlockKind.ROW]

    def _begins(self, rows: Sequence[int], n: int) -> bool:
        """It is a header below other rows, and none that a page's end made stand twice."""
        row = rows[n]
        if (
            not n
            or not self.blocks[row].header
            or self.blocks[rows[n - 1]].header
            or len(self.children.get(row, [])) < 2
        ):
            return False
        before = next((one for one in reversed(rows[:n]) if self.blocks[one].header), None)
        return before is not None and self._cell_words(before) != self._cell_words(row)

    def _is_apart(self, table: int) -> bool:
        """It says what the document is, or what changed in it."""
        rows = self._row_blocks(table)
        about = all(self._is_about(self.children.get(row, [])) for row in rows)
        return about or self._says_nothing(rows)

    def _says_nothing(self, rows: Sequence[int]) -> bool:
        """It lists what changed in the document, or on which page its headings stand."""
        return bool(HISTORY.match(" ".join(self._cell_words(rows[0])))) or self._are_contents(rows)

    def _are_contents(self, rows: Sequence[int]) -> bool:
        """Page numbers that go up behind words of which half and more stand below, in this order,
        as lines of their own."""
        entries = [words for row in rows if len(words := self._cell_words(row)) > 1 and _PAGE.fullmatch(words[-1])]
        pages = [int(words[-1]) for words in entries]
        if len(entries) < max(_FEWEST_ENTRIES, len(rows) - 1) or pages != sorted(pages):
            return False
        if not self.lines:
            leaves = (
                at
                for at, block in enumerate(self.blocks)
                if block.kind in (BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.ITEM)
            )
            self.lines = {_bare(self._words(at)): self.blocks[at].start for at in leaves}
        places = [self.lines.get(_bare(" ".join(words[:-1])), -1) for words in entries]
        below = [place for place in places if place > self.blocks[rows[-1]].start]
        return 2 * len(below) >= len(entries) and below == sorted(below)

    def _is_inner(self, index: int) -> bool:
        parent = self.blocks[index].parent
        return parent >= 0 and self.blocks[parent].kind == BlockKind.ITEM

    def _words(self, index: int) -> str:
        return self.text[self.blocks[index].start : self.blocks[index].end]

    def _place(self, index: int) -> Offsets:
        return self.blocks[index].start, self.blocks[index].end

    def _path(self, index: int) -> tuple[Offsets, ...]:
        """With the heading of the box that it stands in."""
        path = [self._place(at) for at in headings(self.blocks, index)]
        note = next((at for at in above(self.blocks, index) if self.blocks[at].kind == BlockKind.NOTE), None)
        for child in self.children.get(note, []) if note is not None else ():
            if self.blocks[child].kind == BlockKind.HEADING and child < index:
                path.append(self._place(child))
        return tuple(path)

    def _turning(self, path: Iterable[Offsets]) -> tuple[Offsets, ...]:
        return tuple((a, b) for a, b in path if _TURNS_OVER.search(self.text[a:b]) and b - a <= LONGEST_LEAD)

    # Tables

    def _rows(self, table: int) -> Iterator[Quotable]:
        """What a document's versions changed is no answer, for it may have been changed again; nor
        is a table of contents."""
        rows = self._row_blocks(table)
        if rows and self._says_nothing(rows):
            return
        path, part, caption = self._path(table), table, self.introduction(table)
        header: list[int] = []
        group: Offsets | None = None
        names = False  # the group stands in the first column, beside rows that have no cell there
        labels: dict[int, Offsets] = {}  # by column: the cell that was said last
        named = self._named_from_the_first(rows)
        several = max((len(self.children.get(row, [])) for row in rows), default=0) > 1
        for n, row in enumerate(rows):
            cells = self.children.get(row, [])
            part = row if self._begins(rows, n) else part
            group = None if names and self._column(row) == 0 else group
            if self.blocks[row].header and (len(cells) > 1 or not several):
                # on the table's next page
                again = bool(header) and self._cell_words(row) in [self._cell_words(one) for one in header]
                header = header if again else [*header, row] if n and self.blocks[rows[n - 1]].header else [row]
                if not again:
                    group, labels = None, {}
            elif several and self._groups(rows, n):
                group, labels, names = self._place(row), {}, self._column(rows[n + 1]) > 0
            elif not self._is_about(cells):
                if (
                    not named
                    and self._column(row) > 0
                    and any(self._column(one) == 0 for one in rows if not self.blocks[one].header)
                ):
                    continue
                label = self._label(cells, labels) if named else []
                lead = [*caption, *(self._place(one) for one in header), *([group] if group else []), *label]
                kept = tuple(sorted({(a, b) for a, b in lead if b - a <= LONGEST_LEAD}))
                yield Quotable(*self._place(row), LineKind.ROW, kept, path, row, part)
            if cells and self.blocks[cells[0]].column == 0 and not self.blocks[row].header:
                labels = {0: self._place(cells[0])}

    def _groups(self, rows: Sequence[int], n: int) -> bool:
        """A row of one cell in the first column, without an end of its own, with full rows
        below."""
        cells = self.children.get(rows[n], [])
        if cells and self.blocks[cells[0]].column:
            return False
        follows = n + 1 < len(rows) and len(self.children.get(rows[n + 1], [])) > 1
        return len(cells) == 1 and follows and not self._words(rows[n]).rstrip().endswith((".", "!", "?"))

    def _column(self, row: int) -> int:
        """Where its first cell stands."""
        return self.blocks[self.children[row][0]].column if self.children.get(row) else 0

    def _named_from_the_first(self, rows: Sequence[int]) -> bool:
        """Where the first row has no name, names do not stand at the top of what they are for:
        whose the next row is nobody knows, and rows without a name are not quoted."""
        first = next((row for row in rows if not self.blocks[row].header and len(self.children.get(row, [])) > 1), None)
        return first is None or self.blocks[self.children[first][0]].column == 0

    def _label(self, cells: Sequence[int], labels: dict[int, Offsets]) -> list[Offsets]:
        """The cell over several rows that stands in the first column of this one."""
        starts_late = bool(cells) and self.blocks[cells[0]].column > 0
        return [labels[0]] if starts_late and 0 in labels else []

    def _cell_words(self, row: int) -> list[str]:
        return [self._words(cell).strip(" \t|\n") for cell in self.children.get(row, [])]

    def _is_about(self, cells: Sequence[int]) -> bool:
        return bool(cells) and bool(_ABOUT.match(self._words(cells[0]).strip(" \t|\n:")))

    # Lists

    def _item(self, index: int) -> Iterator[Quotable]:
        """Whole: its sentences explain each other; one that is a paragraph rather is read as
        one."""
        block = self.blocks[index]
        inner = [child for child in self.children.get(index, []) if self.blocks[child].kind == BlockKind.PARAGRAPH]
        end = max([block.end, *(self.blocks[child].end for child in inner)])
        if self._leads_in(index):
            return
        path, lead = self._path(index), self._lead_of_item(index)
        holder = next(at for at in above(self.blocks, index) if self.blocks[at].kind == BlockKind.LIST)
        places = sentences_of(self.text, block.start, end)
        if end - block.start > LONGEST_ITEM and len(places) > 2:
            yield from (
                replace(q, kind=LineKind.ITEM, path=path, block=index, group=holder) for q in self._joined(places, lead)
            )
        else:
            yield Quotable(block.start, end, LineKind.ITEM, lead, path, index, holder)

    def _leads_in(self, index: int) -> bool:
        """Says nothing but what the items below it are of."""
        deeper = any(self.blocks[child].kind == BlockKind.ITEM for child in self.children.get(index, []))
        return (
            deeper
            and self._words(index).rstrip().endswith(":")
            and len(sentences_of(self.text, *self._place(index))) == 1
        )

    def _lead_of_item(self, index: int) -> tuple[Offsets, ...]:
        """What introduces the list, and the items that this one is part of."""
        items = [at for at in above(self.blocks, index) if self.blocks[at].kind == BlockKind.ITEM][::-1]
        holder = next(at for at in above(self.blocks, index) if self.blocks[at].kind == BlockKind.LIST)
        lead = [*self.introduction(holder), *(self._place(at) for at in items)]
        return tuple(place for place in lead if place[1] - place[0] <= LONGEST_LEAD)

    def introduction(self, holder: int) -> tuple[Offsets, ...]:
        """The headings that turn a list or table over, and the line before it when it ends in a
        colon, else its heading. A table has both, and the line may be its caption. The words that a
        document begins with are its title, which stands beside whatever is quoted."""
        path, is_table = self._path(holder), self.blocks[holder].kind == BlockKind.TABLE
        if is_table and len(path) > 1 and not self.text[: path[0][0]].strip():
            path = path[1:]
        last = self._leaf_before(holder)
        if last is not None and (
            self._ends_in_colon(last) or (self._is_caption(last) if is_table else self._is_caption_of_list(last))
        ):
            place = self._last_words(last)
            above = (*self._turning(path[:-1]), *path[-1:]) if is_table else self._turning(path)
            return (*above, place) if place[1] - place[0] <= LONGEST_LEAD else above
        return (*self._turning(path[:-1]), *path[-1:])

    def _last_words(self, index: int) -> Offsets:
        """A line's last sentence; from its number on, where it ends in a numbered caption."""
        places = sentences_of(self.text, *self._place(index))
        numbered = (start for start, _ in reversed(places) if NUMBERED_CAPTION.match(self.text, start))
        return next(numbered, places[-1][0]), places[-1][1]

    def _ends_in_colon(self, index: int) -> bool:
        return self.blocks[index].kind == BlockKind.PARAGRAPH and self._words(index).rstrip().endswith(":")

    def _is_caption(self, index: int) -> bool:
        """A line above a table that is numbered, or ends as no sentence."""
        if self.blocks[index].kind not in (BlockKind.PARAGRAPH, BlockKind.ITEM):
            return False
        words = self._words(index).rstrip()
        return self._is_numbered(index) or not ("\t" in words or words.endswith((".", "!", "?", ";", ",")))

    def _is_numbered(self, index: int) -> bool:
        """As one table's caption is; those of two side by side do not say which is whose."""
        words = self._words(index).strip()
        return bool(NUMBERED_CAPTION.match(words)) and len(words) <= LONGEST_LEAD and "\t" not in words

    def _is_caption_of_list(self, index: int) -> bool:
        """A numbered line above a list; of several below each other nobody knows which is its."""
        return self._is_numbered(index) and not (index and self._is_numbered(index - 1))

    def _leaf_before(self, index: int) -> int | None:
        at = index - 1
        while at >= 0 and self.blocks[at].kind in (BlockKind.NOTE, BlockKind.LIST, BlockKind.TABLE, BlockKind.ROW):
            at -= 1
        return at if at >= 0 else None

    # Prose

    def _prose(self, index: int) -> Iterator[Quotable]:
        path = self._path(index)
        places = sentences_of(self.text, *self._place(index))
        if self._introduces(index):
            places = [] if self._is_numbered(index) else places[:-1]
        lead = self._lead_of_box(index) or self._turning(path)
        for quote in self._joined(places, lead, self._pointed_at(index)):
            yield replace(quote, path=path, block=index)

    def _lead_of_box(self, index: int) -> tuple[Offsets, ...]:
        """A box is not read without its heading ("Let op"), nor that without those that turn it
        over."""
        parent = self.blocks[index].parent
        if parent < 0 or self.blocks[parent].kind != BlockKind.NOTE:
            return ()
        path = self._path(index)
        own = any(self.blocks[child].kind == BlockKind.HEADING and child < index for child in self.children[parent])
        return (*self._turning(path[:-1]), path[-1]) if own and path else ()

    def _introduces(self, index: int) -> bool:
        """Says nothing but what the list or table below it is of."""
        below = self.blocks[index + 1].kind if index + 1 < len(self.blocks) else None
        is_caption = below == BlockKind.TABLE and self._is_numbered(index)
        return is_caption or (below in (BlockKind.LIST, BlockKind.TABLE) and self._words(index).rstrip().endswith(":"))

    def _pointed_at(self, index: int) -> Offsets | None:
        """The last sentence of the paragraph before, when this one begins with a word that points
        back to it."""
        before = self.before
        if (
            before is None
            or self.blocks[before].kind != BlockKind.PARAGRAPH
            or self.blocks[before].parent != self.blocks[index].parent
        ):
            return None
        words = self._words(index).lstrip()
        if not (_POINTS_BACK.match(words) or _TAKES_BACK.match(words)) or self._words(before).rstrip().endswith(":"):
            return None
        place = sentences_of(self.text, *self._place(before))[-1]
        return place if place[1] - place[0] <= LONGEST_LEAD else None

    def _joined(
        self, places: Sequence[Offsets], lead: tuple[Offsets, ...], pointed: Offsets | None = None
    ) -> Iterator[Quotable]:
        """Sentences, each with the one before it where it leans on that."""
        joined: list[Quotable] = []
        for start, end in places:
            words = self.text[start:end].lstrip()
            if joined and _TAKES_BACK.match(words):
                joined[-1] = replace(joined[-1], end=end)
            elif joined and _POINTS_BACK.match(words) and end - joined[-1].start <= LONGEST_LEAD * 2:
                joined.append(Quotable(joined[-1].start, end, LineKind.PROSE, joined[-1].lead))
            else:
                joined.append(
                    Quotable(start, end, LineKind.PROSE, (*lead, pointed) if pointed and not joined else lead)
                )
        yield from joined


def _bare(words: str) -> str:
    """Without its number, white space and capitals."""
    return "".join(_LABEL.sub("", words).split()).casefold()
