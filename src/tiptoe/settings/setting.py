"""How is a setting declared?

The functions here are used as defaults in the classes of `schema` and hold
everything about one setting. A default given as text is parsed by the same
rules as a value from a file.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack, cast

from tiptoe.settings import kind as kinds
from tiptoe.settings.form import be_one_of, be_pattern
from tiptoe.settings.kind import Value, ValueKind

__all__ = [
    "ENDLESS", "Setting", "Shorthand", "choice", "count", "duration", "factor", "flag", "lines", "patterns",
    "phrases", "settings_of", "share", "size", "text", "words",
]  # fmt: skip

DEFAULT_WORD = "default"
"""Word that resets a setting to the value of the profile, or else to its built-in default."""

ENDLESS = -1
"""Value that means "no limit", for settings where 0 is a limit."""

Number = str | int | float
Check = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Shorthand:
    """An option that sets one value of a setting, such as --same-site."""

    option: str
    value: str
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Everything about one setting."""

    kind: ValueKind
    default: Value
    help: str
    section: str = ""
    key: str = ""
    unit: str = ""
    at_least: float | None = None
    at_most: float | None = None
    zero: str = ""  # the word for 0, such as "unlimited"
    endless: str = ""  # the word for no limit, if 0 is a limit
    relaxed: bool = False  # the lower bound does not apply in a rehearsal
    option: str = ""  # on the command line, such as "--req-delay"
    shorthands: tuple[Shorthand, ...] = ()  # further options, each for one value
    choices: tuple[str, ...] = ()
    each: Check | None = None  # checks the text, or each word
    fixed: str = ""  # why it cannot change after the crawl has begun; empty: it may change between runs
    is_remembered: bool = True  # the directory remembers it for the next run
    live: bool = False  # it may change while a crawl runs
    is_local: bool = False  # members of a cluster may have different values

    @property
    def name(self) -> str:
        """The full name: section.key."""
        return f"{self.section}.{self.key}"

    def read(self, raw: object) -> Value:
        """Parse what was written; raise ValueError with what is expected."""
        if self.zero and raw == self.zero:
            return self.kind.read(0)
        if self.endless and raw == self.endless:
            return ENDLESS
        try:
            value = self.kind.read(raw)
        except OverflowError as error:
            raise ValueError(f"expected {self.expected}, {error}") from None
        except ValueError:
            raise ValueError(f"expected {self.expected}") from None
        if self.zero and self.at_least and value == 0:
            # An operator who writes 0 may mean none, but here it would mean no limit.
            raise ValueError(f'at least {self.kind.show(self.at_least)}, or "{self.zero}"')
        if self.endless and value == ENDLESS:
            raise ValueError(f"expected {self.expected}")
        if self.each is not None:
            self._check_words(value)
        return value

    def is_reset(self, raw: object) -> bool:
        """Whether the word `default` was written instead of a value."""
        return self.is_remembered and raw in (DEFAULT_WORD, [DEFAULT_WORD], (DEFAULT_WORD,))

    def plain(self, value: Value) -> object:
        """Return a value in a form that JSON can represent and `read` accepts."""
        if self.zero and value == 0:
            return self.zero
        if self.endless and value == ENDLESS:
            return self.endless
        return list(value) if isinstance(value, tuple) else value

    def misfit(self, value: Value) -> str:
        """Return the bound that a value violates, in words, or nothing."""
        if not isinstance(value, int | float) or value == self._without_limit:
            return ""
        if self.at_least is not None and value < self.at_least:
            return f"at least {self.kind.show(self.at_least)}"
        if self.at_most is not None and value > self.at_most:
            return f"at most {self.kind.show(self.at_most)}"
        return ""

    def show(self, value: Value) -> str:
        """Return the value as the operator would write it."""
        if value == self._without_limit and not isinstance(value, bool):
            return self.zero or self.endless
        return self.kind.show(value)

    @property
    def _without_limit(self) -> int | None:
        """The number that a word stands for; None if there is no such word."""
        if self.endless:
            return ENDLESS
        return 0 if self.zero else None

    @property
    def expected(self) -> str:
        """What may be written, in words."""
        word = self.zero or self.endless
        return f'{self.kind.expected}, or "{word}"' if word else self.kind.expected

    @property
    def bounds(self) -> str:
        """The bounds in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        parts = [f"at least {self.kind.show(self.at_least)}"] if self.at_least else []
        parts += [f"at most {self.kind.show(self.at_most)}"] if self.at_most is not None else []
        word = self.zero or self.endless
        parts += [f"or {word}"] if word and parts else []
        return ", ".join(parts)

    def _check_words(self, value: Value) -> None:
        assert self.each is not None
        words = value if isinstance(value, tuple) else (str(value),)
        for word in words:
            try:
                self.each(word)
            except ValueError as problem:
                # The error message shows the whole value: a word that is all of it need not be repeated.
                raise ValueError(f"{word[:60]}: {problem}" if len(words) > 1 else str(problem)) from None


class SettingTraits(TypedDict, total=False):
    """Optional arguments of every declaration."""

    option: str
    fixed: str
    is_remembered: bool
    live: bool
    is_local: bool


class NumberTraits(SettingTraits, total=False):
    """Optional arguments of the declaration of a number."""

    at_least: Number
    at_most: Number
    zero: str
    endless: str
    relaxed: bool


def duration(default: Number, *, help: str, **traits: Unpack[NumberTraits]) -> float:
    """Declare a span of time; its value is in seconds."""
    return cast(float, _number(kinds.DURATION, default, help, "seconds", traits))


def size(default: Number, *, help: str, **traits: Unpack[NumberTraits]) -> int:
    """Declare an amount of bytes."""
    return cast(int, _number(kinds.SIZE, default, help, "bytes", traits))


def count(default: int, *, help: str, unit: str, **traits: Unpack[NumberTraits]) -> int:
    """Declare a whole number of things."""
    return cast(int, _number(kinds.COUNT, default, help, unit, traits))


def factor(default: float, *, help: str, **traits: Unpack[NumberTraits]) -> float:
    """Declare a number without a unit."""
    return cast(float, _number(kinds.FACTOR, default, help, "times", traits))


def share(default: Number, *, help: str, **traits: Unpack[SettingTraits]) -> float:
    """Declare a part of a whole, from 0 to 1."""
    return cast(float, _number(kinds.SHARE, default, help, "", {"at_most": 1, **traits}))


def flag(default: bool, *, help: str, **traits: Unpack[SettingTraits]) -> bool:
    """Declare a yes/no setting."""
    return cast(bool, _field(Setting(kind=kinds.FLAG, default=default, help=help, **traits)))


def text(default: str, *, help: str, each: Check | None = None, **traits: Unpack[SettingTraits]) -> str:
    """Declare one line of text; `each` checks its form."""
    return cast(str, _field(Setting(kind=kinds.TEXT, default=default, help=help, each=each, **traits)))


def choice(
    default: str, *choices: str, help: str, shorthands: Sequence[Shorthand] = (),
    **traits: Unpack[SettingTraits],
) -> str:  # fmt: skip
    """Declare one word out of a few; some of them may have options of their own."""
    each = be_one_of(*choices)
    setting = Setting(
        kind=kinds.TEXT, default=default, help=help, choices=choices, each=each,
        shorthands=tuple(shorthands), **traits,
    )  # fmt: skip
    return cast(str, _field(setting))


def words(
    default: Sequence[str] = (), *, help: str, each: Check | None = None, **traits: Unpack[SettingTraits]
) -> tuple[str, ...]:
    """Declare a list of words; `each` checks every one."""
    setting = Setting(kind=kinds.WORDS, default=tuple(default), help=help, each=each, **traits)
    return cast(tuple[str, ...], _field(setting))


def phrases(
    default: Sequence[str] = (), *, help: str, each: Check | None = None, **traits: Unpack[SettingTraits]
) -> tuple[str, ...]:
    """Declare a list of phrases of several words; `each` checks every one."""
    setting = Setting(kind=kinds.PHRASES, default=tuple(default), help=help, each=each, **traits)
    return cast(tuple[str, ...], _field(setting))


def patterns(
    default: Sequence[str] = (), *, help: str, each: Check = be_pattern, **traits: Unpack[SettingTraits]
) -> tuple[str, ...]:
    """Declare a list of regular expressions."""
    setting = Setting(kind=kinds.PATTERNS, default=tuple(default), help=help, each=each, **traits)
    return cast(tuple[str, ...], _field(setting))


def lines(*, help: str, **traits: Unpack[SettingTraits]) -> tuple[str, ...]:
    """Declare a list of lines that a program has written."""
    return cast(tuple[str, ...], _field(Setting(kind=kinds.LINES, default=(), help=help, **traits)))


def settings_of(section: str, cls: type) -> Iterable[Setting]:
    """Yield the settings declared in one section, in their order."""
    for field in dataclasses.fields(cls):
        yield dataclasses.replace(field.metadata["setting"], section=section, key=field.name)


def _number(kind: ValueKind, default: Number, help: str, unit: str, traits: Mapping[str, Any]) -> Any:
    given: dict[str, Any] = {"at_least": 0, **traits}
    given |= {bound: kind.read(given[bound]) for bound in ("at_least", "at_most") if bound in given}
    return _field(Setting(kind=kind, default=kind.read(default), help=help, unit=unit, **given))


def _field(setting: Setting) -> Any:
    return dataclasses.field(default=setting.default, metadata={"setting": setting})
