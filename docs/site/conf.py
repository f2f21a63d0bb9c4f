"""How is the documentation site made? `scripts/docs` runs Sphinx with this, from the root of it all."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]

project = "tiptoe"
release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
language = "en"

extensions = ["myst_parser"]
include_patterns = ["docs/**", "training/*/README.md", "README.md", "ARCHITECTURE.md", "CHANGELOG.md"]
exclude_patterns = ["docs/site/**"]
root_doc = "docs/index"
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"tiptoe {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_extra_path = ["index.html"]  # where the site is opened

highlight_language = "none"  # blocks say what they are, if they are code
