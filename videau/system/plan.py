"""What the system on one machine consists of: processes, ports, and what each is told."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from libs.eventlog.server_config import OPERATOR, SYSTEM
from libs.service.settings import AUDIT, CALLED, GHOST, METRICS_PORT, PORTS, SERVICES, environment

GATEWAY = "gateway"
HOST = "127.0.0.1"
USERS = (*SERVICES, GATEWAY, OPERATOR, SYSTEM)
"""Who the broker knows."""
MOST_REPLICAS = 8
"""More would need ports that belong to something else."""

PortOf = Callable[[str, int], int]
"""The port of a replica of a service, and of `metrics <service>`."""


@dataclass(frozen=True, slots=True)
class Part:
    """One process that hosts services."""

    label: str
    """Its name among all: rules-1, or gateway."""
    names: tuple[str, ...]
    port: int
    metrics_port: int
    environment: dict[str, str]

    @property
    def command(self) -> tuple[str, ...]:
        return (sys.executable, "-m", "videau", "serve", *self.names)

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"


@dataclass(frozen=True, slots=True)
class Plan:
    """The system: a broker, the parts that serve gRPC, and the gateways to them all."""

    data: Path
    nats_port: int
    services: tuple[Part, ...]
    gateways: tuple[Part, ...]

    @property
    def gateway(self) -> Part:
        """The first of them, on a laptop the only one."""
        return self.gateways[0]

    @property
    def secrets(self) -> Path:
        return self.data / "secrets"

    @property
    def audit_key(self) -> Path:
        """Where the key is published that certificates are signed with."""
        return self.data / "audit-key.pub.pem"

    @property
    def nats_url(self) -> str:
        return f"nats://{HOST}:{self.nats_port}"

    @property
    def parts(self) -> tuple[Part, ...]:
        return (*self.services, *self.gateways)

    @property
    def optional(self) -> tuple[Part, ...]:
        """What the system does without where it cannot run."""
        return tuple(part for part in self.services if part.names in ((GHOST,), (AUDIT,)))

    def ports(self) -> dict[int, str]:
        """Every port that must be free, and for whom."""
        mine = {self.nats_port: "nats-server"}
        for part in self.parts:
            mine |= {part.port: part.label, part.metrics_port: f"metrics of {part.label}"}
        return mine


def plan(
    data: Path,
    port_of: PortOf,
    *,
    replicas: int = 1,
    gateways: int = 1,
    group: bool = False,
    ghost: bool = True,
    audit: bool = True,
    **told: object,
) -> Plan:
    """A system of so many replicas of each service; `group` hosts all services of a replica in one process.

    Ghost and audit, where there are any, are always processes of their own: they take what they can get.
    `told` are settings that every process gets.
    """
    data = data.resolve()
    nats_port = port_of("nats", 0)
    common = {"host": HOST, "nats_url": f"nats://{HOST}:{nats_port}", "secrets": data / "secrets", **told}
    hosted = [CALLED] if group else [(name,) for name in CALLED]

    def part(label: str, names: tuple[str, ...], replica: int, **more: object) -> Part:
        port, metrics_port = port_of(names[0], replica), port_of(f"metrics {names[0]}", replica)
        told_it = environment(**common, port=port, metrics_port=metrics_port, **more)
        return Part(label, names, port, metrics_port, told_it)

    services = tuple(
        part(f"{'services' if group else names[0]}-{replica + 1}", names, replica)
        for names in hosted
        for replica in range(replicas)
    )
    addresses = {name: tuple(part.address for part in services if name in part.names) for name in CALLED}
    ghosts = tuple(
        part(f"{GHOST}-{replica + 1}", (GHOST,), replica, **addresses) for replica in range(ghost * replicas)
    )
    audits = tuple(part(f"{AUDIT}-{replica + 1}", (AUDIT,), replica) for replica in range(audit * replicas))
    addresses[AUDIT] = tuple(part.address for part in audits)
    front = tuple(
        part(f"{GATEWAY}-{replica + 1}" if replica else GATEWAY, (GATEWAY,), replica, **addresses)
        for replica in range(gateways)
    )
    return Plan(data, nats_port, services + ghosts + audits, front)


def ports_from(base: int) -> PortOf:
    """The usual ports, moved so that the broker has `base`; replicas are ten apart."""

    def port_of(name: str, replica: int) -> int:
        metrics, _, service = name.rpartition(" ")
        port = base + PORTS[service] - PORTS["nats"] + 10 * replica
        return port + METRICS_PORT if metrics else port

    return port_of
