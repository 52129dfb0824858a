"""One try at something that concerns one match, and must not stop what concerns the others."""

from collections.abc import Awaitable, Callable

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.errors import EventLogError
from libs.service import telemetry

SERVICE = "clock"


async def attempt(match_id: str, what: Callable[[str], Awaitable[object]]) -> bool:
    """Whether it need not be tried again: it is done, or refused because the match has moved on."""
    try:
        await what(match_id)
    except RefusedError as refused:
        return refused.reason is not Reason.CONFLICT
    except EventLogError as error:
        telemetry.warn("the clock must try again", {"match_id": match_id, "error": repr(error)})
        return False
    except Exception as error:  # noqa: BLE001  # a bug, noted; trying again would meet it again
        telemetry.log.error("bug", service=SERVICE, match_id=match_id, exc_info=error)
    return True
