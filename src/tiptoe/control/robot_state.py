"""What is the state of a robot, in one word, and what about it needs attention?

Pure: judged by its last report, and the time of that.
"""

from typing import Final

from tiptoe.protocol.robot_messages import RobotReport

__all__ = ["SILENT_SECONDS", "robot_attention", "robot_word"]

SILENT_SECONDS: Final = 60.0
"""Time without a report after which a robot counts as silent; it should report every few seconds."""

BACKLOG_BYTES: Final = 200_000_000


def robot_word(report: RobotReport | None, heard_at: float, now: float, *, is_revoked: bool) -> str:
    """Return the state of a robot as a word."""
    if is_revoked:
        return "revoked"
    if not heard_at:
        return "new"
    if now - heard_at > SILENT_SECONDS:
        return "silent"
    return report.figures.state if report is not None else "starting"


def robot_attention(
    report: RobotReport | None, heard_at: float, now: float, *, is_revoked: bool, configuration: int
) -> list[str]:
    """Return what needs attention."""
    word = robot_word(report, heard_at, now, is_revoked=is_revoked)
    found: list[str] = []
    if word == "new":
        found.append("has never called; start it with the command that was shown when it was made")
    if word == "silent":
        found.append("has not called for a while; it continues with what it has, and catches up")
    if not configuration:
        found.append("has no configuration; give it seeds and settings before it starts")
    if report is not None and word not in ("new", "silent", "revoked"):
        found += report.figures.attention
        if report.configuration and report.runs_with and report.configuration != report.runs_with:
            found.append(
                f"crawls with configuration {report.runs_with}; {report.configuration} from its next start"
            )
        if report.waiting_bytes > BACKLOG_BYTES:
            found.append("has many descriptions that it could not send yet")
    return found
