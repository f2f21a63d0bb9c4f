"""Which functions may a directive call, in which stage, and with which parameters?

One table; what the functions do is in `chain_steps.py` (filtering), `describing.py` (Generate) and
`link_choice.py` (Enumerate).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from tiptoe.filters.conf_lines import read_bool
from tiptoe.filters.definition import Directive
from tiptoe.filters.expressions import expression_fault
from tiptoe.filters.filter_problem import FilterFindings

__all__ = ["FUNCTIONS", "FunctionRule", "check_directive"]

Form = Callable[[str], str]
"""Returns what is wrong with a value; empty if nothing is."""


def _text(value: str) -> str:
    return "" if value else "is empty"


def _number(value: str) -> str:
    return "" if value.isdecimal() and value.isascii() and len(value) <= 12 else "a number"


def _positive(value: str) -> str:
    return _number(value) or ("" if int(value) else "at least 1")


def _flag(value: str) -> str:
    return "" if read_bool(value) is not None else "true or false"


def _one_of(*words: str) -> Form:
    return lambda value: "" if value in words else f"one of {', '.join(words)}"


def _renaming(value: str) -> str:
    old, arrow, new = value.partition("->")
    return "" if old.strip() and arrow and new.strip() else 'a pair such as "dc.title->title"'


@dataclass(frozen=True, slots=True)
class FunctionRule:
    """One function: where it may be called, what it takes, what it does."""

    stages: tuple[str, ...]
    does: str  # for the reference
    needed: Mapping[str, Form]
    optional: Mapping[str, Form]
    either: tuple[str, ...] = ()  # one of these is required
    is_single: bool = False  # once per filter
    refusal: str = ""  # why it is not supported


def _rule(
    stages: str, does: str, /, *, needed: Mapping[str, Form] | None = None,
    either: Mapping[str, Form] | None = None, is_single: bool = False, refusal: str = "", **optional: Form,
) -> FunctionRule:  # fmt: skip
    takes = {**(either or {}), **{name.replace("_", "-"): form for name, form in optional.items()}}
    return FunctionRule(
        tuple(stages.split()), does, needed or {}, takes, tuple(either or ()), is_single, refusal
    )


_FILTERS: Final = {"allow": _text, "deny": _text}
_PATTERNS: Final = {"allow": expression_fault, "deny": expression_fault}
_GENERATES: Final = {"src": _text, "match": _text, "dst": _text, "value": _text}
_RUNS: Final = (
    "a program would be run over what strangers send; use a function of your own (`tiptoe.filters`)"
)

# fmt: off
FUNCTIONS: Final[Mapping[str, FunctionRule]] = {
    "filterrules-setup": _rule(
        "Setup", "reads the rules and sites for `filterrules-process`; logtype says how much is logged",
        needed={"config": _text}, logtype=_one_of("verbose", "normal", "terse")),
    "setup-regex-cache": _rule(
        "Setup", "kept, and more: every expression is compiled once", cache_size=_positive),
    "setup-type-by-extension": _rule(
        "Setup", "reads the table for `assign-type-by-extension`", needed={"file": _text}),
    "filter-by-exact": _rule(
        "MetaData Data", "compares the whole value; `all` is any", needed={"src": _text},
        either=_FILTERS),
    "filter-by-prefix": _rule(
        "MetaData Data", "compares its beginning; `all` is any", needed={"src": _text},
        either=_FILTERS),
    "filter-by-regex": _rule(
        "MetaData Data", "looks for a regular expression in the first 2,000 characters; a `*` at its "
        "beginning stands for anything", needed={"src": _text}, either=_PATTERNS),
    "filter-by-max": _rule(
        "MetaData Data", "denies what is more: a numeric source, `content-length` in kB. `objects` becomes "
        "`crawl.max_pages`, `hosts` is counted by the keeper (not on many machines)",
        needed={"src": _text, "value": _number}, is_single=True),
    "filter-by-md5": _rule(
        "Data", "denies what the corpus has already; by its text, as the keeper knows it (`text.duplicity`)",
        is_single=True),
    "filterrules-process": _rule("MetaData Data", "applies sites and rules"),
    "assign-source": _rule(
        "MetaData Data", "sets a source", needed={"dst": _text},
        either={"value": lambda value: "", "src": _text}),
    "assign-type-by-extension": _rule("MetaData Data", "sets `type` by the extension in a source", src=_text),
    "clear-source": _rule("MetaData Data", "deletes a source", needed={"src": _text}),
    "convert-to-html": _rule(
        "Data", "kept by `tiptoe convert`, which reads documents of this type later (`documents.convert`)",
        needed={"type": _text}),
    "generate-md5": _rule("Data", "sets `md5`, the checksum of the content"),
    "copy-attribute": _rule(
        "Generate", "copies a field to another", needed={"src": _text, "dst": _text}, truncate=_positive,
        clean=_flag),
    "generate-by-exact": _rule("Generate", "sets a field if a source equals `match`", needed=_GENERATES),
    "generate-by-prefix": _rule(
        "Generate", "sets a field if a source begins with `match`", needed=_GENERATES),
    "generate-by-regex": _rule(
        "Generate", "sets a field if `match` is found in a source",
        needed={**_GENERATES, "match": expression_fault}),
    "generate-rd-expires": _rule(
        "Generate", "sets a source: the expiry by header or META, else 90 days from now", dst=_text),
    "generate-rd-last-modified": _rule("Generate", "sets a source: now", dst=_text),
    "rename-attribute": _rule("Generate", "renames a field", needed={"src": _renaming}),
    "enumerate-urls": _rule(
        "Enumerate", "follows the links of a page, the first `max`", max=_positive, type=_text),
    "enumerate-urls-from-text": _rule(
        "Enumerate", "follows what stands behind `URL:` in a text, the first `max`", max=_positive),
    "extract-full-text": _rule("Generate", "sets a field to the whole text", truncate=_positive, dst=_text),
    "extract-html-meta": _rule("Generate", "makes fields of title and META", truncate=_positive, type=_text),
    "extract-html-text": _rule(
        "Generate", "sets `partial-text` to the beginning of the text", truncate=_positive,
        skip_headings=_flag, type=_text),
    "extract-html-toc": _rule("Generate", "sets `toc` to the headings", truncate=_positive, level=_positive),
    "extract-source": _rule("Generate", "makes fields of sources", needed={"src": _text}),
    "harvest-summarizer": _rule("Generate", f"refused: {_RUNS}", summarizer=_text, refusal=_RUNS),
    "filterrules-shutdown": _rule("Shutdown", "nothing is left to close"),
}
# fmt: on
"""All functions of that robot, except `load-modules` of `Init`, which is handled when the file is read."""


def check_directive(
    line: Directive, kind: str, plugins: Mapping[str, object], findings: FilterFindings
) -> None:
    """Note what is wrong with a directive of an enumeration or a generation filter."""
    belongs = {"Enumerate": "enumeration", "Generate": "generation"}.get(line.stage, kind)
    if kind and belongs != kind:
        findings.error(
            line.place, f"{line.stage} stands in the {kind} filter {line.filter}: it has no part there"
        )
    rule = FUNCTIONS.get(line.function)
    if rule is None:
        if line.function not in plugins:
            near = get_close_matches(line.function, [*FUNCTIONS, *plugins], n=1)
            hint = (
                f"is {near[0]} meant?"
                if near
                else "no installed package brings it (entry point tiptoe.filters)"
            )
            findings.error(line.place, f"{line.function}: no such function; {hint}")
        return
    if rule.refusal:
        findings.error(line.place, f"{line.function}: refused: {rule.refusal}")
        return
    if line.stage not in rule.stages:
        findings.error(
            line.place, f"{line.function} cannot be called in {line.stage}: {' or '.join(rule.stages)}"
        )
    _check_parameters(line, rule, findings)


def _check_parameters(line: Directive, rule: FunctionRule, findings: FilterFindings) -> None:
    forms = {**rule.needed, **rule.optional}
    for name, value in line.parameters.items():
        form = forms.get(name)
        if form is None:
            known = ", ".join(forms) or "none"
            findings.error(line.place, f"{line.function}: no parameter {name}; it has {known}")
        elif fault := form(value):
            findings.error(line.place, f"{line.function}: {name}={value[:60]}: {fault}")
    for name in rule.needed.keys() - line.parameters.keys():
        findings.error(line.place, f"{line.function}: {name} is missing")
    given = [name for name in rule.either if name in line.parameters]
    if rule.either and not given:
        findings.error(line.place, f"{line.function}: {' or '.join(rule.either)} is missing")
    if line.function == "assign-source" and len(given) > 1:
        findings.error(line.place, "assign-source: value or src, not both")
