"""`config/robot.yaml`: groups, chains, motors and poses, as written (not yet held to the URDF).

A name may contain `{k}`: it then stands for six, one per leg.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softshell_description.document import Document, read_document

LEGS = range(6)

_ENTRIES: dict[str, tuple[str, ...]] = {
    '': ('motors', 'groups', 'poses'),
    'motor': ('effort', 'velocity'),
    'group': ('joints', 'chains'),
    'chain': ('base', 'tip'),
    'pose': ('rest_height', 'joints'),
}


@dataclass(frozen=True)
class MotorSpec:
    """A kind of motor: its largest effort [N m] and speed [rad/s]."""

    name: str
    effort: float
    velocity: float


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

    file: str
    motors: tuple[MotorSpec, ...]
    groups: tuple[str, ...]
    joints: tuple[JointEntry, ...]
    chains: tuple[ChainEntry, ...]
    poses: tuple[PoseEntry, ...]
    problems: tuple[str, ...]


def read_config(path: Path) -> RobotConfig:
    """Read the robot's configuration.

    Raises:
        SoftshellError: the file is missing or not YAML. Anything else is a problem in the result.
    """
    return _Reader(read_document(path)).read()


class _Reader:
    """Reads one document, and notes what is wrong instead of stopping at it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._problems = [f'{document.where(*keys)}: given twice' for keys in document.duplicates]

    def read(self) -> RobotConfig:
        top = self._mapping(self._document.data, (), '')
        groups = self._section(top, ('groups',), 'group')
        return RobotConfig(
            file=self._document.name,
            motors=tuple(self._motors(top)),
            groups=tuple(groups),
            joints=tuple(self._joints(groups)),
            chains=tuple(self._chains(groups)),
            poses=tuple(self._poses(top)),
            problems=tuple(self._problems),
        )

    def _motors(self, top: dict) -> Iterator[MotorSpec]:
        for name, motor in self._section(top, ('motors',), 'motor').items():
            keys = ('motors', name)
            effort = self._number(motor.get('effort'), (*keys, 'effort'))
            velocity = self._number(motor.get('velocity'), (*keys, 'velocity'))
            if effort is not None and velocity is not None:
                yield MotorSpec(name, effort, velocity)

    def _joints(self, groups: dict) -> Iterator[JointEntry]:
        for group, entries in groups.items():
            keys = ('groups', group, 'joints')
            for k, name, motor in self._legs(self._mapping(entries.get('joints'), keys)):
                where = self._document.where(*keys, name)
                yield JointEntry(_leg(name, k), group, str(motor), where)

    def _chains(self, groups: dict) -> Iterator[ChainEntry]:
        for group, entries in groups.items():
            keys = ('groups', group, 'chains')
            for k, name, chain in self._legs(self._section(entries, keys, 'chain')):
                base, tip = (_leg(str(chain.get(end)), k) for end in ('base', 'tip'))
                where = self._document.where(*keys, name)
                yield ChainEntry(_leg(name, k), group, base, tip, where)

    def _poses(self, top: dict) -> Iterator[PoseEntry]:
        for name, pose in self._section(top, ('poses',), 'pose').items():
            keys = ('poses', name, 'joints')
            positions = {}
            for k, joint, value in self._legs(self._mapping(pose.get('joints'), keys)):
                # One complaint about six joints of one line is enough.
                number = self._number(value, (*keys, joint), quiet=k > 0)
                if number is not None:
                    positions[_leg(joint, k)] = number
            height = pose.get('rest_height')
            if height is not None:
                height = self._number(height, ('poses', name, 'rest_height'))
            yield PoseEntry(name, positions, height, self._document.where('poses', name))

    def _section(self, parent: dict, keys: tuple[str, ...], kind: str) -> dict[str, dict]:
        """The named entries of a section, each a mapping with the entries of its kind."""
        section = self._mapping(parent.get(keys[-1]), keys)
        return {name: self._mapping(entry, (*keys, name), kind) for name, entry in section.items()}

    def _mapping(self, value: Any, keys: tuple[str, ...], kind: str | None = None) -> dict:
        if not isinstance(value, dict):
            self._problem(keys, f'is {value!r}; expected a mapping')
            return {}
        if kind is not None:
            for name in value:
                if name not in _ENTRIES[kind]:
                    expected = ', '.join(_ENTRIES[kind])
                    self._problem((*keys, str(name)), f'unknown entry; expected: {expected}')
            for name in _ENTRIES[kind]:
                if name not in value and name != 'rest_height':
                    self._problem(keys, f'{name} is missing')
        return {str(name): entry for name, entry in value.items()}

    def _number(self, value: Any, keys: tuple[str, ...], quiet: bool = False) -> float | None:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number and math.isfinite(value):
            return float(value)
        if not quiet:
            self._problem(keys, f'is {value!r}; expected a finite number')
        return None

    def _legs(self, entries: dict[str, Any]) -> Iterator[tuple[int, str, Any]]:
        """Each entry once, or once per leg: leg, name as written, value; leg by leg."""
        for k in LEGS:
            for name, value in entries.items():
                if '{k}' in name or k == 0:
                    yield k, name, value

    def _problem(self, keys: tuple[str, ...], text: str) -> None:
        self._problems.append(f'{self._document.where(*keys)}: {text}')


def _leg(name: str, k: int) -> str:
    return name.replace('{k}', str(k))
