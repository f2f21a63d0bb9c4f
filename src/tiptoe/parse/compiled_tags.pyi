def count_tags(utf8: bytes) -> int: ...
def find_formats(utf8: bytes) -> set[bytes]: ...
def is_crowded(
    utf8: bytes,
    *,
    name_max: int,
    crowded_from: int,
    attributes_max: int,
    crowded_max: int,
    seen_max: int,
) -> bool: ...
