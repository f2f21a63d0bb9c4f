"""What does `--help` say of commands that make tiptoe at home on a machine, beside their options?"""

__all__ = ["COMPLETION_EXAMPLES", "COMPLETION_HELP", "MANUAL_EXAMPLES", "MANUAL_HELP"]

COMPLETION_HELP = """Print the script with which a shell completes commands, options and names of crawls.

For bash, zsh and fish. Generate it again after an update of tiptoe.
"""

COMPLETION_EXAMPLES = """For example, for every new shell, or (the last line) only for this one:
```
tiptoe completion bash > ~/.local/share/bash-completion/completions/tiptoe
tiptoe completion zsh > ~/.zfunc/_tiptoe       # ~/.zfunc has to be in $fpath
tiptoe completion fish > ~/.config/fish/completions/tiptoe.fish
source <(tiptoe completion bash)
```
"""

MANUAL_HELP = """Write the manual pages: tiptoe(1), and one for each command.

They contain the same text as `--help`.
"""

MANUAL_EXAMPLES = """For example:
```
tiptoe manual --out ~/.local/share/man/man1
man tiptoe-crawl
```
"""
