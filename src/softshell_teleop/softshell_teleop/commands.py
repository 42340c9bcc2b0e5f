"""What the keyboard interface does at the press of a key, as data."""

from dataclasses import dataclass
from typing import Protocol

from softshell_teleop.posture import Posture


@dataclass(frozen=True)
class Twist:
    """Publish this velocity of the base: forward, left [m/s], turn left [rad/s]."""

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0


@dataclass(frozen=True)
class SetPosture:
    """Ask for this posture."""

    posture: Posture


@dataclass(frozen=True)
class SetGait:
    """Walk by this gait."""

    gait: str


@dataclass(frozen=True)
class Perform:
    """Begin this action."""

    action: str


@dataclass(frozen=True)
class CancelAction:
    """Cancel the actions that run, if any does."""


@dataclass(frozen=True)
class Say:
    """Print one line; `problem` if the key could not be obeyed."""

    text: str
    problem: bool = False


@dataclass(frozen=True)
class Show:
    """Print the `help` or the `keys`."""

    what: str


@dataclass(frozen=True)
class Exit:
    """End the interface, not the robot's nodes."""


class Robot(Protocol):
    """The robot as commands ask it; see `ros.remote.Remote`."""

    def drive(self, twist: Twist) -> None: ...
    def set_posture(self, posture: Posture) -> None: ...
    def set_gait(self, gait: str) -> None: ...
    def perform(self, action: str) -> None: ...
    def cancel_action(self) -> None: ...


Command = Twist | SetPosture | SetGait | Perform | CancelAction | Say | Show | Exit


def carry_out(command: Command, robot: Robot) -> bool:
    """Ask the robot for what a command is; False if it is for people."""
    match command:
        case Twist():
            robot.drive(command)
        case SetPosture(posture):
            robot.set_posture(posture)
        case SetGait(gait):
            robot.set_gait(gait)
        case Perform(action):
            robot.perform(action)
        case CancelAction():
            robot.cancel_action()
        case _:
            return False
    return True
