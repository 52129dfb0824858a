"""The HTTP operations of disputes: players open cases, the staff looks, takes and decides."""

from services.gateway.route import LIMIT, SUPPORT, Query, Route
from videau.audit.v1 import cases_pb2 as pb

WHY = Query("why", "string", "Why you look: it is written down. Support must say.")

CASE_ROUTES = (
    Route(
        "POST",
        "/v1/matches/{match_id}/cases",
        "open_case",
        "Open a dispute case on a match of yours, or open your closed one again.",
        pb.OpenCaseResponse,
        pb.OpenCaseRequest,
        cost=1,
    ),
    Route(
        "GET",
        "/v1/cases",
        "list_cases",
        "Your dispute cases, newest first; for support all.",
        pb.ListCasesResponse,
        query=(
            Query("state", "string", "Only cases that are open, taken, decided or closed."),
            Query("kind", "string", "Only cases of this kind, such as complaint or broken-chain."),
            Query("match", "string", "Only cases of this match."),
            Query("account", "string", "Only cases of matches of this account."),
            Query("page", "integer", "`nextPage` of the page before."),
            LIMIT,
        ),
        cost=1,
    ),
    Route(
        "GET",
        "/v1/cases/{case_id}",
        "get_case",
        "A dispute case of yours; for support any, with its evidence, and the look is written down.",
        pb.GetCaseResponse,
        query=(WHY,),
        cost=2,
    ),
    Route(
        "POST",
        "/v1/cases/{case_id}/take",
        "take_case",
        "Look after a case.",
        pb.TakeCaseResponse,
        pb.TakeCaseRequest,
        role=SUPPORT,
    ),
    Route(
        "POST",
        "/v1/cases/{case_id}/comment",
        "comment_case",
        "Write something down, for support alone.",
        pb.CommentCaseResponse,
        pb.CommentCaseRequest,
        role=SUPPORT,
    ),
    Route(
        "POST",
        "/v1/cases/{case_id}/decide",
        "decide_case",
        "Decide a case: signed, and applied to the match if that goes on.",
        pb.DecideCaseResponse,
        pb.DecideCaseRequest,
        role=SUPPORT,
    ),
    Route(
        "GET",
        "/v1/support/matches",
        "find_account_matches",
        "All matches of an account; the look is written down.",
        pb.AccountMatches,
        query=(Query("account", "string", "Whose matches."), WHY, LIMIT),
        role=SUPPORT,
    ),
)
