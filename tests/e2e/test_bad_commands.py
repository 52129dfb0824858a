"""Commands that the match does not wait for: refused by name in every phase, and nothing reaches the log."""

from itertools import product
from typing import Any

import pytest
from google.protobuf.message import Message

from libs.service.chance import new_id
from tests.e2e.games import Game, table
from tests.e2e.matches import the_log
from tests.e2e.visitors import House, command, refused, send
from videau.clock.v1 import clock_pb2 as clock
from videau.cube.v1 import cube_pb2 as cube
from videau.dice.v1 import dice_pb2 as dice
from videau.gateway.v1 import gateway_pb2 as pb
from videau.rules.v1 import rules_pb2 as rules

pytestmark = pytest.mark.asyncio(loop_scope="session")

LARGEST = (1 << 31) - 1
COMMANDS = {
    request.DESCRIPTOR.name.removesuffix("Request"): request
    for request in (
        dice.RollDiceRequest(),
        dice.ContributeSeedRequest(tip=b"x" * 32),
        dice.DeclineSeedRequest(),
        dice.RevealLinkRequest(link=b"x" * 32),
        rules.MoveCheckersRequest(steps=[rules.Step(origin=24, target=23)]),
        rules.UndoMovesRequest(),
        rules.EndTurnRequest(),
        rules.SetAutomaticPlayRequest(automatic_roll=True),
        cube.OfferCubeRequest(),
        cube.TakeCubeRequest(),
        cube.PassCubeRequest(),
        cube.BeaverCubeRequest(),
        cube.RaccoonCubeRequest(),
        cube.OfferResignationRequest(),
        cube.AcceptResignationRequest(),
        cube.DeclineResignationRequest(),
        cube.EndSessionRequest(),
        clock.ClaimWinRequest(),
        clock.ContinueMatchRequest(),
    )
}
"""By name, with something in it that could be meant."""

ANSWERS = dict.fromkeys(
    ("TakeCube", "PassCube", "BeaverCube", "RaccoonCube", "AcceptResignation", "DeclineResignation"),
    "nothing-to-answer",
)
CHECKERS = ("MoveCheckers", "UndoMoves", "EndTurn")
ALWAYS = {"ClaimWin": "no-claim", "ContinueMatch": "nothing-to-continue", "RevealLink": "no-link-wanted"}
NOBODYS_TURN = dict.fromkeys((*CHECKERS, "RollDice", "OfferCube"), "wrong-phase")
OPENING = ANSWERS | ALWAYS | NOBODYS_TURN
IN_PLAY = ANSWERS | ALWAYS | dict.fromkeys(("ContributeSeed", "DeclineSeed"), "seed-already-given")
OFFERED = IN_PLAY | NOBODYS_TURN | dict.fromkeys(("RollDice", "OfferResignation"), "offer-pending")
WAITS = OFFERED | dict.fromkeys(("TakeCube", "PassCube"), "not-your-turn")
ANSWERING = {name: reason for name, reason in OFFERED.items() if name not in {"TakeCube", "PassCube"}}
BEAVERED = {name: reason for name, reason in ANSWERING.items() if name != "RaccoonCube"}
OVER = dict.fromkeys(COMMANDS, "match-over")
UNJOINED = dict.fromkeys(COMMANDS, "match-not-started")
STRANGER = dict.fromkeys(COMMANDS, "not-seated")

OUT_OF_PHASE: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "to_opening": (OPENING, OPENING),
    "to_move": (
        IN_PLAY | {"OfferCube": "wrong-phase", "UndoMoves": "nothing-to-undo", "EndTurn": "die-left"},
        IN_PLAY | NOBODYS_TURN | dict.fromkeys(CHECKERS, "not-your-turn"),
    ),
    "to_roll": (
        IN_PLAY | dict.fromkeys(CHECKERS, "wrong-phase"),
        IN_PLAY | NOBODYS_TURN | dict.fromkeys(("RollDice", "OfferCube"), "not-your-turn"),
    ),
    "to_offer": (WAITS, ANSWERING | {"BeaverCube": "no-beaver"}),
    "to_beaver": (BEAVERED, WAITS),
    "to_raccoon": (WAITS, ANSWERING),
    "to_end": (OVER, OVER),
}
"""Step of a game → what is refused to the side on roll, and to the other side; what is missing is allowed."""
BEAVERS = {"profile": "money", "options": {"beaver": 1, "raccoon": 1}}


