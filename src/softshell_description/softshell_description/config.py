"""`config/robot.yaml`: groups, chains, motors and poses, as written (not yet held to the URDF).

A name may contain `{k}`: it then stands for six, one per leg.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field

from softshell_common.errors import ProblemsError
from softshell_common.yaml_file import StrictModel, YamlFile

LEGS = range(6)

Value = TypeVar('Value')
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class MotorSpec(StrictModel):
    """A kind of motor: its largest effort [N m] and speed [rad/s]."""

    effort: Number
    velocity: Number


class _Chain(StrictModel):
    base: str
    tip: str


class _Group(StrictModel):
    joints: dict[str, str]
    chains: dict[str, _Chain]


class _Pose(StrictModel):
    rest_height: Number | None = None
    joints: dict[str, Number]


class _Robot(StrictModel):
    motors: dict[str, MotorSpec]
    groups: dict[str, _Group]
    poses: dict[str, _Pose]


@dataclass(frozen=True)
class JointEntry:
    """A joint that is commanded, its group and its motor."""

    name: str
    group: str
    motor: str
    where: str


@dataclass(frozen=True)
class ChainEntry:
    """A chain of a group, between two links."""

    name: str
    group: str
    base_link: str
    tip_link: str
    where: str


@dataclass(frozen=True)
class PoseEntry:
    """A named pose: joint angles [rad], and where base_link then is above ground [m]."""

    name: str
    positions: dict[str, float]
    rest_height: float | None
    where: str


@dataclass(frozen=True)
class RobotConfig:
    """What the file says. `problems` lists what it says wrongly."""

    motors: dict[str, MotorSpec]
    groups: tuple[str, ...]
    joints: tuple[JointEntry, ...]
    chains: tuple[ChainEntry, ...]
    poses: tuple[PoseEntry, ...]
    problems: tuple[str, ...]


def read_config(path: Path) -> RobotConfig:
    """Read the robot's configuration.

    Raises:
        ProblemsError: the file is missing, is not YAML or lacks a whole section. Anything else is
            a problem in the result.
    """
    file = YamlFile(path)
    robot, problems = file.fitting(_Robot)
    if robot is None:
        raise ProblemsError(str(path), problems)
    return RobotConfig(
        motors=robot.motors,
        groups=tuple(robot.groups),
        joints=tuple(
            JointEntry(_leg(name, k), group, motor, file.where(['groups', group, 'joints', name]))
            for group, entries in robot.groups.items()
            for k, name, motor in _legs(entries.joints)
        ),
        chains=tuple(
            ChainEntry(
                name=_leg(name, k),
                group=group,
                base_link=_leg(chain.base, k),
                tip_link=_leg(chain.tip, k),
                where=file.where(['groups', group, 'chains', name]),
            )
            for group, entries in robot.groups.items()
            for k, name, chain in _legs(entries.chains)
        ),
        poses=tuple(
            PoseEntry(
                name=name,
                positions={_leg(joint, k): value for k, joint, value in _legs(pose.joints)},
                rest_height=pose.rest_height,
                where=file.where(['poses', name]),
            )
            for name, pose in robot.poses.items()
        ),
        problems=tuple(problems),
    )


def _legs(entries: dict[str, Value]) -> Iterator[tuple[int, str, Value]]:
    """Each entry once, or once per leg: leg, name as written, value; leg by leg."""
    for k in LEGS:
        for name, value in entries.items():
            if '{k}' in name or k == 0:
                yield k, name, value


def _leg(name: str, k: int) -> str:
    return name.replace('{k}', str(k))
