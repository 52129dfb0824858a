"""Files of strangers, read no further than makes sense."""

from pathlib import Path


def read_at_most(path: Path, most: int) -> bytes:
    """The bytes of a file; of a longer one, one byte more than may be, which its reader then refuses.

    Raises OSError.
    """
    with path.open("rb") as file:
        return file.read(most + 1)
