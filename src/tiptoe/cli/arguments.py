"""Which arguments do many commands have?"""

from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

__all__ = ["CRAWL_MARK", "FILE_MARK", "AsJson", "Directory", "HtmlFile"]

CRAWL_MARK: Final = "crawl"
"""In an annotation: the argument names the directory of a crawl, which a shell can complete."""

FILE_MARK: Final = "file"
"""The same of a text that names a file, or may."""

Directory = Annotated[Path, Parameter(help="Directory of the crawl."), CRAWL_MARK]
AsJson = Annotated[bool, Parameter(name="--json", help="Print JSON.", negative="")]
HtmlFile = Annotated[Path | None, Parameter(help="Write one HTML page with plots to this file.")]
