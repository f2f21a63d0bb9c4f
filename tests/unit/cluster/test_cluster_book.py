"""Do copies of the book of a cluster come to say the same, wherever they were changed?"""

import datetime
import itertools

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiptoe.cluster.certificates import make_authority
from tiptoe.cluster.cluster_book import ClusterBook, Entrant, ServerPlace, new_book
from tiptoe.errors import SettingsError

NOW = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
A, B = ServerPlace("a.example", 4222, 6222), ServerPlace("b.example", 4222, 6222)

entrants = st.builds(
    Entrant, password=st.sampled_from(["p1", "p2"]), revision=st.integers(1, 3), is_removed=st.booleans()
)
places = st.builds(
    ServerPlace, st.sampled_from(["a", "b"]), st.just(1), st.sampled_from([2, 3]), st.integers(1, 3)
)
EMPTY = msgspec.structs.replace(new_book("c", 3, None), entrants={})
books = st.builds(
    lambda users, servers: msgspec.structs.replace(EMPTY, entrants=users, servers=servers),
    st.dictionaries(st.sampled_from(["u", "v"]), entrants),
    st.dictionaries(st.sampled_from(["s", "t"]), places),
)


def merged(copies: tuple[ClusterBook, ...]) -> ClusterBook:
    found = copies[0]
    for copy in copies[1:]:
        found = found.merged(copy)
    return found


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # other tests take the cores
@given(st.tuples(books, books, books))
def test_copies_merge_to_the_same_in_any_order(copies: tuple[ClusterBook, ...]) -> None:
    """Servers hear of changes in different orders, and more than once."""
    assert (
        len({msgspec.json.encode(merged(order), order="sorted") for order in itertools.permutations(copies)})
        == 1
    )
    assert merged((*copies, *copies)) == merged(copies)


def test_a_user_that_was_removed_does_not_come_back_with_an_old_copy() -> None:
    old = new_book("c", 3, None).with_entrant("petr", crawl="czech")
    new = old.without_entrant("petr")
    for book in (old.merged(new), new.merged(old)):
        assert book.entrants["petr"].is_removed
        assert all(user.name != "petr" for account in book.accounts() for user in account.users)


def test_a_user_that_is_added_again_has_another_password() -> None:
    book = new_book("c", 1, None).with_entrant("petr")
    again = book.without_entrant("petr").with_entrant("petr")
    assert again.entrants["petr"].password != book.entrants["petr"].password
    assert book.merged(again) == again


def test_the_last_place_of_a_server_counts() -> None:
    before = new_book("c", 3, None).with_server("a", A)
    after = before.with_server("a", B)
    assert before.merged(after).servers["a"].host == after.merged(before).servers["a"].host == "b.example"


def test_the_book_of_another_cluster_is_refused() -> None:
    """Passwords of one cluster let nobody into another."""
    with pytest.raises(SettingsError, match="another one"):
        new_book("c", 3, None).merged(new_book("c", 3, None))


def test_a_crawl_with_users_of_its_own_has_an_account_of_its_own() -> None:
    book = new_book("c", 1, None).with_entrant("petr", crawl="czech").with_entrant("jan", crawl="slovak")
    accounts = {account.name: [user.name for user in account.users] for account in book.accounts()}
    assert accounts == {
        "crawls": ["member"], "crawl-czech": ["petr"], "crawl-slovak": ["jan"],
        "readers-of-crawls": [], "readers-of-crawl-czech": [], "readers-of-crawl-slovak": [],
    }  # fmt: skip


def test_what_a_crawl_has_stored_stays_when_its_last_user_goes() -> None:
    """An account that is not named any more would be closed with all its streams."""
    book = new_book("c", 1, None).with_entrant("petr", crawl="czech").without_entrant("petr")
    assert "crawl-czech" in [account.name for account in book.accounts()]


@pytest.mark.parametrize("size", [0, 2, 4, 7])
def test_a_cluster_has_one_three_or_five_servers(size: int) -> None:
    with pytest.raises(SettingsError, match="1, 3 or 5"):
        new_book("c", size, None)


@pytest.mark.parametrize("name", ["", "a b", "tiptoe-system", "../x", "a/b"])
def test_users_with_names_that_mean_more_than_themselves_are_refused(name: str) -> None:
    """They become names of files, and words in the configuration of a server."""
    with pytest.raises(SettingsError):
        new_book("c", 1, None).with_entrant(name)


def test_members_get_the_addresses_of_all_servers_and_who_vouches_for_them() -> None:
    authority = make_authority("c", NOW)
    book = new_book("c", 3, authority).with_server("a", A).with_server("b", B)
    credentials = book.credentials("member")
    assert credentials.servers == ("tls://a.example:4222", "tls://b.example:4222")
    assert (credentials.ca, credentials.replicas, credentials.crawl) == (authority.certificate, 3, "")


def test_no_secret_is_shown() -> None:
    book = new_book("c", 3, make_authority("c", NOW))
    assert not [secret for secret in (book.system_password, book.ca_key) if secret in repr(book)]
    assert book.ca_key not in repr(book.authority)
