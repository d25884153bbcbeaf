"""A service that says what a script tells it, for the page's states that the real one shows only
when something is wrong.

It speaks the API's own models (rag_api.api.schemas), so a changed contract breaks it. The question
chooses the scene.
"""

from __future__ import annotations

import asyncio
import io
import threading
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

import pypdfium2 as pdfium
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from PIL import Image
from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject, NumberObject, StreamObject
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from rag_api.answering.quoting.link_targets import in_full
from rag_api.answering.warnings.notice_texts import notice as noticed
from rag_api.api import schemas as s
from rag_api.api.mapping import notices_out
from rag_api.api.schemas.owners import OwnerNews, OwnerQuestionIn, OwnerReachedOut
from rag_api.api.schemas.people.accounts import PackOut, SessionOut
from rag_api.domain import DocumentStatus, PartKind, TargetGroup
from rag_api.guard.numbers.support import SupportPassage, unsupported
from rag_api.guard.people.patient import patient_of

DIST = Path(__file__).parents[2] / "web" / "dist"
TITLE = "Paracetamol bij kinderen"
SENTENCES = (
    "Paracetamol is bij kinderen het middel van eerste keuze bij pijn en koorts.",
    "Een kind van 12 kg krijgt 180 mg per keer (15 mg/kg), hoogstens viermaal per dag.",
    "Tussen twee giften liggen minstens zes uur.",
)
PASSAGE = " ".join(SENTENCES) + " "
HOSTILE = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"> & <b>vet</b>'
FILLER = "de verpleegkundige noteert tijd, dosis en naam in het dossier."
PAGES = 40  # long enough for a page that draws only what is seen


