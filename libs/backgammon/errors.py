"""Every way the product says no: one exception, one enumeration of reasons."""

from enum import StrEnum


class Reason(StrEnum):
    """The slug of a refusal, the same in code, on the wire and in metrics."""

    # tables and matches
    UNKNOWN_PROFILE = "unknown-profile"
    BAD_LENGTH = "bad-length"
    BAD_OPTION = "bad-option"
    BAD_STAKE = "bad-stake"
    UNKNOWN_MATCH = "unknown-match"
    MATCH_EXISTS = "match-exists"
    TABLE_FULL = "table-full"
    ALREADY_SEATED = "already-seated"
    NOT_SEATED = "not-seated"
    TABLE_CLOSED = "table-closed"
    MATCH_STARTED = "match-started"
    MATCH_NOT_STARTED = "match-not-started"
    MATCH_OVER = "match-over"
    # phases
    NOT_YOUR_TURN = "not-your-turn"
    WRONG_PHASE = "wrong-phase"
    STALE_POSITION = "stale-position"
    OFFER_PENDING = "offer-pending"
    RESIGNATION_PENDING = "resignation-pending"
    NOTHING_TO_ANSWER = "nothing-to-answer"
    # checkers
    BAD_BOARD = "bad-board"
    BAD_DICE = "bad-dice"
    ILLEGAL_PLAY = "illegal-play"
    DIE_LEFT = "die-left"
    NOT_BLOCKED = "not-blocked"
    NO_UNDO = "no-undo"
    NOTHING_TO_UNDO = "nothing-to-undo"
    # cube and resignation
    NO_CUBE = "no-cube"
    CRAWFORD = "crawford"
    CUBE_NOT_YOURS = "cube-not-yours"
    CUBE_AT_MAXIMUM = "cube-at-maximum"
    DEAD_CUBE = "dead-cube"
    NO_BEAVER = "no-beaver"
    NO_RACCOON = "no-raccoon"
    BAD_WORTH = "bad-worth"
    CONFIRM_GAMMON = "confirm-gammon"
    NO_SESSION = "no-session"
    RESIGNATION_DECLINED = "resignation-declined"
    # time and absence
    TIME_OVER = "time-over"
    TIME_LEFT = "time-left"
    NO_CLAIM = "no-claim"
    NOT_ABSENT = "not-absent"
    NOT_DUE = "not-due"
    CONTINUE_AWAITED = "continue-awaited"
    NOTHING_TO_CONTINUE = "nothing-to-continue"
    NO_AUTOMATIC_PLAY = "no-automatic-play"
    AUTOMATIC_ROLL = "automatic-roll"
    PLAYED_ELSEWHERE = "played-elsewhere"
    # dice protocol
    NO_COMMITMENT = "no-commitment"
    SEED_ALREADY_GIVEN = "seed-already-given"
    BAD_SEED = "bad-seed"
    BAD_LINK = "bad-link"
    NO_LINK_WANTED = "no-link-wanted"
    # notation and records
    BAD_NOTATION = "bad-notation"
    # proofs and disputes
    NOT_CERTIFIED = "not-certified"
    UNKNOWN_CASE = "unknown-case"
    CASE_OPEN = "case-open"
    CASE_TAKEN = "case-taken"
    CASE_DECIDED = "case-decided"
    # the shell
    BAD_REQUEST = "bad-request"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    TOO_MANY_REQUESTS = "too-many-requests"
    FROZEN = "frozen"
    UNAVAILABLE = "unavailable"
    CONFLICT = "conflict"
    COMMAND_ID_REUSED = "command-id-reused"
    INTERNAL = "internal"


class RefusedError(Exception):
    """A command or a value the rules do not allow. Expected: never logged as an error."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail
