"""What is known of an answer before anything of it is written?"""

from dataclasses import dataclass, field

from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.frontier.messages import Result
from tiptoe.harvest.document import Reading
from tiptoe.harvest.duplicity import Judgement
from tiptoe.text.fingerprint import Fingerprint

__all__ = ["Draft"]


@dataclass(slots=True)
class Draft:
    """An answer that has been read, and is not written yet."""

    answer: Answer | Failed
    result: Result
    reading: Reading = field(default_factory=Reading)
    mark: Fingerprint | None = None  # of a text that is to be compared with all others
    judgement: Judgement | None = None  # what came of that
    is_rated: bool = False  # the segmenter was asked

    @property
    def has_long_paragraphs(self) -> bool:
        """Whether there is anything that duplicity can be measured by."""
        return self.mark is not None and bool(self.mark.weights)
