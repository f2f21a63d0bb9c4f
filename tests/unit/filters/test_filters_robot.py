"""Two filters together, functions of one's own, and the explanation of both."""

from collections.abc import Mapping
from importlib.metadata import EntryPoint, EntryPoints

import pytest
from filter_samples import FOLLOW, PAGE, build, define, facts

from tiptoe.errors import SettingsError
from tiptoe.filters import filter_plugins
from tiptoe.filters.definition import from_lines, to_lines
from tiptoe.filters.explaining import explain
from tiptoe.filters.filter_chain import Denied
from tiptoe.filters.filter_plugins import load_plugins
from tiptoe.filters.resource import Resource
from tiptoe.filters.robot_filters import RobotFilters, functions_wanted

NO_PATH = "MetaData fn=filter-by-prefix src=path deny="


@pytest.mark.parametrize(
    ("path", "is_asked_for"), [("/a", True), ("/links", True), ("/text", True), ("/both", False)]
)
def test_what_one_filter_wants_is_asked_for(path: str, is_asked_for: bool) -> None:
    """A resource may be enumerated only, described only, or both."""
    filters = build(
        f"{NO_PATH}/text\n{NO_PATH}/both\n{FOLLOW}".replace("\n", "\n"), f"{NO_PATH}/links\n{NO_PATH}/both"
    )
    url = f"http://a.example{path}"
    assert (filters.refuses_link(url, 1) is None) is is_asked_for
    assert (filters.refuses_request(url, 1, "192.0.2.1", is_source=False) is None) is is_asked_for


def test_each_filter_decides_for_itself_about_an_answer() -> None:
    filters = build(f"{NO_PATH}/text\n{FOLLOW}", f"{NO_PATH}/links")
    text_only = filters.judge("http://a.example/text", 0, "", facts(), ["/x"])
    links_only = filters.judge("http://a.example/links", 0, "", facts(), ["/x"])
    assert (str(text_only.links_denied), text_only.text_denied) == ("filter.conf:2 (filter-by-prefix)", None)
    assert (links_only.links, str(links_only.text_denied)) == (["/x"], "filter.conf:6 (filter-by-prefix)")


@pytest.mark.parametrize(
    ("path", "media_type"), [("/a", "text/html"), ("/text", "text/html"), ("/a", "image/png")]
)
def test_filters_that_judge_alike_say_what_they_would_say_one_by_one(path: str, media_type: str) -> None:
    """They are asked once for both; each denial still names the line of its own filter."""
    judging = f"{NO_PATH}/text\nData fn=assign-source dst=type src=content-type\n"
    judging += "Data fn=filter-by-prefix src=type deny=image/"
    makes = "Generate fn=extract-source src=type,path"
    apart = "Data fn=clear-source src=nothing"
    alike, one_by_one = (
        build(f"{judging}\n{FOLLOW}", f"{judging}\n{makes}"),
        build(f"{judging}\n{FOLLOW}", f"{judging}\n{apart}\n{makes}"),
    )
    for filters in (alike, one_by_one):
        said = filters.judge(f"http://a.example{path}", 1, "192.0.2.1", facts(media_type=media_type), ["/x"])
        made = filters.describe(said.resource) if said.resource is not None else None
        is_fine = (path, media_type) == ("/a", "text/html")
        assert (said.links == ["/x"]) is (said.links_denied is None) is (said.text_denied is None) is is_fine
        assert made == ({"type": ["text/html"], "path": ["/a"]} if is_fine else None)
        assert is_fine or str(said.links_denied) != str(said.text_denied)


def test_sitemaps_and_feeds_are_there_for_links_alone() -> None:
    filters = build(f"{NO_PATH}/text\n{FOLLOW}")
    assert filters.refuses_request("http://a.example/text", 0, "", is_source=True) is not None
    assert filters.refuses_request("http://a.example/text", 0, "", is_source=False) is None


def test_a_denial_that_may_end_nearer_to_a_seed_says_so() -> None:
    """Who remembers it would otherwise never look at that link again."""
    deep = "MetaData fn=filter-by-max src=depth value=2"
    both, one = build(f"{deep}\n{FOLLOW}", deep), build(f"{NO_PATH}/\n{FOLLOW}", deep)
    derived = "MetaData fn=assign-source dst=x src=depth\nMetaData fn=filter-by-exact src=x deny=3"
    for filters in (both, one, build(f"{derived}\n{FOLLOW}", derived)):
        denied = filters.refuses_link(PAGE, 3)
        assert denied is not None
        assert denied.is_by_depth
    plain = build(f"{NO_PATH}/\n{FOLLOW}", f"{NO_PATH}/").refuses_link(PAGE, 3)
    assert plain is not None
    assert not plain.is_by_depth


