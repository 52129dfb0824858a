"""Who a token speaks for: the gateway's own guests, and the accounts of an OpenID issuer."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from jwt.types import Options

from libs.backgammon.errors import Reason, RefusedError
from libs.backgammon.microseconds import SECOND
from libs.service.settings import Settings, SettingsError

GUEST_ISSUER = "videau-guests"
GUEST_SECONDS = 7 * 24 * 3600
GUEST = "guest-"
STAFF = "staff-"
"""Accounts that begin like these are of our own making; no other issuer may name one."""
ALGORITHMS = ("EdDSA", "ES256", "RS256")
CLAIMS: Options = {"require": ["exp", "sub", "iss", "aud"]}
LONGEST_NAME = 40
MAX_TOKEN = 8192

_ACCOUNT = re.compile(r"[!-.0-~]{1,60}")
_NO_ACCOUNT = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom a token speaks for, and until when, in seconds since 1970."""

    account: str
    name: str
    expires_at: int
    roles: frozenset[str] = frozenset()
    """What he may do beyond a player, such as support."""


class Keys(Protocol):
    """The published keys of an issuer."""

    async def key(self, kid: str | None) -> jwt.PyJWK: ...


class Guests:
    """Issues tokens to anybody who asks, under an account made up for the purpose."""

    def __init__(self, key_pem: bytes, audience: str, new_id: Callable[[], str]) -> None:
        key = load_pem_private_key(key_pem, password=None)
        if not isinstance(key, Ed25519PrivateKey):
            raise SettingsError("guest-key.pem is not an Ed25519 private key")
        self._key = key
        self._audience = audience
        self._new_id = new_id
        self.public_key: Ed25519PublicKey = key.public_key()

    def issue(self, name: str, now: int) -> tuple[Identity, str]:
        """A new guest and his token. `now` in microseconds since 1970. Raises RefusedError BAD_REQUEST."""
        name = name.strip()
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise RefusedError(Reason.BAD_REQUEST, f"a name has 1 to {LONGEST_NAME} printable characters")
        guest = Identity(GUEST + self._new_id(), name, now // SECOND + GUEST_SECONDS)
        return guest, self._token(guest, now)

    def issue_staff(self, name: str, role: str, now: int, seconds: int) -> tuple[Identity, str]:
        """A member of the staff and his token; his account follows from his name.

        `now` in microseconds since 1970. Raises RefusedError BAD_REQUEST.
        """
        account = STAFF + _NO_ACCOUNT.sub("-", name.strip().lower()).strip("-")
        if account == STAFF or not _ACCOUNT.fullmatch(account) or len(name) > LONGEST_NAME:
            raise RefusedError(Reason.BAD_REQUEST, f"a name has 1 to {LONGEST_NAME} letters and digits")
        staff = Identity(account, name.strip(), now // SECOND + seconds, frozenset((role,)))
        return staff, self._token(staff, now)

    def _token(self, whom: Identity, now: int) -> str:
        claims: dict[str, Any] = {
            "iss": GUEST_ISSUER,
            "aud": self._audience,
            "sub": whom.account,
            "name": whom.name,
            "iat": now // SECOND,
            "exp": whom.expires_at,
            **({"roles": sorted(whom.roles)} if whom.roles else {}),
        }
        return jwt.encode(claims, self._key, algorithm="EdDSA")


class Tokens:
    """Tells whom a token speaks for; every doubt is a RefusedError UNAUTHENTICATED."""

    def __init__(self, settings: Settings, guests: Guests | None, keys: Keys | None) -> None:
        if keys is not None and not settings.issuer:
            raise SettingsError("VIDEAU_JWKS_URL needs VIDEAU_ISSUER beside it")
        self._audience = settings.audience
        self._issuer = settings.issuer
        self._guests = guests
        self._keys = keys

    async def identify(self, token: str) -> Identity:
        """Raises RefusedError: UNAUTHENTICATED, or UNAVAILABLE while the issuer's keys cannot be had."""
        if not token:
            raise RefusedError(Reason.UNAUTHENTICATED, "a bearer token is wanted")
        if len(token) > MAX_TOKEN:
            raise RefusedError(Reason.UNAUTHENTICATED, "no token is that long")
        try:
            header = jwt.get_unverified_header(token)
            issuer = jwt.decode(token, options={"verify_signature": False}).get("iss")
            algorithm, key = await self._key(header, issuer)
            claims = jwt.decode(
                token, key, algorithms=[algorithm], audience=self._audience, issuer=issuer, options=CLAIMS
            )
            return _identity(claims, guest=issuer == GUEST_ISSUER)
        except jwt.ExpiredSignatureError:
            raise RefusedError(Reason.UNAUTHENTICATED, "the token has expired") from None
        except jwt.PyJWTError as error:
            raise RefusedError(Reason.UNAUTHENTICATED, f"not a valid token: {error}") from None
        except (ValueError, TypeError, ArithmeticError, RecursionError):
            raise RefusedError(Reason.UNAUTHENTICATED, "not a valid token") from None

    async def _key(self, header: dict[str, Any], issuer: object) -> tuple[str, Any]:
        """The algorithm and key by which it must be signed: the token has no say in the kind of key."""
        algorithm = header.get("alg")
        if algorithm not in ALGORITHMS:
            raise RefusedError(Reason.UNAUTHENTICATED, f"tokens are signed by {', '.join(ALGORITHMS)}")
        if issuer == GUEST_ISSUER and self._guests is not None:
            return "EdDSA", self._guests.public_key
        if self._keys is not None and issuer == self._issuer:
            key = await self._keys.key(header.get("kid"))
            if key.algorithm_name != algorithm:
                raise RefusedError(Reason.UNAUTHENTICATED, "the token's key is for another algorithm")
            return algorithm, key.key
        raise RefusedError(Reason.UNAUTHENTICATED, "nobody here knows the token's issuer")


def _identity(claims: dict[str, Any], *, guest: bool) -> Identity:
    subject, name = claims["sub"], claims.get("name")
    if not isinstance(subject, str) or not subject or (not guest and subject.startswith((GUEST, STAFF))):
        raise RefusedError(Reason.UNAUTHENTICATED, "the token names no account")
    if not _ACCOUNT.fullmatch(subject):
        # Account names stand in command ids, which the log's headers carry: those it cannot carry are hashed.
        subject = "sha256:" + hashlib.sha256(subject.encode()).hexdigest()[:40]
    shown = name.strip()[:LONGEST_NAME] if isinstance(name, str) else ""
    roles = claims.get("roles")
    return Identity(
        subject,
        shown if shown.isprintable() and shown else "Player",
        int(claims["exp"]),
        frozenset(role for role in roles if isinstance(role, str))
        if isinstance(roles, list)
        else frozenset(),
    )