async def test_every_command_there_is_is_tried() -> None:
    fields = pb.Command.DESCRIPTOR.oneofs_by_name["command"].fields
    assert {field.message_type.full_name for field in fields if field.message_type} == {
        request.DESCRIPTOR.full_name for request in COMMANDS.values()
    }


@pytest.mark.parametrize("step", OUT_OF_PHASE)
async def test_what_a_phase_does_not_allow_is_refused_by_name(home: House, step: str) -> None:
    chosen: dict[str, Any] = BEAVERS if step in {"to_beaver", "to_raccoon"} else {"profile": "blitz"}
    async with table(home, **chosen) as game, home.visitor().talk() as stranger:
        state = await getattr(game, step)()
        async with game.unmoved() as position:
            found: dict[tuple[str, str], str] = {}
            wanted: dict[tuple[str, str], str] = {}
            sides = {"on roll": game.side(state), "other": game.other(state), "stranger": stranger}
            for (who, talk), expected in zip(sides.items(), (*OUT_OF_PHASE[step], STRANGER), strict=True):
                for name, reason in expected.items():
                    answer = await send(talk, command(game.match_id, COMMANDS[name]))
                    assert (answer.refused.position, answer.refused.match_id) == (position, game.match_id)
                    found[who, name] = answer.refused.reason
                    wanted[who, name] = reason
            assert found == wanted


async def test_at_a_table_without_a_match_there_is_nothing_to_play(home: House) -> None:
    async with table(home, joined=False) as game, game.unmoved():
        found = {name: await refused(game.white, command(game.match_id, r)) for name, r in COMMANDS.items()}
        assert found == UNJOINED
        assert {await refused(game.black, command(game.match_id, r)) for r in COMMANDS.values()} == {
            "not-seated"
        }


NONSENSE: dict[str, list[tuple[int, int]]] = {
    "no such points": [(-1, -7)],
    "beyond the board": [(26, 20)],
    "the largest numbers": [(LARGEST, -LARGEST - 1)],
    "from nowhere": [(0, 0)],
    "standing still": [(24, 24)],
    "backwards": [(13, 15)],
    "from an empty point": [(23, 22)],
    "bearing off from afar": [(6, 0)],
    "entering from an empty bar": [(25, 20)],
    "more than the dice allow": [(13, 12)] * 5,
    "far too much": [(24, 23)] * 200,
}


@pytest.mark.parametrize(("steps", "end_turn"), list(product(NONSENSE.values(), (False, True))))
async def test_checkers_that_cannot_go_there_stay(
    home: House, steps: list[tuple[int, int]], end_turn: bool
) -> None:
    async with table(home) as game:
        state = await game.to_move()
        async with game.unmoved():
            request = rules.MoveCheckersRequest(end_turn=end_turn)
            for origin, target in steps:
                request.steps.add(origin=origin, target=target)
            assert await refused(game.side(state), command(game.match_id, request)) == "illegal-play"


def _worth(number: int) -> cube.OfferResignationRequest:
    return cube.OfferResignationRequest(worth=number)  # type: ignore[arg-type]  # any number may come


ODD: dict[str, tuple[str, Message, str]] = {
    "a negative undo": ("to_move", rules.UndoMovesRequest(count=-1), "nothing-to-undo"),
    "an undo of all there ever was": ("to_move", rules.UndoMovesRequest(count=LARGEST), "nothing-to-undo"),
    "a turn ended with dice left": ("to_move", rules.MoveCheckersRequest(end_turn=True), "die-left"),
    "a tip too short": ("to_opening", dice.ContributeSeedRequest(tip=b"x"), "bad-seed"),
    "a tip too long": ("to_opening", dice.ContributeSeedRequest(tip=b"x" * 5000), "bad-seed"),
    "no tip": ("to_opening", dice.ContributeSeedRequest(), "bad-seed"),
    "a link without a part": ("to_roll", dice.RollDiceRequest(link=b"x" * 32), "no-link-wanted"),
    "no worth": ("to_move", _worth(0), "bad-worth"),
    "a worth of four": ("to_move", _worth(4), "bad-worth"),
    "a worth of a lot": ("to_move", _worth(LARGEST), "bad-worth"),
    "a worth of less than nothing": ("to_move", _worth(-1), "bad-worth"),
}


