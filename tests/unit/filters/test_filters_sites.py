"""Sites and rules: `filterrules-process`."""

import pytest
from filter_samples import FOLLOW, build, define, facts

RULES = """
<Rule id=image enable=true default=true action=deny>
    Match src=type by=prefix value="image/"
    Match src=path by=suffix value=".png"
</Rule>
<Rule id=charts action=allow>
    Match src=path by=prefix value="/charts/"
</Rule>
<Rule id=tests>
    Match src=host by=exact value="Test.example.org"
    Match src=path by=contains value="/test/"
    Match src=url by=regex value="[?]x="
    Match src=protocol by=exact value=ftp
</Rule>
<Rule id=off enable=false>
    Match src=path by=prefix value="/"
</Rule>
<Site id=docs depth=6>
    Server host=docs.example.org port=80
    Server host=docs2.example.org
    Start url="http://docs.example.org/" depth=4
    Start url="http://docs.example.org/charts/"
    Use rule=image
    Use rule=charts
    Use rule=tests
    Use rule=off
</Site>
<Site id=gone enable=false>
    Server host=gone.example.org
</Site>
<Site id=rest depth=-1>
    Domain name=example.org
    Use rule=tests enable=false
    Use rule=image
</Site>
"""
LINES = f"""Setup fn=filterrules-setup config=rules
Setup fn=setup-type-by-extension file=types
MetaData fn=assign-type-by-extension
MetaData fn=filterrules-process
Data fn=assign-source dst=type src=content-type
Data fn=filterrules-process
{FOLLOW}"""


def why(url: str, depth: int = 0, rules: str = RULES) -> str:
    """Return the line that denies an address, and its reason."""
    filters = build(LINES, process="depth=3", rules=rules)
    denied = filters.enumeration.judge_address(filters.enumeration.resource(url, depth))
    return str(denied or "")


@pytest.mark.parametrize(
    ("url", "depth", "expected"),
    [
        ("http://docs.example.org/", 0, ""),
        ("http://docs.example.org/a", 6, ""),
        ("http://docs.example.org/a", 7, "filterrules.conf:18 (deeper than 6)"),
        ("https://docs.example.org/", 0, ""),  # of the domain: another port is another site
        ("https://docs2.example.org/", 0, ""),
        ("http://elsewhere.example/", 0, "filter.conf:2 (site not allowed)"),
        ("http://notexample.org/", 0, "filter.conf:2 (site not allowed)"),
        ("http://gone.example.org/", 0, ""),  # the next site that matches counts
        ("http://a.b.example.org/deep", 99, ""),
        ("http://docs.example.org/a.png", 0, "filterrules.conf:3 (filter rule image)"),
        ("http://docs.example.org/a.PNG", 0, "filterrules.conf:3 (filter rule image)"),
        ("http://docs.example.org/charts/a", 0, ""),
        ("http://docs.example.org/charts/test/", 0, ""),  # included: no further rule is asked
        ("http://docs.example.org/test/", 0, "filterrules.conf:11 (filter rule tests)"),
        ("http://docs.example.org/?x=1", 0, "filterrules.conf:12 (filter rule tests)"),
        ("http://www.example.org/?x=1", 0, ""),  # the rule is not used there
        ("gopher://docs2.example.org/", 0, "filter.conf:2 (protocol not allowed)"),
    ],
)
def test_a_site_and_its_rules_decide(url: str, depth: int, expected: str) -> None:
    assert why(url, depth) == expected


def test_hosts_are_compared_without_regard_to_case() -> None:
    rules = RULES.replace("Server host=docs2", "Server host=Test")
    assert why("http://test.example.org/", rules=rules) == "filterrules.conf:10 (filter rule tests)"


def test_without_sites_the_default_rules_hold_everywhere() -> None:
    """Else a set of rules could not be used before sites are defined."""
    rules = RULES.partition("<Site")[0]
    assert why("http://any.example/a.png", 99, rules) == "filterrules.conf:3 (filter rule image)"
    assert why("http://any.example/test/", 99, rules) == ""


def test_a_site_without_a_depth_has_that_of_the_robot() -> None:
    rules = "<Site id=a>\nServer host=a.example\nStart url=http://a.example/\n</Site>"
    assert why("http://a.example/x", 3, rules) == ""
    assert why("http://a.example/x", 4, rules) == "filterrules.conf:1 (deeper than 3)"


def test_the_type_that_a_server_says_is_judged_when_it_is_known() -> None:
    """Hence the double call in the supplied filters."""
    filters = build(LINES, process="depth=3", rules=RULES)
    url = "http://docs.example.org/logo"
    assert filters.refuses_link(url, 0) is None
    verdict = filters.judge(url, 0, "", facts(media_type="image/png"), [])
    assert str(verdict.links_denied) == "filterrules.conf:3 (filter rule image)"


@pytest.mark.parametrize(
    ("rules", "error"),
    [
        ("<Rule id=a>\n</Rule>\n<Rule id=a>\n</Rule>", "filterrules.conf:3: a second rule has the id a"),
        ("<Rule>\n</Rule>", "filterrules.conf:1: Rule: id is missing"),
        ("<Rule id=a action=maybe>\n</Rule>", "filterrules.conf:1: Rule: action=maybe: one of deny, allow"),
        ("<Rule id=a enable=perhaps>\n</Rule>", "filterrules.conf:1: Rule: enable=perhaps: true or false"),
        ("<Rule id=a colour=red>\n</Rule>", "filterrules.conf:1: Rule: colour is not known here"),
        (
            "<Rule id=a>\nMatch src=type by=regex value=(\n</Rule>",
            "filterrules.conf:2: value=(: no regular expression: missing ), unterminated subpattern at "
            "position 0",
        ),
        (
            "<Rule id=a>\nMatch src=age by=exact value=1\n</Rule>",
            "filterrules.conf:2: Match: src=age: one of url, protocol, host, path, type",
        ),
        ("Match src=type by=exact value=1", "filterrules.conf:1: Match belongs into a <Rule>"),
        ("<Site id=a>\n</Site>", "filterrules.conf:1: site a has no Server and no Domain"),
        ("<Site id=a depth=x>\nServer host=b\n</Site>",
         "filterrules.conf:1: Site: depth=x: a number of links, or -1 for no limit"),
        ("<Site id=a>\nServer host=b port=99999\n</Site>",
         "filterrules.conf:2: Server: port=99999: a number up to 65535"),
        ("<Site id=a>\nServer host=b\nUse rule=c\n</Site>", "filterrules.conf:3: Use: there is no rule c"),
        ("<Site id=a>\nServer host=b\nStart url=here\n</Site>",
         "filterrules.conf:3: Start: 'here' is no address such as http://a.example/"),
        ("<Site id=a enable=false>\nServer host=b\n</Site>",
         "filterrules.conf:1: no site is enabled: nothing would be crawled"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(rules: str, error: str) -> None:
    _, findings = define(rules=rules)
    assert error in [str(problem) for problem in findings.errors]


def test_a_start_that_its_site_does_not_cover_is_told() -> None:
    _, findings = define(rules="<Site id=a>\nServer host=b\nStart url=http://c/\n</Site>")
    assert [str(one) for one in findings.warnings] == [
        "filterrules.conf:3: warning: Start: http://c/ lies on no server of site a"
    ]
