"""Moments as servers write them."""

import time
from collections.abc import Iterator

import pytest

from tiptoe.fetch.http_date import http_moment


@pytest.fixture
def far_from_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this machine stand in another zone."""
    monkeypatch.setenv("TZ", "XYZ-7")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("far_from_utc")
@pytest.mark.parametrize(
    "written",
    ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"],
)
def test_all_forms_of_http_name_the_same_moment_in_any_zone(written: str) -> None:
    """Whoever takes a moment for one of his own zone comes back hours before he may."""
    assert http_moment(written) == 784_111_777.0


@pytest.mark.parametrize("written", ["", "0", "-1", "soon", "Mon, 99 Foo 99999 99:99:99 GMT", "x" * 10_000])
def test_what_names_no_moment_is_none(written: str) -> None:
    assert http_moment(written) is None
