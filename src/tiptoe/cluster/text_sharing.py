"""Who knows the texts of the whole crawl, as the frontiers of an agent see it?

All agents together (`shared_texts`); or nobody, where a frontier is tried without the others.
"""

from collections.abc import Iterable
from typing import Protocol

from tiptoe.cluster.held_shard import HeldShard
from tiptoe.frontier.duplicity import Answered
from tiptoe.protocol.work import Question, Result

__all__ = ["TextSharing", "UnknownTexts"]


class TextSharing(Protocol):
    """What is known of texts, in all shards."""

    @property
    def is_shared(self) -> bool: ...

    def take(self, held: HeldShard) -> None: ...
    def drop(self, held: HeldShard) -> None: ...
    def ask(self, questions: list[Question], answered: Answered, *, is_look: bool = ...) -> None: ...
    def settled(self, held: HeldShard, results: Iterable[Result] = ..., *, hurries: bool = ...) -> None: ...
    def check(self) -> None: ...


class UnknownTexts:
    """Nothing is known of any text."""

    is_shared = False

    def take(self, held: HeldShard) -> None:
        pass

    def drop(self, held: HeldShard) -> None:
        pass

    def ask(self, questions: list[Question], answered: Answered, *, is_look: bool = False) -> None:
        answered({question.number: b"" for question in questions})

    def settled(self, held: HeldShard, results: Iterable[Result] = (), *, hurries: bool = False) -> None:
        pass

    def check(self) -> None:
        pass
