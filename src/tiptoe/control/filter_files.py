"""Which filter files are kept for a crawl, and what is wrong with them?

They are in `filters/` of its directory, under five names and no others. Files from a browser are checked
before they are kept: they may not refer to other files of this machine, nor to settings that their sender may
not change.
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
"""The files of the filters, and the list of what others have already downloaded."""

FILE_CHARS_MAX: Final = 1_000_000
FINDINGS_MAX: Final = 500


class FilterFinding(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong in a line; line 0 stands for the whole file."""

    file: str
    line: int
    what: str
    is_error: bool  # otherwise a warning: something does not work as written


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
        """Return the findings in a file, by line."""
        found: dict[int, list[FilterFinding]] = {}
        for one in self.findings:
            if one.file == file:
                found.setdefault(one.line, []).append(one)
        return found


def filters_folder(directory: Path) -> Path:
    """Return the directory with the kept files of a crawl."""
    return directory / FOLDER


def make_whole(directory: Path) -> None:
    """Complete a `keep_files` that was interrupted after all new files were written."""
    folder, (coming, going) = filters_folder(directory), _beside(directory)
    if going.exists() and coming.exists() and not folder.exists():
        coming.rename(folder)


def kept_files(directory: Path) -> dict[str, str]:
    """Return the kept files of a crawl, by name."""
    make_whole(directory)
    found: dict[str, str] = {}
    for name in KEPT_FILES:
        path = filters_folder(directory) / name
        text = _read(path) if not _is_beyond(path) else None
        if text is not None:
            found[name] = text
    return found


def keep_files(directory: Path, files: Mapping[str, str]) -> None:
    """Replace the kept files by these, all or none of them."""
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
            for other in folder.iterdir():  # other files that were put there by hand stay
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
    """Return files as they are kept, without empty ones; raise WebProblem for invalid names or sizes."""
    errors: dict[str, str] = {}
    for name, text in files.items():
        if name not in KEPT_FILES:
            errors[name[:100]] = f"not one of {', '.join(KEPT_FILES)}"
        elif len(text) > FILE_CHARS_MAX:
            errors[name] = f"more than {FILE_CHARS_MAX} characters"
        elif "\0" in text:
            errors[name] = "has zero bytes: is it a text?"
    if errors:
        message = "; ".join(f"{name}: {what}" for name, what in errors.items())
        raise WebProblem(422, message, errors=errors)
    whole = {
        name: files[name].replace("\r\n", "\n").replace("\r", "\n") for name in KEPT_FILES if name in files
    }
    # Lone surrogates, which JSON can contain, cannot be written to a file.
    return {name: text.encode("utf-8", "replace").decode() for name, text in whole.items() if text.strip()}


def check_files(files: Mapping[str, str], visitor: Visitor) -> FilterCheck:
    """Return what is wrong in files, and what in them their sender is not permitted to use."""
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
    """Return where new files are prepared, and where the old ones are moved."""
    return directory / f".{FOLDER}.coming", directory / f".{FOLDER}.going"


def _overreaching(robot: RobotFiles, visitor: Visitor) -> list[FilterFinding]:
    """Return findings about references to other files of the machine, and to settings such as programs."""
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
    """Return whether a file is a downlist too long to be edited here, which stays as it is."""
    return path.name == DOWNLIST and path.is_file() and path.stat().st_size > FILE_CHARS_MAX


def _no_addresses(downlist: str) -> list[FilterFinding]:
    """Return findings about lines of a downlist that are no URLs and will be ignored."""
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
    """Return the text of a regular file, not of a link; None if it cannot be read."""
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
