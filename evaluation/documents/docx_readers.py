"""Readers of DOCX side by side, ours and libraries', judged by what LibreOffice lays out.

python -m evaluation.documents.docx_readers FOLDER WORK [READER ...]

FOLDER: the documents; WORK: where LibreOffice's pages are kept between runs. Without a READER each
that is installed is measured, in a process of its own. Prints a table, and JSON to WORK.
"""

# Who compares installs what it compares with:
# pyright: reportMissingImports=false
from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

from evaluation.documents.docx_layout import Cells, Laid, Words, laid_out, lay_out, of_html, rewrite, told_cells, words

Figures = dict[str, Any]
_COLUMNS = {  # what is counted, of what
    "words": ("common", "laid out"),
    "words not laid out": ("more", "told"),
    "in order": ("longest", "common"),
    "rows whole": ("rows", "all rows"),
    "list numbers": ("numbers", "all numbers"),
    "headings": ("headings", "all headings"),
}


def ours(path: Path) -> Laid:
    from rag_api.domain import BlockKind
    from rag_api.ingest.readers.read_docx import read_docx
    from rag_api.ingest.structure.tagged_lines import TaggedLine

    found, lines = Laid(), read_docx(path, path.name).lines
    for line in (one for one in lines if isinstance(one, TaggedLine)):
        if line.kind is BlockKind.HEADING:
            found.headings.append(words(line))
        elif line.kind is BlockKind.ROW:
            found.rows.append(_row(words(cell) for cell in line.split("\t")))
    found.words = words("\n".join(lines))
    return found


def docx2python(path: Path) -> Laid:
    from docx2python import docx2python as opened
    from docx2python.iterators import iter_tables

    found = Laid()
    with opened(path) as document:
        for table in iter_tables(document.body):
            found.rows += [_row(words("\n".join(cell)) for cell in row) for row in table if len(row) > 1]
        found.words = words("\n".join(_texts([document.body, document.footnotes, document.endnotes])))
        for one in _nested(document.body_pars):
            if one.style.casefold().startswith("heading"):
                found.headings.append(words("".join(run.text for run in one.runs)))
    return found


def mammoth(path: Path) -> Laid:
    import mammoth as library

    with path.open("rb") as file:
        return of_html(library.convert_to_html(file).value or "<p></p>")


def pandoc(path: Path) -> Laid:
    import pypandoc

    return of_html(pypandoc.convert_file(str(path), "html5", "docx", ["--track-changes=accept"]) or "<p></p>")


def python_docx(path: Path) -> Laid:
    from docx import Document
    from docx.table import Table

    found, texts = Laid(), list[str]()

    def walk(holder: Any) -> None:
        for block in holder.iter_inner_content():
            if isinstance(block, Table):
                for row in block.rows:
                    found.rows.append(_row(words(cell.text) for cell in row.cells))
                    texts.extend(dict.fromkeys(cell.text for cell in row.cells))
            else:
                texts.append(block.text)
                if block.style is not None and (block.style.name or "").startswith(("Heading", "Title")):
                    found.headings.append(words(block.text))

    walk(Document(str(path)))
    found.words = words("\n".join(texts))
    return found


def docling(path: Path) -> Laid:
    from docling.backend.msword_backend import MsWordDocumentBackend
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument

    given = InputDocument(path_or_stream=path, format=InputFormat.DOCX, backend=MsWordDocumentBackend)
    document = MsWordDocumentBackend(in_doc=given, path_or_stream=path).convert()
    found, texts = Laid(), list[str]()
    for item, _ in document.iterate_items():
        if (table := getattr(item, "data", None)) is not None and hasattr(table, "grid"):
            found.rows += [_row(words(cell.text) for cell in row) for row in table.grid]
            texts += [cell.text for cell in table.table_cells]
        elif said := getattr(item, "text", ""):
            texts.append(f"{getattr(item, 'marker', '') or ''} {said}")
            if item.label in ("section_header", "title"):
                found.headings.append(words(said))
    found.words = words("\n".join(texts))
    return found


READERS: dict[str, Callable[[Path], Laid]] = {
    one.__name__: one for one in (ours, docx2python, mammoth, pandoc, python_docx, docling)
}


