"""What does a query such as `title:voda AND lang:cs` mean?

    query = part { OR part }          part = piece { [AND] piece }        piece = [NOT | -] thing
    thing = ( query )  |  [field:] value  |  field:( query )
    value = word  |  word*  |  "some words"  |  =word  |  ="some words"  |  low..high

The reference is docs/reference/query.md. A query that cannot be understood is an error that says where.
"""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from tiptoe.catalog.query import (
    EXACT_FIELDS,
    FIELDS,
    OWN_FIELD_PREFIX,
    AllOf,
    AnyOf,
    AnyPage,
    Condition,
    FieldForm,
    HasValue,
    HasWords,
    NoneOf,
    WithinRange,
)
from tiptoe.catalog.words import exact_words, folded_words
from tiptoe.errors import SettingsError
from tiptoe.url.address import host_of
from tiptoe.url.canonical import Canonicalizer

__all__ = ["MILLIONTHS", "QueryMistake", "parse_query"]

QUERY_CHARS_MAX: Final = 2000
NESTING_MAX: Final = 20
CONDITIONS_MAX: Final = 64
PHRASE_WORDS_MAX: Final = 50
PREFIX_CHARS_MIN: Final = 2
MILLIONTHS: Final = 1_000_000

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND: Final = timedelta(milliseconds=1)

_TOKEN: Final = re.compile(
    r"""\s*(?:
      (?P<bracket>[()])
    | (?P<minus>-(?=\S))
    | (?P<field>[A-Za-z][\w.-]*):(?=\S)
    | (?P<quoted>=?"(?P<phrase>[^"]*)")
    | (?P<open>=?"[^"]*$)
    | (?P<word>[^\s()"]+)
    )""",
    re.VERBOSE,
)
_NUMBER: Final = re.compile(r"\d{1,15}", re.ASCII)
_SHARE: Final = re.compile(r"0|1|0?\.\d{1,6}|0\.\d{1,6}|1\.0{1,6}", re.ASCII)
_DAY: Final = re.compile(r"(?P<year>\d{4})(-(?P<month>\d{2})(-(?P<day>\d{2}))?)?", re.ASCII)
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}([-_][a-z0-9]+)*")
_ENDS: Final = (("bracket", ")"), ("word", "OR"))
_OTHER_NAMES: Final = {
    "language": "lang", "host": "site", "domain": "site", "fetched": "date", "body": "text",
    "keyword": "keywords", "content-type": "type", "content-language": "lang",
}  # fmt: skip
_SAMPLES: Final = {
    FieldForm.NUMBER: "a number such as 2, or a range such as 100..2000 or 100..",
    FieldForm.SHARE: "a number from 0 to 1, or a range such as 0.5..1",
    FieldForm.DAY: "a day, a month or a year such as 2026-12-31, or a range such as 2026-01..2026-03",
}


class QueryMistake(SettingsError):
    """A query that cannot be understood: what is wrong, at which character, and what to try."""

    def __init__(self, query: str, place: int, problem: str, remedy: str) -> None:
        shown = "".join(c if c.isprintable() else " " for c in query)
        first = max(place - 60, 0)
        pointer = " " * (place - first) + "^"
        super().__init__(
            f"the query cannot be understood: {problem}, at character {place + 1}\n"
            f"  {shown[first : first + 120]}\n  {pointer}\n{remedy}"
        )
        self.query = query
        self.place = place
        self.problem = problem
        self.remedy = remedy


class _Token(NamedTuple):
    kind: str
    text: str
    place: int


def parse_query(query: str) -> Condition:
    """Return the condition of a query; raise QueryMistake if it is wrong."""
    if len(query) > QUERY_CHARS_MAX:
        raise QueryMistake(
            query, QUERY_CHARS_MAX, f"longer than {QUERY_CHARS_MAX} characters", "Ask for less."
        )
    return _Parser(query).parse()


