"""How many rows one answer holds."""

from libs.backgammon.errors import Reason, RefusedError

PAGE, LONGEST_PAGE = 100, 500


def page_length(asked: int) -> int:
    """As many as asked for, a page where nothing was asked, never above the longest.

    Raises RefusedError BAD_REQUEST for a number below 0.
    """
    if asked < 0:
        raise RefusedError(Reason.BAD_REQUEST, "limit is a number from 0")
    return min(asked or PAGE, LONGEST_PAGE)
