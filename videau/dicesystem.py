"""The rolls in the log of a running system, for `videau audit dice`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from libs.backgammon.microseconds import moment
from libs.dicestats.audit import Audit
from libs.eventlog.connection import Connection, connect
from libs.eventlog.errors import EventLogError, UnavailableError
from libs.service.settings import Settings, SettingsError
from services.audit.dice_log import DiceLog
from videau.logs import NoLogError

USER = "audit"
PATIENCE = 30.0
"""Seconds in which the broker must give the next decision."""


def audit_system(settings: Settings, since: int, *, check: bool) -> Audit:
    """Audit all that is decided since a moment (microseconds since 1970), up to now. Raises NoLogError."""
    try:
        return asyncio.run(_audit(settings, since, check=check))
    except TimeoutError:
        raise NoLogError(f"the broker at {settings.nats_url} has fallen silent") from None
    except UnavailableError as error:
        raise NoLogError(f"{error} (is the system running? VIDEAU_NATS_URL says where)") from error
    except (EventLogError, SettingsError) as error:
        raise NoLogError(str(error)) from error


async def _audit(settings: Settings, since: int, *, check: bool) -> Audit:
    audit = Audit()
    async with _connected(settings) as connection:
        log = DiceLog(connection, check=check)
        first = await log.first(moment(since))
        newest = await log.newest() if first else 0
        async with aclosing(log.follow(first - 1)) as records:
            done = first == 0
            while not done:
                async with asyncio.timeout(PATIENCE):
                    record = await anext(records)
                looked = await log.look(record)
                if looked is not None and looked.decided_at >= since:
                    audit.add(looked.observed, looked.players)
                done = record.sequence >= newest
    return audit


@asynccontextmanager
async def _connected(settings: Settings) -> AsyncIterator[Connection]:
    """What it complains of on the way is not shown: it either connects, or ends with one message."""
    connection = await connect(
        settings.nats_url,
        USER,
        settings.nats_password(USER),
        "videau audit dice",
        warn=lambda _event, _fields: None,
    )
    try:
        yield connection
    finally:
        await connection.close()
