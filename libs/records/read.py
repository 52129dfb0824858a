"""A match record from its bytes, whichever of the known kinds it is of."""

import codecs

from libs.backgammon.errors import Reason, RefusedError
from libs.records.mat import read_mat
from libs.records.record import Record
from libs.records.sgf import read_sgf

MAX_BYTES = 8 * 1024 * 1024
"""Room for a long match with all its analysis; more is refused unread."""

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_record(data: bytes) -> Record:
    """Read match text or SGF, in UTF-8, UTF-16 or Latin-1. Raises RefusedError BAD_NOTATION for all else.

    What the record gets wrong comes as its remarks, each with a line; what cannot be read stands among the
    actions as `Illegible`. Nothing is checked against a board: that is for whoever replays the games.
    """
    if len(data) > MAX_BYTES:
        raise RefusedError(Reason.BAD_NOTATION, f"a match record has at most {MAX_BYTES} bytes")
    text = _decode(data)
    return read_sgf(text) if text.lstrip().startswith("(") else read_mat(text)


def _decode(data: bytes) -> str:
    if data.startswith(_UTF16):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
