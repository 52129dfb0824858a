"""Tokens that prove nothing: refused over HTTP and over a WebSocket alike."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from libs.service.now import now
from services.gateway.tokens import GUEST_ISSUER
from tests.e2e.visitors import House, problem

pytestmark = pytest.mark.asyncio(loop_scope="session")


def _claims(**other: Any) -> dict[str, Any]:
    claims = {"iss": GUEST_ISSUER, "aud": "videau", "sub": "guest-forger", "name": "Forger"}
    claims |= {"exp": now() // 1_000_000 + 3600} | other
    return {name: value for name, value in claims.items() if value is not None}


def _signed(key: Any, **other: Any) -> str:
    return jwt.encode(_claims(**other), key, algorithm="EdDSA")


def _by_hand(header: dict[str, Any], sign: Callable[[bytes], bytes]) -> str:
    """A token as no library would make it."""

    def part(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    said = f"{part(json.dumps(header).encode())}.{part(json.dumps(_claims()).encode())}"
    return f"{said}.{part(sign(said.encode()))}"


def _forgeries(key: Any) -> dict[str, str]:
    """Tokens that must not open any door; `key` is the gateway's own."""
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    good, other = _signed(key), Ed25519PrivateKey.generate()
    head, claims, signature = good.split(".")
    return {
        "expired": _signed(key, exp=now() // 1_000_000 - 1),
        "long expired": _signed(key, exp=1),
        "not yet valid": _signed(key, nbf=now() // 1_000_000 + 1000),
        "without an end": _signed(key, exp=None),
        "an end that is no number": _signed(key, exp="tomorrow"),
        "for another audience": _signed(key, aud="elsewhere"),
        "for no audience": _signed(key, aud=None),
        "of another issuer": _signed(key, iss="https://elsewhere.example"),
        "of no issuer": _signed(key, iss=None),
        "of nobody": _signed(key, sub=None),
        "of an empty name": _signed(key, sub=""),
        "of a number": _signed(key, sub=None, user=7),
        "by another key": _signed(other),
        "with another's claims": f"{head}.{_signed(other, sub='guest-victim').split('.')[1]}.{signature}",
        "without a signature": f"{head}.{claims}.",
        "of two parts": f"{head}.{claims}",
        "unsigned": _by_hand({"alg": "none", "typ": "JWT"}, lambda _: b""),
        "unsigned in capitals": _by_hand({"alg": "NONE"}, lambda _: b""),
        "signed by the public key": _by_hand(
            {"alg": "HS256"}, lambda said: hmac.digest(public, said, hashlib.sha256)
        ),
        "with a key of its own": _by_hand({"alg": "EdDSA", "jwk": {"kty": "OKP"}}, other.sign),
        "by an unknown way": _by_hand({"alg": "EdDSA", "crit": ["b64"], "b64": False}, key.sign),
        "endless": "a" * 8000,
        "noise": "a.b.c",
        "dots": "..",
        "not ASCII": "ä.ö.ü",
    }


async def test_tokens_that_prove_nothing_open_no_door(home: House) -> None:
    key = load_pem_private_key(home.key, password=None)
    for what, token in _forgeries(key).items():
        forger = home.with_token(token)
        assert problem(await forger.ask("GET", "/v1/tables")) == (401, "unauthenticated"), what
        async with forger.raw() as talk:
            assert (await talk.hear()).refused.reason == "unauthenticated", what
            assert await talk.closed() == 4001, what


async def test_a_connection_ends_with_its_token(home: House) -> None:
    key = load_pem_private_key(home.key, password=None)
    token = _signed(key, exp=now() // 1_000_000 + 2)
    async with home.with_token(token).talk() as talk:
        assert await talk.closed() == 4002
    async with home.with_token(token).raw() as talk:
        assert (await talk.hear()).refused.reason == "unauthenticated"