def test_the_address_of_a_host_is_asked_about_when_it_is_known() -> None:
    lines = "MetaData fn=filter-by-prefix src=ip deny=192.0.2."
    filters = build(f"{lines}\n{FOLLOW}", lines)
    assert filters.refuses_link(PAGE, 0) is None
    assert filters.refuses_request(PAGE, 0, "192.0.2.7", is_source=False) is not None
    assert filters.refuses_request(PAGE, 0, "198.51.100.7", is_source=False) is None


@pytest.mark.parametrize(
    ("process", "rules", "depth"),
    [
        ("", "", None),
        ("email=a@b.example", "", 10),  # what that robot does unless told otherwise
        ("depth=-1", "", None),
        ("depth=0", "", 0),
        ("depth=2\nURL href=http://a.example/ depth=5", "", 5),
        ("depth=2", "<Site id=a depth=7>\nServer host=a.example\n</Site>", 7),
        (
            "depth=2",
            "<Site id=a>\nServer host=a.example\nStart url=http://a.example/ depth=-1\n</Site>",
            None,
        ),
    ],
)
def test_no_page_lies_deeper_than_any_starting_point_allows(
    process: str, rules: str, depth: int | None
) -> None:
    assert build(process=process, rules=rules).depth_max == depth


def test_limits_over_the_whole_crawl_are_for_the_keeper() -> None:
    lines = "MetaData fn=filter-by-max src={} value={}"
    assert build(f"{lines.format('hosts', 7)}\n{FOLLOW}", lines.format("hosts", 9)).hosts_max == 9
    assert build(f"{lines.format('objects', 7)}\n{FOLLOW}").hosts_max == 0


@pytest.mark.parametrize(("logtypes", "expected"), [("terse verbose", "verbose"), ("terse terse", "terse")])
def test_the_talkative_filter_says_how_much_is_logged(logtypes: str, expected: str) -> None:
    first, second = (f"Setup fn=filterrules-setup config=rules logtype={word}" for word in logtypes.split())
    assert build(f"{first}\n{FOLLOW}", second).log_type == expected


def test_descriptions_have_the_address_unless_it_is_not_wanted() -> None:
    lines = "Generate fn=extract-source src=host"
    for process, has_ip in (("enable-ip=yes", True), ("enable-ip=no", False), ("", False)):
        filters = build(generation=lines, process=process)
        resource = filters.judge(PAGE, 0, "192.0.2.1", facts(), []).resource
        assert resource is not None
        assert ("ip" in filters.describe(resource)) is has_ip  # type: ignore[operator]


def test_without_filter_conf_nothing_is_denied() -> None:
    definition, _ = define()
    definition.filters.clear()
    definition.directives.clear()
    verdict = RobotFilters(definition, {}).judge(PAGE, 0, "", facts(), ["/x"])
    assert (verdict.links_denied, verdict.text_denied, verdict.links) == (None, None, None)


def test_a_filter_that_follows_no_link_is_told() -> None:
    _, findings = define("MetaData fn=filter-by-exact src=host deny=x")
    assert [str(one) for one in findings.warnings] == [
        "filter.conf:1: warning: no link is followed: enumeration-default has no Enumerate"
    ]


@pytest.mark.parametrize(
    ("process", "error"),
    [
        ("enumeration-filter=mine", "process.conf:2: there is no filter mine for enumeration"),
        ("generation-filter=enumeration-default", "filter.conf:1: one filter cannot be both"),
    ],
)
def test_the_filters_that_are_named_have_to_be_there(process: str, error: str) -> None:
    _, findings = define(process=process)
    assert any(str(problem).startswith(error) for problem in findings.errors)


def test_a_definition_travels_as_lines() -> None:
    definition, _ = define(generation="Generate fn=extract-html-meta", process="depth=2", rules="")
    lines = to_lines(definition)
    assert from_lines(lines) == definition
    assert all(line.isprintable() for line in lines)
    with pytest.raises(SettingsError, match=r"filters\.definition, line 1"):
        from_lines(["nonsense"])


