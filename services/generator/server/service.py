"""The generator as the routes see it: a loaded model behind the engine's thread, and what its
answers count."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from services.contract import wire
from services.generator.drafters import DrafterContext
from services.generator.drafters.registry import available, names_of, open_drafters
from services.generator.engine.engine import Engine, EngineOptions, Output, Request
from services.generator.engine.prefix_cache import usual_limit
from services.generator.errors import GeneratorError, ModelError
from services.generator.models.decoder.adapters import Adapter, read_adapters
from services.generator.models.llama import LlamaTarget
from services.generator.models.machine import memory
from services.generator.server import openai_chat as chat
from services.generator.server.config import GeneratorSettings
from services.generator.server.engine_thread import EngineThread, NotReady
from services.generator.server.metrics import GeneratorMetrics
from services.generator.text.codec import Codec
from services.generator.text.kinds import token_kinds


@dataclass(frozen=True, slots=True)
class Loaded:
    engine: Engine
    codec: Codec
    defaults: chat.Defaults
    adapters: Mapping[str, Adapter] = field(default_factory=dict)


Load = Callable[[], Loaded]


def load(settings: GeneratorSettings) -> Loaded:
    """Raises ModelError. Takes seconds: weights are read and packed."""
    from services.generator.models.loading import CACHE, load_target, load_tokenizer
    from services.generator.planner.costs import step_costs
    from services.generator.planner.draft_costs import draft_costs

    target = load_target(settings.model, device=settings.device, dtype=settings.dtype, threads=settings.threads)
    codec = Codec(load_tokenizer(settings.model))
    context = _drafter_context(settings, target, codec)
    # What is drafted with, and what costs nothing to open, so that a request may name it.
    free = available(replace(context, head=None, small=None))
    drafter = settings.drafter or usual_drafter(free, head=context.head is not None)
    drafters = open_drafters(dict.fromkeys((*names_of(drafter), *free)), context)
    options = EngineOptions(
        rows=settings.max_rows,
        context=settings.max_context,
        readings=settings.readings,
        prefix_bytes=usual_limit(target.new_cache(1, 1).bytes_per_token, memory(target.device))
        if settings.prefix_mb is None
        else settings.prefix_mb << 20,
    )
    drafts = draft_costs({name: drafters[name] for name in names_of(drafter)}, target, CACHE / "costs")
    return Loaded(
        Engine(target, drafters, options, step_costs(target, CACHE / "costs"), drafts),
        codec,
        chat.Defaults(settings.default_template, drafter),
        read_adapters(settings.adapters, target.architecture, target.device) if settings.adapters else {},
    )


def usual_drafter(free: Collection[str], *, head: bool) -> str:
    """Return who drafts where nobody says: all that is looked up as one tree, or CASD's copies
    where there are no kernels; and a head."""
    looked_up = "blend" if "blend" in free else "copy"
    return f"{looked_up}+eagle" if head else looked_up


def _drafter_context(settings: GeneratorSettings, target: LlamaTarget, codec: Codec) -> DrafterContext:
    """Open what drafters may need. Raises ModelError for what was built for another model."""
    from services.generator.datastore import dense, store
    from services.generator.models.loading import head_of, load_target, load_tokenizer

    vocabulary, small = codec.hf.get_vocab(), None
    if settings.small_model is not None:
        if load_tokenizer(settings.small_model).get_vocab() != vocabulary:
            raise ModelError(
                f"{settings.small_model} has another tokenizer than {settings.model}: it cannot draft for it"
            )
        small = load_target(
            settings.small_model, device=settings.device, dtype=settings.dtype, threads=settings.threads
        )
    return DrafterContext(
        target,
        settings.head or head_of(settings.model, target),
        small,
        datastore=None if settings.datastore is None else store.read(settings.datastore, store.fingerprint(vocabulary)),
        dense=None if settings.dense_datastore is None else dense.read(settings.dense_datastore, target),
        kinds=token_kinds(codec.full),
    )


class Service:
    """Started and stopped with the application."""

    def __init__(self, settings: GeneratorSettings, loader: Load | None = None) -> None:
        self.settings = settings
        self.metrics = GeneratorMetrics()
        self.created = int(time.time())
        self._loader = loader or (lambda: load(settings))
        self._loaded: Loaded | None = None
        self.thread = EngineThread(self._load)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        self.thread.stop()

    @property
    def loaded(self) -> Loaded:
        """Raises NotReady."""
        if self._loaded is None or not self.thread.ready:
            raise NotReady(self.thread.failure or "the model is still being loaded")
        return self._loaded

    @property
    def broken(self) -> str:
        """Return why nothing will ever be answered again; empty: it will, or no model could be
        loaded."""
        if self.thread.stopped:
            return "the engine has stopped"
        if (limit := self.settings.step_seconds) and self.thread.step_seconds > limit:
            return f"a step of the engine takes longer than {limit:g} s"
        return ""

    @property
    def joules_reason(self) -> str:
        return self.loaded.engine.energy.reason or "not measured"

    async def submit(self, ask: wire.ChatRequest) -> tuple[Request, AsyncIterator[Output]]:
        """Raises GeneratorError: a bad request, a full queue, a model that is not ready."""
        loaded = self.loaded
        try:
            request = await asyncio.to_thread(
                chat.build_request, ask, loaded.codec, loaded.engine.drafters, loaded.defaults, loaded.adapters
            )
            return request, self._counted(request, await self.thread.submit(request))
        except GeneratorError as error:
            self.metrics.refused(error.code)
            raise

    async def score(self, ask: wire.ScoreRequest) -> list[list[float]]:
        """Raises GeneratorError. Others' answers go on beside it."""
        loaded = self.loaded
        asked = await asyncio.to_thread(
            lambda: [chat.scoring_of(one, loaded.codec, loaded.adapters) for one in ask.prompts]
        )
        return await self.thread.read(asked)

    async def _counted(self, request: Request, outputs: AsyncIterator[Output]) -> AsyncIterator[Output]:
        outcome = "cancelled"
        try:
            async for output in outputs:
                if output.finish is not None:
                    outcome = output.finish.value
                yield output
        finally:
            await outputs.aclose()  # type: ignore[attr-defined]
            self.metrics.finished(outcome, request.sequence.stats)

    def now(self) -> int:
        return int(time.time())

    def health(self) -> wire.HealthOut:
        name = self.settings.name
        if broken := self.broken:
            return wire.HealthOut(status="failed", model=name, detail=broken)
        try:
            engine = self.loaded.engine
        except NotReady as error:
            return wire.HealthOut(status="failed" if self.thread.failure else "loading", model=name, detail=str(error))
        target, scheduler = engine.target, engine.scheduler
        dtype = str(target.dtype).removeprefix("torch.")
        return wire.HealthOut(
            status="ok",
            model=name,
            device=str(target.device),
            dtype=dtype,
            running=len(scheduler.running),
            waiting=len(scheduler.waiting),
        )

    def metrics_page(self) -> bytes:
        if self._loaded is not None:
            self.metrics.running.set(len(self._loaded.engine.scheduler.running))
            self.metrics.waiting.set(len(self._loaded.engine.scheduler.waiting))
        return self.metrics.page()

    def _load(self) -> Engine:
        self._loaded = self._loader()
        return self._loaded.engine
