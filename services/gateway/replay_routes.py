"""The routes of replays and files, for the table in routes.py."""

from services.gateway.route import File, Query, Route
from videau.gateway.v1 import replay_pb2

REPLAY_ROUTES = (
    Route(
        "GET",
        "/v1/matches/{match_id}/replay",
        "get_replay",
        "A match to step through: its games, its turns, and what one looks for, by position.",
        replay_pb2.MatchReplay,
        cost=5,
    ),
    Route(
        "GET",
        "/v1/matches/{match_id}/replay/{position}",
        "get_replay_frame",
        "One position of a match: board, clocks, events in words, proof of the dice, and its cause.",
        replay_pb2.ReplayFrame,
        cost=1,
    ),
    Route(
        "GET",
        "/v1/matches/{match_id}/export",
        "export_match",
        "A match as a file that other programs read.",
        File,
        query=(Query("format", "string", "mat, sgf, xgid or jsonl; mat if not given."),),
        cost=10,
        produces="text/plain",
    ),
)
