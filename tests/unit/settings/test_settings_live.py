"""What may be changed while a crawl runs, and what is said of the rest."""

import pytest

from tiptoe.errors import SettingsError
from tiptoe.settings.layers import Settings
from tiptoe.settings.live import amended
from tiptoe.settings.schema import SETTINGS

RUNNING = Settings.load(
    overrides={"crawl.contact": "me@example.org", "politeness.req_delay": "7s", "crawl.max_pages": 50}
)


def test_what_is_changed_is_changed_and_nothing_else() -> None:
    after = amended(RUNNING, {"politeness.req_delay": "20s", "crawl.max_pages": "unlimited"})
    assert (after.politeness.req_delay, after.crawl.max_pages) == (20.0, 0)
    assert after.crawl.contact == "me@example.org"
    assert after.origin("crawl.contact") == RUNNING.origin("crawl.contact")


def test_the_word_default_takes_a_setting_back() -> None:
    after = amended(RUNNING, {"politeness.req_delay": "default"})
    assert after.politeness.req_delay == 5.0
    assert after.origin("politeness.req_delay") == "default"


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("politeness.req_delya", "5s", "no such setting; did you mean politeness.req_delay"),
        ("req_delay", "5s", "did you mean politeness.req_delay"),
        ("fetch.proxy", "", "cannot be changed while the crawl runs"),
        ("write.encoding", "utf-8", "a corpus has one encoding"),
        ("politeness.req_delay", "10ms", "at least 1s"),
        ("politeness.req_delay", "soon", "expected a duration"),
        ("politeness.req_delay", "", "expected a duration"),
        ("harvest.harvesters", "0", "at least 1"),
        ("crawl.max_pages", "-1", "at least"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(name: str, raw: str, said: str) -> None:
    """Floors hold while it runs, too: there is no rehearsal without its bounds."""
    with pytest.raises(SettingsError, match=said):
        amended(RUNNING, {name: raw})


def test_settings_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(SettingsError, match="robots_expiry"):
        amended(
            RUNNING,
            {"politeness.max_reqs": "1", "politeness.robots_expiry": "1m", "politeness.general_pause": "1h"},
        )


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        amended(RUNNING, {"fetch.proxy": "x", "no.such": "y"})
    assert len(str(caught.value).splitlines()) == 2


def test_every_live_setting_is_remembered_and_none_is_fixed() -> None:
    """A change that the next run forgets would be undone by a crash."""
    live = [setting for setting in SETTINGS.values() if setting.live]
    assert len(live) > 10
    assert [setting.name for setting in live if setting.fixed or not setting.is_remembered] == []
