"""`tiptoe completion`: let a shell complete the words of tiptoe."""

from typing import Annotated

from cyclopts import Parameter

from tiptoe.cli.command_tree import declared_commands
from tiptoe.cli.completion_scripts import Shell, completion_script

__all__ = ["completion_command"]


def completion_command(shell: Annotated[Shell, Parameter(help="For which shell.")]) -> int:
    """Print the script that lets a shell complete commands, options and crawls."""
    from tiptoe.cli.main import app  # it imports this module

    print(completion_script(declared_commands(app), shell), end="")
    return 0
