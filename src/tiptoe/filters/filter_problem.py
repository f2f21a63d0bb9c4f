"""What is wrong in the files of a robot, and where?"""

from dataclasses import dataclass, field

__all__ = ["FilterFindings", "FilterProblem"]


@dataclass(frozen=True, slots=True)
class FilterProblem:
    """One message: an error keeps a crawl from starting, a warning says what differs from what is written."""

    place: str
    what: str
    is_error: bool = True

    def __str__(self) -> str:
        return f"{self.place}: {'' if self.is_error else 'warning: '}{self.what}"


@dataclass(slots=True)
class FilterFindings:
    """Everything that was found wrong, in the order of discovery."""

    problems: list[FilterProblem] = field(default_factory=list)

    def error(self, place: str, what: str) -> None:
        """Note something that keeps a crawl from starting."""
        self.problems.append(FilterProblem(place, what))

    def warn(self, place: str, what: str) -> None:
        """Note something that is ignored, or not taken as it is written."""
        self.problems.append(FilterProblem(place, what, is_error=False))

    @property
    def errors(self) -> list[FilterProblem]:
        return [problem for problem in self.problems if problem.is_error]

    @property
    def warnings(self) -> list[FilterProblem]:
        return [problem for problem in self.problems if not problem.is_error]
