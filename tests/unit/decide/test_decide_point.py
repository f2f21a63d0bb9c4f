"""What a decision point does with its rules."""

from tiptoe.decide.point import DecisionPoint
from tiptoe.url.dropped import Dropped


def test_the_first_rule_that_refuses_gives_the_reason() -> None:
    """A reason is counted once; the order of the rules is the order of the reasons."""
    asked: list[str] = []

    def silent(subject: str) -> Dropped | None:
        asked.append("silent")
        return None

    def deep(subject: str) -> Dropped | None:
        asked.append("deep")
        return Dropped.TOO_DEEP if subject == "deep" else None

    def outside(subject: str) -> Dropped | None:
        asked.append("outside")
        return Dropped.OUT_OF_SCOPE

    point = DecisionPoint(silent, deep, outside)
    assert point.refusal("deep") is Dropped.TOO_DEEP
    assert asked == ["silent", "deep"]
    assert point.refusal("shallow") is Dropped.OUT_OF_SCOPE


def test_without_rules_everything_is_wanted() -> None:
    point: DecisionPoint[str, Dropped] = DecisionPoint()
    assert point.refusal("anything") is None
