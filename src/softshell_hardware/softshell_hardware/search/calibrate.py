"""From joints that somebody holds in a pose to directions and offsets in the wiring."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from softshell_common.yaml_edit import YamlEdit
from softshell_description.model import RobotModel
from softshell_hardware.search.homing import Homing, Position
from softshell_hardware.wiring.units import Wiring
from softshell_kinematics.errors import ProblemsError

#: The pose that joints are brought into, if the robot has one of this name.
ZERO = 'zero'
#: Least way by which a joint shows its direction [rad].
LEAST_WAY = 0.1
#: The offset by which it is tried whether a file can be changed [rad].
TRIAL = 1e3
#: Decimals of an offset: a tick is 0.005 or 0.0015 rad.
DECIMALS = 4


class Guide(Protocol):
    """The person who moves the joints, or a stand-in for one."""

    def wait(
        self, text: str, poses: Mapping[str, float], look: Callable[[], Mapping[str, Position]]
    ) -> None:
        """Return once what the text asks for is done.

        Args:
            text: what to do.
            poses: where joints are to be [rad].
            look: reads where all are.
        """

    def again(self, problems: Sequence[str]) -> bool:
        """Whether to try once more after these problems."""


@dataclass(frozen=True)
class Result:
    """What a calibration found.

    Attributes:
        wirings: with their new directions and offsets, by joint.
        problems: of joints that are not among them, a line each.
    """

    wirings: Mapping[str, Wiring]
    problems: tuple[str, ...] = ()


def pose_for(robot: RobotModel, name: str = '') -> str:
    """The pose that joints are brought into: as named, else `zero`, else that of the start.

    Raises:
        UnknownNameError: the robot has no such pose.
    """
    chosen = name or (ZERO if ZERO in robot.poses else robot.start)
    robot.pose(chosen)
    return chosen


def calibrate(
    homing: Homing, guide: Guide, pose: str, directions: bool = False, singly: bool = False
) -> Result:
    """Measure offsets, and directions if asked for.

    Args:
        homing: the joints; their torque is off.
        guide: moves them.
        pose: name of the pose that they are brought into.
        directions: whether each is first moved to its positive side.
        singly: whether the joints come into the pose one after the other, not all at once.

    Raises:
        ProblemsError: joints that moved or could not be read, after the last try.
    """
    wirings = dict(homing.wirings)
    if directions:
        for name, motor in wirings.items():
            wirings[name] = replace(motor, direction=_direction(homing, guide, motor))
    robot = homing.robot
    goals = dict(zip(robot.joint_names, robot.pose(pose).tolist(), strict=True))
    rounds = [[name] for name in wirings] if singly else [[*wirings]]
    found = {}
    for joints in rounds:
        wanted = {name: goals[name] for name in joints}
        which = f'Bring {joints[0]}' if singly else 'Bring the joints'
        text = f'{which} into the pose {pose!r}, and keep still.'
        for name, position in _measured(homing, guide, text, wanted).items():
            offset = offset_of(wirings[name], goals[name], position)
            found[name] = replace(wirings[name], offset=offset)
    problems = {name: range_problem(robot, motor) for name, motor in found.items()}
    return Result(
        {name: motor for name, motor in found.items() if not problems[name]},
        tuple(filter(None, problems.values())),
    )


def offset_of(motor: Wiring, position: float, ticks: float) -> float:
    """The joint's position when its servo is in the middle of its range [rad].

    Args:
        motor: knows the direction.
        position: where the joint is [rad].
        ticks: where the servo is.
    """
    family = motor.family
    angle = motor.direction * family.tick * (ticks - family.centre)
    return round(position - angle, DECIMALS) + 0.0


def range_problem(robot: RobotModel, motor: Wiring) -> str:
    """Why a servo does not reach all of its joint's range; empty: it does."""
    joint = robot.joints[robot.index(motor.name)]
    if motor.reaches(joint.lower, joint.upper):
        return ''
    low, high = motor.range
    return (
        f'{motor.label} reaches {low:.3f} to {high:.3f} rad with the offset {motor.offset}; '
        f'expected {joint.lower:.3f} to {joint.upper:.3f} rad, the range of the joint: mount its '
        'horn turned, or see whether its direction is right'
    )


def edited(path: Path, result: Result, directions: bool = False) -> YamlEdit:
    """The file of a wiring with new offsets, not written yet.

    Args:
        path: of the file.
        result: the offsets.
        directions: whether directions are written, too.

    Raises:
        ProblemsError: a value in the file cannot be changed alone.
    """
    edit = YamlEdit(path)
    for name, motor in result.wirings.items():
        if directions:
            edit.set(('joints', name, 'direction'), motor.direction)
        assert motor.offset is not None
        edit.set(('joints', name, 'offset'), motor.offset)
    return edit


def refuse_unchangeable(
    path: Path, wirings: Mapping[str, Wiring], directions: bool = False
) -> None:
    """Refuse a file that offsets could not be written into, before anybody holds a joint.

    Args:
        path: of the file.
        wirings: the joints that are to be calibrated.
        directions: whether their directions are to be written, too.

    Raises:
        ProblemsError: the file is no YAML, or a value in it cannot be changed alone.
    """
    # Values that differ from those of the file: whether others change with them shows then.
    found = {
        name: replace(motor, direction=-motor.direction, offset=TRIAL)
        for name, motor in wirings.items()
    }
    edited(path, Result(found), directions)


def _direction(homing: Homing, guide: Guide, motor: Wiring) -> int:
    """1 if the servo's position grows while somebody moves the joint to its positive side.

    Raises:
        ProblemsError: it was not moved, or could not be read, after the last try.
    """
    tick, name = motor.family.tick, motor.name
    text = f'Hold {name} where it can move to both sides, and keep still.'
    before = _measured(homing, guide, text, {name: None})[name]
    while True:
        text = f'Move {name} to its positive side, by 10° or more, and keep still.'
        after = _measured(homing, guide, text, {name: None})[name]
        way = tick * (after - before)
        if abs(way) >= LEAST_WAY:
            return 1 if way > 0.0 else -1
        problem = f'{motor.label} has moved by {abs(way):.3f} rad; expected {LEAST_WAY:g} or more'
        if not guide.again([problem]):
            raise ProblemsError('directions', [problem])


def _measured(
    homing: Homing, guide: Guide, text: str, wanted: Mapping[str, float | None]
) -> dict[str, float]:
    """Positions of joints [ticks], once somebody has done what is asked and all are at rest.

    Args:
        homing, guide: as for `calibrate`.
        text: what is asked.
        wanted: the joints, and where they are to be [rad]; None: anywhere.

    Raises:
        ProblemsError: joints that moved or could not be read, after the last try.
    """
    poses = {name: goal for name, goal in wanted.items() if goal is not None}
    while True:
        guide.wait(text, poses, homing.look)
        found = homing.measure([*wanted])
        problems = [position.problem for position in found.values() if position.problem]
        if not problems:
            return {name: each.ticks for name, each in found.items() if each.ticks is not None}
        if not guide.again(problems):
            raise ProblemsError('positions of joints', problems)
