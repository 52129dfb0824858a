"""The HTTP operations that play matches back, and give them as files."""

import asyncio

from google.protobuf.message import Message

from libs.backgammon.errors import Reason, RefusedError
from libs.eventlog.live import LiveMatches
from libs.records.exports import EXPORTS
from libs.service.room import Room
from services.gateway.call import Call
from services.gateway.replay_cache import Replays
from services.gateway.replay_view import frame_message, replay_message
from services.gateway.route import File

EXPORTS_WAITING = 16
"""One is written beside the event loop; with so many behind it, whoever comes is told to try again."""


class ReplayApi:
    """A method for each route, by its name. Live matches too: all that is hidden is not in the log."""

    def __init__(self, live: LiveMatches) -> None:
        self._live = live
        self._replays = Replays(live)
        self._exporting = Room(1, EXPORTS_WAITING, "exports")

    async def get_replay(self, call: Call) -> Message:
        return replay_message(await self._replays.get(call.match_id))

    async def get_replay_frame(self, call: Call) -> Message:
        text = call.request.match_info["position"]
        if not text.isascii() or not text.isdigit() or len(text) > 9:
            raise RefusedError(Reason.BAD_REQUEST, "a position is a number from 1")
        return frame_message(await self._replays.get(call.match_id), int(text))

    async def export_match(self, call: Call) -> File:
        name = call.request.query.get("format", "mat")
        export = EXPORTS.get(name)
        if export is None:
            raise RefusedError(Reason.BAD_REQUEST, f"format is one of {', '.join(EXPORTS)}")
        async with self._exporting.entered():
            log = await self._live.log(call.match_id)
            text = await asyncio.to_thread(export, log)
        return File(text.encode(), f"{call.match_id}.{name}")