@cache
def build_pdf(pages: int = PAGES) -> bytes:
    """A4 pages of numbered lines; page 3 holds the sentences of the passage, one a line."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    for page in range(1, pages + 1):
        canvas.setFont("Helvetica-Bold", 15)
        canvas.drawString(60, 770, f"{page}. {TITLE}")
        canvas.setFont("Helvetica", 10.5)
        for line in range(34):
            canvas.drawString(
                60,
                735 - 19 * line,
                f"Regel {line + 1} van bladzijde {page}: {FILLER}",
            )
        if page == 3:
            canvas.setFillGray(1)
            canvas.rect(50, 300, 500, 80, stroke=0, fill=1)
            canvas.setFillGray(0)
            for line, sentence in enumerate(SENTENCES):
                canvas.drawString(60, 350 - 19 * line, sentence)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def build_scan() -> bytes:
    """One A4 page that is a black JPEG 2000 picture, as some scanners make them: pdf.js decodes it
    with WebAssembly or not at all."""
    picture = io.BytesIO()
    Image.new("RGB", (64, 64)).save(picture, "JPEG2000")
    image = StreamObject()
    image.set_data(picture.getvalue())
    kinds = {"/Type": "/XObject", "/Subtype": "/Image", "/ColorSpace": "/DeviceRGB", "/Filter": "/JPXDecode"}
    image.update({NameObject(key): NameObject(value) for key, value in kinds.items()})
    image.update(
        {
            NameObject(key): NumberObject(value)
            for key, value in {"/Width": 64, "/Height": 64, "/BitsPerComponent": 8}.items()
        }
    )
    writer = PdfWriter()
    page = writer.add_blank_page(*A4)
    content = StreamObject()
    content.set_data(f"{A4[0]} 0 0 {A4[1]} 0 0 cm /Scan Do".encode())
    page[NameObject("/Contents")] = writer._add_object(content)
    objects = DictionaryObject({NameObject("/Scan"): writer._add_object(image)})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/XObject"): objects})
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def rects_of(pdf: bytes, page: int, words: str) -> list[s.PageRectsOut]:
    """The rectangles of `words` on a page, as PDFium finds them."""
    document = pdfium.PdfDocument(pdf)
    text = document[page - 1].get_textpage()
    found = text.search(words).get_next()
    assert found, words
    height = document[page - 1].get_height()
    boxes = [text.get_rect(i) for i in range(text.count_rects(*found))]
    return [
        s.PageRectsOut(
            page=page, rects=[s.RectOut(x0=x0, y0=height - y1, x1=x1, y1=height - y0) for x0, y0, x1, y1 in boxes]
        )
    ]


class Script:
    """Builds the answers' parts; `pdf` is the one document that exists."""

    def __init__(self) -> None:
        self.pages = PAGES
        self.pdf = build_pdf()
        self.conversations: dict[str, list[s.AnswerOut]] = {}
        # of a conversation: its title, whether it is pinned, when it was asked
        self.said_of: dict[str, dict[str, object]] = {}
        self.health = s.Health(status="ok", version="1", parts=[], documents=3, demo=True, model="scripted")
        self.empty = False
        self.written_answers = True
        self.hands_free = False
        self.pack: PackOut | None = None
        self.asked: list[s.AskIn] = []
        self.said: list[dict[str, object]] = []  # of answers
        self.to_owners: list[dict[str, object]] = []
        self.related: list[str] = []  # ids of documents that are about what is looked for
        self.looked_for: list[dict[str, str]] = []  # in the documents list
        self.unreadable: set[str] = set()
        self.favourites: list[str] = []  # the newest first
        self.goes_on = threading.Event()  # an answer that waits below its heading

    def listed(self, ids: list[str], validity: str | None) -> list[s.DocumentDetail]:
        found = [detail(one) for one in ids or ["paracetamol-kind"] if not ids or one not in self.unreadable]
        return (
            [one.model_copy(update={"valid_until": date(2024, 3, 1)}) for one in found]
            if validity == "expired"
            else found
        )

    def source(
        self, rank: int, title: str, text: str, page: int, *, score: float, document: str = "paracetamol-kind"
    ) -> s.SourceOut:
        rects = rects_of(self.pdf, page, SENTENCES[0]) if document == "paracetamol-kind" and page == 3 else []
        return s.SourceOut(
            rank=rank,
            document=f"{document}.pdf",
            document_id=document,
            title=title,
            page=page,
            pages=[page],
            version="3",
            valid_from=date(2025, 1, 1),
            valid_until=date(2024 if "Oud" in title else 2030, 3, 1),
            department="Pediatrie",
            document_type="procedure",
            target_groups=["child"],
            owner="Apotheek",
            language="nl",
            score=score,
            dense_score=score - 0.05,
            bm25_score=7.2,
            text=text,
            rects=rects,
        )

    def sources(self) -> list[s.SourceOut]:
        return [
            self.source(1, TITLE, PASSAGE, 3, score=0.94),
            self.source(
                2,
                "Pijn meten bij jonge kinderen",
                "Gebruik onder vier jaar de FLACC-schaal. " * 12,
                12,
                score=0.71,
                document="pijnmeting",
            ),
            self.source(
                3,
                "Oude koortskaart",
                "Koorts is een lichaamstemperatuur boven 38 graden. " * 6,
                7,
                score=0.55,
                document="weg",
            ),
            self.source(
                4,
                "Toedienen van geneesmiddelen langs de mond bij kinderen die niet kunnen slikken",
                "Meng niets met melk. " * 9,
                20,
                score=0.41,
                document="slikken",
            ),
            self.source(
                5,
                "Pijn meten bij jonge kinderen",
                "Weeg het kind zonder schoenen. ",
                31,
                score=0.33,
                document="pijnmeting",
            ),
        ]

    def cautioned(self, source: s.SourceOut) -> s.SourceOut:
        own = [s.NoticeOut(code="other_group", text="Dit document is voor kinderen; de vraag noemt een volwassene.")]
        if source.title.startswith("Oud"):
            own.append(s.NoticeOut(code="superseded", text="Dit document is vervangen door Koorts (2)."))
        return source.model_copy(update={"cautions": own})

    def span(self, start: int, sentence: str, *, exact: bool = True) -> s.SpanOut:
        rects = rects_of(self.pdf, 3, sentence.strip()) if exact else []
        return s.SpanOut(
            start=start,
            end=start + len(sentence),
            document="paracetamol-kind.pdf",
            document_id="paracetamol-kind",
            rank=1,
            page=3,
            text=sentence,
            rects=rects,
        )

    def answer(self, body: s.AskIn, conversation: str, **changed: object) -> s.AnswerOut:
        values: dict[str, object] = {
            "id": f"a{sum(map(len, self.conversations.values())) + 1}",
            "conversation_id": conversation,
            "question": body.question,
            "query": body.question,
            "language": "nl",
            "mode": body.mode or "verbatim",
            "status": "answered",
            "answer": "",
            "sources": self.sources(),
            "spans": [],
            "notices": [],
            "model": "scripted",
            "embedder": "scripted",
            "prompt_version": "1",
            "stats": {"seconds": 1.2},
            "created_at": datetime.now(UTC),
        }
        return s.AnswerOut.model_validate({**values, **changed})


