"""Whom the gateway believes, and whom not."""

import base64
import json
from datetime import UTC, datetime
from typing import Any

import aiohttp
import jwt
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.backgammon.errors import Reason, RefusedError
from libs.service.now import now
from libs.service.settings import Settings, SettingsError
from services.gateway.jwks import WAIT_SECONDS, JwksKeys, fetcher
from services.gateway.tokens import GUEST_ISSUER, Guests, Tokens
from tests.gateway_scene import guest_key

ISSUER = "https://id.example"
LATER = 4_000_000_000
RSA = rsa.generate_private_key(65537, 2048)
EC = ec.generate_private_key(ec.SECP256R1())
ED = Ed25519PrivateKey.generate()
KEYS: dict[str, tuple[str, Any]] = {"RS256": ("r", RSA), "ES256": ("e", EC), "EdDSA": ("d", ED)}


class Issuer:
    """An OpenID issuer's key set, with a count of how often it was fetched."""

    def __init__(self) -> None:
        self.fetched = 0
        self.time = 0.0
        self.down = False
        self.published = dict(KEYS)
        self.keys = JwksKeys(self.fetch, lambda: self.time)

    async def fetch(self) -> bytes:
        self.fetched += 1
        if self.down:
            raise TimeoutError
        entries = [
            {**_algorithm(name).to_jwk(key.public_key(), as_dict=True), "kid": kid, "alg": name}
            for name, (kid, key) in self.published.items()
        ]
        return json.dumps({"keys": [*entries, {"kty": "oct", "kid": "o", "k": "AA"}]}).encode()


def _algorithm(name: str) -> Any:
    return jwt.get_algorithm_by_name(name)


def signed(algorithm: str = "RS256", key: Any = None, kid: str | None = None, **claims: Any) -> str:
    known, ours = KEYS.get(algorithm, ("", None))
    given = {"iss": ISSUER, "aud": "videau", "sub": "ann", "name": "Ann", "exp": LATER} | claims
    headers = {"kid": known if kid is None else kid}
    return jwt.encode(
        {name: value for name, value in given.items() if value is not None},
        ours if key is None else key,
        algorithm=algorithm,
        headers=headers,
    )


def tokens(issuer: Issuer | None = None) -> Tokens:
    return Tokens(Settings(issuer=ISSUER), None, (issuer or Issuer()).keys)


async def reason(token: str, against: Tokens | None = None) -> RefusedError:
    with pytest.raises(RefusedError) as refused:
        await (against or tokens()).identify(token)
    return refused.value


@pytest.mark.parametrize("algorithm", KEYS)
async def test_a_token_of_the_issuer_speaks_for_its_account(algorithm: str) -> None:
    identity = await tokens().identify(signed(algorithm))
    assert (identity.account, identity.name, identity.expires_at) == ("ann", "Ann", LATER)


@pytest.mark.parametrize(
    "token",
    [
        "",
        "x",
        "a.b.c",
        "x" * 9000,
        signed(exp=1),
        signed(exp=None),
        signed(aud="others"),
        signed(aud=None),
        signed(iss="https://evil.example"),
        signed(iss=None),
        signed(sub=None),
        signed(sub=""),
        signed(sub="guest-1"),
        signed(key=rsa.generate_private_key(65537, 2048)),
        signed("ES256", key=ec.generate_private_key(ec.SECP256R1())),
        signed(kid="unknown"),
        signed(kid="e"),
        signed("HS256", key=b"k" * 32, kid="o"),
        signed("RS512", key=RSA, kid="r"),
        signed(nbf=LATER),
    ],
)
async def test_a_token_that_is_not_beyond_doubt_is_refused(token: str) -> None:
    assert (await reason(token)).reason is Reason.UNAUTHENTICATED


