"""Which filter functions do installed packages offer?

A package offers them as entry points of the group `tiptoe.filters`, under the names that directives call:

    [project.entry-points."tiptoe.filters"]
    tag-ships = "shipnames:tag_ships"

    def tag_ships(resource, parameters):
        if "ship" in resource.sources["path"]:
            resource.add_field("classification", ["Sea:Ships"])

A function gets the resource (`resource.py`) and the parameters of its line. If it returns False, its chain
denies the resource. It runs in harvesters, once for each resource and directive; an exception costs the page,
not the crawl.
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
    """Return the names of all installed functions."""
    return frozenset(_offered().names)


def load_plugins(wanted: Collection[str]) -> dict[str, FilterFunction]:
    """Return the functions with these names; SettingsError if one is missing or cannot be loaded."""
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
        except Exception as error:  # foreign code may raise anything
            raise SettingsError(f"the function {name} of the filters cannot be loaded: {error!r}") from error
    return functions


def _offered() -> "EntryPoints":
    # Imported here because it loads two dozen modules, and few crawls have filters.
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)
