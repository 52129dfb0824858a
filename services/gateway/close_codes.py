"""Why the gateway closes a connection: the close codes of docs/protocol.md."""

from enum import IntEnum


class Close(IntEnum):
    """A WebSocket close code. 4000 and above are ours."""

    NORMAL = 1000
    TOO_BIG = 1009
    """A frame above the limit; sent by the WebSocket library."""
    INTERNAL = 1011
    RESTART = 1012
    """This gateway stops: connect again and resume."""
    NO_SUBPROTOCOL = 4000
    UNAUTHENTICATED = 4001
    TOKEN_EXPIRED = 4002
    BAD_FRAMES = 4003
    TOO_MANY_CONNECTIONS = 4004
    TOO_SLOW = 4008
    SILENT = 4009


REASONS = {
    Close.NORMAL: "goodbye",
    Close.TOO_BIG: "frame too big",
    Close.INTERNAL: "internal error",
    Close.RESTART: "gateway restarts, resume elsewhere",
    Close.NO_SUBPROTOCOL: "offer videau.v1+json or videau.v1+proto",
    Close.UNAUTHENTICATED: "a valid token is wanted",
    Close.TOKEN_EXPIRED: "token expired",
    Close.BAD_FRAMES: "too many bad frames",
    Close.TOO_MANY_CONNECTIONS: "too many connections",
    Close.TOO_SLOW: "too slow",
    Close.SILENT: "no sign of life",
}
"""The text that goes with each code."""
