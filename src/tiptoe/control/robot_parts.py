"""Which parts of the control server deal with robots?"""

from dataclasses import dataclass
from pathlib import Path

from tiptoe.control.command_bell import CommandBell
from tiptoe.control.control_store import ControlStore
from tiptoe.control.description_spool import DescriptionSpool
from tiptoe.control.robot_commands import RobotCommands
from tiptoe.control.robot_configurations import RobotConfigurations
from tiptoe.control.robot_presence import RobotPresence
from tiptoe.control.robot_roster import RobotRoster
from tiptoe.control.round_exchange import RoundExchange

__all__ = ["RobotParts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotParts:
    """Everything that a page or a call of a robot may need."""

    roster: RobotRoster
    configurations: RobotConfigurations
    commands: RobotCommands
    spool: DescriptionSpool
    presence: RobotPresence
    bell: CommandBell
    rounds: RoundExchange

    @classmethod
    def build(cls, store: ControlStore, directory: Path | None) -> "RobotParts":
        """Return the parts over a store."""
        roster, configurations = RobotRoster(store), RobotConfigurations(store)
        presence, bell = RobotPresence(roster, configurations), CommandBell()
        return cls(
            roster=roster,
            configurations=configurations,
            commands=RobotCommands(store),
            spool=DescriptionSpool(store, directory),
            presence=presence,
            bell=bell,
            rounds=RoundExchange(store, directory, presence, bell),
        )
