"""The secrets of a system, made once and never overwritten."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from libs.service.chance import new_id, random_bytes

AUDIT_KEY = "audit-key.pem"


def ensure_keys(secrets: Path, users: Iterable[str]) -> dict[str, str]:
    """Make what is missing in the directory, readable by its owner only; the broker's passwords by user."""
    secrets.mkdir(mode=0o700, parents=True, exist_ok=True)
    passwords = {user: _ensure(secrets / f"nats-{user}", _password) for user in users}
    _ensure(secrets / "dice-keys", _dice_key)
    _ensure(secrets / "guest-key.pem", _signing_key)
    _ensure(secrets / AUDIT_KEY, _signing_key)
    return {user: password.decode().strip() for user, password in passwords.items()}


def publish(key: Path, where: Path) -> None:
    """Put the public part of a key where everybody may read it."""
    private = load_pem_private_key(key.read_bytes(), None)
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    if not where.exists() or where.read_bytes() != public:
        where.write_bytes(public)


def write_private(path: Path, data: bytes) -> None:
    """Put a file in its place as a whole, readable by its owner only."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)
    draft.replace(path)


def _ensure(path: Path, make: Callable[[], bytes]) -> bytes:
    if not path.exists():
        write_private(path, make())
    return path.read_bytes()


def _password() -> bytes:
    return new_id().encode()


def _dice_key() -> bytes:
    return f"{new_id()[:8]} {random_bytes(32).hex()}\n".encode()


def _signing_key() -> bytes:
    return Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
