"""Work that waits for other work, several pieces at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter


def side_by_side(works: Mapping[str, Callable[[], None]], waits: Mapping[str, Iterable[str]], at_once: int) -> None:
    """Do all `works`, each after those that it `waits` for, earlier named first. Raises the first
    failure, when what runs has ended."""
    order = {name: at for at, name in enumerate(works)}
    sorter = TopologicalSorter({name: set(waits.get(name, ())) & set(works) for name in works})
    sorter.prepare()
    running: dict[Future[None], str] = {}
    with ThreadPoolExecutor(at_once) as pool:
        while sorter.is_active():
            for name in sorted(sorter.get_ready(), key=order.__getitem__):
                running[pool.submit(works[name])] = name
            ended, _ = wait(running, return_when=FIRST_COMPLETED)
            for one in ended:
                name = running.pop(one)
                if (error := one.exception()) is not None:
                    for other in running:
                        other.cancel()
                    raise error
                sorter.done(name)
