"""Files of a set."""

from pathlib import Path

import pytest

from tiptoe.cli.text_files import write_text_file
from tiptoe.errors import SettingsError


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A full disk alone does not say which."""
    write_text_file(tmp_path / "a", "text\n")
    assert (tmp_path / "a").read_text() == "text\n"
    with pytest.raises(SettingsError, match="/none/a: cannot be written: No such file or directory"):
        write_text_file(tmp_path / "none" / "a", "text\n")
