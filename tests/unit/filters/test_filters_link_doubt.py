"""One look at all links of a page finds everything that a filter denies."""

import pytest
from filter_samples import FOLLOW, build
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.filters.robot_filters import RobotFilters

LINES = f"""Setup fn=filterrules-setup config=rules
Setup fn=setup-type-by-extension file=types
MetaData fn=filter-by-max src=depth value=5
MetaData fn=assign-type-by-extension
MetaData fn=filterrules-process
{FOLLOW}"""
RULES = """<Rule id=a default=true>
    Match src=path by=suffix value=.zip
    Match src=path by=suffix value=~
    Match src=path by=suffix value=.tar.gz
    Match src=path by=contains value=/cgi-bin/
    Match src=url by=contains value=?open
    Match src=type by=prefix value=image/
</Rule>
<Rule id=b default=true action=allow>
    Match src=path by=prefix value=/ok/
</Rule>
<Rule id=c default=true>
    Match src=path by=suffix value=.pdf
</Rule>
"""
SITES = """<Site id=s depth=3>
    Server host=a.example port=80
    Use rule=a
    Use rule=b
</Site>
<Site id=t>
    Domain name=b.example
    Use rule=c
</Site>
"""
HOSTS = ("a.example", "a.example:8080", "b.example", "x.b.example", "c.example", "a.png")
PARTS = (
    "/", "/ok/", "x", ".zip", ".ZIP", ".png", ".PNG", "~", ".tar.gz", "/cgi-bin/", "?open", ".pdf", "?x=.zip",
)  # fmt: skip
URLS = st.builds(
    lambda host, parts: f"http://{host}/{''.join(parts)}",
    st.sampled_from(HOSTS),
    st.lists(st.sampled_from(PARTS), max_size=5),
)  # fmt: skip
EVERYWHERE = build(LINES, LINES.replace(FOLLOW, ""), rules=RULES)
ON_SITES = build(LINES, LINES.replace(FOLLOW, ""), rules=RULES + SITES)


@pytest.mark.parametrize("filters", [EVERYWHERE, ON_SITES], ids=["everywhere", "sites"])
@given(urls=st.lists(URLS, max_size=8, unique=True), depth=st.integers(0, 7))
def test_no_link_is_taken_for_allowed_that_is_denied(
    filters: RobotFilters, urls: list[str], depth: int
) -> None:
    """A doubt too many costs time, one too few would let a link pass."""
    one_by_one = {url: denied for url in urls if (denied := filters.refuses_link(url, depth)) is not None}
    assert filters.refuse_links(urls, depth) == one_by_one


def test_links_of_no_interest_to_any_rule_are_not_looked_at_closely() -> None:
    """Else a page would cost a fifth more."""
    urls = ["http://a.example/", "http://a.example/x.html", "http://a.example/x?y=1"]
    for filters in (EVERYWHERE, ON_SITES):
        assert list(filters.enumeration.doubtful([*urls, "http://a.example/x.zip"], 2)) == [
            "http://a.example/x.zip"
        ]
        assert list(filters.enumeration.doubtful(urls, 6)) == urls


@pytest.mark.parametrize(
    "line",
    [
        "filter-by-exact src=host deny=x",
        "assign-source dst=path value=/x",
        "assign-type-by-extension src=url",
    ],
)
def test_a_filter_with_other_lines_looks_at_every_link(line: str) -> None:
    filters = build(
        LINES.replace(
            "MetaData fn=filterrules-process", f"MetaData fn={line}\nMetaData fn=filterrules-process"
        ),
        rules=RULES,
    )
    assert filters.enumeration.doubtful(["http://a.example/"], 0) == ["http://a.example/"]


def test_rules_that_look_at_more_than_names_do_so_too() -> None:
    rules = '<Rule id=a default=true>\nMatch src=path by=regex value="^/x$"\n</Rule>'
    filters = build(LINES, rules=rules)
    assert filters.enumeration.doubtful(["http://a.example/"], 0) == ["http://a.example/"]