Event = tuple[str, object]


async def play(script: Script, body: s.AskIn, conversation: str) -> AsyncIterator[Event]:
    """The events of one answer. The scenes are the words that are looked for in the question."""
    question, sources = body.question, script.sources()
    if "english" in question:
        sources = [source.model_copy(update={"language": "en"}) for source in sources]
    yield "stage", s.StageEvent(name="retrieving")
    await asyncio.sleep(7.0 if "zwijgt" in question else 0.05)
    if "zonder antwoord" in question:
        notices = [
            *notices_out([noticed("not_sure", "nl")]),
            s.NoticeOut(
                code="unread",
                text="Koorts bij zuigelingen past bij de vraag, maar kon niet gelezen worden: het is een scan.",
            ),
        ]
        if "volwassene" in question:  # the nearest for other patients stands last
            title = sources[3].title
            notices = [
                s.NoticeOut(code="patient_group", text=f"{title} gaat over het onderwerp, maar is voor kinderen.")
            ]
        said = {"sources": sources, "notices": notices, "status": "not_found"}
        yield "found", s.FoundEvent(answer_id="x", conversation_id=conversation, language="nl", **said)
        await asyncio.sleep(0.2)
        yield "done", s.DoneEvent(answer=script.answer(body, conversation, **said))
        return
    for code, word in (("not_named", "polio"), ("drug_not_named", "ibuprofen"), ("other_document", "elders")):
        if word in question:
            said = {"notices": notices_out([noticed(code, "nl", words=word, title=TITLE)]), "not_named": [word]}
            text, spans = table(script)
            yield "found", s.FoundEvent(answer_id="x", conversation_id=conversation, sources=sources, notices=[])
            yield "done", s.DoneEvent(answer=script.answer(body, conversation, answer=text, spans=spans, **said))
            return
    built = next((build for word, build in BUILT.items() if word in question), None)
    if built:
        text, spans = built(script)
        yield "found", s.FoundEvent(answer_id="x", conversation_id=conversation, sources=sources, notices=[])
        partly = notices_out(
            [noticed("table_in_part", "nl", quoted="2", items="9")] if "onvolledig" in question else []
        )
        whole = {"answer": text, "spans": spans, "sources": sources, "notices": partly}
        yield "done", s.DoneEvent(answer=script.answer(body, conversation, **whole))
        return
    if "onder een titel" in question:
        text, spans = below(script)
        yield "found", s.FoundEvent(answer_id="x", conversation_id=conversation, sources=sources, notices=[])
        for span in spans:
            yield "token", s.TokenEvent(text=span.text)
            yield "cited", s.CitedEvent(span=span)
            await asyncio.to_thread(script.goes_on.wait, 60)
        yield "done", s.DoneEvent(answer=script.answer(body, conversation, answer=text, spans=spans))
        return
    hostile = "vijandig" in question
    if hostile:
        sources = [script.source(1, HOSTILE, HOSTILE + " " + PASSAGE, 3, score=0.9)]
    if "gescand" in question:
        sources = [script.source(1, "Gescande brief", "Een brief. ", 1, score=0.9, document="scan")]
    notices = (
        [s.NoticeOut(code="patient_group", text="Deze bronnen gaan over kinderen; de vraag noemt een volwassene.")]
        if "volwassene" in question
        else []
    )
    query = f"paracetamol {question}" if question.startswith("en ") and not body.literal else question
    if "tweeling" in question and " bij een " not in question:
        words = "De vraag noemt geen patiënt: bron 1 is alleen voor kinderen, bron 2 voor volwassenen."
        notices = [s.NoticeOut(code="twins", text=words)]
    if "eenling" in question and " bij een " not in question:
        notices = [s.NoticeOut(code="only_for", text="De vraag noemt geen patiënt: bron 1 is alleen voor kinderen.")]
    if "volwassene" in question:
        sources = [script.cautioned(source) for source in sources]
    yield (
        "found",
        s.FoundEvent(answer_id="x", conversation_id=conversation, query=query, sources=sources, notices=notices),
    )
    yield "stage", s.StageEvent(name="reading", passages=3)
    await asyncio.sleep(0.05)
    if "zonder generator" in question:
        notice = s.NoticeOut(
            code="generator_down", text="Bedside kan nu geen antwoord samenstellen; dit zijn de procedures."
        )
        yield "done", s.DoneEvent(answer=script.answer(body, conversation, status="sources_only", notices=[notice]))
        return
    yield "stage", s.StageEvent(name="writing")
    parts = [SENTENCES[1] + " ", SENTENCES[2] + " "]
    if hostile:
        parts = [HOSTILE + " \U0001f600 ", *parts]
    if "tabel" in question:
        parts = ["Kind van 12 kg\t180 mg ", *parts]
    if "geschreven" in question:
        parts = ["Geef hoogstens 4 maal 999 mg. ", *parts, "Vraag bij twijfel de arts."]
    text, spans = "", []
    for part in parts:
        for word in part.split(" "):
            if word:
                yield "token", s.TokenEvent(text=word + " ")
                await asyncio.sleep(1.0 if "traag" in question else 0.01)
        if part.strip() in SENTENCES or "\t" in part:
            spans.append(script.span(len(text), part, exact="onnauwkeurig" not in question and "\t" not in part))
            yield "cited", s.CitedEvent(span=spans[-1])
        text += part if part.endswith(" ") else part + " "
        if "breekt af" in question:
            raise ConnectionResetError
        if "breekt bijna af" in question and part is parts[-1]:
            stored = script.answer(body, conversation, id="x", answer=text, spans=spans)
            script.conversations.setdefault(conversation, []).append(stored)
            raise ConnectionResetError
    found = unsupported(text, [SupportPassage(source.text, "nl") for source in sources], "nl", patient_of(question))
    marks = [s.UnsupportedOut(start=one.start, end=one.end, text=one.text) for one in found]
    whole = {
        "query": query,
        "answer": text,
        "spans": spans,
        "sources": sources,
        "notices": notices,
        "unsupported": marks,
    }
    yield "done", s.DoneEvent(answer=script.answer(body, conversation, **whole))


