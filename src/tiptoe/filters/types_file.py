"""Which type does a file have, by its extension?

mime.types: on each line a type, then its extensions; `#` begins a comment. Some of these files use
`type=text/html exts=html,htm` instead, as web servers of that time did.
"""

import mimetypes
from typing import Final

from tiptoe.filters.filter_problem import FilterFindings

__all__ = ["known_types", "read_types", "write_types"]

EXTENSION_CHARS_MAX: Final = 40


def read_types(text: str, file: str, findings: FilterFindings) -> dict[str, str]:
    """Return types by extension, without the dot."""
    types: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0].startswith("type="):
            given = dict(word.partition("=")[::2] for word in words)
            words = [given["type"].strip('"'), *given.get("exts", "").strip('"').split(",")]
        elif "=" in words[0]:
            continue  # enc=x-gzip and the like: the compression of a file, not its type
        type, *extensions = words
        if type.count("/") != 1:
            findings.error(f"{file}:{number}", f"{type[:60]!r} is no type such as text/html")
            continue
        for extension in filter(None, extensions):
            if len(extension) <= EXTENSION_CHARS_MAX:
                types[extension.lower()] = type.lower()
    return types


def known_types() -> dict[str, str]:
    """Return types by extension as built into Python, the same on every machine."""
    known = mimetypes.MimeTypes(filenames=()).types_map[True]
    return {extension.lstrip("."): type for extension, type in sorted(known.items())}


def write_types(types: dict[str, str]) -> str:
    """Return the text of a file with the same contents."""
    extensions: dict[str, list[str]] = {}
    for extension, type in types.items():
        extensions.setdefault(type, []).append(extension)
    return "".join(f"{type} {' '.join(names)}\n" for type, names in extensions.items())