# -- functions of one's own ------------------------------------------------------


def tag_ships(resource: Resource, parameters: Mapping[str, str]) -> None:
    if "ship" in resource.sources["path"]:
        resource.add_field(parameters["dst"], ["Sea:Ships"])


def no_odd_numbers(resource: Resource, parameters: Mapping[str, str]) -> bool:
    return int(resource.sources["path"][1:]) % 2 == 0


def last_link(resource: Resource, parameters: Mapping[str, str]) -> None:
    del resource.links[:-1]


OWN = {"tag-ships": tag_ships, "no-odd": no_odd_numbers, "last-link": last_link}


def test_functions_of_ones_own_deny_choose_and_describe() -> None:
    filters = build(
        "MetaData fn=no-odd\nEnumerate fn=last-link", "MetaData fn=no-odd\nGenerate fn=tag-ships dst=x",
        plugins=OWN,
    )  # fmt: skip
    assert filters.refuses_link("http://a.example/2", 0) is None
    assert str(filters.refuses_link("http://a.example/3", 0)) == "filter.conf:2 (no-odd)"
    assert filters.judge("http://a.example/2", 0, "", facts(), ["/1", "/2"]).links == ["/2"]
    ships = build(generation="Generate fn=tag-ships dst=x", plugins=OWN)
    resource = ships.judge("http://a.example/ships", 0, "", facts(), []).resource
    assert resource is not None
    assert ships.describe(resource) == {"x": ["Sea:Ships"]}


def test_a_function_that_fails_costs_the_page_and_says_where() -> None:
    """Not the crawl: whatever it raises becomes a reason."""
    filters = build("MetaData fn=no-odd\nEnumerate fn=last-link", "Generate fn=tag-ships", plugins=OWN)
    verdict = filters.judge("http://a.example/ships", 0, "", facts(), [])
    assert verdict.links_denied is not None
    assert verdict.links_denied.is_fault
    assert verdict.links_denied.place == "filter.conf:2"
    assert verdict.resource is not None
    made = filters.describe(verdict.resource)
    assert isinstance(made, Denied)
    assert "KeyError('dst')" in made.why


def test_functions_are_found_as_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    points = EntryPoints(
        [
            EntryPoint("tag-ships", "json:dumps", "tiptoe.filters"),
            EntryPoint("broken", "no_such_module:x", "tiptoe.filters"),
        ]
    )
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points.select(group=group))
    assert filter_plugins.plugin_names() == {"tag-ships", "broken"}
    assert load_plugins({"tag-ships"})["tag-ships"].__name__ == "dumps"
    with pytest.raises(SettingsError, match="broken of the filters cannot be loaded"):
        load_plugins({"broken"})
    with pytest.raises(SettingsError, match="other of the filters is not installed here"):
        load_plugins({"other"})


def test_only_functions_that_are_called_are_wanted() -> None:
    definition, _ = define("MetaData fn=no-odd\nMetaData enable=off fn=tag-ships", plugins=OWN)
    assert functions_wanted(definition) == {"no-odd"}


# -- explain ---------------------------------------------------------------------


def test_an_explanation_names_the_line_that_decides_in_each_stage() -> None:
    filters = build(
        f"MetaData fn=assign-source dst=x value=1\nData fn=filter-by-exact src=author deny=me\n{FOLLOW}",
        f"{NO_PATH}/tides\nGenerate fn=extract-html-meta",
    )
    enumeration, generation = explain(filters, PAGE, facts=facts(meta={"author": "me"}), links=["/a"])
    assert [(step.stage, step.place, step.did) for step in enumeration.steps] == [
        ("MetaData", "filter.conf:2", "x = 1"),
        ("Data", "filter.conf:3", "denied by filter.conf:3 (filter-by-exact)"),
    ]
    assert (enumeration.denied_in, generation.denied_in) == ("Data", "MetaData")


def test_an_explanation_ends_with_links_and_fields() -> None:
    filters = build(generation="Generate fn=extract-html-meta")
    enumeration, generation = explain(filters, PAGE, facts=facts(title="Tides"), links=["/a"])
    assert (enumeration.links, generation.fields) == (["/a"], {"title": ["Tides"]})
    assert [one.links for one in explain(filters, PAGE)] == [None, None]
