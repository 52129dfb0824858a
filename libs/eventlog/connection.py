"""One user's connection to the broker: every wait ends at once when refused or cut off."""

import asyncio
import itertools
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from libs.eventlog.access import API, BROKER_API, OPERATOR, inbox_prefix
from libs.eventlog.errors import DeniedError, EventLogError, UnavailableError

Warn = Callable[[str, dict[str, object]], None]
"""Told of what goes wrong behind the callers' backs: an event and its fields."""

_REFUSED = re.compile(r'permissions violation for (?:publish|subscription) to "([^"]+)"')
_LOGIN_REFUSED = "authorization violation"


class NoAnswerError(UnavailableError):
    """One try got no answer; another may."""


class Connection:
    """A connection that is opened once and comes back by itself after every outage."""

    def __init__(self, user: str, warn: Warn) -> None:
        self.user = user
        self.api = BROKER_API if user == OPERATOR else API
        self.warn = warn
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the connection is gone for good, whether closed by us or by the broker."""
        self._client = Client()
        self._inbox = ""
        self._tokens = itertools.count()
        self._answers: dict[str, asyncio.Future[Msg]] = {}
        self._watched: dict[asyncio.Future[Msg], str] = {}
        self._quiet = False

    @property
    def is_connected(self) -> bool:
        return self._client.is_connected

    async def open(self, url: str, password: str, name: str) -> None:
        await self._client.connect(
            url.split(","),
            user=self.user,
            password=password,
            name=name,
            inbox_prefix=inbox_prefix(self.user),
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.1,  # type: ignore[arg-type]  # it is only ever slept and compared
            connect_timeout=2,
            ping_interval=2,  # a silent broker is given up after three of these
            max_outstanding_pings=2,
            pending_size=-1,  # nothing may be sent later, behind the sender's back
            error_cb=self._on_error,
            disconnected_cb=self._on_disconnected,
            reconnected_cb=self._on_reconnected,
            closed_cb=self._on_closed,
        )
        self._inbox = self._client.new_inbox()
        await self._client.subscribe(f"{self._inbox}.*", cb=self._on_answer)

    async def close(self) -> None:
        self._quiet = True
        await self._client.close()

    async def request(
        self, subject: str, data: bytes, *, within: float, headers: dict[str, str] | None = None
    ) -> Msg:
        """Send and wait for the answer, at most `within` seconds.

        Raises DeniedError as soon as the broker refuses, NoAnswerError when time is over, the
        connection is lost, or nobody listens.
        """
        token = str(next(self._tokens))
        with self.watching(subject) as answer:
            self._answers[token] = answer
            try:
                async with asyncio.timeout(within):
                    await self.publish(subject, data, reply=f"{self._inbox}.{token}", headers=headers)
                    message = await answer
            except TimeoutError:
                raise NoAnswerError(f"no answer from {subject} within {within:.3f} s") from None
            finally:
                del self._answers[token]
        if message.headers is not None and message.headers.get("Status") == "503":
            raise NoAnswerError(f"nobody answers to {subject}")
        return message

    async def publish(
        self, subject: str, data: bytes = b"", *, reply: str = "", headers: dict[str, str] | None = None
    ) -> None:
        """Send without waiting. Raises NoAnswerError if it surely has not left."""
        if not self._client.is_connected:
            raise NoAnswerError("not connected to the broker")
        try:
            await self._client.publish(subject, data, reply=reply, headers=headers)
        except nats.errors.MaxPayloadError as error:
            raise EventLogError(f"{len(data)} bytes are more than the broker takes") from error
        except nats.errors.Error as error:
            raise NoAnswerError(str(error)) from error

    async def subscribe(self, on_message: Callable[[Msg], Awaitable[None]]) -> Subscription:
        """Open an inbox of its own for a stream of messages."""
        try:
            return await self._client.subscribe(self._client.new_inbox(), cb=on_message)
        except nats.errors.Error as error:
            raise NoAnswerError(str(error)) from error

    def unique_name(self) -> str:
        """Make a name that nobody can guess."""
        return self._client.new_inbox().rpartition(".")[2]

    @contextmanager
    def watching(self, subject: str) -> Iterator[asyncio.Future[Msg]]:
        """Give a future that fails when a message to `subject` is refused or the connection lost."""
        future: asyncio.Future[Msg] = asyncio.get_running_loop().create_future()
        self._watched[future] = subject.lower()  # the broker's complaints come in small letters
        try:
            yield future
        finally:
            del self._watched[future]
            if not future.cancel() and not future.cancelled():
                future.exception()  # seen, even if nobody waited for it

    async def _on_answer(self, message: Msg) -> None:
        answer = self._answers.get(message.subject.rpartition(".")[2])
        if answer is not None and not answer.done():
            answer.set_result(message)

    async def _on_error(self, error: Exception) -> None:
        refused = _REFUSED.search(str(error))
        if refused is not None:
            subject = refused.group(1)
            self.warn("broker-refused", {"user": self.user, "subject": subject})
            self._fail(lambda: DeniedError(f"{self.user} may not use {subject}"), subject)
        elif not self._inbox and _LOGIN_REFUSED in str(error).lower():
            raise DeniedError(f"the broker does not know {self.user} by this password")
        elif not self._quiet:
            self.warn("broker-error", {"user": self.user, "error": repr(error)})
            self._quiet = not self._client.is_connected  # one complaint an outage

    async def _on_disconnected(self) -> None:
        if not self._client.is_closed:
            self.warn("broker-lost", {"user": self.user})
        self._fail(lambda: NoAnswerError("the connection to the broker was lost"))

    async def _on_reconnected(self) -> None:
        self._quiet = False
        self.warn("broker-back", {"user": self.user})

    async def _on_closed(self) -> None:
        if not self._quiet:
            self.warn("broker-closed", {"user": self.user, "error": repr(self._client.last_error)})
        if not self.closed.done():
            self.closed.set_result(None)

    def _fail(self, error: Callable[[], EventLogError], subject: str | None = None) -> None:
        for future, watched in list(self._watched.items()):
            if subject in {None, watched} and not future.done():
                future.set_exception(error())


async def connect(
    url: str, user: str, password: str, name: str, *, warn: Warn, within: float = 10.0
) -> Connection:
    """Open a connection to one server, or to one of several (`nats://a,nats://b`).

    `name` is what the broker's monitoring shows.

    Raises DeniedError for a wrong user or password, UnavailableError if the broker cannot be
    reached within so many seconds.
    """
    connection = Connection(user, warn)
    try:
        async with asyncio.timeout(within):
            await connection.open(url, password, name)
    except BaseException as error:
        with suppress(Exception):
            await connection.close()
        if isinstance(error, TimeoutError):
            raise UnavailableError(f"no broker at {url} within {within} s") from None
        raise
    return connection


def status_of(message: Msg) -> tuple[str, str]:
    """Read the broker's own word inside a stream of messages: code and text, both empty for none."""
    headers: dict[Any, str] = message.headers or {}
    return headers.get("Status", ""), headers.get("Description", "")
