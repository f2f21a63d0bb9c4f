"""What is known about the texts of a crawl, whether it is running or not?"""

from pathlib import Path

from tiptoe.errors import CrawlerError
from tiptoe.keeper.directory import find_keeper
from tiptoe.keeper.document_texts import StoppedTexts
from tiptoe.keeper.running_crawl import ask
from tiptoe.protocol.messages import Known
from tiptoe.protocol.operator import CompareTexts
from tiptoe.protocol.work import Question

__all__ = ["TextIndex"]


class TextIndex:
    """The keeper's index of texts: through the socket of a running keeper, otherwise in its database."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._stopped = StoppedTexts(directory)

    def __enter__(self) -> "TextIndex":
        return self

    def __exit__(self, *problem: object) -> None:
        self._stopped.close()

    def look(self, questions: list[Question]) -> dict[int, bytes]:
        """Return what is known about texts; nothing if the keeper starts or stops at this moment."""
        try:
            if find_keeper(self._directory) is None:
                return self._stopped.look(questions)
            self._stopped.close()  # its view of the database gets out of date from now on
            return ask(self._directory, CompareTexts(questions), Known).marks
        except CrawlerError:
            return {}
