from array import array

class WordWriter:
    def __init__(
        self, written: array[int], gaps: list[tuple[int, int]], broken: str, word_max: int
    ) -> None: ...
    def write(self, text: str) -> str | None: ...
