"""What docs/protocol.md tells client writers is so."""

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format

from libs.backgammon.dice import Chain, dice_of, roll
from libs.backgammon.errors import Reason
from libs.backgammon.match import Phase
from libs.backgammon.match_view import digest, view_of
from libs.backgammon.xgid import view_from_xgid, xgid
from libs.service.settings import Settings
from services.gateway.close_codes import Close
from services.gateway.commands import ROUTES as COMMANDS
from services.gateway.connection import MAX_BAD_FRAMES
from services.gateway.lanes import MAX_WAITING
from services.gateway.routes import ROUTES
from services.gateway.subscription import MAX_MISSED
from tests.scene import Scene, started
from videau.gateway.v1 import gateway_pb2 as pb
from videau.lobby.v1.lobby_pb2 import OpenTableRequest, PairPlayerRequest
from videau.match.v1.events_pb2 import Event

TEXT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```json (\w+)\n(.*?)\n```", TEXT, re.DOTALL)
MESSAGES: dict[str, type[Any]] = {
    "client": pb.ClientFrame,
    "server": pb.ServerFrame,
    "problem": pb.Problem,
    "table": OpenTableRequest,
}


def rows(heading: str) -> list[list[str]]:
    """The cells of all table rows below a heading."""
    section = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|") and not line.startswith("|--")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def first_cells(heading: str) -> set[str]:
    return {name for row in rows(heading) for name in re.findall(r"`([^`]+)`", row[0])}


def test_every_reason_stands_in_the_table_and_no_other() -> None:
    assert first_cells("Reasons") == {reason.value for reason in Reason}


def test_every_reason_that_is_named_anywhere_exists() -> None:
    for row in rows("Commands"):
        assert set(re.findall(r"`([a-z]+-[a-z-]+)`", row[-1])) <= {reason.value for reason in Reason}


def test_every_close_code_stands_in_the_table() -> None:
    assert {row[0] for row in rows("Close codes")[1:]} == {str(code.value) for code in Close}


def test_every_command_stands_in_the_table_with_all_its_fields() -> None:
    fields = pb.Command.DESCRIPTOR.fields_by_name
    told = {row[0].strip("`"): set(re.findall(r"`(\w+)`", row[1])) for row in rows("Commands")[1:]}
    expected = {}
    for name in COMMANDS:
        request = fields[name].message_type
        assert request is not None
        expected[fields[name].json_name] = {f.json_name for f in request.fields if f.name != "context"}
    assert told == expected


@pytest.mark.parametrize(
    ("operation", "request_type"),
    [("POST /v1/tables", OpenTableRequest), ("POST /v1/pair", PairPlayerRequest)],
)
def test_what_a_table_is_asked_for_with_stands_in_the_table(
    operation: str, request_type: type[OpenTableRequest | PairPlayerRequest]
) -> None:
    told = next(line for line in TEXT.splitlines() if line.startswith(f"| `{operation}` |"))
    fields = {field.json_name for field in request_type.DESCRIPTOR.fields} - {"context"}
    assert set(re.findall(r"`(\w+)`", told)) == fields


def test_every_event_stands_in_the_table() -> None:
    assert first_cells("Folding") == {field.json_name for field in Event.DESCRIPTOR.fields}


def test_the_phases_have_the_numbers_that_are_told() -> None:
    for phase in Phase:
        assert f"{phase.value} {phase.name}" in TEXT.replace("\n", " ")
        assert pb.Phase.Name(pb.Phase.ValueType(phase.value)) == f"PHASE_{phase.name}"


def test_every_operation_stands_in_the_table() -> None:
    assert first_cells("HTTP") == {f"{route.method} {route.path}" for route in ROUTES}


@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_every_example_is_a_message(kind: str, example: str) -> None:
    message = json_format.Parse(example, MESSAGES[kind]())
    assert message.ListFields()


def test_there_are_examples_of_both_directions() -> None:
    assert {kind for kind, _ in EXAMPLES} == set(MESSAGES)


def test_the_digests_are_those_of_their_texts_and_of_a_fold() -> None:
    vectors = [(row[1].strip("`"), row[2].strip("`")) for row in rows("Digest")[1:]]
    for text, told in vectors:
        assert hashlib.sha256(text.encode()).hexdigest()[:16] == told
        found = re.search(r"XGID=.*(?=:\d+$)", text)
        assert found is not None
        assert xgid(view_from_xgid(found[0])) == found[0]
    match = Scene(started("match").match).match
    text = f"{match.match_id}:{match.position}:{xgid(view_of(match))}:{match.phase.value}"
    assert (text, digest(match)) == vectors[0]


def test_the_vectors_of_the_dice_hold() -> None:
    cells = rows("Dice")
    known = {row[0]: bytes.fromhex(row[1].strip("`")) for row in cells if re.match(r"[SWB] x\[", row[0])}
    for party in "SWB":
        chain = Chain("m", party.encode(), known[f"{party} x[130]"], 130)
        for index in (0, 1, 129):
            assert chain.link(index) == known[f"{party} x[{index}]"]
    rolls = [row for row in cells if row[0].startswith("s = ")]
    assert len(rolls) == 4
    for what, dice in rolls:
        links = [known[name] if name in what else b"" for name in ("S x[1]", "W x[1]", "B x[1]")]
        assert roll("m", 1, *links) == _pair(dice)
    seeds = [row for row in cells if re.fullmatch(r"`[0-9a-f]{64}`", row[0])]
    assert len(seeds) == 3
    for seed, dice in seeds:
        assert dice_of(bytes.fromhex(seed.strip("`"))) == _pair(dice)


def _pair(text: str) -> tuple[int, int]:
    first, second = text.split(", ")
    return int(first), int(second)


def test_the_limits_are_the_defaults() -> None:
    told = {row[0]: row[1] for row in rows("Limits")[1:]}
    settings = Settings()
    assert f"{settings.frame_bytes:,} bytes" in told["size of a frame, and of a request's body"]
    frames = told["frames a connection sends"]
    assert (
        frames == f"{settings.frames_per_second:.0f} a second (`rateLimit`), {settings.frames_burst} at once"
    )
    assert told["frames of a connection under way at once"] == str(MAX_WAITING)
    assert told["matches a connection follows"] == str(settings.subscriptions)
    assert told["connections of an account"] == str(settings.account_connections)
    assert told["frames that wait for a slow client"] == f"{settings.queue_frames}, and 1 MiB"
    assert told["bad frames (`bad-request`) of a connection"] == str(MAX_BAD_FRAMES)
    assert f"more than {MAX_MISSED} decisions" in TEXT
