"""How are the keys made that give access?

The key itself is given to its user once. Only its hash is stored, so that reading the store gives no access.
Keys are random, so one round of SHA-256 is as good as many."""

import hashlib
import secrets

__all__ = ["hash_of_key", "new_key"]


def new_key() -> str:
    """Return a new key that cannot be guessed."""
    return secrets.token_urlsafe(32)


def hash_of_key(key: str) -> str:
    """Return the hash of a key, which is stored."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
