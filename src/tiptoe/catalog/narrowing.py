"""How is a query narrowed by a value of a facet, and widened again?

    facet_condition("language", "cs")               ->  lang:cs
    narrowed("voda OR řeka", "lang:cs")             ->  (voda OR řeka) lang:cs
    widened("(voda OR řeka) lang:cs", "lang:cs")    ->  (voda OR řeka)

Text in, text out: the result is always a query that a user could have typed.
"""

import re
from typing import Final

from tiptoe.catalog.query import AllOf, AnyOf, AnyPage, Condition, HasValue
from tiptoe.catalog.query_parser import QueryMistake, parse_query

__all__ = ["facet_condition", "narrowed", "widened"]

FIELD_OF: Final = {"language": "lang", "site": "site", "type": "type"}
"""The query field of each facet with plain values."""

_PLAIN: Final = re.compile(r"\w[\w./+-]*")
_BAND: Final = re.compile(r"(?P<low>\d\.\d)–(?P<high>\d\.\d)")
_MONTH: Final = re.compile(r"\d{4}-\d\d", re.ASCII)
MILLIONTH: Final = 0.000001


def facet_condition(facet: str, value: str) -> str:
    """Return the condition that a page has a value; empty when no query can express it."""
    if facet == "date":
        return f"date:{value}" if _MONTH.fullmatch(value) else ""
    if facet == "usability":
        return _band_condition(value)
    field = FIELD_OF[facet]
    written = f"{field}:{value}" if _PLAIN.fullmatch(value) else f'{field}:"{value}"'
    # Values come from the web and may contain anything, such as quotes.
    try:
        is_meant = parse_query(written) == HasValue(field, value)
    except QueryMistake:
        return ""
    return written if is_meant and value.isprintable() else ""


def _band_condition(band: str) -> str:
    """Return a band as a range; its upper bound belongs to the next band, except for the last."""
    match = _BAND.fullmatch(band)
    if match is None:
        return ""
    high = "" if match["high"] == "1.0" else f"{float(match['high']) - MILLIONTH:.6f}"
    return f"usability:{match['low']}..{high}"


def narrowed(query: str, condition: str) -> str:
    """Return a query with a further condition; raise QueryMistake when that is too much."""
    beside = f"{query.strip()} {condition}".strip()
    if not isinstance(parse_query(beside), AnyOf):
        return beside
    bracketed = f"({query.strip()}) {condition}"
    parse_query(bracketed)
    return bracketed


def widened(query: str, condition: str) -> str | None:
    """Return a query without one of its conditions; None when that is not a separate part of it."""
    parts, sought = _parts(parse_query(query)), parse_query(condition)
    rest = [part for part in parts if part != sought]
    for match in re.finditer(rf"(?<!\S){re.escape(condition)}(?!\S)", query):
        left = f"{query[: match.start()].rstrip()} {query[match.end() :].lstrip()}".strip()
        try:
            if len(rest) < len(parts) and _parts(parse_query(left)) == rest:
                return left
        except QueryMistake:
            continue  # it was part of another expression: NOT lang:cs, a AND lang:cs
    return None


def _parts(condition: Condition) -> list[Condition]:
    match condition:
        case AnyPage():
            return []
        case AllOf(parts=parts):
            return list(parts)
    return [condition]