ROWS = (
    ("Gewicht", "Dosis per keer", "Hoogstens per dag"),
    ("10 tot 12 kg", "150 tot 180 mg", "4 keer"),
    ("13 tot 15 kg", "195 tot 225 mg", "4 keer"),
)
WIDE = (
    (
        "Middel en verdunning",
        "Dosis bij de eerste gift",
        "Herhalen na zoveel minuten",
        "Langs welke weg",
        "Wie dit geeft",
    ),
    (
        "paracetamol 10 mg per ml",
        "15 mg per kg lichaamsgewicht",
        "na zes uur, niet eerder",
        "in de ader",
        "verpleegkundige",
    ),
    (
        "ibuprofen als drank",
        "10 mg per kg lichaamsgewicht",
        "na acht uur, niet eerder",
        "langs de mond",
        "verpleegkundige",
    ),
)
LONG_WORDS = (
    "Verpleegkundige",
    "Transfusiereactie",
    "Hemodialysekatheter",
    "Antibioticaprofylaxe",
    "Bloeddrukmeting",
    "Ontstollingsbeleid",
)
STEPS = (("1.", "Weeg het kind."), ("2.", "Reken 15 mg per kg."), ("3.", "Noteer tijd en dosis."))

CHECKS = (
    ("1.", "Geef adrenaline en noteer de tijd."),
    ("2.", "Meet de bloeddruk na 2 s en daarna elke 5 min."),
    ("3.", "Meet de bloeddruk opnieuw na 10 seconden."),
    ("4.", "Bel de anesthesist, toestel 4521, bij minder dan 90 mmHg of na 500 ml."),
)


