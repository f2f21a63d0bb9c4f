"""What may be changed while a crawl runs?

Settings that are declared `live`: every part that uses them learns of the change. Others are read when the
crawl begins and are built into what it does.
"""

from collections.abc import Mapping

from tiptoe.errors import SettingsError
from tiptoe.settings.given import Given
from tiptoe.settings.layers import Settings
from tiptoe.settings.nearest import nearest_setting
from tiptoe.settings.schema import SETTINGS

__all__ = ["amended"]


def amended(settings: Settings, given: Mapping[str, object]) -> Settings:
    """Return settings with some changed, by full name; SettingsError with everything that is wrong."""
    problems = [f"{name}: {problem}" for name in given if (problem := _refusal(name))]
    if problems:
        raise SettingsError("\n".join(problems))
    before = {
        name: Given(SETTINGS[name].plain(settings.value(name)), origin)
        for name, origin in settings.origins.items()
    }
    return Settings.load(
        remembered=before, overrides={name: Given(raw, f"set {name}") for name, raw in given.items()}
    )


def _refusal(name: str) -> str:
    """Return why a setting cannot be changed now; empty if it can."""
    setting = SETTINGS.get(name)
    if setting is None:
        return f"no such setting{nearest_setting(name)}"
    if setting.fixed:
        return f"stays as it was when the crawl began: {setting.fixed}"
    if not setting.live:
        return "cannot be changed while the crawl runs; stop it, and continue with the new value"
    return ""
