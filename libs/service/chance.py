"""The only source of chance: unguessable ids and keys."""

import secrets


def new_id() -> str:
    """128 random bits as 32 lower-case hex digits, fit for a match id or a command id."""
    return secrets.token_hex(16)


def random_bytes(count: int) -> bytes:
    """`count` bytes from the operating system, fit for keys and seeds."""
    return secrets.token_bytes(count)
