"""What the gateway tells the audit of who asks about disputes."""

from typing import Any

from aiohttp.test_utils import make_mocked_request

from libs.service.now import now
from libs.service.settings import AUDIT
from services.gateway.call import Call
from services.gateway.case_api import CaseApi
from services.gateway.commands import Commands
from services.gateway.route import SUPPORT
from services.gateway.tokens import Identity
from videau.audit.v1 import cases_pb2 as pb

SUE = Identity("staff-sue", "Sue", 0, frozenset((SUPPORT,)))


class Heard:
    """An audit that answers nothing in particular."""

    def __init__(self) -> None:
        self.requests: list[Any] = []

    async def call(
        self,
        method: str,
        request: Any,
        response_type: Any,
        timeout: float,  # noqa: ASYNC109
        **_: Any,
    ) -> Any:
        del method, timeout
        self.requests.append(request)
        return response_type()


def asked(method: str, path: str, **parts: str) -> Call:
    headers = {"Idempotency-Key": "one"}
    return Call(make_mocked_request(method, path, headers, match_info=parts), SUE, b"")


async def test_a_look_is_never_the_repeat_of_another() -> None:
    """Else one look would be written down, and a hundred taken."""
    heard = Heard()
    api = CaseApi(Commands({AUDIT: heard, "lobby": heard}), now)
    for _ in range(2):
        await api.get_case(asked("GET", "/v1/cases/case-1?why=x", case_id="case-1"))
        await api.find_account_matches(asked("GET", "/v1/support/matches?account=w&why=x"))
    looks = [one for one in heard.requests if isinstance(one, pb.GetCaseRequest | pb.LookUpAccountRequest)]
    ids = {look.context.command_id for look in looks}

    assert len(ids) == len(looks) == 4
    assert "one" not in ids


async def test_what_changes_something_is_known_by_its_key() -> None:
    heard = Heard()
    api = CaseApi(Commands({AUDIT: heard}), now)
    for _ in range(2):
        await api.take_case(asked("POST", "/v1/cases/case-1/take", case_id="case-1"))

    assert [one.context.command_id for one in heard.requests] == ["one", "one"]
