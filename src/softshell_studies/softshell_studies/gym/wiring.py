"""How a policy is wired to a robot's joints and sensors: the same in a task and on the stack."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from softshell_control.channel import limits_of
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_from_quaternion
from softshell_studies.gym.task import Part


@dataclass(frozen=True, eq=False)
class Sensed:
    """The measurements that a policy needs.

    Attributes:
        joints, rates: (joints,) positions and velocities of the independent joints [rad, rad/s].
        orientation: (4,) quaternion x, y, z, w of the base in odom.
        spin, velocity: (3,) angular [rad/s] and linear velocity [m/s] of the base, in base.
    """

    joints: Array
    rates: Array
    orientation: Array = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    spin: Array = field(default_factory=lambda: np.zeros(3))
    velocity: Array = field(default_factory=lambda: np.zeros(3))

    @cached_property
    def rotation(self) -> Array:
        """(3, 3) rotation of the base in odom."""
        return rotation_from_quaternion(self.orientation)


class Wiring(ABC):
    """Makes observations from measurements, and joint positions from actions.

    Joint positions are those of a pose plus a weighted sum of directions; the actions are the
    weights.

    Args:
        robot: whose joints are moved.
        pose: name of the pose.
        directions: (actions, joints) what an action of 1 adds to the joints [rad].

    Attributes:
        robot: whose joints are moved.
        pose: name of the pose.
        period: from one action to the next [s].
        wishes: the parts of a command to the policy.
        actions, observations: the parts of each.
        centre: (joints,) positions for an action of zeros [rad].
        moved: indices of the joints that any action moves.
        last: (actions,) the last action.
        time: since the start [s].
    """

    period = 0.02
    wishes: tuple[Part, ...]
    actions: tuple[Part, ...]
    observations: tuple[Part, ...]

    def __init__(self, robot: RobotModel, pose: str, directions: Array) -> None:
        self.robot, self.pose = robot, pose
        self.centre = robot.pose(pose)
        self._directions = directions
        self.moved = np.flatnonzero(directions.any(axis=0))
        self.last = np.zeros(len(directions))
        self.time = 0.0
        self._rate = limits_of(robot).rate[: len(robot.joint_names)]

    def begin(self) -> None:
        """Start again: forget the last action, and set the time to 0."""
        self.last = np.zeros(len(self._directions))
        self.time = 0.0

    @property
    def still(self) -> Array:
        """(actions,) the action while there is no command."""
        return np.zeros(len(self._directions))

    @property
    def no_wish(self) -> Array:
        """(wishes,) the numbers that stand for no command."""
        return np.zeros(sum(part.size for part in self.wishes))

    def positions(self, action: Array) -> Array:
        """(joints,) positions for an action, within the joint limits [rad].

        Keeps the action as the last one, and lets the time pass by a period.
        """
        self.last = np.clip(action, -1.0, 1.0)
        self.time += self.period
        wanted = self.centre + self.last @ self._directions
        return np.clip(wanted, self.robot.lower_limits, self.robot.upper_limits)

    def rates(self, wanted: Array, before: Array) -> Array:
        """(joints,) rates at the end of a period, within the limits of the safety gate [rad/s].

        Args:
            wanted, before: (joints,) positions at its end and at its beginning [rad].
        """
        return np.clip((wanted - before) / self.period, -self._rate, self._rate)

    @abstractmethod
    def wish(self, velocity: Array) -> Array | None:
        """(wishes,) the command for a velocity (3,): ahead, to the left [m/s], yaw rate [rad/s].

        None: there is no command, and the robot is to do the action `still`.
        """

    @abstractmethod
    def observe(self, sensed: Sensed, wish: Array) -> Array:
        """(observations,) the input of the policy.

        Args:
            sensed: measurements of the robot.
            wish: (wishes,) the command.
        """


#: How far an action of 1 moves a joint of a leg from its position in the pose [rad].
REACH = 0.5
#: Period of the clock that a walking policy observes [s].
BEAT = 1.0
#: The command to a walking policy.
VELOCITY = (
    Part('velocity', 2, 'm/s', 'ahead and to the left'),
    Part('turn', 1, 'rad/s', 'to the left'),
)


class WalkWiring(Wiring):
    """Wiring of a walking policy: it moves the joints of all legs, about the pose of standing.

    Args:
        robot: a robot with legs.

    Raises:
        SoftshellError: the robot has no legs.
    """

    wishes = VELOCITY

    def __init__(self, robot: RobotModel) -> None:
        if robot.legs is None:
            raise SoftshellError(f'robot {robot.name!r} has no legs; expected one that walks')
        names = [name for chain in robot.legs.chains for name in robot.own_joints(chain)]
        directions = np.zeros((len(names), len(robot.joint_names)))
        for row, name in enumerate(names):
            directions[row, robot.index(name)] = REACH
        super().__init__(robot, robot.legs.stand, directions)
        self._legs = np.array([robot.index(name) for name in names])
        count = len(names)
        self.actions = (Part('joints', count, f'{REACH:g} rad', 'of the legs, from the stand'),)
        self.observations = (
            *self.wishes,
            Part('base_velocity', 3, 'm/s', 'linear velocity of the base, in base'),
            Part('base_spin', 3, 'rad/s', 'angular velocity of the base, in base'),
            Part('down', 3, '', 'direction of gravity, in base'),
            Part('joints', count, 'rad', 'of the legs, from the stand'),
            Part('rates', count, 'rad/s', 'velocities of these joints'),
            Part('last', count, f'{REACH:g} rad', 'the last action'),
            Part('clock', 2, '', f'cosine and sine with a period of {BEAT:g} s'),
        )

    def wish(self, velocity: Array) -> Array | None:
        return velocity

    def observe(self, sensed: Sensed, wish: Array) -> Array:
        down = -sensed.rotation[2]
        phase = 2.0 * np.pi * self.time / BEAT
        return np.concatenate(
            (
                wish, sensed.velocity, sensed.spin, down,
                (sensed.joints - self.centre)[self._legs], sensed.rates[self._legs], self.last,
                [np.cos(phase), np.sin(phase)],
            )
        )  # fmt: skip


#: A commanded velocity that is slower gives no heading [m/s].
SLOWEST = 0.02


class RollWiring(Wiring):
    """Wiring of a rolling policy: it opens and closes the panels of a ball.

    An action of -1 closes a panel; 1 opens it to its position in `Candidates.bloom`.

    Args:
        robot: a robot with a cage.

    Attributes:
        panels: (panels, 3) unit vectors from the ball's centre to the panels, in base.

    Raises:
        SoftshellError: the robot has no cage.
    """

    wishes = (Part('heading', 1, 'rad', 'direction to roll in, in odom, from x to the left'),)

    def __init__(self, robot: RobotModel) -> None:
        from softshell_control.ball.cage import cage_of
        from softshell_control.ball.candidates import candidates_of

        cage = cage_of(robot)
        assert robot.cage is not None
        candidates = candidates_of(cage)
        half = 0.5 * candidates.joints * (candidates.bloom - cage.closed)
        super().__init__(robot, robot.cage.pose, half)
        self.centre = self.centre + half.sum(axis=0)
        surfaces = [panel.surface(cage.closed) - cage.centre for panel in cage.panels]
        middles = np.array([surface.mean(axis=0) for surface in surfaces])
        self.panels = middles / np.linalg.norm(middles, axis=1)[:, None]
        count = len(cage.panels)
        self.actions = (Part('panels', count, 'open', 'from closed, -1, to open, 1'),)
        self.observations = (
            Part('heading', 3, '', 'direction to roll in, in base'),
            Part('down', 3, '', 'direction of gravity, in base'),
            Part('base_spin', 3, 'rad/s', 'angular velocity of the base, in base'),
            Part('last', count, 'open', 'the last action'),
        )

    def begin(self) -> None:
        super().begin()
        self.last = self.still

    def wish(self, velocity: Array) -> Array | None:
        if math.hypot(velocity[0], velocity[1]) < SLOWEST:
            return None
        return np.array([math.atan2(velocity[1], velocity[0])])

    @property
    def still(self) -> Array:
        return np.full(len(self.panels), -1.0)

    def observe(self, sensed: Sensed, wish: Array) -> Array:
        turn = sensed.rotation
        heading = np.array([np.cos(wish[0]), np.sin(wish[0]), 0.0]) @ turn
        return np.concatenate((heading, -turn[2], sensed.spin, self.last))


def wiring_of(task: str, robot: RobotModel) -> Wiring:
    """The wiring of a policy for a task to a robot.

    Raises:
        SoftshellError: policies for this task move no robot, or the robot lacks legs or a cage.
    """
    kinds: dict[str, type[WalkWiring | RollWiring]] = {
        'Walk': WalkWiring, 'WalkRough': WalkWiring, 'Roll': RollWiring,
    }  # fmt: skip
    if task not in kinds:
        raise SoftshellError(
            f'a policy for {task} moves no robot of the stack; expected one for '
            f'{" or ".join(kinds)}'
        )
    return kinds[task](robot)
