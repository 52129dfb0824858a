"""Fan-out: one encoding, the last decisions at hand, no decision twice."""

from dataclasses import replace
from datetime import UTC, datetime

from libs.backgammon.match import Match
from libs.eventlog.codec import encode
from libs.eventlog.live import LiveMatches
from libs.eventlog.memory import MemoryLog, MemoryStore
from services.gateway.frames import JSON, PROTO
from services.gateway.hub import IDLE_CHANNELS, RECENT, Channel, DecisionFrame, Hub
from tests.scene import Scene, seated, started
from videau.gateway.v1.gateway_pb2 import ServerFrame


def frame(position: int) -> DecisionFrame:
    scene = started("match")
    return DecisionFrame(replace(scene.log[0], position=position), scene.match)


def positions(frames: list[DecisionFrame] | None) -> list[int] | None:
    return None if frames is None else [one.position for one in frames]


def test_a_decision_is_encoded_once_for_each_subprotocol() -> None:
    one = frame(1)
    assert one.encoded(PROTO) is one.encoded(PROTO)
    assert one.encoded(JSON) is one.encoded(JSON)
    told = ServerFrame.FromString(one.encoded(PROTO)).decision
    assert (told.position, told.match_id) == (1, started("match").match.match_id)


def test_the_last_decisions_are_at_hand_and_older_ones_are_not() -> None:
    channel = Channel("m")
    for position in range(1, RECENT + 5):
        assert channel.take(frame(position))
    newest = RECENT + 4
    assert positions(channel.between(newest - 2, newest)) == [newest - 1, newest]
    assert positions(channel.between(4, newest)) == list(range(5, newest + 1))
    assert channel.between(3, newest) is None
    assert channel.between(newest, newest) == []


def test_a_decision_that_is_told_again_is_not_taken_again_and_a_gap_empties_the_channel() -> None:
    channel = Channel("m")
    taken = [channel.take(frame(position)) for position in (3, 4, 3, 4, 5, 9)]
    assert taken == [True, True, False, False, True, True]
    assert channel.between(3, 9) is None
    assert positions(channel.between(8, 9)) == [9]


async def opened(log: MemoryLog, scene: Scene, match_id: str) -> None:
    """Append a scene's first decision under another id."""
    first = replace(scene.log[0], match_id=match_id, command_id=f"t/{match_id}")
    store = MemoryStore(log, "lobby")
    await store.append(match_id, encode(first), command_id=first.command_id, expected=0)


async def test_channels_that_nobody_follows_any_more_are_forgotten_in_the_end() -> None:
    log = MemoryLog(lambda: datetime(2026, 1, 1, tzinfo=UTC))
    live = LiveMatches(MemoryStore(log, "gateway"), on_broken=lambda _: None)
    hub = Hub(live)
    heard: list[DecisionFrame] = []
    scene = seated("match")
    for number in range(IDLE_CHANNELS + 3):
        await opened(log, scene, f"m{number}")
        channel, match = await hub.hold(f"m{number}")
        assert isinstance(match, Match)
        channel.receivers.append(heard.append)
        hub.release(channel, heard.append)
        assert not channel.receivers
    assert len(hub._channels) == IDLE_CHANNELS
    again, _ = await hub.hold("m5")
    assert again.match_id == "m5"
    assert "m5" not in hub._idle
