"""However one steps through a match, a position shows the same."""

from functools import cache

import hypothesis.strategies as st
from hypothesis import given, settings

from libs.backgammon.profiles import PROFILES
from libs.replay.replay import Frame, Replay
from tests.replay_logs import flag_log, haunted_log, match_log

LOGS = (match_log("money", 5, 700), match_log("reserve", 2), flag_log(), haunted_log())


@cache
def in_order(number: int) -> list[Frame]:
    """Every frame of a log, each made by a replay that has looked at nothing else."""
    replay = Replay(LOGS[number])
    return [replay.frame(position) for position in range(1, len(replay) + 1)]


@given(st.integers(0, len(LOGS) - 1), st.lists(st.integers(1, 10_000), min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_a_jump_shows_what_stepping_there_shows(number: int, jumps: list[int]) -> None:
    frames, replay = in_order(number), Replay(LOGS[number])
    for jump in jumps:
        position = jump % len(frames) + 1
        assert replay.frame(position) == frames[position - 1]


@given(st.sampled_from(sorted(PROFILES)), st.integers(1, 40), st.integers(0, 200))
@settings(max_examples=30, deadline=None)
def test_there_and_back_again_is_the_same_place(profile: str, number: int, start: int) -> None:
    replay = Replay(match_log(profile, number, 250))
    start = min(start, len(replay) - 1) + 1
    here = replay.frame(start)
    for position in (*range(start, len(replay) + 1), *range(len(replay), start - 1, -1)):
        replay.frame(position)
    assert replay.frame(start) == here
