"""gRPC in, decisions out, and timers: the clock service."""

from collections.abc import Callable
from functools import partial

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.microseconds import SECOND
from libs.eventlog.handle import Handler
from libs.eventlog.live import LiveMatches
from libs.eventlog.timers import set_timer
from libs.service import telemetry
from libs.service.commands import envelope, handle_seated
from libs.service.hosting import Hosted, Runtime
from services.clock import core
from services.clock.alarm import Alarm
from services.clock.attempt import SERVICE
from services.clock.attendance import Attendance
from services.clock.deadlines import Deadlines, SetTimer
from services.clock.shell import Shell
from services.clock.uptime import Uptime
from services.clock.watch import Watch
from videau.clock.v1 import clock_pb2 as pb
from videau.clock.v1.clock_pb2_grpc import ClockServiceServicer, add_ClockServiceServicer_to_server
from videau.match.v1.command_pb2 import CommandContext

WAKES = ("lobby", "cube", "clock", "ghost")
"""Whose decisions may start a time; those of dice and rules are seen by the follower."""


class Clock(ClockServiceServicer):
    """Time and absence."""

    def __init__(self, handler: Handler, watch: Watch, now: Callable[[], int]) -> None:
        self._handler = handler
        self._watch = watch
        self._now = now

    async def ClaimWin(self, request: pb.ClaimWinRequest, _: object) -> pb.ClaimWinResponse:
        position = await handle_seated(
            self._handler,
            request.context,
            lambda seat: core.ClaimWin(seat, self._judged(request.context)),
            core.decide,
        )
        return pb.ClaimWinResponse(position=position)

    async def ContinueMatch(self, request: pb.ContinueMatchRequest, _: object) -> pb.ContinueMatchResponse:
        position = await handle_seated(
            self._handler,
            request.context,
            lambda seat: core.ContinueMatch(seat, self._judged(request.context)),
            core.decide,
        )
        return pb.ContinueMatchResponse(position=position)

    async def ReportPresence(self, request: pb.ReportPresenceRequest, _: object) -> pb.ReportPresenceResponse:
        newer = await self._watch.report(
            request.gateway,
            [((one.match_id, one.account), one.since) for one in request.present],
            [(one.match_id, one.account) for one in request.left],
            request.up_since,
            request.up_until,
        )
        return pb.ReportPresenceResponse(
            newer=[
                pb.Attendee(match_id=match_id, account=account, since=since)
                for (match_id, account), since in newer
            ]
        )

    def _judged(self, context: CommandContext) -> int:
        """The time by which a command is judged: when the gateway received it.

        Raises RefusedError UNAVAILABLE while nobody's time can be judged.
        """
        now = self._now()
        if not self._watch.uptime.may_judge(now):
            raise RefusedError(Reason.UNAVAILABLE, "an outage is being recorded")
        return min(envelope(context).received_at or now, now)


def watch_over(
    live: LiveMatches,
    handler: Handler,
    set_timer: SetTimer,
    now: Callable[[], int],
) -> Watch:
    """The parts of the service that act by themselves, put together. Times in microseconds."""
    uptime = Uptime()
    deadlines = Deadlines(live, handler, set_timer, now, uptime.may_judge, _late)
    return Watch(live, handler, now, uptime, deadlines, Attendance())


def build(runtime: Runtime) -> Hosted:
    """The service, ready to be hosted."""
    connection = runtime.connection_for(SERVICE)
    handler = runtime.handler_for(SERVICE)
    watch = watch_over(runtime.live, handler, partial(set_timer, connection), runtime.now)
    telemetry.TIMERS.set_function(lambda: len(watch.deadlines))
    shell = Shell(watch, connection, runtime)
    limit = round(runtime.settings.stuck_seconds * SECOND)
    alarm = Alarm(watch.matches, runtime.now, watch.uptime.may_judge, limit)
    return Hosted(
        name=SERVICE,
        servicer=Clock(handler, watch, runtime.now),
        add=add_ClockServiceServicer_to_server,
        service_names=("videau.clock.v1.ClockService",),
        background=(
            runtime.reactor(SERVICE, WAKES, watch.act),
            watch.keep_deadlines,
            watch.keep_attendance,
            alarm.keep,
            shell.recover,
            shell.wake,
            shell.listen,
        ),
    )


def _late(microseconds: int) -> None:
    telemetry.DEADLINE_SECONDS.observe(max(microseconds, 0) / SECOND)
