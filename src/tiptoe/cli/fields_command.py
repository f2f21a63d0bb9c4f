"""`tiptoe fields`: are the rules valid, and what do they find on a page?"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from tiptoe.cli.archived_page import newest_answer
from tiptoe.cli.arguments import AsJson
from tiptoe.cli.exits import Exit
from tiptoe.cli.field_inputs import expect_rules, read_rule_file
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.fetch.coding import decode_body
from tiptoe.fetch.outcome import Answer
from tiptoe.fields.field_rule import PageRule, from_lines
from tiptoe.fields.page_tree import PageTree
from tiptoe.fields.rule_book import FieldFinding, PageFields, RuleBook
from tiptoe.harvest.mediatype import declared_charset
from tiptoe.keeper.settings_file import recall
from tiptoe.observe.amounts import counted
from tiptoe.observe.crawl_marker import expect_crawl
from tiptoe.observe.printable import printable
from tiptoe.parse.charset import decode
from tiptoe.parse.html import Details, read_page
from tiptoe.settings.layers import Settings
from tiptoe.url.canonical import Canonicalizer

__all__ = ["check_fields_command", "try_fields_command"]

PAGE_BYTES_MAX: Final = 20_000_000
VALUE_CHARS_SHOWN: Final = 300
ADDRESSES: Final = ("http://", "https://")

RulesPath = Annotated[Path, Parameter(help="The file of rules.")]


def check_fields_command(rules: RulesPath, *, as_json: AsJson = False) -> int:
    """Print the mistakes in a file of rules."""
    found = read_rule_file(rules)
    if as_json:
        print(json.dumps(found.problems, indent=1, ensure_ascii=False))
    else:
        for problem in found.problems:
            print(problem)
        fields = sum(len(rule.fields) for rule in found.rules)
        wrong = counted(len(found.problems), "problem") if found.problems else "nothing wrong"
        print(f"{counted(len(found.rules), 'rule')} with {counted(fields, 'field')}: {wrong}")
    return Exit.FAULT if found.problems else Exit.DONE


def try_fields_command(
    rules: Annotated[Path, Parameter(help="The file of rules, or a crawl that remembers its rules.")],
    page: Annotated[str, Parameter(help="A local HTML file, or an address in the archive of a crawl.")],
    *,
    crawl: Annotated[Path | None, Parameter(help="The crawl in whose archive the address is.")] = None,
    url: Annotated[str, Parameter(help="Where a local file comes from.")] = "",
    as_json: AsJson = False,
) -> int:
    """Show what each rule finds on a page."""
    book = RuleBook(_rules(rules))
    if page.startswith(ADDRESSES):
        address, answer = _archived(crawl, page)
        body = decode_body(answer.body, answer.headers.get("content-encoding"), PAGE_BYTES_MAX).data
        markup = decode(body, declared_charset(answer)).text
    else:
        address, markup = url, decode(_file(Path(page)), None).text
    fields = _read(book, markup, address)
    if fields is None:
        raise CrawlerError(f"{page}: built so that it cannot be searched in time; a crawl gives it no fields")
    if as_json:
        print(json.dumps({"url": address, "fields": fields.values}, indent=1, ensure_ascii=False))
    else:
        for line in _shown(fields, address):
            print(line)
    return Exit.DONE if any(value is not None for value in fields.values.values()) else Exit.FAULT


def _rules(path: Path) -> list[PageRule]:
    """Return the rules in a file, or those that a crawl uses."""
    if not path.is_dir():
        return expect_rules(path)
    remembered = recall(path)
    lines = Settings.load(remembered=remembered).text.field_rules if remembered is not None else ()
    if not lines:
        raise SettingsError(f"{path}: this is no crawl with rules for fields; name a file of rules")
    return from_lines(lines)


def _file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(PAGE_BYTES_MAX)
    except OSError as problem:
        raise SettingsError(
            f"{path}: cannot be read: {problem.strerror}; name an HTML file, or an address with --crawl DIR"
        ) from None


def _archived(crawl: Path | None, url: str) -> tuple[str, Answer]:
    """Return the newest answer in the archive of a crawl for a URL."""
    if crawl is None:
        raise SettingsError(f"{url}: nothing is fetched; say in which crawl it is: --crawl DIR")
    expect_crawl(crawl)
    wanted = Canonicalizer().canonical(url)
    if wanted is None:
        raise SettingsError(f"{url[:60]!r} is no address; one looks like https://www.example.org/")
    answer = newest_answer(crawl, wanted, bytes_max=PAGE_BYTES_MAX)
    if answer is None:
        raise CrawlerError(f"{wanted}: not in the archive of {crawl}; see: tiptoe history {crawl} {wanted}")
    return answer.url, answer


def _read(book: RuleBook, markup: str, url: str) -> PageFields | None:
    """Return the fields of a page as a harvester would; None if it would not look for any."""
    found: list[PageFields] = []
    read_page(
        markup,
        agent="tiptoe",
        details=Details(
            has_meta=False,
            has_headings=False,
            inspect=lambda tree, structured: found.append(
                book.read(PageTree(tree, structured, url=url), is_anywhere=not url)
            ),
        ),
    )
    return found[-1] if found else None


def _shown(fields: PageFields, url: str) -> Iterator[str]:
    """Yield what was found, rule by rule, as lines of text."""
    if not fields.findings:
        yield f"no rule is meant for {url}: see hosts and paths"
    rule = ""
    for one in fields.findings:
        if one.rule != rule:
            rule = one.rule
            yield f"rule {rule}"
        yield f"  {one.field:20} {_said(one)}"


def _said(found: FieldFinding) -> str:
    if found.is_cut_off:
        return "(not finished: on this page the rules take too much work; make selectors simpler)"
    if found.value is None:
        return "(nothing)"
    value = json.dumps(found.value, ensure_ascii=False)
    value = value if len(value) <= VALUE_CHARS_SHOWN else value[:VALUE_CHARS_SHOWN] + "…"
    return f"{printable(value, '?')}  by {found.selector}"
