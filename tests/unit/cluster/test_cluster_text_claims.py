"""Which texts are on pages that are under way?"""

from text_grounds import fingerprint_of

from tiptoe.cluster.text_claims import LINGER_SECONDS, TextClaims
from tiptoe.frontier.duplicity import split_hashes

TEXT = split_hashes(fingerprint_of("a", "b"))
A, B = "http://a.example/", "http://b.example/"


def test_the_first_to_ask_has_the_claim() -> None:
    claims = TextClaims()
    assert claims.claim("m1", 0, A, TEXT) == b""
    assert claims.claim("m2", 0, B, TEXT) == b"\1\1\1"
    assert claims.claim("m1", 0, A, TEXT) == b"", "its own claim is in nobody's way"
    claims.check()


def test_only_what_two_pages_share_is_claimed() -> None:
    claims = TextClaims()
    claims.claim("m1", 0, A, TEXT)
    assert claims.claim("m2", 0, B, split_hashes(fingerprint_of("b", "c"))) == b"\0\1\0"


def test_a_claim_outlasts_its_page_for_a_while() -> None:
    """Whoever asks several agents is answered by some of them before the text is known there."""
    claims = TextClaims()
    claims.claim("m1", 0, A, TEXT)
    claims.end("m1", [A], now=10.0)
    claims.expire(10.0 + LINGER_SECONDS - 0.1)
    assert claims.look(B, TEXT) == b"\1\1\1"
    claims.expire(10.0 + LINGER_SECONDS)
    assert claims.look(B, TEXT) == b""
    assert len(claims) == 0


def test_a_page_that_asks_again_meanwhile_keeps_its_claim() -> None:
    """It is visited again: the end of its last visit is not that of this one."""
    claims = TextClaims()
    claims.claim("m1", 0, A, TEXT)
    claims.end("m1", [A], now=10.0)
    claims.claim("m1", 0, A, TEXT)
    claims.expire(100.0)
    assert claims.look(B, TEXT) == b"\1\1\1"


def test_claims_end_with_the_agent_that_has_asked_and_with_no_other() -> None:
    claims = TextClaims()
    claims.claim("m1", 0, A, TEXT)
    claims.claim("m2", 0, B, split_hashes(fingerprint_of("c")))
    claims.end("m2", [A], now=0.0)
    claims.lose("m2", now=0.0)
    claims.expire(100.0)
    assert claims.look("http://c.example/", TEXT) == b"\1\1\1"
    assert claims.look("http://c.example/", split_hashes(fingerprint_of("c"))) == b""
    claims.check()


def test_claims_leave_with_their_block() -> None:
    claims = TextClaims()
    claims.claim("m1", 3, A, TEXT)
    claims.claim("m1", 4, B, split_hashes(fingerprint_of("c")))
    claims.drop(3)
    assert claims.look("http://c.example/", TEXT) == b""
    assert claims.look("http://c.example/", split_hashes(fingerprint_of("c"))) == b"\1\1"
    claims.end("m1", [A], now=0.0)
    claims.expire(100.0)
    claims.check()


def test_looking_claims_nothing() -> None:
    claims = TextClaims()
    assert claims.look(A, TEXT) == b""
    assert claims.claim("m1", 0, B, TEXT) == b""
