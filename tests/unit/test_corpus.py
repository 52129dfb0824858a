"""Every bad file that is kept gets its verdict, and what hypothesis can think of gets some verdict."""

from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus import BROKEN, CORPUS, VERDICTS, content, kept, names
from tests.hostile.files import CONSTRUCTED
from tests.mutate import CHANGES, Draw
from tests.soak.fuzz import seeds


@pytest.mark.parametrize(("kind", "name"), kept())
def test_a_kept_file_gets_its_verdict(kind: str, name: str) -> None:
    assert VERDICTS[kind](content(kind, name)) == names(kind)[name]


@pytest.mark.parametrize("kind", VERDICTS)
def test_every_file_of_the_corpus_has_a_verdict(kind: str) -> None:
    files = {path.name for path in (CORPUS / kind).iterdir()} - {"verdicts.json"}
    assert files == {*names(kind)}


def test_what_is_made_on_purpose_is_kept() -> None:
    assert {(kind, name) for kind, files in CONSTRUCTED.items() for name in files} <= {*kept()}


@cache
def _ground(kind: str) -> Sequence[bytes]:
    return [data for found, data in seeds() if found == kind]


@pytest.mark.parametrize("kind", VERDICTS)
@settings(max_examples=60, deadline=None)
@given(draw=st.randoms(use_true_random=False))
def test_no_change_to_a_file_makes_its_reader_fail(kind: str, draw: Draw) -> None:
    """Nor leads to a log that does not hold. `python -m tests.soak.fuzz` goes on where this stops."""
    changed = CHANGES[kind](draw.choice(_ground(kind)), draw)
    assert not VERDICTS[kind](changed).startswith(BROKEN)
