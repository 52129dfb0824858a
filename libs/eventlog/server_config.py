"""The configuration of nats-server, written from the table of who may send what.

`python -m libs.eventlog.server_config single` (or `cluster`) writes what stands in deploy/nats.
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from libs.eventlog.access import OPERATOR, SERVICES, SYSTEM, denials, grants, inbox_prefix, operator_calls

__all__ = ["OPERATOR", "SYSTEM", "Cluster", "deployed", "render"]

_ROUTE_USER = "route"
MAX_PAYLOAD = 8 << 20
"""The longest match fits into one message as its archive; a decision has some hundred bytes."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """How the servers of a cluster find and trust one another.

    `routes`: all of them as `host:port`; or `$NAME`, an environment variable with a list of URLs,
    `["nats://route:<password>@<host>:<port>", ...]`.
    """

    port: int
    routes: Sequence[str] | str
    password: str


def render(
    users: Mapping[str, str],
    *,
    store_dir: str,
    port: int,
    host: str = "127.0.0.1",
    monitor_port: int | None = None,
    server_name: str = "videau",
    cluster: Cluster | None = None,
) -> str:
    """Write the configuration for the given users (name to password), one account a service.

    A password, name or directory written `$NAME` is taken by the server from its environment,
    where it has to begin with a letter or stand in quotes. A password may be a bcrypt hash.
    """
    services = [user for user in users if user not in {OPERATOR, SYSTEM}]
    lines = [
        f"server_name: {_text(server_name)}",
        f'listen: "{host}:{port}"',
        *([f'http: "{host}:{monitor_port}"'] if monitor_port is not None else []),
        f"max_payload: {MAX_PAYLOAD}",
        "jetstream {",
        f"  store_dir: {_text(store_dir)}",
        "  sync_interval: always # an acknowledged decision has reached the disk",
        "}",
        *(_cluster(cluster, host) if cluster is not None else []),
        "accounts {",
        "  LOG {",
        "    jetstream: enabled",
        *_users([_user(OPERATOR, users[OPERATOR], operator_calls())] if OPERATOR in users else []),
        "    exports: [",
        *_exports(services),
        "    ]",
        "  }",
        *(line for service in services for line in _account(service, users[service], services)),
        "  SYS {",
        *_users([f'{{ user: "{SYSTEM}", password: {_text(users[SYSTEM])} }}'] if SYSTEM in users else []),
        "  }",
        "}",
        "system_account: SYS",
    ]
    return "\n".join(lines) + "\n"


def deployed(*, clustered: bool) -> str:
    """Write the configuration for containers, with every secret left to the environment."""
    users = {user: f"$NATS_PASSWORD_{user.upper()}" for user in (*SERVICES, OPERATOR, SYSTEM)}
    return render(
        users,
        store_dir="/data",
        host="0.0.0.0",  # noqa: S104 - inside a container
        port=4222,
        monitor_port=8222,
        server_name="$NATS_SERVER_NAME",
        cluster=Cluster(6222, "$NATS_ROUTES", "$NATS_PASSWORD_ROUTE") if clustered else None,
    )


def _exports(services: Iterable[str]) -> list[str]:
    exports: dict[str, str] = {}
    for service in services:
        for grant in grants(service):
            answers = ", response_type: stream" if grant.many_answers else ""
            only = f", accounts: [{_account_name(service)}]" if grant.own else ""
            exports[grant.subject] = f'      {{ service: "{grant.subject}"{answers}{only} }}'
    return list(exports.values())


def _account(service: str, password: str, services: Iterable[str]) -> list[str]:
    allowed = grants(service)
    names = [grant.name_outside for grant in allowed]
    return [
        f"  {_account_name(service)} {{",
        *_users([_user(service, password, names, denials(service, services))]),
        "    imports: [",
        *(
            f'      {{ service: {{ account: LOG, subject: "{grant.subject}" }}, to: "{grant.name_outside}" }}'
            for grant in allowed
        ),
        "    ]",
        "  }",
    ]


def _users(users: Iterable[str]) -> list[str]:
    return ["    users: [", *(f"      {user}" for user in users), "    ]"]


def _user(name: str, password: str, allowed: Iterable[str], denied: Iterable[str] = ()) -> str:
    publish = f"publish: {{ allow: {_list(allowed)}, deny: {_list(denied)} }}"
    subscribe = f"subscribe: {{ allow: {_list([f'{inbox_prefix(name)}.>'])} }}"
    permissions = f"permissions: {{ {publish}, {subscribe} }}"
    return f'{{ user: "{name}", password: {_text(password)}, {permissions} }}'


def _cluster(cluster: Cluster, host: str) -> list[str]:
    routes = cluster.routes
    if not isinstance(routes, str):
        routes = _list(f"nats://{_ROUTE_USER}:{cluster.password}@{route}" for route in routes)
    return [
        "cluster {",
        "  name: videau",
        f'  listen: "{host}:{cluster.port}"',
        f'  authorization {{ user: "{_ROUTE_USER}", password: {_text(cluster.password)} }}',
        f"  routes: {routes}",
        "}",
    ]


def _account_name(service: str) -> str:
    return f"SERVICE_{service.upper()}"


def _list(texts: Iterable[str]) -> str:
    return "[" + ", ".join(f'"{text}"' for text in texts) + "]"


def _text(value: str) -> str:
    return value if re.fullmatch(r"\$[A-Z][A-Z0-9_]*", value) else json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    sys.stdout.write(deployed(clustered=sys.argv[1:] == ["cluster"]))