def table(script: Script) -> tuple[str, list[s.SpanOut]]:
    """A row with its header, the dose being asked."""
    return _part(script, [("row", _cells(ROWS[0], head=True)), ("row", _cells(ROWS[1], asked=1))])


def rows(script: Script) -> tuple[str, list[s.SpanOut]]:
    """Two rows below their header."""
    return _part(script, [("row", _cells(row, head=place == 0)) for place, row in enumerate(ROWS)])


def pointed_row(script: Script) -> tuple[str, list[s.SpanOut]]:
    """A table that is quoted for its first row below the header."""
    marked = [_cells(row, head=place == 0) for place, row in enumerate(ROWS)]
    marked[1] = [(words, about | {"pointed": True}) for words, about in marked[1]]
    return _part(script, [("row", cells) for cells in marked])


def wide(script: Script) -> tuple[str, list[s.SpanOut]]:
    """Rows of five columns, below their header."""
    return _part(script, [("row", _cells(row, head=place == 0)) for place, row in enumerate(WIDE)])


def long_words(script: Script) -> tuple[str, list[s.SpanOut]]:
    """A row of columns, each of which has a long word and others."""
    return _part(script, [("row", _cells(tuple(f"{word} met uitleg erbij, die plaats vraagt" for word in LONG_WORDS)))])


def many_words(script: Script) -> tuple[str, list[s.SpanOut]]:
    """As many long words beside each other as no sheet has room for."""
    return _part(script, [("row", _cells(LONG_WORDS * 3))])


def steps(script: Script, items: tuple[tuple[str, str], ...] = STEPS) -> tuple[str, list[s.SpanOut]]:
    cells: Cells = [(f"{label} {words}", {"label": label}) for label, words in items]
    return _part(script, [("heading", [("Meteen doen:", {})]), ("list", cells)])


def checks(script: Script) -> tuple[str, list[s.SpanOut]]:
    """Steps that name times and a telephone; before them a sentence with another."""
    said = "Bel bij twijfel de arts van wacht, tel. 02 555 01 02. "
    text, spans = steps(script, CHECKS)
    moved = []
    for span in spans:
        pieces = [
            one.model_copy(update={"start": one.start + len(said), "end": one.end + len(said)}) for one in span.pieces
        ]
        moved.append(
            span.model_copy(update={"start": span.start + len(said), "end": span.end + len(said), "pieces": pieces})
        )
    return said + text, [script.span(0, said, exact=False), *moved]


