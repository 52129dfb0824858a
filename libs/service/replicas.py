"""Where the replicas of a service are: addresses as given, and names as the resolver answers them now."""

import asyncio
import socket
from collections.abc import Callable, Iterable
from ipaddress import ip_address

from libs.service import telemetry

RESOLVE_SECONDS = 5.0
"""How often a name is looked up again: so soon a new replica is called."""


class Replicas:
    """Addresses `host:port`. A name that stands for several machines is a replica for each of them."""

    def __init__(self, addresses: Iterable[str]) -> None:
        given = [address.rpartition(":") for address in addresses]
        self._fixed = {f"{host}:{port}" for host, _, port in given if _is_ip(host)}
        self._names = {(host, int(port)) for host, _, port in given if not _is_ip(host)}
        self._found: dict[tuple[str, int], set[str]] = {}

    @property
    def now(self) -> list[str]:
        """All that are known, in an order that every caller shares."""
        return sorted(self._fixed.union(*self._found.values()))

    async def watch(self, changed: Callable[[], None]) -> None:
        """Look names up again and again, and tell of every change; at once over if there are none."""
        while self._names:
            before = self.now
            for name in self._names:
                await self._look_up(*name)
            if self.now != before:
                changed()
            await asyncio.sleep(RESOLVE_SECONDS)

    async def _look_up(self, host: str, port: int) -> None:
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:  # what was found before stays good until something else is found
            telemetry.log.warning("name not resolved", host=host, error=str(error))
            return
        self._found[host, port] = {_shown(str(address[0]), port) for *_, address in found}


def _is_ip(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _shown(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
