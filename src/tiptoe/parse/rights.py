"""May this text be mined?

By the W3C community's TDM Reservation Protocol: a site declares it in
/.well-known/tdmrep.json, in a header or in a meta tag, and the one closest to
the document counts. No declaration means no reservation, but a declaration that
we failed to read does not. (Robots directives are read in `fetch/robots.py`.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

__all__ = ["TdmRule", "combine", "matches_path", "read_reservation", "read_tdmrep", "tdm_reserved"]

BODY_BYTES_MAX: Final = 512 * 1024
RULES_MAX: Final = 1_000
PATTERN_CHARS_MAX: Final = 2_000
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
ENDS: Final = {b"[": b"]", b"{": b"}"}
"""The last character of a complete file, by its first."""


@dataclass(frozen=True, slots=True)
class TdmRule:
    """One entry of a site's tdmrep.json."""

    location_pattern: str  # a path; `*` is anything, `$` at the end is the end
    reserved: bool
    policy: str | None = None


REST_RESERVED: Final = TdmRule("*", reserved=True)
"""Stands for the rules above the maximum, which were not read: what they cover counts as reserved."""


def read_reservation(value: object) -> bool | None:
    """Read the value of a `tdm-reservation` field, 1 or 0; None for anything else."""
    return {"1": True, "0": False}.get(str(value).strip()) if isinstance(value, str | int) else None


def read_tdmrep(body: bytes, *, is_whole: bool = True) -> list[TdmRule] | None:
    """Read a tdmrep.json, leaving out invalid rules; None if a part is missing, which may contain more rules.

    Most sites that answer have no such file and send a page instead, which has no rules, complete or not.
    """
    text = body.removeprefix(BYTE_ORDER_MARK).strip()
    if not is_whole or len(text) > BODY_BYTES_MAX:
        return [] if text.startswith(b"<") else None
    try:
        entries = msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        # If the server just closed the connection, only the file itself shows that it is incomplete.
        return [] if text.endswith(ENDS.get(text[:1], b"")) else None
    if isinstance(entries, dict):
        entries = [entries]
    if not isinstance(entries, list):
        return []
    rules = [rule for entry in entries[:RULES_MAX] if (rule := _read_rule(entry))]
    if len(entries) > RULES_MAX:
        rules.append(REST_RESERVED)
    return rules


def tdm_reserved(rules: Sequence[TdmRule], path: str) -> bool | None:
    """Return what the first rule that matches the path (with its query) says; None if no rule does."""
    return next((rule.reserved for rule in rules if matches_path(rule.location_pattern, path)), None)


def combine(header: bool | None, meta: bool | None, well_known: bool | None) -> bool:
    """Tell whether rights are reserved; the meta tag overrides the header, and that the site's file."""
    return next((one for one in (meta, header, well_known) if one is not None), False)


def _read_rule(entry: object) -> TdmRule | None:
    if not isinstance(entry, dict):
        return None
    location, policy = entry.get("location"), entry.get("tdm-policy")
    reserved = read_reservation(entry.get("tdm-reservation"))
    if reserved is None or not isinstance(location, str) or len(location) > PATTERN_CHARS_MAX:
        return None
    location = location.strip()
    if not location.startswith(("/", "*")):
        location = "/" + location
    return TdmRule(location, reserved, policy[:PATTERN_CHARS_MAX] if isinstance(policy, str) else None)


def matches_path(pattern: str, path: str) -> bool:
    """Match as robots.txt does: from the start, each `*` as short as possible, without backtracking."""
    anchored = pattern.endswith("$")
    first, *others = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    position = len(first)
    last = others.pop() if others and anchored else None
    for piece in others:
        found = path.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    if last is not None:
        return len(path) - len(last) >= position and path.endswith(last)
    return not anchored or position == len(path)
