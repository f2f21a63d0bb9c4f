"""Which media type does a file have, judging by its name?"""

import mimetypes

__all__ = ["guess_media_type"]


def guess_media_type(path: str) -> str | None:
    """Return the type for a path; a compressed file has the type of its compression.

    None if the name says nothing, as that of `index.php?id=3` in a mirror: the first bytes have to tell.
    """
    # A fresh table, because configuration files of the machine must not change the result.
    media_type, compression = mimetypes.MimeTypes().guess_type(path)
    if compression:
        return "application/gzip" if compression == "gzip" else f"application/x-{compression}"
    return media_type
