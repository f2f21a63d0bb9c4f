"""What does the description of a resource say? The functions of Generate.

Pure: each function gets the resource and adds to its fields. Names of fields are in lower case; the value of
a field is a list, since some (author, classification) have several values.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from email.utils import formatdate, parsedate_to_datetime
from functools import lru_cache
from typing import Final

from tiptoe.filters.conf_lines import read_bool
from tiptoe.filters.definition import Directive
from tiptoe.filters.expressions import VALUE_CHARS_MAX, compile_expression
from tiptoe.filters.resource import PageFacts, Resource

__all__ = ["Make", "maker_of"]

EXPIRY_SECONDS: Final = 90 * 86_400
FIELD_BYTES_MAX: Final = 1_000_000
"""Maximum size of one field, even if a directive allows more: whole books belong in the corpus."""

LEVEL_DEFAULT: Final = 6
FIRST_PARAGRAPHS: Final = 16
"""How many paragraphs are joined for the beginning of a text; twice as many whenever that is not enough."""

FIELD_NAME: Final = re.compile(r"[a-z0-9][\w.:-]{0,99}", re.ASCII)

Make = Callable[[Resource], None]


def maker_of(line: Directive) -> Make:
    """Return the function that carries out a directive of Generate."""
    given = line.parameters
    match line.function:
        case "copy-attribute":
            return _copy(given)
        case "generate-by-exact" | "generate-by-prefix" | "generate-by-regex":
            return _generate(line.function.rpartition("-")[2], given)
        case "generate-rd-expires":
            return _expires(given.get("dst", "rd-expires").lower())
        case "generate-rd-last-modified":
            return _modified(given.get("dst", "rd-last-modified").lower())
        case "rename-attribute":
            return _rename(given["src"])
        case "extract-full-text":
            return _full_text(given)
        case "extract-html-meta":
            return _meta(given)
        case "extract-html-text":
            return _partial_text(given)
        case "extract-html-toc":
            return _contents(given)
        case "extract-source":
            return _sources(given["src"])
    raise ValueError(f"{line.place}: {line.function} is no function of Generate")


def cut(text: str, bytes_max: int, *, is_clean: bool = False) -> str:
    """Cut a text to at most `bytes_max` bytes; if `is_clean`, not within a word."""
    if len(text) * 4 <= bytes_max:
        return text
    encoded = text[: bytes_max + 1].encode("utf-8", "replace")
    if len(encoded) <= bytes_max:
        return text
    kept = encoded[:bytes_max].decode("utf-8", "ignore")
    if is_clean and not text[len(kept)].isspace():
        kept = kept.rsplit(None, 1)[0] if len(kept.split(None, 1)) > 1 else kept
    return kept.rstrip()


def _limit(given: Mapping[str, str]) -> int:
    return min(int(given.get("truncate", FIELD_BYTES_MAX)), FIELD_BYTES_MAX)


def _is_of(resource: Resource, wanted: str | None) -> bool:
    return wanted is None or resource.type == wanted.lower()


def _copy(given: Mapping[str, str]) -> Make:
    source, target, limit = given["src"].lower(), given["dst"].lower(), _limit(given)
    is_clean = bool(read_bool(given.get("clean", "false")))

    def make(resource: Resource) -> None:
        values = resource.fields.get(source)
        if values:
            resource.fields[target] = [cut(value, limit, is_clean=is_clean) for value in values]

    return make


def _generate(by: str, given: Mapping[str, str]) -> Make:
    source, wanted, target, value = given["src"].lower(), given["match"], given["dst"].lower(), given["value"]
    tests: dict[str, Callable[[str], bool]] = {
        "exact": lambda found: found == wanted,
        "prefix": lambda found: found.startswith(wanted),
    }
    if by == "regex":
        search = compile_expression(wanted).search
        tests["regex"] = lambda found: search(found[:VALUE_CHARS_MAX]) is not None
    test = tests[by]

    def make(resource: Resource) -> None:
        found = resource.sources.get(source)
        values = [] if found is None else [found]
        if source == "host" and values:
            values.append(resource.host_and_port)
        if any(map(test, values)):
            resource.add_field(target, [value])

    return make


def _expires(target: str) -> Make:
    def make(resource: Resource) -> None:
        value = resource.sources.get("expires", "")
        resource.sources[target] = _http_date(value) or _written(_now(resource) + EXPIRY_SECONDS)

    return make


def _http_date(said: str) -> str:
    """Return a moment in the form used in headers; empty if it is not a moment."""
    try:
        return formatdate(parsedate_to_datetime(said[:60]).timestamp(), usegmt=True) if said else ""
    except (ValueError, TypeError, OverflowError, IndexError):
        return ""


def _modified(target: str) -> Make:
    def make(resource: Resource) -> None:
        resource.sources[target] = _written(_now(resource))

    return make


def _now(resource: Resource) -> int:
    return int(resource.facts.moment) if resource.facts is not None else 0


@lru_cache(maxsize=16)
def _written(moment: int) -> str:
    """Return a moment in the form used in headers; cached for pages of the same second."""
    return formatdate(moment, usegmt=True)


def _rename(pair: str) -> Make:
    old, _, new = (part.strip().lower() for part in pair.partition("->"))

    def make(resource: Resource) -> None:
        values = resource.fields.pop(old, None)
        if values:
            resource.add_field(new, values)

    return make


def _sources(names: str) -> Make:
    pairs = []
    for name in filter(None, (part.strip() for part in names.split(","))):
        source, arrow, field = (part.strip().lower() for part in name.partition("->"))
        pairs.append((source, field if arrow else source))

    def make(resource: Resource) -> None:
        for source, field in pairs:
            value = resource.sources.get(source)
            if value:
                resource.fields[field] = [value]

    return make


def _meta(given: Mapping[str, str]) -> Make:
    limit, wanted = _limit(given), given.get("type")

    def make(resource: Resource) -> None:
        facts = resource.facts
        if facts is None or not _is_of(resource, wanted):
            return
        for name, value in facts.meta.items():
            if FIELD_NAME.fullmatch(name):
                resource.fields[name] = [cut(value, limit)]
        if facts.title:
            resource.fields["title"] = [cut(facts.title, limit)]

    return make


def _partial_text(given: Mapping[str, str]) -> Make:
    limit, wanted = _limit(given), given.get("type")
    skips = bool(read_bool(given.get("skip-headings", "false")))

    def make(resource: Resource) -> None:
        facts = resource.facts
        if facts is None or not _is_of(resource, wanted):
            return
        headings = {words for _, words in facts.headings} if skips else ()
        _set_text(resource, "partial-text", _beginning(facts.paragraphs, limit, headings), limit)

    return make


def _full_text(given: Mapping[str, str]) -> Make:
    limit, target = _limit(given), given.get("dst", "full-text").lower()

    def make(resource: Resource) -> None:
        facts: PageFacts | None = resource.facts
        if facts is not None:
            text = _beginning(facts.paragraphs, 4 * limit, ())
            resource.fields[target] = [text[:limit].rstrip()] if text else []

    return make


def _beginning(paragraphs: Sequence[str], bytes_max: int, left_out: Collection[str]) -> str:
    """Return enough paragraphs to fill `bytes_max` bytes."""
    wanted = [one for one in paragraphs if one not in left_out] if left_out else paragraphs
    count = FIRST_PARAGRAPHS
    while len(text := "\n".join(wanted[:count])) <= bytes_max and count < len(wanted):
        count *= 2
    return text


def _set_text(resource: Resource, field: str, text: str, limit: int) -> None:
    if text:
        resource.fields[field] = [cut(text, limit)]


def _contents(given: Mapping[str, str]) -> Make:
    limit, level_max = _limit(given), int(given.get("level", LEVEL_DEFAULT))

    def make(resource: Resource) -> None:
        if resource.facts is not None:
            lines = [words for level, words in resource.facts.headings if level <= level_max]
            _set_text(resource, "toc", "\n".join(lines), limit)

    return make
