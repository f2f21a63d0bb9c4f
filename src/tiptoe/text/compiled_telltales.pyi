from collections.abc import Callable, Iterable, Sequence

class Telltales:
    words: list[str]

    def __init__(self, words: Iterable[str]) -> None: ...
    def settle(
        self,
        paragraphs: Sequence[str],
        main: str,
        und: str,
        agrees: Callable[[list[str]], bool],
        is_latin: bool,
    ) -> list[str | int]: ...
