"""How does the control server prove its identity? With a certificate of its own, unless it is given one.

It is made once and kept, with its key, in `DIR/tls/`, so that a browser that was told to trust it continues
to do so."""

import base64
import datetime
import hashlib
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tiptoe.cluster.certificates import make_authority, make_server_certificate, public_key_of
from tiptoe.cluster.private_files import write_private

__all__ = ["fingerprint", "key_pin", "own_certificate"]

CERTIFICATE: Final = "certificate.pem"
KEY: Final = "key.pem"


def own_certificate(directory: Path, names: Sequence[str], now: datetime.datetime) -> tuple[Path, Path]:
    """Return the files of the certificate and its key; make them if there are none for these names."""
    folder = directory / "tls"
    certificate, key, told = folder / CERTIFICATE, folder / KEY, folder / "names.txt"
    wanted = "\n".join(names)
    if not (certificate.exists() and key.exists() and told.exists() and told.read_text() == wanted):
        authority = make_authority("control", now)
        made = make_server_certificate(authority, names, now)
        write_private(key, made.key)
        # With its issuer, so that one file is enough to trust it.
        write_private(certificate, made.certificate + authority.certificate)
        write_private(told, wanted)
    return certificate, key


def fingerprint(certificate: Path) -> str:
    """Return the SHA-256 of a certificate, as browsers show it."""
    first = certificate.read_text().partition("-----END CERTIFICATE-----")
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(first[0] + first[1] + "\n")).hexdigest().upper()
    return ":".join(digest[at : at + 2] for at in range(0, len(digest), 2))


def key_pin(certificate: Path) -> str:
    """Return the hash of a certificate's key, by which robots recognise it, as in curl (`sha256//…`)."""
    digest = hashlib.sha256(public_key_of(certificate.read_bytes())).digest()
    return f"sha256//{base64.b64encode(digest).decode()}"
