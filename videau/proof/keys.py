"""Ed25519 keys and what they sign: one prefix a kind of statement, so that none passes for another."""

import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from videau.bundle.v1.bundle_pb2 import Signed

CERTIFICATE, TREE_HEAD = b"videau/certificate/v1\x00", b"videau/tree-head/v1\x00"
RULING = b"videau/ruling/v1\x00"
KEY_BYTES = 32


class BadKeyError(Exception):
    """A file that holds no such key; the message is for the person at the terminal."""


def key_id(public: bytes) -> str:
    """The name of a key, which follows from it: 32 hexadecimal digits."""
    return hashlib.sha256(public).hexdigest()[:32]


def raw(private: Ed25519PrivateKey) -> bytes:
    """The 32 bytes of the public key."""
    return private.public_key().public_bytes_raw()


def sign(private: Ed25519PrivateKey, prefix: bytes, statement: bytes) -> Signed:
    """A statement with its signature."""
    return Signed(statement=statement, signature=private.sign(prefix + statement))


def is_signed(public: bytes, prefix: bytes, signed: Signed) -> bool:
    """Whether this key has signed a statement of this kind."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signed.signature, prefix + signed.statement)
    except (InvalidSignature, ValueError):
        return False
    return True


def read_private(pem: bytes) -> Ed25519PrivateKey:
    """A key to sign with. Raises BadKeyError."""
    try:
        key = load_pem_private_key(pem, None)
    except (ValueError, TypeError) as error:
        raise BadKeyError(f"no private key in PEM without a password: {error}") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise BadKeyError("this is no Ed25519 key")
    return key


def read_public(pem: bytes) -> bytes:
    """The 32 bytes of a key to check with. Raises BadKeyError."""
    try:
        key = load_pem_public_key(pem)
    except ValueError as error:
        raise BadKeyError(f"no public key in PEM: {error}") from error
    if not isinstance(key, Ed25519PublicKey):
        raise BadKeyError("this is no Ed25519 key")
    return key.public_bytes_raw()
