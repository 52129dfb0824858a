"""What a client has to reckon with."""


class ClientError(Exception):
    """Anything that went wrong; the subclasses say what."""


class CommandRefusedError(ClientError):
    """The server said no. `reason` is a slug of docs/protocol.md, `position` the match's, 0 if unknown."""

    def __init__(self, reason: str, detail: str = "", position: int = 0) -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail
        self.position = position


class DisconnectedError(ClientError):
    """The connection is gone for good: the token or the client is refused, or the client was closed."""

    def __init__(self, why: str, code: int = 0) -> None:
        super().__init__(f"{why} (close code {code})" if code else why)
        self.code = code


class TimedOutError(ClientError):
    """No answer before the deadline: whether the command took effect is unknown."""


class VerificationError(ClientError):
    """What the server says contradicts the rules of the protocol; nothing later is believed."""


class BadRollError(VerificationError):
    """A roll or a link that does not follow from the commitments."""


class DigestError(VerificationError):
    """Our fold of the match differs from the server's."""
