"""A chat request -> a Request for the engine; the engine's outputs -> OpenAI's objects. Knows
nothing of HTTP."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Mapping
from collections.abc import Sequence as Seq
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

from services.contract import wire
from services.contract.templates import TEMPLATES, VERBATIM_TEMPLATE, Rendered, TemplatePiece, render
from services.generator.drafters import Drafter, DraftStage
from services.generator.drafters.registry import DRAFTERS, parse
from services.generator.drafters.small_model import RagDrafter
from services.generator.engine.engine import Output, Request
from services.generator.engine.scoring import Scoring
from services.generator.errors import BadRequest, UnknownAdapter
from services.generator.models.decoder.adapters import Active, Adapter
from services.generator.speculation.acceptance import EXACT, Acceptance
from services.generator.speculation.augmented import Augmented
from services.generator.speculation.relaxed import Relaxed
from services.generator.text.answer_text import AnswerText
from services.generator.text.codec import Codec
from services.generator.text.prompt import Turn, build_prompt
from services.generator.text.provenance import SpanTracker
from services.generator.types import CopySpan, FinishReason, Passage, Prompt, SamplingParams, Sequence, SequenceStats
from services.generator.verbatim.text import VerbatimText
from services.generator.verbatim.trie import Verbatim, prepare

CHAT_VERSION = "chat-1"
"""Prompt version of a chat without documents: the model's own template and nothing else."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a request that does not say gets."""

    template: str
    drafter: str
    max_tokens: int = 512


def build_request(
    ask: wire.ChatRequest,
    codec: Codec,
    drafters: Mapping[str, Drafter],
    defaults: Defaults,
    adapters: Mapping[str, Adapter] = MappingProxyType({}),
) -> Request:
    """Raises BadRequest with what is wrong."""
    _check(ask)
    passages = tuple(Passage(document.id, document.title, document.text) for document in ask.documents)
    rendered = _rendered(ask, passages, defaults)
    prompt = build_prompt(codec, _turns(ask, rendered), passages, rendered.version if rendered else CHAT_VERSION)
    stop = ask.stops + (rendered.stop if rendered else ())
    names = parse(ask.bedside.drafter or _usual(ask, drafters, defaults), drafters)
    sampling = SamplingParams(
        temperature=ask.temperature,
        top_p=ask.top_p,
        max_tokens=ask.max_completion_tokens or ask.max_tokens or defaults.max_tokens,
        seed=secrets.randbits(63) if ask.seed is None else ask.seed,
        stop=stop,
        logprobs=max(1, ask.top_logprobs or 0) if ask.logprobs else 0,
        draw_drafts=ask.bedside.acceptance == "augmented",
    )
    if any(name in DRAFTERS and DRAFTERS[name].reads_beside for name in names):
        prompt = replace(prompt, beside=tuple(tuple(codec.encode(text)[0]) for text in ask.bedside.beside))
    if ask.bedside.retrieved:
        prompt = replace(prompt, retrieved=_retrieved(ask, codec, passages, defaults).token_ids)
    sequence = Sequence(f"chatcmpl-{secrets.token_hex(12)}", prompt, sampling)
    active = _active(ask.bedside.adapter, adapters, prompt.token_ids)
    if ask.bedside.mode == "verbatim":
        preparation = prepare(ask, codec, passages)
        verbatim = VerbatimText(codec, ask.stops, preparation, passages)
        # the constraint's own drafts are what will be accepted; others are for comparing
        asked = names if ask.bedside.drafter else ()
        return Request(
            sequence, verbatim, asked, drafting=bool(names), preparation=preparation, scope=ask.bedside.scope
        )
    text = AnswerText(codec, stop, SpanTracker(passages))
    return Request(
        sequence,
        text,
        drafters=names,
        acceptance=_acceptance(ask, sequence, names, drafters),
        scope=ask.bedside.scope,
        active=active,
    )


