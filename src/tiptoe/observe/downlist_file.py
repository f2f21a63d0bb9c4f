"""How is a list of what robots have downloaded, or claim, written and read?

One URL per line, with what is known about it, separated by tabs:

    address  moment  digest  robot

The moment is that of the download, in seconds since 1970; 0 means that the robot has the URL in its queue and
*claims* it. Lines that begin with # are comments; the first line of a list says whose it is and which period
it covers. A line with only a URL is also valid: that is how other robots write downlists.
"""

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from tiptoe.errors import SettingsError

__all__ = ["DownlistLine", "ListHead", "address_of", "parse_line", "raw_lines", "read_lines", "write_list"]

HEAD: Final = "# tiptoe downlist 1"
LINE_BYTES_MAX: Final = 100_000

UNKNOWN_MOMENT: Final = 1.0
"""Stands for an unknown time in the past: before every download whose moment is known."""


MOMENT_MAX: Final = 1e11
"""Latest moment that a list can name, some thousand years from now."""


@dataclass(frozen=True, slots=True)
class DownlistLine:
    """What one robot says about one URL."""

    url: str
    at: float = 0.0  # when it was downloaded; 0: it is claimed
    digest: str = ""  # of what was received, as in the archive
    robot: str = ""

    def encode(self) -> bytes:
        """Return the line as bytes, with its line feed."""
        moment = f"{self.at:.3f}" if self.at else "0"
        return f"{self.url}\t{moment}\t{self.digest}\t{self.robot}\n".encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListHead:
    """The first line of a list: what it says about itself."""

    robot: str
    mark: float  # it covers downloads up to here; the next list continues from here
    exchange: int = 0  # its number, given by the robot; 0: not part of an exchange

    def encode(self) -> bytes:
        """Return the line as bytes."""
        return f"{HEAD}\trobot={self.robot}\tmark={self.mark:.3f}\texchange={self.exchange}\n".encode()

    @classmethod
    def read(cls, path: Path) -> "ListHead | None":
        """Return the head of a list; None when it has none."""
        with _opened(path) as file:
            first = file.readline(LINE_BYTES_MAX).decode("utf-8", "replace").rstrip("\n")
        if not first.startswith(HEAD + "\t"):
            return None
        facts = dict(part.split("=", 1) for part in first.split("\t")[1:] if "=" in part)
        try:
            return cls(robot=facts["robot"], mark=_moment(facts["mark"]), exchange=int(facts["exchange"]))
        except (KeyError, ValueError):
            raise SettingsError(f"{path}:1: damaged: {first[:80]!r}") from None


def raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a list with their numbers, without comments and line feeds; one at a time."""
    with _opened(path) as file:
        number = 0
        while line := file.readline(LINE_BYTES_MAX):
            number += 1
            if not line.endswith(b"\n") and len(line) == LINE_BYTES_MAX:
                raise SettingsError(f"{path}:{number}: longer than any address; is this a list of addresses?")
            line = line.rstrip(b"\r\n").removeprefix(BOM_UTF8 if number == 1 else b"")
            if line and not line.startswith(b"#"):
                yield number, line


def parse_line(path: Path, number: int, line: bytes) -> DownlistLine:
    """Return the parsed line; raise SettingsError when it is invalid."""
    try:
        url, *rest = line.decode("utf-8").split("\t")
        moment, digest, robot = (rest + [""] * 3)[:3]
        if "://" not in url or " " in url or len(rest) > 3:
            raise ValueError
        # A line with only a URL means that it was downloaded, at an unknown time.
        return DownlistLine(url, _moment(moment) if moment else UNKNOWN_MOMENT, digest, robot)
    except ValueError:
        shown = line[:80].decode("utf-8", "replace")
        raise SettingsError(
            f"{path}:{number}: {shown!r}: expected an address, or address, moment, digest and robot with "
            "tabs between them"
        ) from None


def read_lines(path: Path) -> Iterator[DownlistLine]:
    """Yield the parsed lines of a list."""
    return (parse_line(path, number, line) for number, line in raw_lines(path))


def address_of(line: bytes) -> bytes:
    """Return the URL of a line."""
    return line.partition(b"\t")[0]


def write_list(path: Path, head: ListHead, lines: Iterable[DownlistLine]) -> int:
    """Write a list; return how many lines it has. The file appears only when it is complete."""
    count = 0
    scratch = path.with_name(path.name + ".part")
    try:
        with scratch.open("wb") as file:
            file.write(head.encode())
            for line in lines:
                file.write(line.encode())
                count += 1
        scratch.replace(path)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        raise SettingsError(f"{path}: cannot be written: {error.strerror}") from error
    return count


def _moment(text: str) -> float:
    """Return a moment; raise ValueError for one that cannot be compared (NaN) or is out of range."""
    at = float(text)
    if not 0.0 <= at < MOMENT_MAX:
        raise ValueError(text)
    return at


def _opened(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error
