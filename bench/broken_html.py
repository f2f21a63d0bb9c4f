"""How are pages broken without changing what a reader sees?

Each breakage turns a page, as bytes in any ASCII-compatible encoding, into one that a browser
shows with the same text in the same paragraphs.
"""

import re
from collections.abc import Callable, Mapping
from random import Random

Breakage = Callable[[bytes, Random], bytes]

_TAG = re.compile(rb"</?[a-z][^>]*>")
_QUOTED = re.compile(rb"""(<[a-z][^>]*? [a-z]+=)"([\w./:#-]+)"(?=[ >])""")


def _now_and_then(pattern: bytes, replacement: bytes, share: float = 0.3) -> Breakage:
    """Return a breakage that replaces some of the matches of a pattern."""
    found = re.compile(pattern)

    def breakage(page: bytes, chance: Random) -> bytes:
        return found.sub(lambda match: replacement if chance.random() < share else match[0], page)

    return breakage


def _shout(page: bytes, chance: Random) -> bytes:
    return _TAG.sub(lambda tag: tag[0].upper() if b"=" not in tag[0] else tag[0], page)


def _stop_halfway(page: bytes, chance: Random) -> bytes:
    """Leave out the end tags at the end of the page."""
    return page[: page.rindex(b"</footer>")]


def _add_bytes_of_nothing(page: bytes, chance: Random) -> bytes:
    return page.replace(b"<p>", b"<p>\0").replace(b"</main>", b"\x01</main>")


BREAKAGES: Mapping[str, Breakage] = {
    "as it should be":        lambda page, chance: page,
    "ends of paragraphs":     _now_and_then(rb"</p>", b""),
    "ends of items":          _now_and_then(rb"</li>|</ul>", b""),
    "ends of head and body":  _now_and_then(rb"</?(?:html|head|body|main|header)>", b"", 0.6),
    "ends too many":          _now_and_then(rb"</p>", b"</p></div></span></td></p>"),
    "ends crossed":           _now_and_then(rb"<p>", b"<p><b><i></b></i>"),
    "formatting never ended": _now_and_then(rb"</p>", b"<font color=red></p>", 0.1),
    "blocks never ended":     _now_and_then(rb"<p>", b"<div><p>"),
    "quotes":                 lambda page, chance: _QUOTED.sub(rb"\1\2", page),
    "capitals":               _shout,
    "comments":               _now_and_then(rb"</p>", b"<!-- <p>nobody</p> --!></p><!-->"),
    "conditional comments":   _now_and_then(rb"<p>", b"<!--[if IE]><p>nobody<![endif]--><p>"),
    "declarations inside":    _now_and_then(rb"<p>", b"<?php nobody ?><!DOCTYPE nobody><p>"),
    "code":                   _now_and_then(rb"</p>(?=\n)", b"<script>a</p>b + '<p>nobody</p>'</script></p>"),
    "references":             _now_and_then(rb"&amp;", b"&", 1.0),
    "attributes twice":       _now_and_then(rb"<p>", b'<p class=a class="b" =c>'),
    "tables for layout":      _now_and_then(rb"<p>", b"<table><tr><td></table><p>", 0.1),
    "bytes of nothing":       _add_bytes_of_nothing,
    "cut off":                _stop_halfway,
}  # fmt: skip
