"""Titles that are none: documents about different things bear them. Judged over all that is indexed
and what is being read, of each document over those alone that all its readers may read: its title
would tell them of others.

A document is judged when it is read, and what was indexed before under a title that turns out to be
a letterhead gets its next one then: two documents at most, and their versions, since the third
shows it. Its passages are embedded anew, as titles are embedded with them.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from rag_api.domain import Document, Titles, all_may_read
from rag_api.ingest.common.chunk import embedding_text
from rag_api.ingest.common.described.titles import MANY, called, many_differ, own_title, words_of
from rag_api.ingest.pipeline.embedding import embed_texts
from rag_api.ingest.pipeline.read_item import cut_text
from rag_api.ingest.sources.report import Retitled
from rag_api.ingest.sources.run import ReadItem, Run
from rag_api.stores import describe
from rag_api.text.title_key import title_key

_AT_ONCE = 16  # first pages that are fetched together
Bearers = dict[str, tuple[str, ...]]  # the groups of documents, by their ids
FirstPageWords = dict[str, frozenset[str]]  # of first pages, by document


def settle_titles(run: Run, batch: Sequence[ReadItem]) -> tuple[list[ReadItem], frozenset[str]]:
    """The documents of a batch under their own titles, and which titles turned out to be
    letterheads."""
    read = [one for one in batch if one.text is not None]
    words = {one.document.id: words_of(one.text.pages[0].text) for one in read if one.text and one.text.pages}
    bearers: dict[str, Bearers] = {}
    for one in read:
        for key in _keys(one.titles):
            bearers.setdefault(key, {})[one.document.id] = one.document.groups
    gone = {one.item.known.id for one in read if one.item.known is not None}
    found = _judge(run, bearers, gone | {one.document.id for one in read}, words)
    return [_settled(run, one) for one in batch], found


def retitle_earlier(run: Run, letterheads: Collection[str]) -> None:
    """Give documents that were indexed under one of these their own titles, in the list and in the
    index."""
    earlier = [
        (d, titles) for d, titles in run.repo.called(sorted(letterheads)) if "title" not in run.edits.get(d.source, {})
    ]
    _judge(run, {key: {} for _, titles in earlier for key in _keys(titles)}, set(), {})
    for document, titles in earlier:
        if (
            title := own_title(document.source, titles, run.letterheads_of(document.groups))
        ) != document.metadata.title:
            _retitle(run, document, title, titles)


def settle_shared(run: Run) -> None:
    """Judge all that several indexed documents are called. Where documents are read on several
    machines, none of them sees at once what the others are writing: what they could not know
    together is mended here."""
    shared = run.repo.shared_titles(MANY)
    if found := _judge(run, {key: {} for key in shared}, set(), {}):
        retitle_earlier(run, found)


def _judge(run: Run, bearers: dict[str, Bearers], gone: Collection[str], words: FirstPageWords) -> frozenset[str]:
    """Find which of these keys are letterheads that were not known as such. bearers: documents of a
    batch, by key; gone: what the list has of them still."""
    open_keys = [key for key, of_batch in bearers.items() if not _known(run, key, of_batch)]
    before = run.repo.bearers(open_keys) if open_keys else {}
    found = set()
    for key in open_keys:
        of_batch = bearers[key]
        every = of_batch | {one: groups for one, groups in before.get(key, {}).items() if one not in gone}
        for groups in {*every.values()}:
            documents = sorted(one for one, others in every.items() if all_may_read(groups, others))
            known = key in run.letterheads_of(groups)
            if not known and len(documents) >= MANY and many_differ(_openings(run, documents, words)):
                run.letterheads.setdefault(groups, set()).add(key)
                found.add(key)
    return frozenset(found)


def _known(run: Run, key: str, of_batch: Bearers) -> bool:
    """Where all readers of a batch's documents know a letterhead as one, so does whoever else may
    read these: he was told with them."""
    return bool(of_batch) and all(key in run.letterheads_of(groups) for groups in of_batch.values())


def _openings(run: Run, documents: Sequence[str], words: FirstPageWords) -> Iterator[frozenset[str]]:
    """Fetched as they are asked for: mostly the first few decide."""
    left = iter(documents)
    while some := list(islice(left, _AT_ONCE)):
        if missing := [one for one in some if one not in words]:
            words |= {one: words_of(text) for one, text in run.repo.openings(missing).items()}
        yield from (words[one] for one in some if one in words)


def _settled(run: Run, one: ReadItem) -> ReadItem:
    title = own_title(one.item.source.name, one.titles, run.letterheads_of(one.document.groups))
    if one.text is None or not one.titles.borne or title == one.document.metadata.title:
        return one
    metadata = called(one.document.metadata, title, one.titles)
    document = replace(one.document, metadata=metadata)
    return replace(one, document=document, chunks=cut_text(run.settings, document, one.text))


def _retitle(run: Run, document: Document, title: str, titles: Titles) -> None:
    """Without its fingerprint meanwhile: interrupted, it is read again."""
    said = replace(document, metadata=called(document.metadata, title, titles))
    run.repo.amend(replace(said, fingerprint=""), titles)
    describe(
        run.store,
        document.id,
        said.metadata,
        lambda chunks: embed_texts(run, [embedding_text(c) for c in chunks], document.source),
        sys.maxsize,
    )
    run.repo.amend(said, titles)
    run.retitles.append(Retitled(document.source, document.id, document.metadata.title, title))


def _keys(titles: Titles) -> Iterable[str]:
    return dict.fromkeys(title_key(name) for name in titles.names)
