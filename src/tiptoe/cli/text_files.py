"""How does a command write a file whose name the user did not choose, such as one of a set?"""

from pathlib import Path

from tiptoe.errors import SettingsError

__all__ = ["write_text_file"]


def write_text_file(path: Path, text: str) -> None:
    """Write a text; an error about a full disk names the file."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise SettingsError(f"{path}: cannot be written: {problem.strerror}") from None
