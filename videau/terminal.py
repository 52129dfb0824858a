"""Text of strangers on a terminal: a name in a file must not move the cursor or recolour a verdict."""

REPLACED = "\N{REPLACEMENT CHARACTER}"


def plain(text: str) -> str:
    """The text with everything replaced that does not print, ends of lines kept."""
    return "".join(char if char.isprintable() or char == "\n" else REPLACED for char in text)
