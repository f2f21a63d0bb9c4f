"""After a test its files are closed: hundreds of them would stay open else."""

import contextlib
from collections.abc import Iterator

import pytest
from harvest_samples import OPENED

from tiptoe.errors import DiskFull


@pytest.fixture(autouse=True)
def _files_are_closed() -> Iterator[None]:
    yield
    while OPENED:
        tools = OPENED.pop()
        tools.busy.close()
        with contextlib.suppress(DiskFull):  # what a test filled up is still full
            tools.outputs.close()
