"""The only reader of the environment. `Settings` is the table of every variable there is."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from libs.backgammon.dice import CHAIN_LENGTH

T = TypeVar("T")
PREFIX = "VIDEAU_"
CALLED = ("lobby", "dice", "rules", "cube", "clock")
"""The services that players' commands go to, each with its own part of the log."""
GHOST = "ghost"
"""The one that nobody calls, and that the system can do without: its engine does not run everywhere."""
AUDIT = "audit"
"""Looks at matches that are over: they are played without it."""
SERVICES = (*CALLED, GHOST, AUDIT)
"""The services of this release that speak gRPC."""
PORTS = {
    "nats": 7400,
    "gateway": 7401,
    "lobby": 7411,
    "dice": 7412,
    "rules": 7413,
    "cube": 7414,
    "clock": 7415,
    "ghost": 7416,
    "audit": 7417,
}
METRICS_PORT = 100
"""A process serves its metrics on its own port plus this."""


class SettingsError(Exception):
    """A variable or a file it names that cannot be used; the message names both, never a secret."""


def _variable(default: T, meaning: str) -> T:
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True, slots=True)
class Settings:
    """What a process is told, by `VIDEAU_` and the field's name in capitals; lists by commas."""

    # every process
    host: str = _variable("127.0.0.1", "address to listen on")
    port: int = _variable(0, "port to listen on, 0 for the default of the first service hosted")
    metrics_port: int = _variable(0, "port of Prometheus metrics, 0 for the listening port plus 100")
    log_level: str = _variable("info", "debug, info, warning or error")
    otlp_endpoint: str = _variable("", "OTLP/HTTP collector that gets traces, none if empty")
    nats_url: str = _variable("nats://127.0.0.1:7400", "the broker")
    secrets: Path = _variable(
        Path("data/secrets"), "directory that holds nats-<user>, dice-keys, guest-key.pem, audit-key.pem"
    )
    dice_chain: int = _variable(CHAIN_LENGTH, "rolls that one commitment of the dice serves")
    live_matches: int = _variable(20_000, "how many folded matches are kept in memory")
    call_seconds: float = _variable(5.0, "the longest a call may take, whatever its caller allows")
    calls_in_flight: int = _variable(256, "calls served at once on one relay stream")
    drain_seconds: float = _variable(5.0, "how long a stopping process waits for calls in flight")
    # the times of new tables, written into their rules; others than these only in tests and demonstrations
    clock_scale: float = _variable(1.0, "factor for clocks, and for how long an abandoned game waits")
    absence_seconds: float = _variable(10.0, "unseen for so long, a player is absent")
    continue_seconds: float = _variable(
        120.0, "how long a match waits for a continue, and while both players are absent"
    )
    # the clock's alarm
    stuck_seconds: float = _variable(30.0, "a match that a service owes a step for so long is stuck")
    # the ghost and the bots of the house
    ghost_level: int = _variable(2, "plies the ghost looks ahead, 1 to 3")
    ghost_pace_ms: int = _variable(800, "how long the ghost and the bots take at least for what one sees")
    ghost_workers: int = _variable(1, "processes that run the engine")
    # the audit
    audit_receipts: bool = _variable(True, "on: what the engine computed is computed again, where it can run")
    sweep_seconds: float = _variable(60.0, "how often matches are looked at that are not certified")
    # the gateway and the ghost: where the services are
    lobby: tuple[str, ...] = _variable(("127.0.0.1:7411",), "addresses of the lobby's replicas")
    dice: tuple[str, ...] = _variable(("127.0.0.1:7412",), "addresses of the dice replicas")
    rules: tuple[str, ...] = _variable(("127.0.0.1:7413",), "addresses of the rules replicas")
    cube: tuple[str, ...] = _variable(("127.0.0.1:7414",), "addresses of the cube replicas")
    clock: tuple[str, ...] = _variable(("127.0.0.1:7415",), "addresses of the clock's replicas")
    audit: tuple[str, ...] = _variable(("127.0.0.1:7417",), "addresses of the audit's replicas")
    # the gateway: who may come in
    guests: bool = _variable(True, "on: the gateway itself issues tokens to guests")
    issuer: str = _variable("", "issuer that tokens must name")
    audience: str = _variable("videau", "audience that tokens must name")
    jwks_url: str = _variable("", "where the issuer publishes its keys")
    cors_origins: tuple[str, ...] = _variable((), "origins that browsers may call from, * for any")
    # the command line
    token: str = field(
        default="", repr=False, metadata={"meaning": "token for commands that ask the gateway"}
    )
    # the gateway: how much one may ask
    frame_bytes: int = _variable(65_536, "largest frame a client may send")
    frames_per_second: float = _variable(50.0, "frames a connection may send in the long run")
    frames_burst: int = _variable(200, "frames a connection may send at once")
    account_frames_per_second: float = _variable(100.0, "frames an account may send in the long run")
    costly_per_second: float = _variable(
        10.0, "share of costly requests an account has: a position replayed takes 1, an export 10"
    )
    account_connections: int = _variable(8, "connections an account may have")
    subscriptions: int = _variable(64, "matches one connection may watch")
    queue_frames: int = _variable(256, "frames that may wait for a slow client")
    queue_bytes: int = _variable(1_048_576, "bytes that may wait for a slow client")
    ping_seconds: float = _variable(15.0, "heartbeat; a client silent for two of them is closed")

    def addresses_of(self, service: str) -> tuple[str, ...]:
        """Where the replicas of a gRPC service listen."""
        addresses: tuple[str, ...] = getattr(self, service)
        return addresses

    def nats_password(self, user: str) -> str:
        """The broker's password of a service."""
        return self.secret(f"nats-{user}").decode().strip()

    def secret(self, name: str) -> bytes:
        """The bytes of a file of the secrets directory. Raises SettingsError."""
        path = self.secrets / name
        try:
            return path.read_bytes()
        except OSError as error:
            raise SettingsError(f"cannot read {path} ({PREFIX}SECRETS): {error.strerror}") from error

    def dice_keys(self) -> dict[str, bytes]:
        """Master keys of the dice by id, the one for new matches first; older ones finish their matches.

        The file holds one key a line: its id, a space, 64 hex digits.
        """
        keys: dict[str, bytes] = {}
        for line in self.secret("dice-keys").decode().splitlines():
            key_id, _, digits = line.strip().partition(" ")
            if key_id:
                try:
                    keys[key_id] = bytes.fromhex(digits)
                except ValueError:
                    raise SettingsError(f"{self.secrets / 'dice-keys'}: key {key_id} is not hex") from None
        if not keys:
            raise SettingsError(f"{self.secrets / 'dice-keys'} holds no key")
        return keys