def _usual(ask: wire.ChatRequest, drafters: Mapping[str, Drafter], defaults: Defaults) -> str:
    """Return the drafters of a request that names none: of a long document the retrieved parts are
    read by one of their own."""
    reads = ask.bedside.retrieved and RagDrafter.name in drafters and defaults.drafter != "none"
    return f"{defaults.drafter}+{RagDrafter.name}" if reads else defaults.drafter


def _retrieved(ask: wire.ChatRequest, codec: Codec, passages: Seq[Passage], defaults: Defaults) -> Prompt:
    """Build the same prompt around the retrieved parts alone. Raises BadRequest on a place that is
    in no document."""
    known = {passage.id: passage for passage in passages}
    parts = []
    for place in ask.bedside.retrieved:
        passage = known.get(place.document)
        if passage is None or not place.start < place.end <= len(passage.text):
            raise BadRequest(
                f"a retrieved part is in no document: {place.document}, characters {place.start} to {place.end}"
            )
        parts.append(replace(passage, text=passage.text[place.start : place.end]))
    rendered = _rendered(ask, tuple(parts), defaults)
    return build_prompt(codec, _turns(ask, rendered), tuple(parts), rendered.version if rendered else CHAT_VERSION)


def _acceptance(
    ask: wire.ChatRequest, sequence: Sequence, names: Seq[str], drafters: Mapping[str, Drafter]
) -> Acceptance:
    if ask.bedside.acceptance == "exact":
        return EXACT
    if ask.bedside.acceptance == "relaxed":
        return Relaxed(frozenset(name for name in names if drafters[name].stage is DraftStage.LOOKUP))
    drafter = drafters[RagDrafter.name] if RagDrafter.name in names else None
    if not isinstance(drafter, RagDrafter) or not sequence.prompt.retrieved:
        raise BadRequest(
            "acceptance 'augmented' goes by what the drafter 'rag' says: it must be asked for, with "
            "`retrieved` parts for it"
        )
    return Augmented(partial(drafter.drawn, sequence), sequence.sampling, ask.bedside.transfer)


def scoring_of(ask: wire.ScoreIn, codec: Codec, adapters: Mapping[str, Adapter] = MappingProxyType({})) -> Scoring:
    """Raises BadRequest. A continuation is cut into tokens as it would be where an answer
    begins."""
    messages, pieces = ask.messages or [], ask.prompt or []
    if bool(messages) == bool(pieces):
        raise BadRequest("a prompt to be scored has either messages or prompt")
    if not all(_is_unicode(text) for text in (*(m.text for m in messages), *pieces, *ask.continuations)):
        raise BadRequest("a text holds half of a surrogate pair, which is no Unicode character")
    ends: tuple[int, ...] = ()
    if messages:
        tokens = build_prompt(
            codec, [Turn(message.role, (TemplatePiece(message.text),)) for message in messages], (), CHAT_VERSION
        ).token_ids
    else:
        parts = [codec.prefix_ids, *(codec.encode(piece)[0] for piece in pieces)]
        tokens, ends = tuple(itertools.chain(*parts)), tuple(itertools.accumulate(map(len, parts)))
    active = _active(ask.adapter, adapters, tokens)
    return Scoring(tuple(tokens), tuple(tuple(codec.encode(text)[0]) for text in ask.continuations), active, ends)


def _active(name: str | None, adapters: Mapping[str, Adapter], tokens: Seq[int]) -> Active | None:
    """Raises BadRequest and UnknownAdapter."""
    if name is None:
        return None
    if name not in adapters:
        raise UnknownAdapter(f"no adapter {name!r}; there are: {', '.join(adapters) or 'none'}")
    return Active(adapters[name], adapters[name].start(tokens))


