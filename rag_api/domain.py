"""The values that flow through rag_api. Imports nothing of ours; behaviour lives in functions
elsewhere.

Text positions are Python string offsets (code points). Two coordinate systems exist and only two:

- *document text*: the cleaned pages of a document, joined in order; `Page.start` places a page in
  it;
- *page space*: PDF points on the page as it is displayed (after rotation), origin top left, y down.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:  # what only asks a running Bedside needs no numpy
    import numpy as np
    from numpy.typing import NDArray

EVERYONE = ("everyone",)  # the group that all who may ask are in


def all_may_read(readers: tuple[str, ...], groups: tuple[str, ...]) -> bool:
    """Return whether all who read a document of the groups `readers` may read one of `groups` too:
    what is said at the one may then follow from the other."""
    return set(EVERYONE) <= set(groups) or set(readers) <= set(groups)


class TargetGroup(StrEnum):
    """The patients a document is about."""

    ADULT = "adult"
    CHILD = "child"
    NEONATE = "neonate"
    PREGNANCY = "pregnancy"


class DocumentStatus(StrEnum):
    INDEXED = "indexed"  # answers come from it
    FAILED = "failed"  # could not be read; `reason` says why
    RETIRED = "retired"  # its file is gone, or an admin took it out
    REPLACED = "replaced"  # the same source was ingested again with other content


class PersonalChoice(StrEnum):
    """What the asker wants done when the question holds what identifies a patient."""

    STOP = "stop"  # ask me first
    REMOVE = "remove"
    KEEP = "keep"


class Mode(StrEnum):
    ANSWER = "answer"  # the model writes; copied words are marked
    VERBATIM = "verbatim"  # every sentence is an exact span of the sources
    SOURCES = "sources"  # no model at all


class AnswerStatus(StrEnum):
    ANSWERED = "answered"
    NOT_FOUND = "not_found"
    SOURCES_ONLY = "sources_only"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle in page space; x0 < x1 and y0 < y1."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a document says of itself. Empty strings and None mean: it does not say."""

    title: str = ""
    department: str = ""
    document_type: str = ""
    target_groups: tuple[TargetGroup, ...] = ()
    version: str = ""
    valid_from: date | None = None
    valid_until: date | None = None
    owner: str = ""
    language: str = ""  # "nl", "en" or ""
    supersedes: str = ""  # the source name of the document that this one replaces


@dataclass(frozen=True, slots=True)
class Edit:
    """What an admin says in one field of a document's metadata, and what its file said there then;
    texts as in a sidecar CSV."""

    value: str
    said: str


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """One page after cleaning.

    `boxes` is float32 [len(text), 4] in page space: the box of every character, NaN where a
    character has none (white space that the cleaning put in). `text_from` says where the words came
    from ("pdf", "docx", "ocr": the page's image).
    """

    number: int  # from 1
    width: float  # of the page as displayed, in points
    height: float
    rotation: int  # 0, 90, 180, 270: already applied to width, height and boxes
    start: int  # offset of this page's text in the document text
    text: str
    boxes: NDArray[np.float32]
    text_from: str = "pdf"


@dataclass(frozen=True, slots=True)
class Document:
    """A row of the documents list. `id` follows from source and content, so the same file has the
    same id everywhere."""

    id: str
    source: str  # the name it was ingested under, unique among current documents
    sha256: str  # of the file's bytes
    media_type: str
    status: DocumentStatus
    reason: str  # why it failed, else ""
    metadata: Metadata
    page_count: int
    chunk_count: int
    byte_count: int
    created_at: datetime | None = None
    updated_at: datetime | None = None
    groups: tuple[str, ...] = EVERYONE  # whose members may read it
    fingerprint: str = ""  # of all but the content that the index follows from: reader, chunk sizes, embedder, sidecar
    warnings: tuple[str, ...] = ()  # what an admin should know of it: pages without text, hidden text left out
    withdrawn_at: datetime | None = None  # of a retired one
    withdrawn_by: str = ""  # the account's name, else the id of who took it out; where it is listed
    withdrawn_reason: str = ""  # in the words of who took it out
    reviewed_at: datetime | None = None  # when somebody said last that it still holds; where it is listed
    reviewed_by: str = ""  # the account's name, else its id
    to_review_by: str = ""  # the same of whom its next review was given to
    reviewer_left: bool = False  # who that is can review it no more; where it is listed as work
    review_reason: str = ""  # why, in the words of who planned it
    next_review: date | None = None  # by when that is to be said again


