"""The published keys of an OpenID issuer, fetched when they are needed and kept."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import aiohttp
import jwt

from libs.backgammon.errors import Reason, RefusedError

KEPT_SECONDS = 3600.0
"""After so long the keys are fetched anew, so that a withdrawn key does not open doors for ever."""
WAIT_SECONDS = 30.0
"""Between two fetches, however many unknown keys are asked for meanwhile."""
FIRST_WAIT_SECONDS = 1.0
"""The same, as long as no fetch has worked."""
FETCH_SECONDS = 5.0
MAX_BYTES = 262_144

Fetch = Callable[[], Awaitable[bytes]]


class JwksKeys:
    """`fetch` gives the JSON Web Key Set; `clock` gives seconds."""

    def __init__(self, fetch: Fetch, clock: Callable[[], float]) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self._fetched_at: float | None = None
        self._tried_at: float | None = None
        self._fetching = asyncio.Lock()

    async def key(self, kid: str | None) -> jwt.PyJWK:
        """Raises RefusedError: UNAUTHENTICATED for an unknown key, UNAVAILABLE when no keys can be had."""
        if not self._fresh() or self._find(kid) is None:
            async with self._fetching:
                if not self._fresh() or self._find(kid) is None:
                    await self._refresh()
        if self._fetched_at is None:
            raise RefusedError(Reason.UNAVAILABLE, "the issuer's keys cannot be fetched")
        found = self._find(kid)
        if found is None:
            raise RefusedError(Reason.UNAUTHENTICATED, "the issuer publishes no such key")
        return found

    def _fresh(self) -> bool:
        return self._fetched_at is not None and self._clock() - self._fetched_at < KEPT_SECONDS

    def _find(self, kid: str | None) -> jwt.PyJWK | None:
        """A token without a key id is fine where the issuer has just one key."""
        if kid is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(kid)

    async def _refresh(self) -> None:
        now = self._clock()
        wait = FIRST_WAIT_SECONDS if self._fetched_at is None else WAIT_SECONDS
        if self._tried_at is not None and now - self._tried_at < wait:
            return
        self._tried_at = now
        try:
            self._keys = _read(await self._fetch())
        except (aiohttp.ClientError, TimeoutError, ValueError, TypeError, LookupError):
            return  # the keys at hand serve on
        self._fetched_at = now


def _read(data: bytes) -> dict[str | None, jwt.PyJWK]:
    keys: dict[str | None, jwt.PyJWK] = {}
    for entry in json.loads(data)["keys"]:
        try:
            keys[entry.get("kid")] = jwt.PyJWK(entry)
        except jwt.PyJWTError:
            continue  # a kind of key that no token of ours is signed by
    return keys


def fetcher(session: aiohttp.ClientSession, url: str) -> Fetch:
    """Fetches the key set of a URL."""

    async def fetch() -> bytes:
        timeout = aiohttp.ClientTimeout(total=FETCH_SECONDS)
        data = bytearray()
        async with session.get(url, timeout=timeout, raise_for_status=True) as response:
            async for chunk in response.content.iter_any():
                data += chunk
                if len(data) > MAX_BYTES:
                    raise ValueError("no key set is that long")
        return bytes(data)

    return fetch
