"""Do the checks of texts run, and would they notice?"""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

BENCH = Path(__file__).parents[3] / "bench"
SHAPE = WebShape(
    hosts=12, pages_per_host=2, pages_spread=0.0, legacy_charset_share=0.5, charset_undeclared_share=0.3,
    charset_wrong_header_share=0.3, charset_wrong_meta_share=0.3,
)  # fmt: skip
PAGE = (
    b"<title>A page</title><p>Some words of a page that is read for its text.<ul><li><a href=/>Home</a></ul>"
)


@pytest.fixture(scope="module", autouse=True)
def bench_can_be_imported() -> Iterator[None]:
    """Benchmarks are scripts beside each other, as `python bench/check_charset.py` finds them."""
    paths = sys.path.copy()
    sys.path.insert(0, str(BENCH))
    yield
    sys.path[:] = paths


def script(name: str) -> ModuleType:
    return importlib.import_module(name)


def test_every_paragraph_of_the_simulated_web_is_exact(capsys: pytest.CaptureFixture[str]) -> None:
    """In whatever encoding, and however its pages are broken (TXT-1, TXT-2)."""
    assert script("check_paragraphs").check(SHAPE, 2)
    *rows, total, _ = capsys.readouterr().out.splitlines()[1:]
    assert len(rows) == len(script("broken_html").BREAKAGES)
    assert {row.split()[-1] for row in (*rows, total)} == {"0"}  # stray
    assert {row.split()[-3] for row in (*rows, total)} == {"1.0000"}


def test_a_paragraph_out_of_place_or_changed_is_not_exact() -> None:
    checks = script("check_paragraphs")
    score = checks.Score()
    assert checks.judge(["menu", "a", "c", "b", "d!"], ["a", "b", "c", "d"], {"menu"}, score) == ["c", "d"]
    assert (score.exact, score.paragraphs, score.stray) == (2, 4, 1)


def test_breakages_break() -> None:
    """One that changes nothing would prove nothing."""
    web = SimulatedWeb(SHAPE)
    page = web.respond(web.hosts.at(0).name, "/").body.replace(b"</p>", b" &amp; more</p>")
    for name, breakage in script("broken_html").BREAKAGES.items():
        assert (breakage(page, Random(1)) == page) is (name == "as it should be"), name


def sentences(language: str) -> list[str]:
    """Return sentences of the simulated web."""
    web = SimulatedWeb(WebShape(hosts=3, pages_per_host=20, pages_spread=0.0, languages=(language,)))
    urls = [web.graph.url_of(web.hosts.at(host), page) for host in range(3) for page in range(20)]
    return [text for url in urls for text in web.true_paragraphs(url)[1:3]]


def test_texts_are_decoded_right_whatever_their_pages_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert script("check_charset").check({language: sentences(language) for language in ("cs", "sk", "pl")})
    rows = capsys.readouterr().out.splitlines()[1:-1]
    assert len(rows) == 9
    assert {share for row in rows for share in row.split()[-5:-1]} == {"1.000"}


def test_a_document_read_in_another_encoding_is_not_right() -> None:
    checks = script("check_charset")
    lying = checks.Sample("cs", "windows-1250", checks.Declared("declared"), "šš".encode("iso-8859-2"))
    assert not lying.is_right


def test_speed_is_measured_in_every_way_of_reading() -> None:
    checks = script("check_text_speed")
    speeds = checks.measure([checks.answer_of("http://a.example/", PAGE)], rounds=1)
    assert [speed.name for speed in speeds if speed.name.endswith(" main")]
    assert all(speed.seconds > 0.0 for speed in speeds)
    assert checks.Speed("text", 0.5).line(100, 20_000_000).split() == [
        "text",
        "5.00",
        "ms/page",
        "40.0",
        "MB/s",
    ]


def test_snippets_that_are_missing_or_stray_lower_the_score() -> None:
    page = script("extraction").GoldPage

    def score(extracted: str, wanted: tuple[str, ...], unwanted: tuple[str, ...]) -> float:
        return float(page("p", "page", "", "", "", b"", wanted, unwanted).score(extracted))

    assert score("one two\n three", ("one two", "two three"), ("four",)) == 1.0
    assert score("one two", ("one two", "three"), ()) == pytest.approx(2 / 3)
    assert score("one two four", ("one two",), ("four",)) == pytest.approx(2 / 3)
    assert score("", ("one two",), ("four",)) == 0.0


def test_chinese_characters_are_compared_one_by_one() -> None:
    """Nothing parts the words that they make up."""
    f1 = script("extraction").f1
    assert f1("我们去公园", "我们去公园玩吗") == pytest.approx(2 * 5 / 12)
    assert f1("Wir gehen, ja", "wir gehen") == pytest.approx(4 / 5)


def test_a_detector_is_right_that_names_an_encoding_with_the_same_text() -> None:
    """By the rules of browsers or of Python: gb2312 is as good a name as gb18030 where both can say it."""
    names = script("check_charset").names
    body = "žluť".encode("windows-1250")
    assert names("cp1250", body, "žluť")
    assert not names("windows-1252", body, "žluť")
    assert not names(None, body, "žluť")
    assert names("GB2312", "\u9555".encode("gb18030"), "\u9555")
