"""Files in turns of their folders, so that a huge folder does not hold back a small one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rag_api.ingest.sources.run import Item


def in_turns(items: Iterable[Item]) -> Iterator[Item]:
    """One of each folder, and again, until none is left; in a folder the order stays."""
    queues: dict[str, list[Item]] = {}
    for item in items:
        queues.setdefault(item.source.folder, []).append(item)
    waiting = [iter(queue) for queue in queues.values()]
    while waiting:
        left = []
        for queue in waiting:
            for item in queue:
                yield item
                left.append(queue)
                break
        waiting = left