@dataclass(frozen=True, slots=True)
class RemoteItem:
    """A file or folder of a SharePoint drive. Of a file also what was downloaded of it, and for
    whom it is.

    `look`: it changed, and was not looked at since; `permit`: the same of who may read it. A run
    that is interrupted leaves them set."""

    id: str
    parent: str
    name: str
    is_folder: bool
    is_package: bool = False
    look: bool = True
    permit: bool = True
    version: str = ""  # that was downloaded, and its size and date
    sha256: str = ""
    size: int = 0
    groups: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    left_out: str = ""  # why nothing of it is indexed, in a word or two; no failure
    reason: str = ""  # of a failure, one of UnreadableDocument.REASONS
    message: str = ""
    permitted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class CutLine:
    """A line of a page that is not in its text. `reason`: "header", "footer", "page_number",
    "line_number", "slanted"."""

    page: int
    text: str
    reason: str


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"  # of a list
    CELL = "cell"
    # What holds others and has no words of its own:
    LIST = "list"
    TABLE = "table"
    ROW = "row"
    NOTE = "note"  # a remark or box: "Let op"


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a document: document_text[start:end], white space after it included.

    A document's blocks are a flat list in its order; `parent` is the index of the list, row or note
    that a block stands in, else of the heading it stands below, -1 for neither. Every word stands
    in exactly one heading, paragraph, item or cell."""

    kind: BlockKind
    start: int
    end: int
    parent: int = -1
    level: int = 0  # of a heading: from 1; of an item: how deep in its list, from 0
    label: str = ""  # the number or mark that it begins with: "4.2", "a)", "•"
    header: bool = False  # of a row or cell: it says what others hold
    column: int = 0  # of a cell: from 0
    columns: int = 1  # of a cell: how many it spans


class Note(str):
    """What an admin should know of a document, a sentence in English. `code` is stable, and
    `values` are what stands in the sentence: so it can be said in another language. A sentence of
    an older time has no code."""

    __slots__ = ("code", "values")

    code: str
    values: Mapping[str, str]

    def __new__(cls, text: str, code: str = "", values: Mapping[str, str] = MappingProxyType({})) -> Note:
        made = super().__new__(cls, text)
        made.code, made.values = code, dict(values)
        return made


def code_of(warning: str) -> str:
    return warning.code if isinstance(warning, Note) else ""


def noted(warning: str) -> dict[str, Any]:
    """Return a note as JSON: `Note(**noted(warning))` is it again."""
    known = warning if isinstance(warning, Note) else Note(warning)
    return {"text": str(known), "code": known.code, "values": known.values}


@dataclass(frozen=True, slots=True)
class Titles:
    """What a document may be called by its own words, best first, without its file's name.
    `patients`: whom it is about follows from its title; `borne`: it is called by the first of them
    that is no letterhead, and by nothing that somebody said of it."""

    names: tuple[str, ...] = ()
    patients: bool = False
    borne: bool = False


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """What reading and cleaning a file gives: the pages in order and what the file says of
    itself."""

    metadata: Metadata
    pages: tuple[Page, ...]
    warnings: tuple[str, ...] = ()
    cut: tuple[CutLine, ...] = ()
    # places of the text that may say something else on the page: never quoted
    uncertain: tuple[tuple[int, int], ...] = ()
    blocks: tuple[Block, ...] = ()
    titles: Titles = Titles()

    @property
    def text(self) -> str:
        return "".join(page.text for page in self.pages)


# of an ingestion; comparing: whether a file is new or changed
Step = Literal["comparing", "reading", "embedding", "saved"]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where an ingestion is. Documents are what time left is counted by."""

    done: int  # documents, unchanged and failed ones included
    total: int
    pages: int  # read so far
    chunks: int  # embedded so far
    seconds: float
    source: str  # what it is at
    step: Step = "comparing"
    page: int = 0  # whose image is being read, of `of` pages; 0: no image is
    of: int = 0


