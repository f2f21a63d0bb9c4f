"""May this text be mined?

The W3C community's TDM Reservation Protocol: a site says it in
/.well-known/tdmrep.json, in a header or in a meta tag, and the one nearest to
the document counts. Silence is not a reservation, but what we did not read is
not silence. (Robots directives are read in `fetch/robots.py`.)
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
"""How a file ends, by how it begins."""


@dataclass(frozen=True, slots=True)
class TdmRule:
    """One entry of a site's tdmrep.json."""

    location_pattern: str  # a path; `*` is anything, `$` at the end is the end
    reserved: bool
    policy: str | None = None


REST_RESERVED: Final = TdmRule("*", reserved=True)
"""Stands for rules beyond count: what they say of a page was not read."""


def read_reservation(value: object) -> bool | None:
    """Read the value of a `tdm-reservation` field: 1 or 0; anything else says nothing."""
    return {"1": True, "0": False}.get(str(value).strip()) if isinstance(value, str | int) else None


def read_tdmrep(body: bytes, *, is_whole: bool = True) -> list[TdmRule] | None:
    """Read a tdmrep.json; what is no rule is left out. None: a part of it is missing, and may be what counts.

    Most that answer have no such file and send a page instead: it holds no rules, whole or not.
    """
    text = body.removeprefix(BYTE_ORDER_MARK).strip()
    if not is_whole or len(text) > BODY_BYTES_MAX:
        return [] if text.startswith(b"<") else None
    try:
        entries = msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        # Where a server just hangs up, nobody but the file itself says that it goes on.
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
    """Tell what the first rule that matches the path (with its query) says; None: no rule does."""
    return next((rule.reserved for rule in rules if matches_path(rule.location_pattern, path)), None)


def combine(header: bool | None, meta: bool | None, well_known: bool | None) -> bool:
    """Tell whether rights are reserved: meta tag before header before the site's file."""
    return next((said for said in (meta, header, well_known) if said is not None), False)


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
    """Match as robots.txt does: from the start, each `*` as short as possible, never going back."""
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