@pytest.mark.parametrize("what", ODD)
async def test_values_that_nobody_can_mean_are_refused(home: House, what: str) -> None:
    step, request, reason = ODD[what]
    async with table(home, "classic", points=3) as game:
        state = await getattr(game, step)()
        async with game.unmoved():
            assert await refused(game.side(state), command(game.match_id, request)) == reason


async def test_a_link_that_is_not_of_the_chain_is_refused(home: House) -> None:
    async with table(home) as game:
        state = await game.to_roll(dice.ContributeSeedRequest(tip=b"x" * 32))
        async with game.unmoved():
            for link in (b"y" * 32, b"x" * 32, b"y", b"y" * 5000):
                made = command(game.match_id, dice.RevealLinkRequest(link=link))
                assert await refused(game.other(state), made) == "bad-link"
                made = command(game.match_id, dice.RollDiceRequest(link=link))
                assert await refused(game.side(state), made) == "bad-link"


@pytest.mark.parametrize("offset", [-1, 1, 1000, 1 << 62, -(1 << 62)])
async def test_a_command_for_another_position_is_stale(home: House, offset: int) -> None:
    async with table(home) as game:
        state = await game.to_roll()
        async with game.unmoved() as position:
            made = command(game.match_id, dice.RollDiceRequest(), position=position + offset)
            answer = await send(game.side(state), made)
            assert (answer.refused.reason, answer.refused.position) == ("stale-position", position)
        await game.do(game.side(state), dice.RollDiceRequest())


async def test_a_repeated_command_gets_the_first_answer_and_changes_nothing(home: House) -> None:
    async with table(home) as game:
        await game.to_opening()
        first = await game.do(game.white, dice.DeclineSeedRequest(), "once")
        state = await game.rolled()
        async with game.unmoved():
            for request in (dice.DeclineSeedRequest(), dice.ContributeSeedRequest(tip=b"x" * 32)):
                assert await game.do(game.white, request, "once") == first
            # another account's id is another id: it is judged by what it asks for
            made = command(game.match_id, dice.DeclineSeedRequest(), "once")
            assert await refused(game.black, made) == "seed-already-given"
            other = game.other(state)
            assert (
                await refused(other, command(game.match_id, dice.RollDiceRequest(), "once2")) == "wrong-phase"
            )


async def test_the_id_of_a_command_of_another_match_is_taken(home: House) -> None:
    async with table(home) as one:
        await one.to_opening()
        await one.do(one.white, dice.DeclineSeedRequest(), "mine")
        match_id = (await one.opener.ask("POST", "/v1/tables", {"profile": "blitz"})).body["matchId"]
        joined = await one.joiner.ask("POST", f"/v1/tables/{match_id}/join", {})
        assert joined.status == 200
        two = Game((one.white, one.black), (one.opener, one.joiner), match_id)
        await one.white.subscribe(match_id)
        await two.to_opening()
        async with two.unmoved():
            made = command(match_id, dice.DeclineSeedRequest(), "mine")
            assert await refused(one.white, made) == "command-id-reused"


async def test_the_log_holds_what_was_accepted_and_nothing_else(home: House) -> None:
    async with table(home) as game:
        state = await game.to_offer()
        for talk, request in product((game.white, game.black), COMMANDS.values()):
            if type(request) not in {
                cube.TakeCubeRequest,
                cube.PassCubeRequest,
                rules.SetAutomaticPlayRequest,
            }:
                await refused(talk, command(game.match_id, request, f"refused-{new_id()}"))
        await game.do(game.side(state, "toAct"), cube.TakeCubeRequest(), "accepted")
        async with the_log(home.system.settings) as log:
            ids = [stored.command_id for stored in await log.read(game.match_id)]
        assert not [command_id for command_id in ids if "refused-" in command_id]
        assert [command_id for command_id in ids if command_id.endswith("/accepted")] == [ids[-1]]
