"""Spans as a collector receives them: OTLP over HTTP, children of the caller's trace."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from libs.service import tracing

CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


class Collector(BaseHTTPRequestHandler):
    """Keeps the spans of every export."""

    spans: list[Span]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in resource.scope_spans:
                self.spans += scope.spans
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Span]]:
    monkeypatch.setattr(tracing, "_tracer", None)
    monkeypatch.setattr(tracing, "_provider", None)
    monkeypatch.setattr(Collector, "spans", [], raising=False)
    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        tracing.configure("rules", f"http://127.0.0.1:{server.server_port}")
        try:
            yield Collector.spans
        finally:
            server.shutdown()
            thread.join()


def test_a_call_and_its_append_are_spans_of_the_callers_trace(exported: list[Span]) -> None:
    with tracing.span("videau.rules.v1.RulesService/MoveCheckers", CALLER):
        tracing.past_span("append", 0.002)
        handed_on = tracing.traceparent()
        logged = tracing.trace_id()
    tracing.shutdown()

    append, call = exported
    assert (append.name, call.name) == ("append", "videau.rules.v1.RulesService/MoveCheckers")
    assert {append.trace_id.hex(), call.trace_id.hex(), logged} == {CALLER.split("-")[1]}
    assert call.parent_span_id.hex() == CALLER.split("-")[2]
    assert append.parent_span_id == call.span_id
    assert append.end_time_unix_nano - append.start_time_unix_nano == 2_000_000
    assert handed_on == f"00-{call.trace_id.hex()}-{call.span_id.hex()}-01"


def test_without_a_collector_the_callers_trace_is_handed_on() -> None:
    with tracing.span("call", CALLER):
        assert tracing.traceparent() == CALLER
    assert tracing.traceparent() == ""
