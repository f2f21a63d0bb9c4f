def is_crowded(
    html: str,
    *,
    name_max: int,
    crowded_from: int,
    attributes_max: int,
    crowded_max: int,
    seen_max: int,
) -> bool: ...