async def test_a_token_without_a_signature_is_refused() -> None:
    def part(value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    claims = {"iss": ISSUER, "aud": "videau", "sub": "ann", "exp": LATER}
    for algorithm in ("none", "None", "NONE"):
        refused = await reason(f"{part({'alg': algorithm})}.{part(claims)}.")
        assert refused.reason is Reason.UNAUTHENTICATED


async def test_a_changed_token_is_refused() -> None:
    head, body, signature = signed().split(".")
    other = signed(sub="eve").split(".")[1]
    assert (await reason(f"{head}.{other}.{signature}")).reason is Reason.UNAUTHENTICATED
    assert body != other


async def test_accounts_that_the_log_cannot_carry_are_hashed_and_stay_apart() -> None:
    known = tokens()
    accounts = [
        (await known.identify(signed(sub=sub))).account for sub in ("a/b", "ä", "a b", "x" * 61, "x" * 62)
    ]
    assert len(set(accounts)) == 5
    assert all(len(account) <= 60 and "/" not in account for account in accounts)


async def test_keys_are_fetched_once_and_again_for_an_unknown_key_but_not_more_often_than_allowed() -> None:
    issuer = Issuer()
    new = issuer.published.pop("EdDSA")
    known = tokens(issuer)
    for _ in range(3):
        await known.identify(signed())
    assert issuer.fetched == 1
    issuer.published["EdDSA"] = new
    for _ in range(5):
        await reason(signed("EdDSA"), known)
    assert issuer.fetched == 1
    issuer.time = WAIT_SECONDS
    await known.identify(signed("EdDSA"))
    for number in range(5):
        await reason(signed(kid=f"unknown-{number}"), known)
    assert issuer.fetched == 2


async def test_an_issuer_that_is_down_refuses_as_unavailable_and_known_keys_serve_on() -> None:
    issuer = Issuer()
    issuer.down = True
    known = tokens(issuer)
    assert (await reason(signed(), known)).reason is Reason.UNAVAILABLE
    issuer.down, issuer.time = False, 5
    await known.identify(signed())
    issuer.down, issuer.time = True, 10_000
    await known.identify(signed())


async def test_a_withdrawn_key_opens_doors_for_an_hour_at_most() -> None:
    issuer = Issuer()
    known = tokens(issuer)
    await known.identify(signed())
    del issuer.published["RS256"]
    issuer.time = 3601
    assert (await reason(signed(), known)).reason is Reason.UNAUTHENTICATED


async def test_keys_are_fetched_over_http_and_what_is_no_key_set_is_no_disaster() -> None:
    issuer = Issuer()
    answers = {"/good": await issuer.fetch(), "/text": b"<html>", "/odd": b"[1]", "/long": b" " * 300_000}

    async def serve(request: web.Request) -> web.Response:
        return (
            web.Response(body=answers[request.path]) if request.path in answers else web.Response(status=500)
        )

    app = web.Application()
    app.router.add_get("/{name}", serve)
    async with TestServer(app) as server, aiohttp.ClientSession() as http:
        for path, expected in {"/good": "ann", "/text": "", "/odd": "", "/long": "", "/broken": ""}.items():
            known = Tokens(
                Settings(issuer=ISSUER),
                None,
                JwksKeys(fetcher(http, str(server.make_url(path))), lambda: 0.0),
            )
            if expected:
                assert (await known.identify(signed())).account == expected
            else:
                assert (await reason(signed(), known)).reason is Reason.UNAVAILABLE


async def test_a_guest_gets_a_token_that_is_believed() -> None:
    guests = Guests(guest_key(), "videau", lambda: "1")
    known = Tokens(Settings(), guests, None)
    guest, token = guests.issue(" Ann ", now())
    identity = await known.identify(token)
    assert identity == guest
    assert (identity.account, identity.name) == ("guest-1", "Ann")
    assert identity.expires_at > datetime.now(UTC).timestamp()  # noqa: TID251


async def test_a_guest_of_another_server_or_of_none_is_refused() -> None:
    others = Guests(guest_key(), "videau", lambda: "1").issue("Ann", now())[1]
    ours = Tokens(Settings(), Guests(guest_key(), "videau", lambda: "2"), None)
    assert (await reason(others, ours)).reason is Reason.UNAUTHENTICATED
    assert (await reason(others, Tokens(Settings(), None, None))).reason is Reason.UNAUTHENTICATED
    forged = signed("EdDSA", iss=GUEST_ISSUER, sub="guest-2")
    assert (await reason(forged, ours)).reason is Reason.UNAUTHENTICATED


@pytest.mark.parametrize("name", ["", "  ", "x" * 41, "a\nb", "a\x00"])
def test_a_guest_needs_a_name_that_can_be_shown(name: str) -> None:
    with pytest.raises(RefusedError):
        Guests(guest_key(), "videau", lambda: "1").issue(name, now())


def test_keys_without_an_issuer_are_a_mistake_in_the_settings() -> None:
    with pytest.raises(SettingsError, match="VIDEAU_ISSUER"):
        Tokens(Settings(), None, Issuer().keys)


async def test_a_token_of_the_staff_names_its_role_and_an_account_of_its_own() -> None:
    guests = Guests(guest_key(), "videau", lambda: "1")
    tokens = Tokens(Settings(), guests, None)
    _, token = guests.issue_staff(" Sue O'Hara ", "support", now(), 60)
    staff = await tokens.identify(token)
    assert (staff.account, staff.name) == ("staff-sue-o-hara", "Sue O'Hara")
    assert staff.roles == {"support"}
    _, guest = guests.issue("Sue", now())
    assert (await tokens.identify(guest)).roles == frozenset()
    _, expired = guests.issue_staff("Sue", "support", now() - 120_000_000, 60)
    with pytest.raises(RefusedError, match="expired"):
        await tokens.identify(expired)
    for nobody in ("", "  ", "'", "x" * 41):
        with pytest.raises(RefusedError, match="a name has"):
            guests.issue_staff(nobody, "support", now(), 60)


async def test_no_other_issuer_names_an_account_of_the_staff() -> None:
    issuer = Issuer()
    tokens = Tokens(Settings(issuer=ISSUER), None, issuer.keys)
    with pytest.raises(RefusedError, match="names no account"):
        await tokens.identify(signed(sub="staff-sue"))
