"""What is the value of a field, given the texts that were found for it?"""

import math
import re
from collections.abc import Iterable
from typing import Final, TypeAlias

from tiptoe.fields.field_rule import FieldRule
from tiptoe.parse.days import read_day
from tiptoe.text.paragraphs import clean
from tiptoe.url.whatwg import whatwg_join

__all__ = ["FieldValue", "read_number", "read_value"]

FieldValue: TypeAlias = str | int | float | list[str] | None

TEXT_CHARS_MAX: Final = 20_000
LISTED_MAX: Final = 200
LISTED_CHARS_MAX: Final = 2_000
NUMBER_CHARS_MAX: Final = 100
URL_CHARS_MAX: Final = 4_096
GROUP_DIGITS: Final = 3

_NUMBER = re.compile(r"[-+−]?\d+(?:[.,'’\s]\d+)*(?:[eE][-+]?\d{1,3}(?!\w))?")


def read_value(rule: FieldRule, texts: Iterable[str], base: str) -> FieldValue:
    """Return the value of a field, None if no text yields one; relative URLs are resolved against `base`."""
    if rule.type == "list":
        cut = (clean(text[: 2 * LISTED_CHARS_MAX])[:LISTED_CHARS_MAX] for text in texts)
        values = dict.fromkeys(filter(None, cut))
        return list(values)[:LISTED_MAX] or None
    for text in texts:
        value = _single(rule, text, base)
        if value is not None:
            return value
    return None


def _single(rule: FieldRule, text: str, base: str) -> FieldValue:
    match rule.type:
        case "number":
            return read_number(text, decimal=rule.decimal)
        case "date":
            return read_day(text)
        case "url":
            written = text.strip()
            joined = whatwg_join(base or None, written) if 0 < len(written) <= URL_CHARS_MAX else None
            return joined if joined is not None and joined.startswith(("http:", "https:")) else None
        case _:
            return clean(text[: 2 * TEXT_CHARS_MAX])[:TEXT_CHARS_MAX] or None


def read_number(text: str, *, decimal: str = "") -> int | float | None:
    """Return the first number in a text, whatever separates its thousands and decimals.

    `decimal` is the decimal sign. Without it, the last of two different separators is taken for it; a single
    comma before three digits separates thousands, a single point never does.
    """
    found = _NUMBER.search(text[:NUMBER_CHARS_MAX])
    if found is None:
        return None
    written = re.sub(r"['’\s]", "", found[0]).replace("−", "-")
    sign = decimal or _decimal_sign(written)
    for other in {".", ","} - {sign}:
        written = written.replace(other, "")
    written = written.replace(sign, ".") if sign else written
    try:
        number = float(written)
    except ValueError:
        return None
    if math.isinf(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 1e15 and "." not in written else number


def _decimal_sign(written: str) -> str:
    signs = re.findall(r"[.,]", written)
    if not signs:
        return ""
    if len(set(signs)) == 2:
        return str(signs[-1])
    if len(signs) > 1:
        return ""
    whole, _, rest = written.lstrip("+-").partition(signs[0])
    is_group = signs[0] == "," and len(rest) == GROUP_DIGITS and whole.strip("0") != ""
    return "" if is_group else str(signs[0])
