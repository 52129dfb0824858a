"""One try at something that concerns one match, and must not stop what concerns the others."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.errors import EventLogError
from libs.service import telemetry

SERVICE = "clock"
AT_ONCE = 64
"""Matches tried together: each waits for the disk."""

What = Callable[[str], Awaitable[object]]
"""Does it for the match of this id; False says that it is too early."""


async def attempt(match_id: str, what: What) -> bool:
    """Whether it need not be tried again: it is done, or refused because the match has moved on."""
    try:
        return await what(match_id) is not False
    except RefusedError as refused:
        return refused.reason is not Reason.CONFLICT
    except EventLogError as error:
        telemetry.warn("the clock must try again", {"match_id": match_id, "error": repr(error)})
        return False
    except Exception as error:  # noqa: BLE001  # a bug, noted; trying again would meet it again
        telemetry.log.error("bug", service=SERVICE, match_id=match_id, exc_info=error)
    return True


async def attempt_each(match_ids: Iterable[str], what: What) -> list[str]:
    """Those that must be tried again, of many."""
    left: list[str] = []
    ids = list(match_ids)
    for first in range(0, len(ids), AT_ONCE):
        batch = ids[first : first + AT_ONCE]
        done = await asyncio.gather(*(attempt(match_id, what) for match_id in batch))
        left += [match_id for match_id, fine in zip(batch, done, strict=True) if not fine]
    return left
