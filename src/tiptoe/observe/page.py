"""How does a report become one HTML page that needs no other file?

Title and lead are escaped here; sections are HTML that was escaped where it was
made (see `charts.py`). No external scripts, fonts or images: the page forbids loading
anything, so that a hostile name in it can do no harm.
"""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from string import Template

__all__ = ["html_page"]

CONTENTS_FROM = 4
"""Minimum number of sections for a table of contents; with fewer there is none."""


def html_page(title: str, lead: str, sections: Iterable[tuple[str, str]], *, footer: str = "") -> str:
    """Return a complete page; a section is a heading and HTML that is already escaped."""
    parts = list(sections)
    body = "\n".join(
        f'<section id="s{number}">\n<h2>{escape(heading)}</h2>\n{html}\n</section>'
        for number, (heading, html) in enumerate(parts, 1)
    )
    template = Template(files("tiptoe.observe").joinpath("page.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(title),
        lead=escape(lead),
        contents=_contents([heading for heading, _ in parts]),
        body=body,
        footer=f"<footer>{escape(footer)}</footer>" if footer else "",
    )


def _contents(headings: Sequence[str]) -> str:
    if len(headings) < CONTENTS_FROM:
        return ""
    links = (f'<a href="#s{number}">{escape(heading)}</a>' for number, heading in enumerate(headings, 1))
    return f'<nav aria-label="Contents">{" ".join(links)}</nav>'
