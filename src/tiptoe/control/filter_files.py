"""Which files of filters are kept for a crawl, and what is wrong with them?

They lie in `filters/` of its directory, under five names and no others. What comes from a browser is checked
before it is kept: it may read no other file of this machine, and ask for no setting that its sender may not
change.
"""

import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from tiptoe.cluster.private_files import write_private
from tiptoe.control.setting_guard import setting_refusal
from tiptoe.control.visitor import Visitor
from tiptoe.control.web_problem import WebProblem
from tiptoe.errors import SettingsError
from tiptoe.filters.filter_directory import RobotFiles, files_elsewhere, read_robot
from tiptoe.protocol.robot_messages import FILTER_FILES
from tiptoe.url.canonical import Canonicalizer, CanonicalRules
from tiptoe.url.canonical_rules import SCHEMES

__all__ = [
    "FILE_CHARS_MAX", "KEPT_FILES", "FilterCheck", "FilterFinding", "check_files", "expect_files",
    "filters_folder", "keep_files", "kept_files", "make_whole",
]  # fmt: skip

FOLDER: Final = "filters"
DOWNLIST: Final = "downlist.txt"
KEPT_FILES: Final = (*FILTER_FILES, DOWNLIST)
"""The files of the filters, and the list of what others have downloaded already."""

FILE_CHARS_MAX: Final = 1_000_000
FINDINGS_MAX: Final = 500