def _check(ask: wire.ChatRequest) -> None:
    if ask.messages[-1].role != "user":
        raise BadRequest("the last message must be the user's")
    if len(ask.stops) > 16 or not all(ask.stops):
        raise BadRequest("stop takes at most 16 strings, none of them empty")
    if any(len(text) > wire.MAX_STOP_LENGTH for text in ask.stops):
        raise BadRequest(f"a stop string has at most {wire.MAX_STOP_LENGTH} characters")
    if ask.top_logprobs is not None and not ask.logprobs:
        raise BadRequest("top_logprobs needs logprobs: true")
    if ask.stream_options is not None and not ask.stream:
        raise BadRequest("stream_options needs stream: true")
    if ask.bedside.adapter is not None and ask.bedside.mode == "verbatim":
        raise BadRequest("an adapter works on written answers: what is quoted is weighed by the model alone")
    if ask.bedside.template is not None and ask.bedside.template not in TEMPLATES:
        raise BadRequest(f"no template {ask.bedside.template!r}; there are: {', '.join(TEMPLATES)}")
    ids = [document.id for document in ask.documents]
    if len(set(ids)) < len(ids):
        raise BadRequest("two documents have the same id")
    if ask.bedside.mode == "verbatim" and ask.bedside.acceptance != "exact":
        raise BadRequest("verbatim mode is verified exactly: what is quoted is quoted word for word")
    if ask.bedside.mode == "verbatim" and not ask.documents:
        raise BadRequest("verbatim mode quotes documents, and the request has none")
    shown = (text for document in ask.documents for text in (document.text, document.title))
    for text in (*(m.text for m in ask.messages), *shown, *ask.stops, *ask.bedside.beside):
        if not _is_unicode(text):
            raise BadRequest("a text holds half of a surrogate pair, which is no Unicode character")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _rendered(ask: wire.ChatRequest, passages: Seq[Passage], defaults: Defaults) -> Rendered | None:
    """Return the question inside its template; without documents there is nothing to build
    around."""
    if not passages:
        return None
    name = ask.bedside.template or (VERBATIM_TEMPLATE if ask.bedside.mode == "verbatim" else defaults.template)
    return render(name, ask.messages[-1].text, passages, ask.bedside.language)


def _turns(ask: wire.ChatRequest, rendered: Rendered | None) -> list[Turn]:
    turns = [Turn(message.role, (TemplatePiece(message.text),)) for message in ask.messages]
    return turns if rendered is None else [*turns[:-1], Turn("user", rendered.pieces)]


def span_out(span: CopySpan) -> wire.CopiedSpanOut:
    return wire.CopiedSpanOut(
        start=span.answer_start,
        end=span.answer_end,
        document=span.passage_id,
        source_start=span.start,
        source_end=span.end,
    )


def stats_out(stats: SequenceStats, joules_reason: str | None) -> wire.StatsOut:
    return wire.StatsOut(
        tokens=stats.tokens,
        steps=stats.steps,
        tokens_per_step=stats.tokens / max(1, stats.steps),
        drafted_nodes=stats.drafted,
        lossless=stats.lossless,
        accepted_by_source=stats.accepted_by_source,
        accepted_lengths=stats.accepted_lengths,
        prompt_tokens=stats.prompt_tokens,
        cached_tokens=stats.cached_tokens,
        queue_seconds=stats.queue_seconds,
        prefill_seconds=stats.prefill_seconds,
        decode_seconds=stats.decode_seconds,
        joules=stats.joules,
        joules_reason=joules_reason if stats.joules is None else None,
    )


def usage_out(sequence: Sequence, joules_reason: str | None) -> wire.UsageOut:
    stats = sequence.stats
    return wire.UsageOut(
        prompt_tokens=stats.prompt_tokens,
        completion_tokens=stats.tokens,
        total_tokens=stats.prompt_tokens + stats.tokens,
        prompt_tokens_details=wire.PromptDetailsOut(cached_tokens=stats.cached_tokens),
        bedside=stats_out(stats, joules_reason),
    )


