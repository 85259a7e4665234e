"""Traces as others read them: OpenTelemetry's own types for Python decode what the server sends, straight and by way of Rotel, a
collector that nobody here wrote, which takes spans apart, batches them and sends them on."""

import gzip
import http.server
import importlib.util
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

PROGRAM = os.environ["TESTIMONY_PROGRAM"]


@pytest.fixture
def collector():
    """Where to send spans, and what was sent there."""
    received = []

    class Collector(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            # Rotel sends it so, whatever it is told.
            if self.headers["content-encoding"] == "gzip":
                body = gzip.decompress(body)
            received.append((self.path, self.headers["content-type"], body))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", received
    server.shutdown()
    server.server_close()


def free_address():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{taken.getsockname()[1]}"


@pytest.fixture(params=["straight", "rotel"])
def way(request, collector, tmp_path):
    """Where the server is told to send spans, what reached the end of the way, and the end of whoever stands between."""
    address, received = collector
    if request.param == "straight":
        yield address, received, lambda: None
        return
    if sys.platform != "linux" or sys.version_info >= (3, 14):
        pytest.skip("Rotel has no package for this Python")
    package = importlib.util.find_spec("rotel")
    agent = pathlib.Path(package.origin).parent / "rotel-agent"
    taken, log = free_address(), tmp_path / "rotel.log"
    command = [agent, "start", "--otlp-http-endpoint", taken, "--otlp-grpc-endpoint", free_address()]
    command += ["--pid-file", tmp_path / "rotel.pid", "--exporter", "otlp", "--otlp-exporter-endpoint", address]
    command += ["--otlp-exporter-protocol", "http", "--otlp-exporter-compression", "none"]
    with open(log, "w") as told:
        process = subprocess.Popen(command, stdout=told, stderr=told)
    host, port = taken.split(":")
    until = time.monotonic() + 30
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            break
        except OSError:
            assert process.poll() is None and time.monotonic() < until, log.read_text()
            time.sleep(0.05)

    def end():
        # It sends on what it holds before it ends.
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0, log.read_text()

    yield f"http://{taken}", received, end
    process.kill()
    process.wait()


def held(attributes):
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


def test_spans_are_read_by_the_types_of_opentelemetry(way, tmp_path):
    address, received, end = way
    command = [PROGRAM, "--data", str(tmp_path / "memory"), "serve", "--without-key", "--listen", "127.0.0.1:0"]
    environment = os.environ | {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_SERVICE_NAME": "memory"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        served = process.stdout.readline().strip()
        parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        said = httpx.post(f"{served}/v1/entries", json={"text": "I live in Zagreb."}, headers={"traceparent": parent})
        assert said.status_code == 200
        assert httpx.get(f"{served}/v1/receipts/ve_zagreb").status_code == 404
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
    end()
    assert {(path, kind) for path, kind, _ in received} == {("/v1/traces", "application/x-protobuf")}
    requests = [ExportTraceServiceRequest.FromString(body) for _, _, body in received]
    resources = [resource for request in requests for resource in request.resource_spans]
    assert {held(resource.resource.attributes)["service.name"] for resource in resources} == {"memory"}
    spans = [span for resource in resources for scope in resource.scope_spans for span in scope.spans]
    said, looked = (next(span for span in spans if span.name == name) for name in ("POST /v1/entries", "GET /v1/receipts/{id}"))
    assert said.trace_id.hex() == "0af7651916cd43dd8448eb211c80319c" and said.parent_span_id.hex() == "b7ad6b7169203331"
    assert looked.trace_id != said.trace_id and looked.parent_span_id == b""
    assert said.kind == looked.kind == Span.SPAN_KIND_SERVER
    assert held(looked.attributes) == {
        "http.request.method": "GET",
        "http.route": "/v1/receipts/{id}",
        "http.response.status_code": 404,
        "testimony.verb": "why",
        "error.type": "not_found",
    }
    assert {span.name for span in spans if span.parent_span_id in (said.span_id, looked.span_id)} == {"engine"}
    assert not any(b"zagreb" in body.lower() for _, _, body in received)
