"""How are keys made that somebody shows to be let in?

The key itself goes to whoever is to show it, once. What is kept is its hash: who reads the store can let
nobody in. They are random, so one round of SHA-256 is as good as many."""

import hashlib
import secrets

__all__ = ["hash_of_key", "new_key"]


def new_key() -> str:
    """Return a key that nobody can guess."""
    return secrets.token_urlsafe(32)


def hash_of_key(key: str) -> str:
    """Return what is kept of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