@dataclass(frozen=True, slots=True)
class Indexed:
    """A document that is indexed, and what was read of it: its pages, lines that were cut from
    them, places of their text that were read in doubt, its blocks, and what it may be called."""

    document: Document
    pages: Sequence[Page]
    cut: Sequence[CutLine] = ()
    uncertain: Sequence[tuple[int, int]] = ()
    blocks: Sequence[Block] = ()
    titles: Titles = Titles()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document: `text == document_text[start:end]`, possibly across a page
    border."""

    id: str  # a UUID derived from document id and position
    document_id: str
    title: str
    pages: tuple[int, ...]  # page numbers that the chunk touches
    start: int
    end: int
    text: str
    metadata: Metadata = field(default_factory=Metadata)
    groups: tuple[str, ...] = EVERYONE
    headings: tuple[str, ...] = ()  # that its first words stand below, the outermost first


# of a document in a store: its id, chunks, and their vectors
Contents: TypeAlias = "tuple[str, Sequence[Chunk], NDArray[np.float32]]"


@dataclass(frozen=True, slots=True)
class Filters:
    """Which documents may answer. Empty fields do not filter, but for `groups`: filled from the
    user, never from a request."""

    departments: tuple[str, ...] = ()
    document_types: tuple[str, ...] = ()
    target_groups: tuple[TargetGroup, ...] = ()
    languages: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()
    excluded_document_ids: tuple[str, ...] = ()  # superseded ones, unless asked for
    valid_on: date | None = None  # leaves out documents that are not valid on this day
    include_expired: bool = False  # with it, only those that are not valid yet; superseded ones then count too
    groups: tuple[str, ...] = EVERYONE
    hidden_document_ids: tuple[str, ...] = ()  # whose groups in the index are older than the list's, which hides them


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk. `dense_score` is the cosine similarity and `bm25_score` the raw BM25
    score, by what the asker may read; `score` is fused, in [0, 1]."""

    chunk: Chunk
    score: float
    dense_score: float
    bm25_score: float
    rank: int  # from 1


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may stand in a verbatim answer. Places are of the document text."""

    document_id: str
    start: int
    end: int
    # what it must not be read without, before it: a list's introduction, a table's header
    lead: tuple[tuple[int, int], ...]
    text: str  # of all that, lead first
    score: float  # the prior that retrieval gives it, in nats; higher is likelier
    rank: int  # of the best hit that holds it
    # where it is quoted with its paragraph or table, the sentence or row for which it is
    said: tuple[int, int] | None = None

    @property
    def own(self) -> str:
        """Its text without the lead."""
        return self.text[-(self.end - self.start) :]

    @property
    def before(self) -> str:
        """The lead's text."""
        return self.text[: -(self.end - self.start)]

    @property
    def case(self) -> str:
        """Of a table's row its first cell: whom or what it is for. Of other text all of it."""
        return re.split(r"\t| \| ", self.own.strip(), maxsplit=1)[0]

    @property
    def is_row(self) -> bool:
        return "\t" in self.text


class PartKind(StrEnum):
    """What a quoted span is in its answer."""

    SENTENCE = "sentence"
    LIST = "list"  # one or more items of a list, `Citation.pieces` being the items
    ROW = "row"  # of a table, its header and group rows too, `Citation.pieces` being the cells
    NOTE = "note"  # a remark or box ("Let op: ...")
    HEADING = "heading"  # a heading or introduction that the rest of the part is not read without


