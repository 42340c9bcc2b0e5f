"""What moves a robot: a simulation, a mock, or motors. One small class each."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_common.gravity import GRAVITY
from softshell_common.reason import Reason
from softshell_control.gate import Command
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError


class StopPolicy(Enum):
    """What the joints do after a stop: keep their last safe position, or give way."""

    HOLD = 'hold'
    RELAX = 'relax'


@dataclass(eq=False)
class BaseState:
    """Where the base is, and how it moves.

    Attributes:
        position: (3,) of the base link in odom [m].
        orientation: (4,) of the base link in odom, quaternion x, y, z, w.
        linear_velocity: (3,) of the base link against odom, in the base link [m/s].
        angular_velocity: (3,) likewise [rad/s].
        age: how long before the measurement's stamp it was measured [s].
        pose_deviation: (6,) standard deviations of x, y, z [m], roll, pitch, yaw [rad] in odom;
            0: exact, or not known.
        twist_deviation: (6,) likewise of linear [m/s] and angular [rad/s] velocity in the base.
    """

    position: Array = field(default_factory=lambda: np.zeros(3))
    orientation: Array = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    linear_velocity: Array = field(default_factory=lambda: np.zeros(3))
    angular_velocity: Array = field(default_factory=lambda: np.zeros(3))
    age: float = 0.0
    pose_deviation: Array = field(default_factory=lambda: np.zeros(6))
    twist_deviation: Array = field(default_factory=lambda: np.zeros(6))


@dataclass(eq=False)
class ImuSample:
    """A sample of an inertial measurement unit at the origin of a link, along that link's axes.

    Attributes:
        orientation: (4,) against odom, quaternion x, y, z, w.
        angular_velocity: (3,) [rad/s]; NaN if it measures none.
        linear_acceleration: (3,) [m/s^2]: acceleration less gravity, so +9.81 upwards at rest; NaN
            if it measures none.
        age: how long before the measurement's stamp it was sampled [s].
        link: the link; empty: the base link.
        deviations: standard deviations of the noise of orientation [rad], angular velocity and
            linear acceleration, of each axis; 0: not known.
        stamp: when it was sampled, on the bridge's clock [ns]; None: the measurement's stamp less
            `age`. A sample that is shown again keeps it to the nanosecond, or else it is published
            as a new one: who takes age and stamp from different clocks, or at different moments,
            has to state it.
    """

    orientation: Array = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    angular_velocity: Array = field(default_factory=lambda: np.zeros(3))
    linear_acceleration: Array = field(default_factory=lambda: np.array([0.0, 0.0, GRAVITY]))
    age: float = 0.0
    link: str = ''
    deviations: tuple[float, float, float] = (0.0, 0.0, 0.0)
    stamp: int | None = None


@dataclass(eq=False)
class FootContacts:
    """Contacts of the feet, in the order of the robot's legs.

    Attributes:
        touching: (feet,) whether each foot touches anything.
        force: (feet, 3) mean contact force on each foot since the last measurement, in odom [N].
        age: how long before the measurement's stamp they were sampled [s].
    """

    touching: NDArray[np.bool_]
    force: Array
    age: float = 0.0

    @classmethod
    def none(cls, feet: int) -> 'FootContacts':
        """None of so many `feet` touches anything."""
        return cls(np.zeros(feet, dtype=np.bool_), np.zeros((feet, 3)))


@dataclass(eq=False)
class LinkContacts(FootContacts):
    """Contacts of other links than feet; the arrays are (links,) and (links, 3).

    Attributes:
        links: their names, in the order of the arrays.
    """

    links: tuple[str, ...] = ()

    @classmethod
    def of(cls, links: tuple[str, ...]) -> 'LinkContacts':
        """None of these links touches anything."""
        return cls(np.zeros(len(links), dtype=np.bool_), np.zeros((len(links), 3)), links=links)


@dataclass(eq=False)
class Measured:
    """What a backend measured. The backend's next step may overwrite its arrays.

    `movable` counts the robot's movable joints, in the order of `JointMap.of(robot).names`.
    `channels` counts the independent joints and the robot's other channels. A part that is None
    is not published.

    Attributes:
        position, velocity, effort: (movable,) of the joints: [rad] or [m], [rad/s] or [m/s],
            [N m] or [N].
        valid: (movable,) whether each joint was measured. All other values of a joint that was
            not are ignored, also the one in `channels`.
        age: (movable,) how long before `stamp` each joint was measured [s].
        channels: (channels,) the measured value of every channel, in its unit; NaN: unknown.
        stamp: the time of the measurement, on the bridge's clock [ns].
        base: pose and velocity of the base.
        imu: reading of the inertial measurement unit.
        contacts: contacts of the feet.
        link_contacts: contacts of further links.
        tactile: contacts of the links of soft manipulators.
        joints_age: how long before `stamp` the joints were measured, if all at once [s].
        temperature: (movable,) of the motors [°C]; elastic joints, which come last and have none,
            may be left out.
        voltage: of the supply [V].
        derating: (channels,) part of its highest rate at which each channel may move, 0 to 1, e.g.
            while a motor is hot; the command slows down as its acceleration allows. None: 1.
    """

    position: Array
    velocity: Array
    effort: Array
    valid: NDArray[np.bool_]
    age: Array
    channels: Array
    stamp: int = 0
    base: BaseState | None = None
    imu: ImuSample | None = None
    contacts: FootContacts | None = None
    link_contacts: LinkContacts | None = None
    tactile: LinkContacts | None = None
    joints_age: float = 0.0
    temperature: Array | None = None
    voltage: float | None = None
    derating: Array | None = None

    @classmethod
    def zero(cls, movable: int, channels: int) -> 'Measured':
        """Every joint valid and at zero, nothing else measured.

        Args:
            movable: number of movable joints, with those that mimic another.
            channels: number of independent joints and further channels.
        """
        return cls(
            position=np.zeros(movable),
            velocity=np.zeros(movable),
            effort=np.zeros(movable),
            valid=np.ones(movable, dtype=np.bool_),
            age=np.zeros(movable),
            channels=np.zeros(channels),
        )

    def write_known(self, channels: Array, joints: int) -> None:
        """Write the measured value of every channel; NaN where it is not known.

        Args:
            channels: (channels,) to be written, in the unit of each.
            joints: how many of them are joints; these come first.
        """
        channels[:] = self.channels
        channels[:joints][~self.valid[:joints]] = np.nan
        channels[~np.isfinite(channels)] = np.nan

    def check(self, channels: int, movable: int | None = None) -> None:
        """Refuse arrays of wrong sizes.

        Args:
            channels: number of channels of the robot.
            movable: number of its movable joints; default: any, but the same everywhere.

        Raises:
            ProblemsError: every array of another size, with the size that was expected.
        """
        count = len(self.position) if movable is None else movable
        sizes = dict.fromkeys(('position', 'velocity', 'effort', 'valid', 'age'), count)
        sizes['channels'] = channels
        if self.derating is not None:
            sizes['derating'] = channels
        problems = [
            f'{name} has the shape {np.shape(getattr(self, name))}; expected ({size},)'
            for name, size in sizes.items()
            if np.shape(getattr(self, name)) != (size,)
        ]
        if problems:
            raise ProblemsError(
                'what the backend measured (joints that mimic others count, but are no channels)',
                problems,
            )


class Backend(ABC):
    """Moves a robot for one control period at a time.

    A backend trusts its commands: they have passed the safety gate. All calls come from one
    thread, but for `interrupt` and `resume`, and for `close`, which comes after that thread has
    ended. An error that it raises becomes a fault of the bridge; a `FaultError` names the kind of
    the fault.
    """

    #: How the bridge calls itself: 'sim', 'mock' or 'hardware'.
    name: str
    #: Whether each step of the backend advances the time of the stack, whose clock the bridge
    #: then is; otherwise everything runs on wall time.
    owns_time: bool

    @abstractmethod
    def reset(self) -> Measured:
        """Begin anew, joints not driven: a simulation puts the robot back where it started."""

    @abstractmethod
    def activate(self) -> Measured:
        """Begin to drive the joints, at rest where they are.

        Raises:
            SoftshellError: the joints cannot be driven; the text says why. The bridge stays
                inactive, with the code of a `RefusalError` or `REFUSED`; after a `FaultError` it
                is in a fault.
        """

    @abstractmethod
    def step(self, now: int, command: Command | None) -> Measured:
        """Let one control period pass, and measure at its end.

        Args:
            now: the time at the end of the period [ns].
            command: where the channels are to be at its end; None: there is no command, and the
                joints stay as `stop`, `deactivate` or `reset` left them, held or relaxed.
        """

    def wait(self) -> None:  # noqa: B027
        """Let a tick pass without time: the clock stands still, or went back a little.

        Does not raise. What watches whether this program lives is told that it does.
        """

    @abstractmethod
    def stop(self, policy: StopPolicy) -> None:
        """Stop after a fault or an emergency stop; may be called again.

        Args:
            policy: what the joints do from then on.

        Raises:
            SoftshellError: it is not known that the joints do so; the text says why. All has been
                tried by then. The bridge's mode is that of the stop all the same, and its reasons
                contain the text, with the code `STOP_FAILED`.
        """

    def deactivate(self) -> None:
        """End driving the joints."""
        self.stop(StopPolicy.RELAX)

    def apply(self, parameters: Any) -> None:  # noqa: B027
        """Take the bridge's live parameters, between two steps."""

    def warnings(self) -> Sequence[Reason]:
        """What is wrong at present and is no fault yet, e.g. a motor that is getting hot."""
        return ()

    def diagnostics(self) -> Mapping[str, str]:
        """Further entries of the bridge's diagnostics, e.g. gains that had to be limited."""
        return {}

    def interrupt(self) -> None:  # noqa: B027
        """Have a call that is running in another thread end soon, with an error; from any thread.

        The bridge is to stop or to be closed. Calls that begin before `resume` or `close` may
        fail as well.
        """

    def resume(self) -> None:  # noqa: B027
        """Take `interrupt` back; from any thread."""

    def close(self) -> None:  # noqa: B027
        """Release what the backend holds: ports, files, engines."""
