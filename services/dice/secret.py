"""The service's own chains: the one place that touches the master keys."""

from collections import OrderedDict
from collections.abc import Mapping

from libs.backgammon.dice import CHAIN_LENGTH, SERVER, Chain, server_seed
from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.match import Match

KEPT = 4096


class Secret:
    """Chains from master keys by id, the key for new matches first. Keys never leave this object."""

    def __init__(self, keys: Mapping[str, bytes], length: int = CHAIN_LENGTH) -> None:
        self._keys = keys
        self._length = length
        self._chains: OrderedDict[tuple[str, int], Chain] = OrderedDict()

    @property
    def newest_key(self) -> str:
        return next(iter(self._keys))

    def next_chain(self, match: Match) -> Chain:
        """The chain to commit next, by the newest key."""
        seed = server_seed(self._keys[self.newest_key], match.match_id, match.dice.chain + 1)
        return Chain(match.match_id, SERVER, seed, self._length)

    def seed(self, match: Match) -> bytes:
        """The end of the chain the match uses."""
        return server_seed(self._keys[match.dice.key_id], match.match_id, match.dice.chain)

    def chain(self, match: Match) -> Chain:
        """The chain the match has committed to; made anew after a restart, kept while it is used.

        Raises RefusedError NO_COMMITMENT before the first, MATCH_NOT_STARTED before there can be one.
        """
        if not match.dice.chain:
            raise RefusedError(Reason.NO_COMMITMENT if match.started else Reason.MATCH_NOT_STARTED)
        key = (match.match_id, match.dice.chain)
        found = self._chains.get(key)
        if found is None:
            found = Chain(match.match_id, SERVER, self.seed(match), match.dice.length)
            self._chains[key] = found
            if len(self._chains) > KEPT:
                self._chains.popitem(last=False)
        else:
            self._chains.move_to_end(key)
        return found

    def __repr__(self) -> str:
        return f"Secret(keys={list(self._keys)})"