def paragraph(script: Script) -> tuple[str, list[s.SpanOut]]:
    """All of it, for the sake of its second sentence; and again below a heading."""
    at = PASSAGE.index(SENTENCES[1])
    asked = s.PieceOut(start=at, end=at + len(SENTENCES[1]), source_start=0, source_end=1, asked=True)
    alone = script.span(0, PASSAGE, exact=False).model_copy(update={"pieces": [asked]})
    heading, start = f"\n{TITLE}\n", len(PASSAGE)
    below = start + len(heading)
    moved = asked.model_copy(update={"start": below + at, "end": below + at + len(SENTENCES[1])})
    headed = [
        script.span(start, heading, exact=False).model_copy(update={"kind": PartKind.HEADING, "part": 1}),
        script.span(below, PASSAGE, exact=False).model_copy(update={"pieces": [moved], "part": 1}),
    ]
    return PASSAGE + heading + PASSAGE, [alone, *headed]


def numbered(script: Script) -> tuple[str, list[s.SpanOut]]:
    """A table of steps whole, one of them with a time; its header first."""
    rows = [("Stap", "Wat", "Wie"), *((label, words, "Verpleegkundige") for label, words in CHECKS)]
    return _part(script, [("row", _cells(row, head=place == 0)) for place, row in enumerate(rows)])


def below(script: Script) -> tuple[str, list[s.SpanOut]]:
    """A sentence low on its page, below the document's title."""
    text, (title, said) = _part(script, [("heading", [(TITLE, {})]), ("sentence", [(SENTENCES[1], {})])])
    at = rects_of(script.pdf, 3, f"3. {TITLE}")
    return text, [title.model_copy(update={"rects": at}), said.model_copy(update={"pieces": []})]


BUILT = {
    "stappentabel": numbered,
    "rijtje": table,
    "breed": wide,
    "lange woorden": long_words,
    "vele woorden": many_words,
    "rijen": rows,
    "aangewezen": pointed_row,
    "stappen": steps,
    "controles": checks,
    "alinea": paragraph,
}
Cells = list[tuple[str, dict[str, object]]]


def _cells(words: tuple[str, ...], *, head: bool = False, asked: int | None = None) -> Cells:
    return [
        (text, {"header": head or column == 0, "column": column, "asked": column == asked})
        for column, text in enumerate(words)
    ]


def _part(script: Script, spans: list[tuple[str, Cells]]) -> tuple[str, list[s.SpanOut]]:
    """Spans of one part, a line each; the first and the last stand at two sentences of the page."""
    text, found = "", []
    for index, (kind, pieces) in enumerate(spans):
        gap, start, placed = "\t" if kind == "row" else "\n", len(text), []
        for words, about in pieces:
            at = len(text)
            text += words + gap
            placed.append(s.PieceOut(start=at, end=at + len(words), source_start=0, source_end=1, **about))
        text = text.rstrip() + "\n"
        span = script.span(start, text[start:], exact=False)
        rects = rects_of(script.pdf, 3, SENTENCES[min(index, 2)])
        update = {"kind": PartKind(kind), "part": 1, "pieces": [] if kind == "heading" else placed, "rects": rects}
        found.append(span.model_copy(update=update))
    return text, found


async def stream(script: Script, body: s.AskIn, conversation: str) -> AsyncIterator[str]:
    async for name, data in play(script, body, conversation):
        if isinstance(data, s.DoneEvent):
            script.conversations.setdefault(conversation, []).append(data.answer)
        assert hasattr(data, "model_dump_json")
        yield f"event: {name}\ndata: {data.model_dump_json()}\n\n"


def problem(status: int, code: str, detail: str) -> JSONResponse:
    body = s.Problem(title=code, status=status, code=code, detail=detail)
    return JSONResponse(body.model_dump(), status_code=status, media_type="application/problem+json")