@dataclass(frozen=True, slots=True)
class QuotedPiece:
    """A cell of a quoted row, an item of a quoted list, the sentence of a paragraph for which that
    is quoted: answer[start:end], which is document_text[source_start:source_end]."""

    start: int
    end: int
    source_start: int
    source_end: int
    label: str = ""  # of an item: its number or mark as it stands at its beginning ("1.", "•"), in the text too
    level: int = 0  # of an item: how deep in the list
    header: bool = False  # of a cell: it says what others hold
    column: int = 0  # of a cell: from 0
    columns: int = 1  # of a cell: how many it spans
    asked: bool = False  # a cell, or a sentence of its paragraph: the one that the question asks for
    pointed: bool = False  # a cell: its row is the one for which the whole table is quoted, where that is sure


@dataclass(frozen=True, slots=True)
class PageRects:
    page: int
    rects: tuple[Rect, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    """A span of the answer that is copied, character for character, from a document."""

    start: int  # in the answer
    end: int
    document_id: str
    source_start: int  # in the document text
    source_end: int
    text: str  # == answer[start:end] == document_text[source_start:source_end]
    page: int  # where it begins
    rects: tuple[PageRects, ...]  # empty when the place is not exact: then nothing is drawn
    rank: int  # the source (Hit.rank) it belongs to
    part: int = 0  # spans of one part are read together: an introduction and its list, a table's header and its rows
    kind: PartKind = PartKind.SENTENCE
    pieces: tuple[QuotedPiece, ...] = ()  # cells of a row, items of a list, in order


class Role(StrEnum):
    READER = "reader"  # asks and reads what their groups may read
    JUDGE = "judge"  # a reader who judges questions too, and sees what was asked in vain
    ADMIN = "admin"  # a judge who loads documents and says who may read them, too
    MEMBERSHIP_ADMIN = "membership_admin"  # an admin who says who is in which group, too
    AUDITOR = "auditor"  # reads the trail of who saw what; no documents by that


Validity = Literal[  # how documents are listed by their days
    "valid",
    "expired",
    "upcoming",
    "expires_soon",
    "expires_later",
    "expires_in_6_months",
    "expires_in_12_months",
    "undated",
    "review_due",
]
READERS = frozenset({Role.READER, Role.JUDGE, Role.ADMIN})  # any of these reads documents


class Scope(StrEnum):
    """What an API key may be used for, at most: never more than its account's roles."""

    ASK = "ask"
    READ = "read"
    INGEST = "ingest"
    JUDGE = "judge"
    ADMIN = "admin"
    AUDIT = "audit"
    MONITOR = "monitor"


@dataclass(frozen=True, slots=True)
class User:
    """Who asks: it passes through every route and query."""

    id: str
    name: str
    groups: tuple[str, ...]
    function: str = ""  # "nurse", "paediatrician" ...
    department: str = ""
    roles: frozenset[Role] = frozenset({Role.READER})
    scopes: frozenset[Scope] | None = None  # of the API key that was shown; None: no key was
    key_id: str = ""  # of that key

    @property
    def is_admin(self) -> bool:
        return Role.ADMIN in self.roles

    def within(self, scope: Scope) -> bool:
        """Return whether what was shown, a key or not, may be used for this."""
        return self.scopes is None or scope in self.scopes


# Who works on the machine itself, and everyone where sign-in is off.
LOCAL_USER = User(id="local", name="Local user", groups=EVERYONE, roles=frozenset(Role))


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for the reader, shown above the answer. `code` is stable. `about`: the ranks of
    the sources that it speaks of; empty: of the answer as a whole. `texts`: the sentence by
    language, for a page that speaks another than the question."""

    code: str
    text: str
    about: tuple[int, ...] = ()
    language: str = field(default="", compare=False)  # of the text; "": the question's
    texts: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Source:
    """A hit as the reader sees it: the chunk, its document, and where it stands on the page."""

    hit: Hit
    document: Document
    page: int
    rects: tuple[PageRects, ...]
    # what to know before using it: for other patients, expired, superseded, contradicted, in doubt
    cautions: tuple[Notice, ...] = ()
    text_from: str = "pdf"  # as its page's
    uncertain: bool = False  # some of the chunk may say something else than the page shows, and is blank in its text
    addressed: bool = False  # some of the chunk speaks to a machine, and is blank in its text


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A number of an answer, with its unit, that none of its passages holds: `text ==
    answer[start:end]`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything about one answered question, as stored, so that it can be reproduced."""

    id: str
    conversation_id: str
    user_id: str
    question: str
    query: str  # what was searched for (a follow-up may have been rewritten)
    language: str
    mode: Mode
    status: AnswerStatus
    text: str
    sources: tuple[Source, ...]
    citations: tuple[Citation, ...]
    notices: tuple[Notice, ...]
    model: str
    embedder: str
    prompt_version: str
    stats: dict[str, Any]  # what the generator and each stage measured; JSON-ready
    created_at: datetime
    unsupported: tuple[Unsupported, ...] = ()  # numbers of the text that no passage holds
    # specific words of the question that what is quoted, its title and headings do not name
    not_named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer stands. `document` is the name it was ingested under; no page: anywhere in
    it."""

    document: str
    page: int | None = None
    span: str = ""  # the words that answer, as they stand in the document


@dataclass(frozen=True, slots=True)
class Judged:
    """A question that people judged. `document`, `page` and `span` are the first place that answers
    it, `more` the others; an empty document: the documents hold no answer."""

    id: str
    question: str
    language: str = ""
    document: str = ""
    page: int | None = None
    span: str = ""
    split: str = "test"
    group: str = ""  # the patients it is about
    note: str = ""
    function: str = ""  # of who asked: "nurse", "paediatrician"
    department: str = ""  # of who asked
    conversation: str = ""  # questions of one conversation share it
    found: str = ""  # what who asked said: yes, partly, no
    more: tuple[Place, ...] = ()

    @property
    def answerable(self) -> bool:
        return bool(self.document)

    @property
    def places(self) -> tuple[Place, ...]:
        return (Place(self.document, self.page, self.span), *self.more) if self.document else ()


# What ask() yields, in this order: Stage*, Nearest at most once, Stage*, Found, (Token | Cited)*,
# then Done or Failed.


@dataclass(frozen=True, slots=True)
class Stage:
    name: str  # "retrieving", "reading", "writing"
    passages: int = 0


@dataclass(frozen=True, slots=True)
class Nearest:
    """What was found, while it is still read whether it answers."""

    sources: tuple[Source, ...]
    query: str


@dataclass(frozen=True, slots=True)
class Found:
    sources: tuple[Source, ...]
    notices: tuple[Notice, ...]
    query: str = ""  # what was searched for
    status: AnswerStatus = AnswerStatus.ANSWERED  # what will be made of it: words to come, sources alone, or no answer
    language: str = ""  # of the notices


@dataclass(frozen=True, slots=True)
class Token:
    text: str


@dataclass(frozen=True, slots=True)
class Cited:
    citation: Citation


@dataclass(frozen=True, slots=True)
class Done:
    answer: Answer


@dataclass(frozen=True, slots=True)
class Failed:
    code: str
    message: str
    answer: Answer | None = None  # as stored; None when it could not be stored either


AnswerEvent = Stage | Nearest | Found | Token | Cited | Done | Failed


class KeptState(StrEnum):
    OFF = "off"
    WAITING = "waiting"  # for something more urgent, or for another process that does it
    MAKING = "making"
    COMPLETE = "complete"
    FULL = "full"  # what is left does not fit into the setting's megabytes


@dataclass(frozen=True, slots=True)
class SentencesKept:
    """How far the sentences of indexed documents are embedded ahead of questions."""

    state: KeptState
    documents: int = 0  # whose sentences all have their vectors
    of: int = 0
    sentences: int = 0
