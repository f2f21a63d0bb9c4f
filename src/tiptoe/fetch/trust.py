"""Which certificates do we trust?

The bundle of the operating system: first the one that Python finds (it respects
SSL_CERT_FILE), then the places where distributions keep it.
"""

import ssl
from pathlib import Path
from typing import Final

from tiptoe.errors import SettingsError

__all__ = ["find_ca_file"]

BUNDLES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Arch
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, RHEL
    "/etc/ssl/ca-bundle.pem",  # openSUSE
    "/etc/ssl/cert.pem",  # Alpine, macOS, the BSDs
)


def find_ca_file() -> str:
    """Return the path of the system's certificate bundle."""
    known = ssl.get_default_verify_paths().cafile
    for path in ((known,) if known else ()) + BUNDLES:
        if Path(path).is_file():
            return path
    raise SettingsError(
        "no bundle of certificates found; install ca-certificates or name the file in SSL_CERT_FILE"
    )
