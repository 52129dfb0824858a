"""The file that proves a match: a header, the SHA-256 of what follows, and a compressed message.

Reading believes nothing and is bounded in memory: sizes are checked before anything is unpacked or parsed.
"""

import hashlib
import zlib

from google.protobuf.message import DecodeError

from libs.eventlog.archive import from_archive
from libs.eventlog.codec import UndecodableError
from libs.eventlog.store import Stored
from libs.eventlog.unparsed import NoMessageError, fields
from libs.merkle import HASH_BYTES, LONGEST_PROOF
from videau.bundle.v1.bundle_pb2 import Bundle

MAGIC = b"videau bundle\n"
VERSION = 1
MAX_PACKED, MAX_BYTES = 16 << 20, 16 << 20
MAX_KEYS = 8
"""Those of certificate and head, and of rulings: a key that is replaced has ruled and certified before."""
_HEADER = len(MAGIC) + 1 + HASH_BYTES
_FIELDS, _MOST_PROOF_BYTES = 4 + MAX_KEYS, 64 << 10
"""How many fields a bundle has; all but the archive are short."""


class BundleError(Exception):
    """A file that is no bundle, or not as it was written; the message is for a person."""


def pack(bundle: Bundle) -> bytes:
    """The file."""
    packed = zlib.compress(_canonical(bundle), 9)
    return MAGIC + bytes([VERSION]) + hashlib.sha256(packed).digest() + packed


def unpack(data: bytes) -> Bundle:
    """The bundle in a file, if it is exactly one that `pack` wrote. Raises BundleError."""
    if not data.startswith(MAGIC) or len(data) <= _HEADER:
        raise BundleError("this is no bundle of a match")
    if data[len(MAGIC)] != VERSION:
        raise BundleError(f"a bundle of version {data[len(MAGIC)]}: this program reads version {VERSION}")
    if len(data) > MAX_PACKED:
        raise BundleError(f"a bundle has at most {MAX_PACKED} bytes")
    packed = data[_HEADER:]
    if hashlib.sha256(packed).digest() != data[_HEADER - HASH_BYTES : _HEADER]:
        raise BundleError("the file is damaged: its checksum is another")
    plain = _unzipped(packed)
    _look_over(plain)
    try:
        bundle = Bundle.FromString(plain)
    except DecodeError as error:
        raise BundleError(f"the file holds no bundle: {error}") from error
    if len(bundle.public_keys) > MAX_KEYS or len(bundle.inclusion.path) > LONGEST_PROOF:
        raise BundleError("more keys or hashes than a bundle has")
    if _canonical(bundle) != plain:
        raise BundleError("the file holds more than a bundle, or holds it in another form")
    return bundle


def log_of(archive: bytes) -> tuple[str, list[Stored]]:
    """The match id and the log in a bundle's archive. Raises BundleError."""
    try:
        return from_archive(archive)
    except UndecodableError as error:
        raise BundleError(str(error)) from error


def _look_over(plain: bytes) -> None:
    """Refuse what would cost more to parse than a bundle does."""
    try:
        for number, (field, size) in enumerate(fields(plain)):
            if number == _FIELDS or (size > _MOST_PROOF_BYTES and field != Bundle.ARCHIVE_FIELD_NUMBER):
                raise BundleError("the file holds more than a bundle")
    except NoMessageError as error:
        raise BundleError(f"the file holds no bundle: {error}") from error


def _canonical(bundle: Bundle) -> bytes:
    known = Bundle()
    known.CopyFrom(bundle)
    known.DiscardUnknownFields()
    return known.SerializeToString(deterministic=True)


def _unzipped(packed: bytes) -> bytes:
    """What is packed, as long as it is no more than may be."""
    unzip = zlib.decompressobj()
    try:
        plain = unzip.decompress(packed, MAX_BYTES + 1)
    except zlib.error as error:
        raise BundleError(f"the file cannot be unpacked: {error}") from error
    if len(plain) > MAX_BYTES:
        raise BundleError(f"a bundle unpacks to at most {MAX_BYTES} bytes")
    if not unzip.eof or unzip.unused_data:
        raise BundleError("the file is cut off, or goes on behind its end")
    return plain
