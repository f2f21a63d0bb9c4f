"""What does the reference page of all settings say?

`python -m tiptoe.settings.reference [FILE]` writes docs/reference/settings.md; a
test checks that the file matches the declarations.
"""

import sys
from pathlib import Path
from typing import Final

from tiptoe.settings.schema import SECTIONS
from tiptoe.settings.setting import Setting, settings_of

__all__ = ["REFERENCE", "reference_page"]

REFERENCE: Final = Path("docs/reference/settings.md")
WORDS_SHOWN_MAX: Final = 4

PREFACE: Final = """\
# Settings

Settings come from five layers, each of which overrides the one before: built-in defaults, the profile
(`--profile`), what the directory of the crawl remembers of earlier runs, a file, the command line. The word
`default` instead of a value resets a setting to what the profile says, or else to its default.

```toml
# crawl.toml
[politeness]
req_delay = "10s"
```

```
tiptoe crawl https://a.example --config crawl.toml --max-pages 1000 --set fetch.body_max=1MiB
tiptoe config --config crawl.toml     # what is in force, and where it was set
tiptoe config czech                   # the same for a crawl that has begun
tiptoe config --format toml           # a complete file to start from
tiptoe config --profiles              # what each profile sets
```

Durations are written `250ms`, `5s`, `1m30s`, `2h` or as a number of seconds; sizes `10MiB`, `1GB` or as a
number of bytes. Lower bounds marked *floor* are lifted only in a rehearsal (`crawl.rehearsal`), when nothing
but this machine or 198.18.0.0/15 can be reached.

Settings are read when a crawl starts. Those marked *live* can be changed while it runs, with `tiptoe set`
(see [Change a crawl while it runs](../howto/change-a-running-crawl.md)); for others, stop it and continue
with a new value. Either is remembered (see [Resume a crawl](../howto/resume-and-move.md)). Those marked
*fixed* stay as they were when the crawl began.

This page is made from the declarations by `python -m tiptoe.settings.reference`.
"""


def reference_page() -> str:
    """Return the page in Markdown."""
    parts = [PREFACE]
    for section, cls in SECTIONS.items():
        parts.append(f"\n## [{section}]\n\n{cls.__doc__}\n")
        parts.append("| setting | default | bounds | unit | option | meaning |")
        parts.append("|---|---|---|---|---|---|")
        parts += map(_row, settings_of(section, cls))
    return "\n".join(parts) + "\n"


def _row(setting: Setting) -> str:
    marks = {"(floor)": setting.relaxed, "(fixed)": setting.fixed, "(live)": setting.live}
    bounds = " ".join(filter(None, [setting.bounds, *(mark for mark, is_so in marks.items() if is_so)]))
    cells = [
        f"`{setting.key}`",
        _default(setting),
        bounds,
        setting.unit,
        ", ".join(f"`{option}`" for option in _options(setting)),
        setting.help.replace("|", "\\|"),
    ]
    return f"| {' | '.join(cells)} |"


def _options(setting: Setting) -> list[str]:
    own = [setting.option] if setting.option else []
    return own + [shorthand.option for shorthand in setting.shorthands]


def _default(setting: Setting) -> str:
    if isinstance(setting.default, tuple) and len(setting.default) > WORDS_SHOWN_MAX:
        shown = ", ".join(setting.default[:WORDS_SHOWN_MAX])
        return f"`{shown}` and {len(setting.default) - WORDS_SHOWN_MAX} more"
    shown = setting.show(setting.default)
    return f"`{shown}`" if shown else "none"


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else REFERENCE
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(reference_page(), encoding="utf-8")
