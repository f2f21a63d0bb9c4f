"""Is the documentation site whole, and does it leave everybody alone?"""

import importlib.util
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SPHINX = ROOT / "build" / "docs-env" / "installed"


@pytest.fixture(scope="module")
def problems() -> Callable[[Path], Iterable[str]]:
    """What `scripts/docs` asks about the site it has made."""
    spec = importlib.util.spec_from_file_location("check_site", ROOT / "docs" / "site" / "check_site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.problems  # type: ignore[no-any-return]


def site(tmp_path: Path, **pages: str) -> Path:
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text)
    (tmp_path / "here.css").write_text("body { margin: 0 }")
    return tmp_path


def test_a_site_that_is_whole_is_left_alone(
    tmp_path: Path, problems: Callable[[Path], Iterable[str]]
) -> None:
    made = site(
        tmp_path,
        a="<link rel=stylesheet href=here.css><a href='b.html#part'>b</a><a href='https://example.org/'>x</a>",
        b="<h1 id=part>b</h1><a href='#part'>up</a><img src='data:,'>",
    )
    assert list(problems(made)) == []


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("<a href='gone.html'>x</a>", "a.html: gone.html leads nowhere"),
        ("<a href='#nowhere'>x</a>", "a.html: #nowhere leads nowhere"),
        ("<script src='https://cdn.example/x.js'></script>", "a.html: loads https://cdn.example/x.js"),
        ("<link rel=stylesheet href='//fonts.example/x.css'>", "a.html: loads //fonts.example/x.css"),
        ("<img src='gone.png'>", "a.html: gone.png leads nowhere"),
    ],
)
def test_dead_links_and_requests_to_others_are_told(
    tmp_path: Path, page: str, complaint: str, problems: Callable[[Path], Iterable[str]]
) -> None:
    assert list(problems(site(tmp_path, a=page))) == [complaint]


def test_a_style_that_loads_a_font_is_told(tmp_path: Path, problems: Callable[[Path], Iterable[str]]) -> None:
    made = site(tmp_path)
    (made / "here.css").write_text("@font-face { src: url(https://fonts.example/x.woff2) }")
    assert list(problems(made)) == ["here.css: loads something from elsewhere"]


@pytest.mark.skipif(
    not SPHINX.exists(), reason="Sphinx is not installed; `scripts/docs` does that, and checks all"
)
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    ended = subprocess.run(
        [ROOT / "scripts" / "docs", "--out", tmp_path / "site"],
        capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "site" / "searchindex.js").stat().st_size > 100_000
