"""Which robot has each URL, when several say what they have?

    downloads win over claims; the earliest download wins; of claims, the one known from an earlier exchange
    wins, then that of the robot to whose name the host is assigned

URLs that two robots claim at once are divided by host, by a hash of both names: all robots get similar
shares, and the pages of a host stay together, so that a single robot keeps the pauses between them.

The order of the lists does not matter, and a list may be merged twice. Lists are sorted in parts on disk, so
memory does not grow with them; the result is sorted by URL and serves as the known list of the next merge.
"""

import heapq
import itertools
import tempfile
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import xxhash

from tiptoe.errors import SettingsError
from tiptoe.observe.downlist_file import DownlistLine, ListHead, address_of, parse_line, raw_lines, write_list
from tiptoe.url.address import host_of

__all__ = ["Merged", "merge_lists"]

PART_LINES: Final = 200_000
"""Maximum number of lines sorted in memory at once, about 50 MB; more are sorted in parts on disk."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of a merge."""

    addresses: int
    downloaded: int
    twice: int  # URLs that more than one robot has downloaded


@dataclass(slots=True)
class _Count:
    downloaded: int = 0
    twice: int = 0


def merge_lists(
    lists: Sequence[Path], out: Path, *, known: Path | None = None, left: Container[str] = ()
) -> Merged:
    """Write which robot has each URL; `known` is the last such list. Claims of robots that left lapse."""
    count = _Count()
    with ExitStack() as stack:
        # Beside the result, where there must be room anyway; the folder for temporary files may be too small.
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=".merge-", dir=_folder(out))))
        streams = [_ranked(stream, rank=1) for stream in _sorted_parts(lists, scratch)]
        if known is not None:
            streams.append(_ranked(_in_order(known), rank=0))
        merged = heapq.merge(*streams)
        chosen = (
            line
            for _, group in itertools.groupby(merged, key=lambda entry: entry[0])
            if (line := _first(group, left, count)) is not None
        )
        mark = max((head.mark for path in lists if (head := ListHead.read(path)) is not None), default=0.0)
        written = write_list(out, ListHead(robot="*", mark=mark), chosen)
    return Merged(written, count.downloaded, count.twice)


def _folder(out: Path) -> Path:
    folder = out.absolute().parent
    if not folder.is_dir():
        raise SettingsError(f"{folder}: no such directory; the merged list is written there")
    return folder


def _sorted_parts(lists: Sequence[Path], scratch: Path) -> list[Iterator[tuple[bytes, bytes]]]:
    """Sort lists in parts; return an iterator over each part, of URLs and lines."""
    lines = (_checked(path, number, line) for path in lists for number, line in raw_lines(path))
    parts: list[Path] = []
    while some := list(itertools.islice(lines, PART_LINES)):
        some.sort()
        part = scratch / f"part-{len(parts)}"
        part.write_bytes(b"\n".join(some) + b"\n")
        parts.append(part)
    return [_read_part(part) for part in parts]


def _checked(path: Path, number: int, line: bytes) -> bytes:
    return parse_line(path, number, line).encode().rstrip(b"\n")


def _read_part(part: Path) -> Iterator[tuple[bytes, bytes]]:
    return ((address_of(line), line) for _, line in raw_lines(part))


def _in_order(known: Path) -> Iterator[tuple[bytes, bytes]]:
    last = b""
    for number, line in raw_lines(known):
        address = address_of(line)
        if address < last:
            raise SettingsError(
                f"{known}:{number}: not in order, so no merge has written it; name it among the lists instead"
            )
        last = address
        yield address, line


def _ranked(stream: Iterable[tuple[bytes, bytes]], *, rank: int) -> Iterator[tuple[bytes, int, bytes]]:
    return ((address, rank, line) for address, line in stream)


def _first(
    group: Iterable[tuple[bytes, int, bytes]], left: Container[str], count: _Count
) -> DownlistLine | None:
    """Return the line of the robot that has this URL; None when no robot has it any more."""
    lines = [(rank, parse_line(Path("merged"), 0, line)) for _, rank, line in group]
    lines = [(rank, line) for rank, line in lines if line.at or line.robot not in left]
    if not lines:
        return None
    robots = {line.robot for _, line in lines if line.at}
    count.downloaded += bool(robots)
    count.twice += len(robots) > 1
    return min(lines, key=_precedence)[1]


def _precedence(said: tuple[int, DownlistLine]) -> tuple[bool, float, int, int, str, str]:
    rank, line = said
    return (not line.at, line.at, rank, _distance(line.robot, host_of(line.url)), line.robot, line.digest)


def _distance(robot: str, host: str) -> int:
    """Return the rank of a robot for a host, lowest first; it is independent of the other robots."""
    return xxhash.xxh64_intdigest(f"{robot}\0{host}".encode())
