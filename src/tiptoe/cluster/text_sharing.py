"""How do the frontiers of an agent query the texts of the whole crawl?

All agents answer together (`shared_texts`); or none does, when a frontier is tested by itself.
"""

from collections.abc import Iterable
from typing import Protocol

from tiptoe.cluster.held_shard import HeldShard
from tiptoe.frontier.duplicity import Answered
from tiptoe.protocol.work import Question, Result

__all__ = ["TextSharing", "UnknownTexts"]


class TextSharing(Protocol):
    """The index of texts of all shards."""

    @property
    def is_shared(self) -> bool: ...

    def take(self, held: HeldShard) -> None: ...
    def drop(self, held: HeldShard) -> None: ...
    def ask(self, questions: list[Question], answered: Answered, *, is_look: bool = ...) -> None: ...
    def settled(self, held: HeldShard, results: Iterable[Result] = ..., *, hurries: bool = ...) -> None: ...
    def unlearn(
        self, held: HeldShard, texts: Iterable[tuple[str, bytes]], *, is_whole_host: bool
    ) -> None: ...
    def strike(self, held: HeldShard, keys: Iterable[bytes]) -> None: ...
    def check(self) -> None: ...


class UnknownTexts:
    """An index that knows no texts."""

    is_shared = False

    def take(self, held: HeldShard) -> None:
        pass

    def drop(self, held: HeldShard) -> None:
        pass

    def ask(self, questions: list[Question], answered: Answered, *, is_look: bool = False) -> None:
        answered({question.number: b"" for question in questions})

    def settled(self, held: HeldShard, results: Iterable[Result] = (), *, hurries: bool = False) -> None:
        pass

    def unlearn(self, held: HeldShard, texts: Iterable[tuple[str, bytes]], *, is_whole_host: bool) -> None:
        pass

    def strike(self, held: HeldShard, keys: Iterable[bytes]) -> None:
        pass

    def check(self) -> None:
        pass