def create_app(script: Script, headers: dict[str, str]) -> FastAPI:
    """The API's routes that the page uses, and the built page with `headers` on everything."""
    app = FastAPI(openapi_url=None)

    @app.middleware("http")
    async def add_headers(request: Request, call_next):  # type: ignore[no-untyped-def]
        response = await call_next(request)
        response.headers.update(headers)
        return response

    @app.get("/api/session")
    async def session() -> SessionOut:
        return SessionOut(
            sign_in="off", written_answers=script.written_answers, hands_free=script.hands_free, pack=script.pack
        )

    @app.get("/api/health")
    async def health() -> s.Health:
        return script.health

    @app.get("/api/documents")
    async def documents(request: Request) -> s.DocumentList:
        script.looked_for.append(dict(request.query_params))
        found = (
            []
            if script.empty
            else script.listed(request.query_params.getlist("id"), request.query_params.get("validity"))
        )
        return s.DocumentList(documents=found, total=len(found))

    @app.get("/api/search")
    async def related(search: str) -> s.DocumentList:
        found = script.listed(script.related, None) if script.related else []
        return s.DocumentList(documents=found, total=len(found))

    @app.get("/api/favourites")
    async def favourites() -> s.DocumentList:
        found = script.listed(script.favourites, None) if script.favourites else []
        return s.DocumentList(documents=found, total=len(found))

    @app.put("/api/favourites/{document_id}", status_code=204)
    async def keep(document_id: str) -> None:
        script.favourites = [document_id, *(one for one in script.favourites if one != document_id)]

    @app.delete("/api/favourites/{document_id}", status_code=204)
    async def let_go(document_id: str) -> None:
        script.favourites.remove(document_id)

    @app.get("/api/owner-questions/news")
    async def news() -> OwnerNews:
        return OwnerNews(news=0, waiting=0, promised=0, to_review=0)

    @app.get("/api/documents/{document_id}/owner")
    async def owner(document_id: str) -> OwnerReachedOut:
        return OwnerReachedOut(owner="Apotheek", by_mail=False)

    @app.post("/api/documents/{document_id}/owner-questions", status_code=201)
    async def ask_owner(document_id: str, body: dict[str, object]) -> dict[str, object]:
        OwnerQuestionIn.model_validate({**body, "answer_id": None})
        script.to_owners.append(body)
        return {"question": body, "owner": "Apotheek", "by_mail": False}

    @app.post("/api/answers/{answer_id}/feedback", status_code=201)
    async def feedback(answer_id: str, body: dict[str, object]) -> dict[str, object]:
        s.FeedbackIn.model_validate({**body, "document_id": None, "comment": "."})
        script.said.append(body)
        return {"id": "f", "answer_id": answer_id, **body}

    @app.get("/api/facets")
    async def facets() -> s.FacetsOut:
        functions = [s.FunctionOut(id="paediatrician", nl="Kinderarts", en="Paediatrician", target_groups=["child"])]
        groups = list(TargetGroup)
        return s.FacetsOut(
            departments=["Apotheek", "Pediatrie"],
            document_types=["protocol"],
            languages=["nl"],
            target_groups=groups,
            functions=functions,
        )

    @app.get("/api/documents/{document_id}")
    async def document(document_id: str) -> Response:
        if document_id == "weg":
            return problem(404, "not_found", "no such document")
        return JSONResponse(detail(document_id, script.pages).model_dump(mode="json"))

    @app.get("/api/documents/{document_id}/place")
    async def place(document_id: str, page: int, quote: str = "") -> Response:
        if document_id == "weg":
            return problem(404, "not_found", "no such document")
        wanted = [" ".join(in_full(PASSAGE, words).split()) for words in quote.splitlines()]
        marked = [SENTENCES[row] for row, words in enumerate(ROWS) if " ".join(words) in wanted]
        marked += [words for words in wanted if words in PASSAGE or words == TITLE]
        found = len(marked) == len(wanted) > 0
        rects = [one for words in marked for one in rects_of(script.pdf, 3, words)] if found else []
        source = script.source(1, TITLE, quote or PASSAGE, 3 if found else page, score=0).model_copy(
            update={"rects": rects}
        )
        newer = detail("nieuw") if document_id == "oud" else None
        said = {
            "found": found,
            "quotes": [in_full(PASSAGE, words) for words in quote.splitlines()],
            "page_text": PASSAGE,
        }
        linked = s.LinkedOut(source=source, status=DocumentStatus.INDEXED, newer=newer, **said)
        return Response(linked.model_dump_json(), media_type="application/json")

    @app.get("/api/answers/{answer_id}")
    async def answer(answer_id: str) -> Response:
        for answers in script.conversations.values():
            for one in answers:
                if one.id == answer_id:
                    return Response(one.model_dump_json(), media_type="application/json")
        return problem(404, "not_found", "no such answer")

    @app.get("/api/documents/{document_id}/file")
    async def file(document_id: str) -> Response:
        return Response(build_scan() if document_id == "scan" else script.pdf, media_type="application/pdf")

    def summary(conversation_id: str) -> s.ConversationOut:
        asked = script.conversations[conversation_id]
        values = {
            "id": conversation_id,
            "title": asked[0].question,
            "created_at": datetime.now(UTC),
            "updated_at": datetime.now(UTC),
        }
        return s.ConversationOut.model_validate({**values, **script.said_of.get(conversation_id, {})})

    @app.get("/api/conversations")
    async def conversations(search: str = "", limit: int = 50, offset: int = 0) -> s.ConversationList:
        items = [one for one in map(summary, script.conversations) if search.lower() in one.title.lower()]
        items.sort(key=lambda one: (one.pinned, one.updated_at), reverse=True)
        return s.ConversationList(conversations=items[offset : offset + limit], total=len(items))

    @app.patch("/api/conversations/{conversation_id}")
    async def change(conversation_id: str, body: s.ConversationIn) -> s.ConversationOut:
        script.said_of.setdefault(conversation_id, {}).update(body.model_dump(exclude_none=True))
        return summary(conversation_id)

    @app.get("/api/conversations/{conversation_id}")
    async def conversation(conversation_id: str) -> Response:
        answers = script.conversations.get(conversation_id)
        if answers is None:
            return problem(404, "not_found", "no such conversation")
        found = s.ConversationDetail(**summary(conversation_id).model_dump(), answers=answers)
        return Response(found.model_dump_json(), media_type="application/json")

    @app.get("/api/conversations/{conversation_id}/since")
    async def since(conversation_id: str) -> s.SinceByAnswer:
        return s.SinceByAnswer(answers={one.id: one.since for one in script.conversations.get(conversation_id, [])})

    @app.delete("/api/conversations/{conversation_id}")
    async def forget(conversation_id: str) -> Response:
        return Response(status_code=204 if script.conversations.pop(conversation_id, None) else 404)

    @app.post("/api/ask")
    async def ask(body: s.AskIn) -> Response:
        if "databank" in body.question:
            return problem(503, "database_unavailable", "the database does not answer")
        script.asked.append(body)
        conversation = body.conversation_id or str(uuid.uuid4())
        return StreamingResponse(stream(script, body, conversation), media_type="text/event-stream")

    @app.get("/{path:path}")
    async def page(path: str) -> Response:
        wanted = DIST / path
        if path.startswith("api/"):
            raise HTTPException(404)
        return FileResponse(wanted if wanted.is_file() else DIST / "index.html")

    return app


def detail(document_id: str, pages: int = PAGES) -> s.DocumentDetail:
    pages = 1 if document_id == "scan" else pages
    return s.DocumentDetail(
        id=document_id,
        source=f"{document_id}.pdf",
        title=TITLE,
        status="indexed",
        reason="",
        media_type="application/pdf",
        page_count=pages,
        chunk_count=3,
        byte_count=1,
        department="",
        document_type="",
        target_groups=[],
        version="",
        valid_from=None,
        valid_until=None,
        owner="",
        language="nl",
        supersedes="",
        created_at=None,
        updated_at=None,
        pages=[s.PageOut(number=n, width=A4[0], height=A4[1], rotation=0) for n in range(1, pages + 1)],
    )