def _row(cells: Any) -> tuple[Cells, Cells]:
    return told_cells(cells), ()


def _nested(of: Any) -> list[Any]:
    return list(chain.from_iterable(map(_nested, of))) if isinstance(of, list) else [of]


def _texts(of: Any) -> list[str]:
    return [str(one) for one in _nested(of)]


def judged(truth: Laid, unnumbered: Laid, numbered: Laid) -> Figures:
    """Counts of one document. A list's number counts as told where its words come next."""
    common = (Counter(truth.words) & Counter(unnumbered.words)).total()
    left = Counter(cells for cells, _ in unnumbered.rows)
    rows = [row for row in truth.rows if len(row[0]) > 1]
    whole = 0
    for row in rows:
        if (found := next((one for one in row if left[one]), None)) is not None:
            left[found] -= 1
            whole += 1
    said = " ".join(("", *numbered.words, ""))
    numbers = sum(f" {' '.join(label + after)} " in said for label, after in truth.numbers)
    headings = (Counter(truth.headings) & Counter(unnumbered.headings)).total()
    return {
        "common": common, "laid out": len(truth.words), "more": len(unnumbered.words) - common,
        "told": len(unnumbered.words), "longest": longest(truth.words, unnumbered.words), "rows": whole,
        "all rows": len(rows), "numbers": numbers, "all numbers": len(truth.numbers), "headings": headings,
        "all headings": len(truth.headings),
    }  # fmt: skip


def longest(one: Words, other: Words) -> int:
    """Return the length of the longest common subsequence, by a bit for each word."""
    at: dict[str, int] = {}
    for n, word in enumerate(one):
        at[word] = at.get(word, 0) | 1 << n
    full = (1 << len(one)) - 1
    left = full
    for word in other:
        if held := left & at.get(word, 0):
            left = (left + held | left - held) & full
    return len(one) - left.bit_count()


def measure(reader: str, files: list[Path], work: Path, pipe: Any) -> None:
    """Reads twice: as it is, which is timed, and with the numbers of lists left out, so that these
    are not counted as words."""
    read = READERS[reader]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    read(files[0])  # its imports are no part of its time
    began = time.process_time()
    numbered = [_tried(reader, path) for path in files]
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.process_time() - began + children.ru_utime + children.ru_stime
    memory = max(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, children.ru_maxrss) / 1024
    unnumbered = []
    for path in files:
        rewrite(path, plain := work / f"{path.stem}.{reader}.docx", "")
        unnumbered.append(_tried(reader, plain))
        plain.unlink()
    pipe.send((seconds, memory, numbered, unnumbered))


def _tried(reader: str, path: Path) -> Laid:
    try:
        return READERS[reader](path)
    except Exception as error:  # whatever a library raises is a file not read
        print(f"{reader}: {path.name}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        return Laid()


def main(folder: Path, work: Path, readers: list[str]) -> None:
    lay_out(given := sorted(folder.glob("*.docx")), work)
    truths = {path: truth for path in given if (truth := laid_out(path, work)) is not None}
    print(f"{len(truths)} documents", *_COLUMNS, "seconds", "MB", sep=" | ")
    everything = []
    for reader in readers or READERS:
        receiver, tell = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.get_context("spawn").Process(target=measure, args=(reader, list(truths), work, tell))
        process.start()
        tell.close()
        try:
            seconds, memory, numbered, unnumbered = receiver.recv()
        except EOFError:
            print(f"{reader} is not installed, or ended before it had read them")
            continue
        counts = [judged(*one) for one in zip(truths.values(), unnumbered, numbered, strict=True)]
        files = [{"file": path.name, **one} for path, one in zip(truths, counts, strict=True)]
        everything.append({"reader": reader, "seconds": seconds, "MB": memory, "files": files})
        sums = {key: sum(one[key] for one in counts) for key in counts[0]}
        shares = [f"{sums[a] / max(sums[b], 1):.3f} of {sums[b]}" for a, b in _COLUMNS.values()]
        print(reader, *shares, f"{seconds:.1f}", f"{memory:.0f}", sep=" | ", flush=True)
    (work / "docx.json").write_text(json.dumps(everything, indent=1), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