def load(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this process. Raises SettingsError naming the variable."""
    given: dict[str, Any] = {}
    for variable in fields(Settings):
        text = environ.get(name := PREFIX + variable.name.upper())
        if text is not None:
            try:
                given[variable.name] = _parsed(text.strip(), variable.default)
            except ValueError as error:
                raise SettingsError(f"{name}={text}: {error}") from None
    return Settings(**given)


def environment(**given: object) -> dict[str, str]:
    """The environment for a process of ours: this one's, with these settings in it, by field name."""
    known = {variable.name for variable in fields(Settings)}
    if wrong := given.keys() - known:
        raise ValueError(f"no such settings: {', '.join(sorted(wrong))}")
    return {**os.environ, **{PREFIX + name.upper(): _shown(value) for name, value in given.items()}}


def unknown(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Variables with our prefix that no field has: most likely misspelt."""
    known = {PREFIX + variable.name.upper() for variable in fields(Settings)}
    return sorted(name for name in environ if name.startswith(PREFIX) and name not in known)


def table() -> str:
    """Every variable, its default and meaning, as text for `videau serve --help`."""
    return "\n".join(
        f"  {PREFIX}{v.name.upper():<26} {v.metadata['meaning']} [{_shown(v.default)}]"
        for v in fields(Settings)
    )


def _parsed(text: str, default: object) -> object:
    match default:
        case bool():
            if text.lower() not in {"on", "off"}:
                raise ValueError("on or off is wanted")
            return text.lower() == "on"
        case int():
            return int(text)
        case float():
            return float(text)
        case tuple():
            return tuple(part.strip() for part in text.split(",") if part.strip())
        case Path():
            return Path(text)
        case _:
            return text


def _shown(default: object) -> str:
    match default:
        case bool():
            return "on" if default else "off"
        case tuple():
            return ",".join(default)
        case _:
            return str(default)
