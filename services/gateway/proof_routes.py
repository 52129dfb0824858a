"""The HTTP operations by which anybody may check what we say of a match."""

from services.gateway.route import File, Query, Route
from videau.audit.v1 import audit_pb2 as audit

PROOF_ROUTES = (
    Route(
        "GET",
        "/v1/matches/{match_id}/bundle",
        "get_bundle",
        "A certified match with all that proves it, as the file that `videau verify` checks. "
        "For its players and for support.",
        File,
        cost=5,
        produces="application/octet-stream",
    ),
    Route(
        "GET",
        "/v1/matches/{match_id}/report",
        "get_report",
        "A match computed again now, finished or not. For its players and for support.",
        audit.GetReportResponse,
        cost=10,
    ),
    Route(
        "GET",
        "/v1/tree",
        "get_tree_head",
        "The newest signed head of the log of certificates.",
        audit.GetTreeHeadResponse,
        open=True,
    ),
    Route(
        "GET",
        "/v1/tree/consistency",
        "get_consistency",
        "The proof that the log of certificates has only grown between two sizes.",
        audit.GetConsistencyResponse,
        query=(
            Query("first", "integer", "The smaller size, from 1."),
            Query("second", "integer", "The larger size, the newest if not given."),
        ),
        open=True,
    ),
)
