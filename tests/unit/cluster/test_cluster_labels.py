"""Does what has a label live in the shards of the label, and every address in one shard?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.cluster.assignment import UNLABELLED
from tiptoe.cluster.shard_labels import LabelRule, ShardLabels, label_rules, labels_taken
from tiptoe.errors import SettingsError
from tiptoe.settings.form import be_affinity

RULES = (
    LabelRule("sk", suffixes=("sk", "slovak.example")),
    LabelRule("campus", networks=("192.0.2.0/24", "2001:db8::/32")),
)
names = st.from_regex(r"[a-z]{1,5}(\.[a-z]{1,5}){0,2}\.(sk|cz|org)", fullmatch=True)


@pytest.fixture
def labels() -> ShardLabels:
    return ShardLabels(64, RULES)


def test_each_label_has_a_block_and_the_rest_of_the_web_has_the_largest(labels: ShardLabels) -> None:
    assert labels.blocks == {UNLABELLED: range(32), "sk": range(32, 48), "campus": range(48, 64)}
    assert labels.labels == [UNLABELLED] * 32 + ["sk"] * 16 + ["campus"] * 16


def test_a_label_can_ask_for_its_part_of_the_shards() -> None:
    """What the operator knows to be large needs more shards to be shared among more agents."""
    blocks = ShardLabels(64, [LabelRule("sk", suffixes=("sk",), part=0.75), LabelRule("x", part=0.05)]).blocks
    assert {label: len(block) for label, block in blocks.items()} == {UNLABELLED: 13, "sk": 48, "x": 3}


def test_without_rules_all_shards_are_for_all() -> None:
    plain = ShardLabels(64)
    assert plain.blocks == {UNLABELLED: range(64)}
    assert plain.claim("198.51.100.1", "a.sk") == plain.residence("198.51.100.1")
    assert len({plain.home(f"{number}.example") for number in range(2000)}) == 64


def test_names_are_looked_up_by_those_who_take_their_label(labels: ShardLabels) -> None:
    for name in ("a.sk", "A.SK", "deep.below.slovak.example", "slovak.example"):
        assert labels.home(name) in labels.blocks["sk"], name
    for name in ("sk.example", "task", "notslovak.example", "sk"):
        assert (labels.home(name) in labels.blocks["sk"]) == (name == "sk"), name


def test_a_network_holds_for_every_host_at_its_addresses(labels: ShardLabels) -> None:
    assert labels.residence("192.0.2.77") in labels.blocks["campus"]
    assert labels.residence("2001:db8::1") in labels.blocks["campus"]
    assert labels.residence("198.51.100.1") in labels.blocks[UNLABELLED]
    assert labels.claim("192.0.2.77", "a.sk") == labels.residence("192.0.2.77")


def test_within_content_delivery_networks_names_count_since_the_gate_knows_them(
    labels: ShardLabels,
) -> None:
    assert labels.residence("198.51.100.1 a.sk") in labels.blocks["sk"]
    assert labels.residence("198.51.100.1 a.cz") in labels.blocks[UNLABELLED]
    assert labels.residence("192.0.2.1 a.sk") in labels.blocks["campus"]


def test_the_first_host_of_an_address_can_claim_it_for_its_label(labels: ShardLabels) -> None:
    """All hosts of one label name the same shard; so does whoever repeats it."""
    claimed = labels.claim("198.51.100.1", "a.sk")
    assert claimed in labels.blocks["sk"]
    assert labels.claim("198.51.100.1", "b.sk") == claimed
    assert labels.claim("198.51.100.1", "a.cz") == labels.residence("198.51.100.1")


@given(st.ip_addresses().map(str), names, names)
def test_where_an_address_is_does_not_depend_on_who_lives_there(address: str, one: str, other: str) -> None:
    """Two hosts of one address in two shards would be asked at once."""
    labels = ShardLabels(16, RULES)
    assert 0 <= labels.residence(address) < 16
    assert labels.residence(address) == ShardLabels(16, RULES).residence(address)
    same_label = one.endswith(".sk") == other.endswith(".sk")
    assert not same_label or labels.claim(address, one) == labels.claim(address, other)


@pytest.mark.parametrize(
    "rules",
    [
        [LabelRule("x", networks=("no network",))],
        [LabelRule("")],
        [LabelRule("x", part=1.0)],
        [LabelRule(str(number)) for number in range(4)],
        [LabelRule("a", part=0.5), LabelRule("b", part=0.5)],
    ],
)
def test_rules_that_cannot_be_kept_are_refused(rules: list[LabelRule]) -> None:
    with pytest.raises(SettingsError):
        ShardLabels(4, rules)


# -- what an operator writes -----------------------------------------------


def test_rules_are_written_as_words() -> None:
    rules = label_rules(
        ["sk=.sk", "campus=10.0.0.0/8", "sk=.slovak.example", "sk=25%", "campus=2001:db8::/32"]
    )
    assert rules == (
        LabelRule("sk", suffixes=("sk", "slovak.example"), part=0.25),
        LabelRule("campus", networks=("10.0.0.0/8", "2001:db8::/32")),
    )
    assert len(ShardLabels(64, rules).blocks["sk"]) == 16


def test_every_word_that_the_settings_take_makes_a_rule() -> None:
    """What a settings file may say must not fail later, when the crawl is created."""
    for word in ("sk=.sk", "a-1=.co.uk", "lan=192.168.0.0/16", "x=::1/128", "x=10.1.2.3"):
        be_affinity(word)
        assert label_rules([word])


@pytest.mark.parametrize(
    "word",
    ["", "sk", "sk=", "=.sk", "rest=.sk", "SK=.sk", "sk=sk", "sk=.", "sk=0%", "sk=100%", "x=10.0.0.1/8"],
)
def test_words_that_make_no_rule_are_refused_by_the_settings(word: str) -> None:
    with pytest.raises(ValueError, match="expected a label"):
        be_affinity(word)


def test_a_share_for_nothing_is_refused() -> None:
    with pytest.raises(SettingsError, match="nothing has the label"):
        label_rules(["sk=25%"])


def test_an_agent_takes_what_it_says_or_what_has_no_label() -> None:
    rules = label_rules(["sk=.sk", "lan=10.0.0.0/8"])
    assert labels_taken([], rules) == (UNLABELLED,)
    assert labels_taken(["sk"], rules) == ("sk",)
    assert labels_taken(["sk", "rest", "sk"], rules) == ("sk", UNLABELLED)
    with pytest.raises(SettingsError, match="no label 'cz', only: lan, sk"):
        labels_taken(["cz"], rules)
