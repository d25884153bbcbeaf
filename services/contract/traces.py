"""OpenTelemetry traces, where a collector is configured: a span for each request, and for each call
to another service, joined by W3C's `traceparent`. Without one nothing is imported and nothing is
sent. Spans name routes, states and request ids; no words of anybody.

Needs the extra `telemetry`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_tracer: Any = None  # of this process, as its logs are


class NoTelemetry(Exception):
    """A collector is configured, and the extra is not installed."""


def configure(service: str, url: str | None, exporter: Any = None) -> Any:
    """Send spans to an OTLP collector over HTTP (http://collector:4318); no URL and no exporter:
    none. Return what must be shut down at the end, so that the last spans are sent. Raises
    NoTelemetry."""
    global _tracer
    if url is None and exporter is None:
        _tracer = None
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
    except ImportError as error:
        raise NoTelemetry("traces need the extra `telemetry`: pip install 'bedside[telemetry]'") from error
    provider = TracerProvider(resource=Resource.create({"service.name": service}), shutdown_on_exit=True)
    if exporter is not None:
        provider.add_span_processor(SimpleSpanProcessor(exporter))
    else:
        provider.add_span_processor(
            BatchSpanProcessor(OTLPSpanExporter(f"{str(url).rstrip('/')}/v1/traces", timeout=5))
        )
    _tracer = provider.get_tracer("bedside")
    return provider


class TraceSpan:
    """A request's, or nothing."""

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def say(self, name: str | None = None, **attributes: str | int) -> None:
        """Name it anew, once its route is known, and say more of it."""
        if self._span is not None:
            if name:
                self._span.update_name(name)
            self._span.set_attributes({key.replace("__", "."): value for key, value in attributes.items()})


@contextmanager
def request(method: str, headers: Mapping[str, str]) -> Iterator[TraceSpan]:
    """A request that came: part of its asker's trace, when its headers say so. Calls made inside
    are its children."""
    if _tracer is None:
        yield TraceSpan()
        return
    from opentelemetry import context, trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    came = TraceContextTextMapPropagator().extract(dict(headers))
    span = _tracer.start_span(method, context=came, kind=trace.SpanKind.SERVER)
    token = context.attach(trace.set_span_in_context(span, came))
    try:
        yield TraceSpan(span)
    finally:
        context.detach(token)
        span.end()


@contextmanager
def call(name: str) -> Iterator[dict[str, str]]:
    """A call to another service: the headers that make its spans part of this trace. Never the
    current span, as streams are closed by other tasks than open them."""
    if _tracer is None:
        yield {}
        return
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    span = _tracer.start_span(name, kind=trace.SpanKind.CLIENT)
    headers: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(headers, trace.set_span_in_context(span))
    try:
        yield headers
    except BaseException as error:
        span.set_attribute("error.type", type(error).__name__)
        raise
    finally:
        span.end()
