"""Who vouches for a server of a cluster, and how does the server prove it?

A cluster has a certificate authority of its own, created with its first server: it needs no outside party,
and none can vouch for a server of it. Each server gets a new certificate whenever it starts, for the names by
which others reach it.
"""

import datetime
import ipaddress
from collections.abc import Sequence

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

__all__ = ["Certificate", "make_authority", "make_server_certificate", "public_key_of"]

AUTHORITY_DAYS = 20 * 365
SERVER_DAYS = 3 * 365
EARLIER = datetime.timedelta(days=1)
"""Certificates are backdated by this, because the clocks of machines differ."""

NAME_LENGTH_MAX = 64  # of a common name


class Certificate:
    """A certificate with its key, both as PEM."""

    def __init__(self, certificate: str, key: str) -> None:
        self.certificate = certificate
        self.key = key

    def __repr__(self) -> str:
        return "<Certificate>"  # never the key


def make_authority(name: str, now: datetime.datetime) -> Certificate:
    """Make a certificate authority for one cluster."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _name(f"tiptoe cluster {name}")
    usage = _usage(key_cert_sign=True, crl_sign=True)
    certificate = (
        _begun(subject, subject, key, now, AUTHORITY_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .sign(key, hashes.SHA256())
    )
    return _written(certificate, key)


def make_server_certificate(
    authority: Certificate, names: Sequence[str], now: datetime.datetime
) -> Certificate:
    """Make the certificate of a server for the names or addresses that reach it; the first is its own."""
    issuer = x509.load_pem_x509_certificate(authority.certificate.encode())
    signer = serialization.load_pem_private_key(authority.key.encode(), password=None)
    assert isinstance(signer, ec.EllipticCurvePrivateKey), "an authority of ours has a key of this kind"
    key = ec.generate_private_key(ec.SECP256R1())
    # Servers are clients of each other.
    purposes = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    certificate = (
        _begun(_name(names[0]), issuer.subject, key, now, SERVER_DAYS)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(digital_signature=True), critical=True)
        .add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        .add_extension(x509.SubjectAlternativeName([_reached_by(name) for name in names]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
        .sign(signer, hashes.SHA256())
    )
    return _written(certificate, key)


def _begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime.datetime, days: int
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - EARLIER)
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:NAME_LENGTH_MAX])])


def _usage(
    *, digital_signature: bool = False, key_cert_sign: bool = False, crl_sign: bool = False
) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature, key_cert_sign=key_cert_sign, crl_sign=crl_sign,
        content_commitment=False, key_encipherment=False, data_encipherment=False, key_agreement=False,
        encipher_only=False, decipher_only=False,
    )  # fmt: skip


def _reached_by(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _written(certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> Certificate:
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    return Certificate(
        certificate.public_bytes(serialization.Encoding.PEM).decode(),
        key.private_bytes(serialization.Encoding.PEM, form, plain).decode(),
    )


def public_key_of(certificate: bytes) -> bytes:
    """Return the public key of the first certificate in a file, in DER form for comparison."""
    key = x509.load_pem_x509_certificate(certificate).public_key()
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
