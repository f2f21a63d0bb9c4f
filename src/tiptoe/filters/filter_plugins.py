"""Which functions have others installed for filters?

A package offers them as entry points of the group `tiptoe.filters`, by the names that directives call:

    [project.entry-points."tiptoe.filters"]
    tag-ships = "shipnames:tag_ships"

    def tag_ships(resource, parameters):
        if "ship" in resource.sources["path"]:
            resource.add_field("classification", ["Sea:Ships"])

A function is given the resource (`resource.py`) and the parameters of its line. To return False denies the
resource to its chain. It runs in harvesters, once for each resource and directive; whatever it raises costs
the page, not the crawl.
"""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from tiptoe.errors import SettingsError
from tiptoe.filters.resource import Resource

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

__all__ = ["GROUP", "FilterFunction", "load_plugins", "plugin_names"]

GROUP: Final = "tiptoe.filters"

FilterFunction: TypeAlias = Callable[[Resource, Mapping[str, str]], object]


def plugin_names() -> frozenset[str]:
    """Return the names of functions that are installed."""
    return frozenset(_offered().names)


def load_plugins(wanted: Collection[str]) -> dict[str, FilterFunction]:
    """Return the functions of these names; SettingsError when one is missing or cannot be loaded."""
    if not wanted:
        return {}
    found = _offered()
    functions: dict[str, FilterFunction] = {}
    for name in sorted(wanted):
        if name not in found.names:
            raise SettingsError(
                f"the function {name} of the filters is not installed here (entry point {GROUP})"
            )
        try:
            functions[name] = found[name].load()
        except Exception as error:  # whatever the code of others does
            raise SettingsError(f"the function {name} of the filters cannot be loaded: {error!r}") from error
    return functions


def _offered() -> "EntryPoints":
    # Here, not above: it brings two dozen modules along, and few crawls have filters.
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)
