"""What is said of a segmenter that does not answer."""

import pytest

from tiptoe.segment.segmenter_exchange import fault_of


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (
            "Failed to connect to 127.0.0.1 port 1 after {} ms: Could not connect to server",
            "Failed to connect to 127.0.0.1 port 1: Could not connect to server",
        ),
        ("Connection timed out after {} milliseconds", "Connection timed out"),
        (
            "Operation timed out after {} milliseconds with 0 bytes received",
            "Operation timed out with 0 bytes received",
        ),
        ("Empty reply from server", "Empty reply from server"),
        ("", ""),
    ],
)
def test_the_same_failure_is_told_the_same_however_long_it_took(words: str, fault: str) -> None:
    """Else people hear of it again and again, as of something new."""
    assert {fault_of(words.format(taken)) for taken in (0, 1, 1001)} == {fault}
