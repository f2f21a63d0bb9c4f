"""How settings look as a form."""

from tiptoe.control.setting_fields import FieldSection, form_sections
from tiptoe.settings.layers import Settings
from tiptoe.settings.remembering import to_remember


def sections_of(settings: Settings, *, common: bool = False) -> dict[str, FieldSection]:
    return {section.name: section for section in form_sections(settings, lambda name: "", common=common)}


def test_what_most_people_set_is_told_with_its_section() -> None:
    """`strategy` alone says nothing; and whoever begins a crawl wants to stay on the site."""
    labels = [field.label for field in sections_of(Settings.load(), common=True)["common"].fields]
    assert {"scope: within", "revisit: strategy", "crawl: max pages"} <= set(labels)


def test_a_label_does_not_say_its_unit_twice() -> None:
    fields = [field for section in sections_of(Settings.load()).values() for field in section.fields]
    assert [field.name for field in fields if field.unit and field.unit in field.label.split()] == []


def test_defaults_that_a_crawl_remembers_do_not_count_as_set() -> None:
    """Of a crawl with one setting given, one is set."""
    begun = Settings.load(overrides={"crawl.max_pages": 10})
    again = Settings.load(remembered=to_remember(begun))
    assert {name: one.changed for name, one in sections_of(again).items() if one.changed} == {"crawl": 1}
