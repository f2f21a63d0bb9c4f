"""Where does a secret come from, and who may see it?

From a file or the environment, never from a rule file or a command line, which others can read. Only `reveal`
returns it, for a request; it is shown nowhere else.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

__all__ = ["Secret", "read_secret"]

SECRET_BYTES_MAX: Final = 16_384


class Secret:
    """A text that must not be printed."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text, for a request that is about to be sent."""
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return "<Secret>"


def read_secret(*, file: Path | None, variable: str, environment: Mapping[str, str]) -> Secret:
    """Return a secret from the first line of a file, or from a variable; ValueError says what is missing."""
    if file is not None:
        text, place = _first_line(file), str(file)
    elif variable in environment:
        text, place = environment[variable], f"the environment variable {variable}"
    else:
        raise ValueError(f"the environment variable {variable} is not set; export it before the crawl starts")
    if not text:
        raise ValueError(f"{place} is empty; a secret must stand in it")
    if not text.isprintable():
        raise ValueError(f"{place} holds control characters; one line of text is expected")
    return Secret(text)


def _first_line(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            data = opened.read(SECRET_BYTES_MAX + 1)
    except OSError as error:
        raise ValueError(f"{file}: {error.strerror}; put the secret there, on one line") from None
    if len(data) > SECRET_BYTES_MAX:
        raise ValueError(f"{file}: more than {SECRET_BYTES_MAX} bytes; one line with the secret is expected")
    try:
        return data.decode("utf-8").partition("\n")[0].removesuffix("\r")
    except UnicodeDecodeError:
        raise ValueError(f"{file}: not UTF-8; one line of text is expected") from None
