"""OpenTelemetry, if there is a collector; otherwise the caller's trace context is only handed on."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from libs.service.now import now

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

_caller: ContextVar[str] = ContextVar("videau_traceparent", default="")
_provider: "TracerProvider | None" = None
_tracer: "Tracer | None" = None


def configure(service: str, endpoint: str) -> None:
    """Export spans to an OTLP/HTTP collector such as http://localhost:4318; nothing without one."""
    global _provider, _tracer  # noqa: PLW0603  # one exporter a process, set once by its composition root
    if not endpoint:
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415  # 60 ms that most processes need not spend
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    _provider = TracerProvider(resource=Resource.create({"service.name": f"videau-{service}"}))
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
    _provider.add_span_processor(BatchSpanProcessor(exporter))
    _tracer = _provider.get_tracer("videau")


def shutdown() -> None:
    """Send what is still held back."""
    if _provider is not None:
        _provider.shutdown()


@contextmanager
def span(name: str, traceparent: str | None = None) -> Generator[None, None, None]:
    """What is inside belongs to a span, a child of the one around it or of the caller's W3C `traceparent`."""
    token = _caller.set(traceparent) if traceparent is not None else None
    try:
        if _tracer is None:
            yield
        else:
            from opentelemetry.propagate import extract  # noqa: PLC0415

            parent = extract({"traceparent": traceparent}) if traceparent else None
            with _tracer.start_as_current_span(name, context=parent):
                yield
    finally:
        if token is not None:
            _caller.reset(token)


def traceparent() -> str:
    """The W3C trace context to send along with a call, empty outside any trace."""
    if _tracer is not None:
        from opentelemetry.propagate import inject  # noqa: PLC0415

        carrier: dict[str, str] = {}
        inject(carrier)
        if carrier:
            return carrier["traceparent"]
    return _caller.get()


def trace_id() -> str:
    """The 32 hex digits that log lines of one trace share, empty outside any trace."""
    parts = traceparent().split("-")
    return parts[1] if len(parts) == 4 else ""


def past_span(name: str, seconds: float) -> None:
    """A span inside the current one that ended now and took `seconds`."""
    if _tracer is not None:
        ended = now() * 1000
        _tracer.start_span(name, start_time=ended - int(seconds * 1e9)).end(ended)
