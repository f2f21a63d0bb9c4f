"""Which shards belong to a label, and which hosts live in them?

An operator may want a part of the web to be crawled from certain machines: `.sk` from those in Slovakia, the
network of a university from inside it. Rules give a label to hosts, by the end of their names, or to
addresses, by network. Agents announce which labels they accept, and agents hold shards; so each label has a
block of shards of its own, and the remaining shards are for what has no label. Rules and blocks are fixed,
like the number of shards, when a crawl is created, because they determine where everything lives.

Rule: whatever lives at one gate (an address; address and host within content delivery networks) lives in
one shard, because that is what keeps us polite. So the shard is a function of the gate's key alone.

- A rule by **network** knows the address: it holds for every host there.
- A rule by **name** knows it within content delivery networks, where the key names the host, and for the
  **home** of a host, where its name is looked up. An address as such has no name: hosts of `.sk` and `.cz`
  may share one, and then one of them has to follow the other.

For the many addresses that belong to one name only, a rule by name holds nevertheless: the first host at an
address decides, and the others follow it (`frontier/gate_register.py`). The shard that it requests is its
`claim`.
"""

import ipaddress
from collections.abc import Sequence

import msgspec
import xxhash

from tiptoe.cluster.assignment import UNLABELLED
from tiptoe.errors import SettingsError

__all__ = ["LabelRule", "ShardLabels", "label_rules", "labels_taken"]

UNLABELLED_WORD = "rest"
"""The operator's word for what has no label."""

LABELLED_PART = 0.5
"""Fraction of the shards not requested by any label that the labels without a stated share divide evenly."""


class LabelRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What has a label. Networks precede names: the first one that matches, then the longest suffix."""

    label: str
    suffixes: tuple[str, ...] = ()  # of names: "sk" is all of .sk, "example.org" that name and all below it
    networks: tuple[str, ...] = ()
    part: float = 0.0  # of all shards; 0 = an even share of half the remaining ones


class ShardLabels:
    """The shards of a crawl in blocks, one per label, and where hosts and addresses live.

    Invariants:
        - blocks do not overlap and cover all shards; none is empty;
        - without rules the hash of a key selects one of all shards.
    """

    def __init__(self, shards: int, rules: Sequence[LabelRule] = ()) -> None:
        self._networks = [(_network(text), rule.label) for rule in rules for text in rule.networks]
        self._suffixes = {
            suffix.strip(".").lower(): rule.label for rule in reversed(rules) for suffix in rule.suffixes
        }
        self.blocks = _blocks(shards, rules)
        self.labels = [label for label, block in self.blocks.items() for _ in block]

    def home(self, host: str) -> int:
        """Return the shard that looks up a name."""
        return self._shard(self._label_of_name(host), host)

    def residence(self, gate_key: str) -> int:
        """Return the shard of a gate, by its key alone."""
        address, _, host = gate_key.partition(" ")
        label = self._label_of_address(address)
        if label == UNLABELLED and host:
            label = self._label_of_name(host)
        return self._shard(label, gate_key)

    def is_claimable(self, gate_key: str) -> bool:
        """Return whether names may claim an address: neither its network nor its only host decides."""
        return bool(self._suffixes) and " " not in gate_key and self._label_of_address(gate_key) == UNLABELLED

    def claim(self, gate_key: str, host: str) -> int:
        """Return the shard that an address gets if this host is the first one there."""
        label = self._label_of_name(host) if self.is_claimable(gate_key) else UNLABELLED
        return self.residence(gate_key) if label == UNLABELLED else self._shard(label, gate_key)

    def _shard(self, label: str, key: str) -> int:
        block = self.blocks[label]
        return block[xxhash.xxh3_64_intdigest(key.encode()) % len(block)]

    def _label_of_name(self, host: str) -> str:
        """Return the label of the longest suffix that has one."""
        rest = host.lower().rstrip(".")
        while rest and self._suffixes:
            if rest in self._suffixes:
                return self._suffixes[rest]
            rest = rest.partition(".")[2]
        return UNLABELLED

    def _label_of_address(self, address: str) -> str:
        if self._networks:
            parsed = ipaddress.ip_address(address)
            for network, label in self._networks:
                if parsed in network:
                    return label
        return UNLABELLED


def label_rules(words: Sequence[str]) -> tuple[LabelRule, ...]:
    """Return the rules that an operator writes as `label=.suffix`, `label=network` and `label=share%`."""
    suffixes: dict[str, list[str]] = {}
    networks: dict[str, list[str]] = {}
    parts: dict[str, float] = {}
    for word in words:
        label, _, what = word.partition("=")
        suffixes.setdefault(label, [])
        if what.endswith("%"):
            parts[label] = int(what.removesuffix("%")) / 100
        elif what.startswith("."):
            suffixes[label].append(what.strip("."))
        else:
            networks.setdefault(label, []).append(str(_network(what)))
    for label in suffixes:
        if not suffixes[label] and label not in networks:
            raise SettingsError(f"label {label!r} has a share of the crawl, but nothing has the label")
    return tuple(
        LabelRule(label, tuple(suffixes[label]), tuple(networks.get(label, ())), parts.get(label, 0.0))
        for label in suffixes
    )


def labels_taken(words: Sequence[str], rules: Sequence[LabelRule]) -> tuple[str, ...]:
    """Return the labels that an agent accepts, given the operator's words; without any, unlabelled shards."""
    known = {rule.label for rule in rules}
    for word in words:
        if word != UNLABELLED_WORD and word not in known:
            there = ", ".join(sorted(known)) or "none"
            raise SettingsError(f"the crawl has no label {word!r}, only: {there}")
    taken = (UNLABELLED if word == UNLABELLED_WORD else word for word in words or (UNLABELLED_WORD,))
    return tuple(dict.fromkeys(taken))


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise SettingsError(f"{text!r} is no network; write one as in 192.0.2.0/24") from None


def _blocks(shards: int, rules: Sequence[LabelRule]) -> dict[str, range]:
    """Divide the shards: first a block without a label, then one per label, in the order of the rules."""
    parts: dict[str, float] = {}
    for rule in rules:
        if rule.label == UNLABELLED or not 0 <= rule.part < 1:
            raise SettingsError(f"label {rule.label!r}: needs a name, and a part of the shards below 1")
        parts[rule.label] = max(parts.get(rule.label, 0.0), rule.part)
    unsaid = [label for label, part in parts.items() if not part]
    said = sum(parts.values())
    for label in unsaid:
        parts[label] = (1 - said) * LABELLED_PART / len(unsaid)
    sizes = {label: max(1, int(shards * part)) for label, part in parts.items()}
    first = shards - sum(sizes.values())
    if first < 1:
        raise SettingsError(
            f"{shards} shards are too few for labels {', '.join(sizes)}: nothing is left over"
        )
    blocks = {UNLABELLED: range(first)}
    for label, size in sizes.items():
        blocks[label] = range(first, first + size)
        first += size
    return blocks
