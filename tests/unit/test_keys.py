"""The secrets of a system on one machine: made once, and the public part of the audit's key beside them."""

from pathlib import Path

from videau.proof.keys import raw, read_private, read_public
from videau.system.keys import AUDIT_KEY, ensure_keys, publish


def test_keys_are_made_once_and_the_audit_s_public_key_is_its_own(tmp_path: Path) -> None:
    secrets, public = tmp_path / "secrets", tmp_path / "audit-key.pub.pem"
    passwords = ensure_keys(secrets, ("audit", "dice"))
    key = (secrets / AUDIT_KEY).read_bytes()
    publish(secrets / AUDIT_KEY, public)
    assert read_public(public.read_bytes()) == raw(read_private(key))
    assert b"PRIVATE" not in public.read_bytes()
    assert (secrets / AUDIT_KEY).stat().st_mode & 0o077 == 0
    assert ensure_keys(secrets, ("audit", "dice")) == passwords
    assert (secrets / AUDIT_KEY).read_bytes() == key
    public.write_bytes(b"of another key")
    publish(secrets / AUDIT_KEY, public)
    assert read_public(public.read_bytes()) == raw(read_private(key))