def finish_out(finish: FinishReason | None) -> Literal["stop", "length"]:
    return "length" if finish is FinishReason.LENGTH else "stop"


def logprobs_out(outputs: Seq[Output], codec: Codec, alternatives: int) -> wire.LogprobsOut:
    """Show `alternatives` per token; control tokens (the end of the answer) are not."""
    content = []
    for output in outputs:
        for token, value, others in zip(output.tokens, output.logprobs, output.alternatives, strict=True):
            if token not in codec.special_ids:
                top = [wire.TopLogprobOut(**_token(codec, other), logprob=p) for other, p in others[:alternatives]]
                content.append(wire.TokenLogprobOut(**_token(codec, token), logprob=value, top_logprobs=top))
    return wire.LogprobsOut(content=content)


def _token(codec: Codec, token: int) -> dict[str, Any]:
    raw = codec.token_bytes(token)
    return {"token": raw.decode("utf-8", errors="replace"), "bytes": list(raw)}


def bedside_out(request: Request, spans: list[wire.CopiedSpanOut], joules_reason: str | None) -> wire.BedsideOut:
    sequence, weighed = request.sequence, request.constraint
    return wire.BedsideOut(
        spans=spans,
        candidates=_candidates_out(weighed, sequence.prompt.passages) if isinstance(weighed, Verbatim) else [],
        prompt_version=sequence.prompt.version,
        stats=stats_out(sequence.stats, joules_reason),
    )


def _candidates_out(weighed: Verbatim, passages: Seq[Passage]) -> list[wire.CandidateOut]:
    candidates = []
    for index, quote in enumerate(weighed.quotes):
        likelihood = weighed.likelihoods[index] if weighed.likelihoods else None
        place = {"document": passages[quote.passage].id, "start": quote.start, "end": quote.end}
        candidates.append(
            wire.CandidateOut(**place, score=quote.prior, log_likelihood=likelihood, weight=weighed.weights[index])
        )
    return candidates


class Stream:
    """The chunks of one streamed answer."""

    def __init__(
        self, ask: wire.ChatRequest, request: Request, codec: Codec, created: int, joules_reason: str | None
    ) -> None:
        self._ask, self._request, self._codec, self._joules_reason = ask, request, codec, joules_reason
        self._created = created

    def opening(self) -> wire.ChatChunk:
        return self._chunk([wire.ChunkChoiceOut(delta=wire.DeltaOut(role="assistant", content=""))])

    def chunks(self, output: Output) -> list[wire.ChatChunk]:
        """Make the chunks of a step, none when it shows nothing; the last step adds the usage when
        it was asked for."""
        sequence, spans = output.sequence, [span_out(span) for span in output.spans]
        last = output.finish is not None
        logprobs = logprobs_out([output], self._codec, self._ask.top_logprobs or 0) if self._ask.logprobs else None
        if not (last or output.text or spans or (logprobs and logprobs.content)):
            return []
        choice = wire.ChunkChoiceOut(
            delta=wire.DeltaOut(content=output.text),
            logprobs=logprobs,
            finish_reason=finish_out(output.finish) if last else None,
        )
        bedside = (
            bedside_out(self._request, spans, self._joules_reason)
            if last
            else wire.BedsideOut(spans=spans)
            if spans
            else None
        )
        chunks = [self._chunk([choice], bedside=bedside)]
        if last and self._ask.stream_options and self._ask.stream_options.include_usage:
            chunks.append(self._chunk([], usage=usage_out(sequence, self._joules_reason)))
        return chunks

    def _chunk(
        self,
        choices: list[wire.ChunkChoiceOut],
        usage: wire.UsageOut | None = None,
        bedside: wire.BedsideOut | None = None,
    ) -> wire.ChatChunk:
        return wire.ChatChunk(
            id=self._request.sequence.id,
            created=self._created,
            model=self._ask.model,
            choices=choices,
            usage=usage,
            bedside=bedside,
        )
