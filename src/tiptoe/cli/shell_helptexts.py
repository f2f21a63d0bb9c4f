"""What does `--help` say of commands that make tiptoe at home on a machine, beside their options?"""

__all__ = ["COMPLETION_EXAMPLES", "COMPLETION_HELP", "MANUAL_EXAMPLES", "MANUAL_HELP"]

COMPLETION_HELP = """Print the script by which a shell completes commands, options and crawls.

For bash, zsh and fish. To be made anew after an update of tiptoe.
"""

COMPLETION_EXAMPLES = """For example, for every new shell, or for this one alone:
```
tiptoe completion bash > ~/.local/share/bash-completion/completions/tiptoe
tiptoe completion zsh > ~/.zfunc/_tiptoe       # ~/.zfunc has to be in $fpath
tiptoe completion fish > ~/.config/fish/completions/tiptoe.fish
source <(tiptoe completion bash)
```
"""

MANUAL_HELP = """Write the manual pages: tiptoe(1), and one for each command.

They say what `--help` says.
"""

MANUAL_EXAMPLES = """For example:
```
tiptoe manual --out ~/.local/share/man/man1
man tiptoe-crawl
```
"""
