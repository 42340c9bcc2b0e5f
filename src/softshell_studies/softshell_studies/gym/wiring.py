"""How a policy that moves joints is wired to a robot: the same in a task and on the stack."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_from_quaternion
from softshell_studies.gym.task import Part


@dataclass(eq=False)
class Sensed:
    """What is measured of a robot.

    Attributes:
        joints, rates: (joints,) of its independent joints [rad], [rad/s].
        orientation: (4,) of its base in odom, quaternion x, y, z, w.
        spin, velocity: (3,) of its base, in it [rad/s], [m/s].
    """

    joints: Array
    rates: Array
    orientation: Array = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    spin: Array = field(default_factory=lambda: np.zeros(3))
    velocity: Array = field(default_factory=lambda: np.zeros(3))


class Wiring(ABC):
    """From what is measured to an observation, and from an action to joint positions.

    Positions are those of a pose, changed by a sum of directions, one for each action.

    Args:
        robot: whose joints are moved.
        pose: name of the pose.
        directions: (actions, joints) what an action of 1 adds [rad].

    Attributes:
        robot: likewise.
        period: from an action to the next [s].
        wishes: what the policy can be told, and from where to where.
        actions, observations: what the numbers of each are.
        centre: (joints,) the pose [rad].
        last: (actions,) the last one.
        time: since the begin [s].
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

    def begin(self) -> None:
        """Begin anew."""
        self.last = np.zeros(len(self._directions))
        self.time = 0.0

    @property
    def still(self) -> Array:
        """(actions,) while nothing is wished for."""
        return np.zeros(len(self._directions))

    @property
    def no_wish(self) -> Array:
        """(wishes,) that stand for none."""
        return np.zeros(sum(part.size for part in self.wishes))

    def positions(self, action: Array) -> Array:
        """(joints,) within limits [rad], of an action; time passes."""
        self.last = np.clip(action, -1.0, 1.0)
        self.time += self.period
        wanted = self.centre + self.last @ self._directions
        return np.clip(wanted, self.robot.lower_limits, self.robot.upper_limits)

    @abstractmethod
    def wish(self, velocity: Array) -> Array | None:
        """(wishes,) from a commanded velocity: ahead, to the left [m/s], turning [rad/s].

        None: nothing is wished for, and the robot is to do what is `still`.
        """

    @abstractmethod
    def observe(self, sensed: Sensed, wish: Array) -> Array:
        """(observations,) what a policy is shown.

        Args:
            sensed: of the robot.
            wish: (wishes,) what is wanted of it.
        """


#: How far an action moves a joint of a leg from the stand [rad].
REACH = 0.5
#: Period of the clock that a walking policy is shown [s].
BEAT = 1.0
#: What a walking policy can be told.
VELOCITY = (
    Part('velocity', 2, 'm/s', 'ahead and to the left'),
    Part('turn', 1, 'rad/s', 'to the left'),
)


class WalkWiring(Wiring):
    """The joints of all legs, about the stand.

    Args:
        robot: with legs.

    Raises:
        SoftshellError: it has none.
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
            Part('base_velocity', 3, 'm/s', 'of the base, in it'),
            Part('base_spin', 3, 'rad/s', 'of the base, in it'),
            Part('down', 3, '', 'where down is, in the base'),
            Part('joints', count, 'rad', 'of the legs, from the stand'),
            Part('rates', count, 'rad/s', 'of the same'),
            Part('last', count, f'{REACH:g} rad', 'the last action'),
            Part('clock', 2, '', f'cosine and sine, once in {BEAT:g} s'),
        )

    def wish(self, velocity: Array) -> Array | None:
        return velocity

    def observe(self, sensed: Sensed, wish: Array) -> Array:
        down = -rotation_from_quaternion(sensed.orientation)[2]
        phase = 2.0 * np.pi * self.time / BEAT
        return np.concatenate(
            (
                wish, sensed.velocity, sensed.spin, down,
                (sensed.joints - self.centre)[self._legs], sensed.rates[self._legs], self.last,
                [np.cos(phase), np.sin(phase)],
            )
        )  # fmt: skip


#: A velocity that is less is no heading [m/s].
SLOWEST = 0.02


class RollWiring(Wiring):
    """The panels of a closed cage, each of which opens and closes.

    An action of -1 leaves a panel where it is in the ball, 1 opens it as far as in the bloom.

    Args:
        robot: with a cage.

    Raises:
        SoftshellError: it has none.
    """

    wishes = (Part('heading', 1, 'rad', 'where to, in odom, from x to the left'),)

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
        #: (panels, 3) where each is seen from the ball's centre, in the base.
        self.panels = middles / np.linalg.norm(middles, axis=1)[:, None]
        count = len(cage.panels)
        self.actions = (Part('panels', count, 'open', 'from closed, -1, to open, 1'),)
        self.observations = (
            Part('heading', 3, '', 'where to, in the base'),
            Part('down', 3, '', 'where down is, in the base'),
            Part('base_spin', 3, 'rad/s', 'of the base, in it'),
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
        turn = rotation_from_quaternion(sensed.orientation)
        heading = np.array([np.cos(wish[0]), np.sin(wish[0]), 0.0]) @ turn
        return np.concatenate((heading, -turn[2], sensed.spin, self.last))


def wiring_of(task: str, robot: RobotModel) -> Wiring:
    """How a policy for a task is wired to a robot.

    Raises:
        SoftshellError: policies of this task move no joints of a robot, or not of this one.
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
