"""The proof of a roll and the causes of a decision as lines."""

from collections.abc import Iterator

from libs.backgammon.events import Seat
from libs.backgammon.match import Match
from libs.replay.cause import By, Cause
from libs.replay.marks import Mark
from libs.replay.proof import Drawn, Part, Proof, Share
from libs.replay.replay import Frame, Replay
from libs.replay.time_words import clock_time
from libs.replay.words import name_of


def proof_text(replay: Replay, position: int) -> str:
    """The newest rolls up to a position, from their commitments to their dice."""
    rolled = replay.contents.mark_near(Mark.ROLL, position + 1, -1)
    if rolled is None:
        return "nothing was rolled yet"
    frame = replay.frame(rolled)
    if not frame.proofs:
        told = "; ".join(frame.words)
        return f"#{rolled} {told}\n    the dice are those of the record {frame.match.source}"
    return "\n".join(line for proof in frame.proofs for line in _proof(proof, frame.match))


def why_text(replay: Replay, frame: Frame) -> str:
    """The chain of causes, the frame's own first."""
    return "\n".join(line for cause in frame.why for line in _cause(cause, replay))


def _proof(proof: Proof, match: Match) -> Iterator[str]:
    yield (
        f"roll {proof.roll}: link {proof.index} of each chain of commitment {proof.chain}, "
        f"made with key {proof.key_id}"
    )
    yield from _share("the service", proof.service)
    yield from _share(name_of(match, Seat.WHITE), proof.white)
    yield from _share(name_of(match, Seat.BLACK), proof.black)
    yield f"  message   {proof.message.hex()}"
    yield "  seed      HMAC-SHA256 of it, the service's link being the key:"
    yield f"            {proof.seed.hex()}"
    yield f"  bytes     {', '.join(map(_drawn, proof.drawn))}"
    verdict = "it holds" if proof.holds else "IT DOES NOT HOLD"
    yield f"  dice      {proof.dice[0]} and {proof.dice[1]}: {verdict}"


def _share(name: str, share: Share) -> Iterator[str]:
    committed = share.commitment
    if committed is None:
        yield f"  {name} {share.part}"
        return
    yield f"  {name}"
    yield f"    committed at #{committed.position} {committed.tip.hex()}"
    if share.part is Part.GIVEN:
        yield f"    link      {share.link.hex()}"
        yield f"    which {'leads' if share.holds else 'DOES NOT LEAD'} to the commitment"
    else:
        yield f"    link left out{'' if share.holds else ', WHICH THE LOG DID NOT SAY BEFORE'}"


def _drawn(drawn: Drawn) -> str:
    return f"{drawn.byte:02x} = {drawn.byte} -> {drawn.die or 'skipped'}"


def _cause(cause: Cause, replay: Replay) -> Iterator[str]:
    yield f"#{cause.position} {'; '.join(replay.words(cause.position))}"
    yield f"    {_reason(cause)}"


def _reason(cause: Cause) -> str:
    answering = f", answering #{cause.answers}" if cause.answers else ""
    match cause.by:
        case By.PLAYER:
            return f"asked for by the player {cause.actor}{answering or ', of his own accord'}"
        case By.GHOST | By.BOT:
            return f"asked for by {cause.actor}{answering}"
        case By.DEADLINE:
            over = clock_time(cause.deadline)
            return f"the time was over at {over}, found by the service {cause.actor}{answering}"
        case By.SERVICE:
            return f"done by the service {cause.actor} by itself{answering}"
        case By.CONNECTION:
            return "a connection came or went"
        case By.OUTAGE:
            return "the system was down"
        case By.RECORD:
            return "taken from the record"
        case By.UNKNOWN:
            return "the log does not say why"
