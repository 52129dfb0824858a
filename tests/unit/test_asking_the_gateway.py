"""Given what may stand at an address, then the command line says in a line why there is no answer."""

import socket
from collections.abc import Callable, Iterator
from threading import Thread

import pytest

from videau.gateway_http import GatewayError, GatewayFailedError, GatewayRefusedError, ask
from videau.logs import NoLogError, load

Serve = Callable[[bytes], str]


def answer(status: str, body: bytes) -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Something that says the same to everybody; the URL it says it at."""
    listening = socket.create_server(("127.0.0.1", 0))
    threads: list[Thread] = []

    def serve(said: bytes) -> str:
        def run() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(said)

        threads.append(Thread(target=run))
        threads[-1].start()
        return f"http://127.0.0.1:{listening.getsockname()[1]}"

    with listening:
        yield serve
        for thread in threads:
            thread.join()


@pytest.mark.parametrize(
    ("said", "kind", "why"),
    [
        (answer("404 Not Found", b'{"reason": "unknown-match"}'), GatewayRefusedError, "unknown-match"),
        (
            answer("403 Forbidden", b'{"reason": "forbidden", "detail": "no"}'),
            GatewayRefusedError,
            "forbidden: no",
        ),
        (answer("404 Not Found", b"<html>"), GatewayRefusedError, "HTTP 404"),
        (answer("404 Not Found", b"[]"), GatewayRefusedError, "HTTP 404"),
        (answer("503 Unavailable", b'{"reason": "unavailable"}'), GatewayFailedError, "unavailable"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", GatewayFailedError, "is the system running"),
        (b"", GatewayFailedError, "is the system running"),
    ],
)
def test_what_is_no_good_answer_is_told_apart(
    serve: Serve, said: bytes, kind: type[GatewayError], why: str
) -> None:
    with pytest.raises(kind, match=why):
        ask(serve(said))


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}"])
def test_what_is_no_gateway_is_said_to_be_none(serve: Serve, body: bytes) -> None:
    with pytest.raises(NoLogError, match="is no gateway"):
        load("m1", serve(answer("200 OK", body)))


@pytest.mark.parametrize("url", ["nonsense", "http://", "ftp://127.0.0.1"])
def test_an_address_that_is_none_is_named(url: str) -> None:
    with pytest.raises(GatewayFailedError, match=url):
        ask(url)
