from collections.abc import Callable

def cut_at_marks(
    marked: str, count_max: int, clean: Callable[[str], str], join_lines: Callable[[str], list[str]]
) -> list[str]: ...
