"""Every HTTP operation of the gateway: the table from which both the router and OpenAPI are made."""

from services.gateway.case_routes import CASE_ROUTES
from services.gateway.proof_routes import PROOF_ROUTES
from services.gateway.replay_routes import REPLAY_ROUTES
from services.gateway.route import LIMIT, Query, Route
from videau.gateway.v1 import gateway_pb2 as pb
from videau.lobby.v1 import lobby_pb2 as lobby

ROUTES = (
    Route(
        "POST",
        "/v1/guests",
        "create_guest",
        "A token for a guest, where the server allows guests.",
        pb.CreateGuestResponse,
        pb.CreateGuestRequest,
        open=True,
    ),
    Route(
        "GET",
        "/v1/profiles",
        "list_profiles",
        "The rule profiles on offer.",
        pb.ListProfilesResponse,
        open=True,
    ),
    Route(
        "POST",
        "/v1/tables",
        "open_table",
        "Open a table and take a seat.",
        lobby.OpenTableResponse,
        lobby.OpenTableRequest,
    ),
    Route(
        "GET",
        "/v1/tables",
        "list_tables",
        "Tables that wait for a player, newest first.",
        lobby.ListTablesResponse,
        query=(Query("profile", "string", "Only tables of this profile."), LIMIT),
    ),
    Route(
        "POST",
        "/v1/tables/{match_id}/join",
        "join_table",
        "Take the free seat of a table.",
        lobby.JoinTableResponse,
        lobby.JoinTableRequest,
    ),
    Route(
        "POST",
        "/v1/tables/{match_id}/leave",
        "leave_table",
        "Leave a table before its match begins.",
        lobby.LeaveTableResponse,
        lobby.LeaveTableRequest,
    ),
    Route(
        "POST",
        "/v1/tables/{match_id}/start",
        "start_match",
        "Start the match when both seats are taken.",
        lobby.StartMatchResponse,
        lobby.StartMatchRequest,
    ),
    Route(
        "POST",
        "/v1/pair",
        "pair_player",
        "Sit down with any player who asks for the same rules, or wait for one.",
        lobby.PairPlayerResponse,
        lobby.PairPlayerRequest,
    ),
    Route(
        "GET",
        "/v1/matches",
        "list_matches",
        "Matches being played, newest first.",
        lobby.ListMatchesResponse,
        query=(Query("account", "string", "Only matches of this account."), LIMIT),
    ),
    Route("GET", "/v1/matches/{match_id}", "get_match", "A match as it stands.", pb.Snapshot),
    Route(
        "GET",
        "/v1/matches/{match_id}/decisions",
        "list_decisions",
        "Everything that happened in a match, page by page.",
        pb.ListDecisionsResponse,
        query=(Query("after", "integer", "Only decisions behind this position, 0 for all."), LIMIT),
        cost=1,
    ),
    Route(
        "GET",
        "/v1/matches/{match_id}/moves",
        "list_moves",
        "What the side on roll may play with the dice on the table.",
        pb.ListMovesResponse,
    ),
    *REPLAY_ROUTES,
    *PROOF_ROUTES,
    *CASE_ROUTES,
)
