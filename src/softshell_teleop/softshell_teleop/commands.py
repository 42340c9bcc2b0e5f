"""Commands of the keyboard interface, as data: what it does when a key is pressed."""

from dataclasses import dataclass
from typing import Protocol

from softshell_teleop.posture import Posture

#: The request to the bridge to stop at once, and the command of the key map for it.
STOP = 'emergency_stop'


@dataclass(frozen=True)
class Twist:
    """Command this velocity of the base: forward, left [m/s], turn left [rad/s]."""

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0


@dataclass(frozen=True)
class SetPosture:
    """Ask for this posture."""

    posture: Posture


@dataclass(frozen=True)
class SetGait:
    """Walk with this gait."""

    gait: str


@dataclass(frozen=True)
class Perform:
    """Begin the action of this name."""

    action: str


@dataclass(frozen=True)
class CancelAction:
    """Cancel all actions that run or wait, whoever began them."""


@dataclass(frozen=True)
class EmergencyStop:
    """Ask the bridge to stop at once, until it is reset."""


@dataclass(frozen=True)
class Say:
    """Print one line; `problem`: whether it says that a key could not be obeyed."""

    text: str
    problem: bool = False


@dataclass(frozen=True)
class Show:
    """Print the help text (`what` is `help`) or the table of keys (`keys`)."""

    what: str


@dataclass(frozen=True)
class Exit:
    """End the interface, not the robot's nodes."""


class Robot(Protocol):
    """What commands need of the robot; see `ros.remote.Remote`."""

    def drive(self, twist: Twist) -> None: ...
    def set_posture(self, posture: Posture) -> None: ...
    def set_gait(self, gait: str) -> None: ...
    def perform(self, action: str) -> None: ...
    def cancel_action(self) -> None: ...
    def emergency_stop(self) -> None: ...


Command = Twist | SetPosture | SetGait | Perform | CancelAction | EmergencyStop | Say | Show | Exit


def carry_out(command: Command, robot: Robot) -> bool:
    """Send a command to the robot. Returns False if the command is for the screen instead."""
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
        case EmergencyStop():
            robot.emergency_stop()
        case _:
            return False
    return True