class _Parser:
    def __init__(self, query: str) -> None:
        self._query = query
        self._tokens = list(self._scan())
        self._next = 0
        self._conditions = 0

    def parse(self) -> Condition:
        if not self._tokens:
            return AnyPage()
        found = self._either("", 0)
        if (token := self._peek()) is not None:
            raise self._mistake(token.place, "a ) without its (", "Leave it out, or open a bracket before.")
        return found

    def _scan(self) -> "list[_Token]":
        tokens = []
        place = 0
        query = self._query.rstrip()
        while place < len(query):
            match = _TOKEN.match(query, place)
            assert match is not None  # any character begins a token
            kind = "quoted" if match["quoted"] else next(k for k in match.groupdict() if match[k] is not None)
            begins = match.start(kind)
            if kind == "open":
                raise self._mistake(begins, 'a " without its end', 'Close the phrase with another ".')
            tokens.append(_Token(kind, match[kind], begins))
            place = match.end()
        return tokens

    def _either(self, field: str, depth: int) -> Condition:
        parts = [self._all(field, depth)]
        while (token := self._peek()) is not None and token.kind == "word" and token.text == "OR":
            self._next += 1
            parts.append(self._all(field, depth))
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all(self, field: str, depth: int) -> Condition:
        parts = [self._piece(field, depth)]
        while (token := self._peek()) is not None and (token.kind, token.text) not in _ENDS:
            if token.kind == "word" and token.text == "AND":
                self._next += 1
            parts.append(self._piece(field, depth))
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _piece(self, field: str, depth: int) -> Condition:
        token = self._peek()
        if token is not None and (token.kind == "minus" or (token.kind == "word" and token.text == "NOT")):
            self._next += 1
            if depth >= NESTING_MAX:
                raise self._too_deep(token)
            return NoneOf(self._piece(field, depth + 1))
        return self._thing(field, depth)

    def _thing(self, field: str, depth: int) -> Condition:
        token = self._take()
        if token.text == "(" and token.kind == "bracket":
            if depth >= NESTING_MAX:
                raise self._too_deep(token)
            found = self._either(field, depth + 1)
            if (closing := self._peek()) is None or closing.text != ")":
                raise self._mistake(token.place, "a ( without its )", "Close the bracket.")
            self._next += 1
            return found
        if token.kind == "bracket" or (token.kind == "word" and token.text in ("AND", "OR")):
            raise self._mistake(
                token.place,
                f"{token.text} with nothing before it",
                'Put a word there; "AND" in quotes is one.',
            )
        if token.kind == "field" and not field:
            return self._thing(self._field(token), depth)
        if token.kind == "field":
            raise self._mistake(token.place, "a field within a field", 'Put the value in quotes: "a:b".')
        self._conditions += 1
        if self._conditions > CONDITIONS_MAX:
            raise self._mistake(token.place, f"more than {CONDITIONS_MAX} conditions", "Ask for less.")
        return self._value(field, token)

    def _field(self, token: _Token) -> str:
        name = token.text.lower()
        name = _OTHER_NAMES.get(name, name)
        if name in FIELDS or (name.startswith(OWN_FIELD_PREFIX) and len(name) > len(OWN_FIELD_PREFIX)):
            return name
        raise self._mistake(
            token.place, f"no field is called {token.text}",
            f"Fields are {', '.join(FIELDS)}, and field.NAME for what filters have given. To look for the "
            f'words themselves, put them in quotes: "{token.text}:…".',
        )  # fmt: skip

    def _value(self, field: str, token: _Token) -> Condition:
        form = FIELDS.get(field, FieldForm.WORDS)
        if form is FieldForm.WORDS:
            return self._words(field, token)
        text = token.text.strip('="') if token.kind == "quoted" else token.text
        if field == "lang" and not _LANGUAGE.fullmatch(text.lower()):
            raise self._mistake(token.place, f"{text} is no code of a language", "Give one such as lang:cs.")
        if form is FieldForm.VALUE:
            return HasValue(field, _host_meant(text) if field == "site" else text.lower())
        low, dots, high = text.partition("..")
        if not low and not high:
            raise self._mistake(token.place, "a range without bounds", f"Give {_SAMPLES[form]}.")
        first = self._bound(form, low, token, is_high=False) if low else None
        last = self._bound(form, high if dots else low, token, is_high=True) if high or not dots else None
        if first is not None and last is not None and first > last:
            raise self._mistake(token.place, "a range that ends before it begins", "Exchange its bounds.")
        return WithinRange(field, first, last)

    def _bound(self, form: FieldForm, text: str, token: _Token, *, is_high: bool) -> int:
        try:
            if form is FieldForm.NUMBER and _NUMBER.fullmatch(text):
                return int(text)
            if form is FieldForm.SHARE and _SHARE.fullmatch(text):
                return round(float(text) * MILLIONTHS)
            if form is FieldForm.DAY and (match := _DAY.fullmatch(text)):
                return _day_bound(match, is_high=is_high)
        except (ValueError, OverflowError):
            pass
        raise self._mistake(
            token.place, f"{text[:40]} is not what this field holds", f"Give {_SAMPLES[form]}."
        )

    def _words(self, field: str, token: _Token) -> Condition:
        text = token.text
        is_exact = text.startswith("=")
        is_prefix = token.kind == "word" and text.endswith("*")
        if token.kind == "word" and text.endswith(":") and text[:-1].lower() in FIELDS:
            raise self._mistake(token.place, f"{text} without a value", "Put it right behind the colon.")
        if is_exact and field not in EXACT_FIELDS:
            raise self._mistake(
                token.place, f"exact spelling is not known of {field}",
                "Leave out the =; words of titles and texts alone are kept as they are spelt.",
            )  # fmt: skip
        words = (exact_words if is_exact else folded_words)(text)
        if not words:
            raise self._mistake(token.place, f"{text[:40]} has no word in it", "Give a word or a phrase.")
        if len(words) > PHRASE_WORDS_MAX:
            raise self._mistake(token.place, f"a phrase of more than {PHRASE_WORDS_MAX} words", "Shorten it.")
        if is_prefix and (len(words) > 1 or len(words[0]) < PREFIX_CHARS_MIN):
            raise self._mistake(
                token.place, f"{text[:40]} would find too much",
                f"Before a * stands one word of at least {PREFIX_CHARS_MIN} letters.",
            )  # fmt: skip
        return HasWords(tuple(words), field, is_exact, is_prefix)

    def _peek(self) -> _Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _take(self) -> _Token:
        token = self._peek()
        if token is None:
            raise self._mistake(len(self._query.rstrip()), "it ends too early", "Put a word there.")
        self._next += 1
        return token

    def _too_deep(self, token: _Token) -> QueryMistake:
        return self._mistake(token.place, f"more than {NESTING_MAX} brackets in one another", "Ask for less.")

    def _mistake(self, place: int, problem: str, remedy: str) -> QueryMistake:
        return QueryMistake(self._query, place, problem, remedy)


def _host_meant(text: str) -> str:
    """Return the name of a site in the form used in URLs: in ASCII, and without brackets."""
    name = text.lower().strip("[]")
    url = None if name.isascii() else Canonicalizer().canonical(f"http://{name}/")
    return name if url is None else host_of(url)


def _day_bound(match: re.Match[str], *, is_high: bool) -> int:
    """Return the first or the last millisecond of a year, month or day."""
    year, month, day = int(match["year"]), int(match["month"] or 1), int(match["day"] or 1)
    first = date(year, month, day)
    if not is_high:
        return _milliseconds(first)
    if match["day"]:
        after = first + timedelta(days=1)
    elif match["month"]:
        after = (first + timedelta(days=31)).replace(day=1)
    else:
        after = date(year + 1, 1, 1)
    return max(_milliseconds(after) - 1, 0)


def _milliseconds(day: date) -> int:
    """Return when a day begins; a catalog has no moments before 1970, see `moment_of`."""
    return max((datetime(day.year, day.month, day.day, tzinfo=UTC) - EPOCH) // MILLISECOND, 0)