class FilterFinding(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong in a line; line 0 is the file as a whole."""

    file: str
    line: int
    what: str
    is_error: bool  # else a warning: what is not as it is written


class FilterCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in some files."""

    findings: list[FilterFinding]
    directives: int = 0
    starts: int = 0

    @property
    def errors(self) -> list[FilterFinding]:
        return [one for one in self.findings if one.is_error]

    @property
    def warnings(self) -> list[FilterFinding]:
        return [one for one in self.findings if not one.is_error]

    def of(self, file: str) -> dict[int, list[FilterFinding]]:
        """Return what was found in a file, by line."""
        found: dict[int, list[FilterFinding]] = {}
        for one in self.findings:
            if one.file == file:
                found.setdefault(one.line, []).append(one)
        return found


def filters_folder(directory: Path) -> Path:
    """Return where the files of a crawl are kept."""
    return directory / FOLDER


def make_whole(directory: Path) -> None:
    """Finish what a server that was killed in `keep_files` had begun: the new files were all there."""
    folder, (coming, going) = filters_folder(directory), _beside(directory)
    if going.exists() and coming.exists() and not folder.exists():
        coming.rename(folder)


def kept_files(directory: Path) -> dict[str, str]:
    """Return the files that are kept for a crawl, by name."""
    make_whole(directory)
    found: dict[str, str] = {}
    for name in KEPT_FILES:
        path = filters_folder(directory) / name
        text = _read(path) if not _is_beyond(path) else None
        if text is not None:
            found[name] = text
    return found


def keep_files(directory: Path, files: Mapping[str, str]) -> None:
    """Keep these files in place of those that are there, all or none of them."""
    folder = filters_folder(directory)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise WebProblem(409, f"{folder} is no directory of ours; see to it on the machine")
    make_whole(directory)
    coming, going = _beside(directory)
    for left in (coming, going):
        shutil.rmtree(left, ignore_errors=True)
    try:
        for name, text in files.items():
            write_private(coming / name, text)
        if folder.exists():
            for other in folder.iterdir():  # what somebody on the machine has put there stays
                is_left = other.name not in files if _is_beyond(other) else other.name not in KEPT_FILES
                if is_left and files and other.is_file():
                    shutil.copy2(other, coming / other.name, follow_symlinks=False)
            folder.rename(going)
        if files:
            coming.rename(folder)
    except OSError as error:
        raise WebProblem(409, f"{folder}: cannot be written ({error.strerror})") from error
    finally:
        for left in (coming, going):
            shutil.rmtree(left, ignore_errors=True)


def expect_files(files: Mapping[str, str]) -> dict[str, str]:
    """Return files as they are kept, the empty ones left out; WebProblem for other names and sizes."""
    errors: dict[str, str] = {}
    for name, text in files.items():
        if name not in KEPT_FILES:
            errors[name[:100]] = f"not one of {', '.join(KEPT_FILES)}"
        elif len(text) > FILE_CHARS_MAX:
            errors[name] = f"more than {FILE_CHARS_MAX} characters"
        elif "\0" in text:
            errors[name] = "has zero bytes: is it a text?"
    if errors:
        said = "; ".join(f"{name}: {what}" for name, what in errors.items())
        raise WebProblem(422, said, errors=errors)
    whole = {
        name: files[name].replace("\r\n", "\n").replace("\r", "\n") for name in KEPT_FILES if name in files
    }
    # Halves of characters, which JSON can carry, are in no file.
    return {name: text.encode("utf-8", "replace").decode() for name, text in whole.items() if text.strip()}


def check_files(files: Mapping[str, str], visitor: Visitor) -> FilterCheck:
    """Say what is wrong in files, and what in them their sender may not ask for."""
    if not files:
        return FilterCheck(findings=[])
    with TemporaryDirectory(prefix="tiptoe-") as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        try:
            robot = read_robot(Path(folder), is_confined=True)
        except SettingsError as error:
            said = str(error).removeprefix(f"{folder}: ")
            return FilterCheck(findings=[_finding("", said, is_error=True)])
    found = [_finding(one.place, one.what, is_error=one.is_error) for one in robot.findings.problems]
    found += _overreaching(robot, visitor)
    found += _no_addresses(files.get(DOWNLIST, ""))
    return FilterCheck(
        findings=found[:FINDINGS_MAX], directives=len(robot.definition.directives), starts=len(robot.starts)
    )


def _beside(directory: Path) -> tuple[Path, Path]:
    """Return where files wait to take the place of others, and where those go."""
    return directory / f".{FOLDER}.coming", directory / f".{FOLDER}.going"


def _overreaching(robot: RobotFiles, visitor: Visitor) -> list[FilterFinding]:
    """Return what reaches beyond the files: to others on the machine, and to settings such as programs."""
    found = [
        _finding(wanted.place, f"{wanted.name} {refusal}", is_error=True)
        for wanted in robot.wanted
        if (refusal := setting_refusal(wanted.name, visitor))
    ]
    found += [
        _finding(place, f"{name}: only files beside this one, such as {Path(name).name}", is_error=True)
        for place, name in files_elsewhere(robot.definition)
    ]
    return found


def _is_beyond(path: Path) -> bool:
    """Whether a file is a downlist too long to be edited here: it stays as it is."""
    return path.name == DOWNLIST and path.is_file() and path.stat().st_size > FILE_CHARS_MAX


def _no_addresses(downlist: str) -> list[FilterFinding]:
    """Return the lines of a downlist that name no page: they are passed over."""
    canonical = Canonicalizer(CanonicalRules(schemes=frozenset(SCHEMES))).canonical
    found: list[FilterFinding] = []
    for number, line in enumerate(downlist.splitlines(), 1):
        address = line.partition("\t")[0].strip()
        if address and not address.startswith("#") and canonical(address) is None:
            found.append(_finding(f"{DOWNLIST}:{number}", "no address; passed over", is_error=False))
            if len(found) >= FINDINGS_MAX:
                break
    return found


def _finding(place: str, what: str, *, is_error: bool) -> FilterFinding:
    file, _, line = place.rpartition(":")
    if not line.isdecimal():
        file, line = place, "0"
    return FilterFinding(file=file, line=int(line), what=what[:1000], is_error=is_error)


def _read(path: Path) -> str | None:
    """Return the text of a file that is one, and no way to another."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        content = file.read(FILE_CHARS_MAX * 4)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("iso-8859-1")
