"""`tiptoe manual`: write the manual pages."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tiptoe.cli.command_tree import declared_commands
from tiptoe.cli.manual_pages import manual_pages
from tiptoe.cli.text_files import write_text_file
from tiptoe.errors import SettingsError
from tiptoe.observe.amounts import counted

__all__ = ["manual_command"]


def manual_command(*, out: Annotated[Path, Parameter(help="Directory for the pages.")]) -> int:
    """Write a manual page for each command."""
    from tiptoe.cli.main import app  # it imports this module

    pages = manual_pages(declared_commands(app))
    if out.exists() and not out.is_dir():
        raise SettingsError(f"--out {out}: there is a file of this name; name a directory")
    out.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        write_text_file(out / name, text)
    print(f"{counted(len(pages), 'page')} in {out}; to read one: man -l {out / 'tiptoe-crawl.1'}")
    return 0
