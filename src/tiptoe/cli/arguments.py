"""Which arguments do many commands have?"""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

__all__ = ["AsJson", "Directory", "HtmlFile"]

Directory = Annotated[Path, Parameter(help="Directory of the crawl.")]
AsJson = Annotated[bool, Parameter(name="--json", help="Print JSON.", negative="")]
HtmlFile = Annotated[Path | None, Parameter(help="Write one HTML page with plots to this file.")]
