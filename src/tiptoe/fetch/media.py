"""Of which media type is a file, to judge by its name?"""

import mimetypes

__all__ = ["guess_media_type"]


def guess_media_type(path: str) -> str:
    """Return the type for a path; a compressed file is of its compression's type."""
    # A table of its own: the files of the machine must not change the answer.
    media_type, compression = mimetypes.MimeTypes().guess_type(path)
    if compression:
        return "application/gzip" if compression == "gzip" else f"application/x-{compression}"
    return media_type or "application/octet-stream"
