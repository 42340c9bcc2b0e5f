"""A chain of rigid links with elastic joints between them, which models a soft manipulator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softshell_continuum.checks import refuse_no_number
from softshell_continuum.forms import JointKind
from softshell_continuum.kernels import PRISMATIC, REVOLUTE, Ints, frames
from softshell_continuum.parts import Part
from softshell_kinematics.arrays import Array, as_numbers
from softshell_kinematics.errors import OutOfRangeError, SoftshellError

#: Largest difference at which the backbone on a link counts as one line along z [m] and [1].
STRAIGHT = 1e-9


@dataclass(frozen=True, eq=False)
class ElasticJoint:
    """A joint with one degree of freedom, and the link that it moves.

    Attributes:
        axis: (3,) unit, in the joint's frame.
        offset: (3,) of the joint's frame in that of the link before [m].
        rotation: (3, 3) of the joint's frame in that of the link before.
        prismatic: whether it slides along its axis; otherwise it turns about it.
        stiffness: of its spring [N m/rad] or [N/m].
        damping: viscous [N m s/rad] or [N s/m].
        friction: dry [N m] or [N].
        neutral: position at which its spring is at rest [rad] or [m].
        lower, upper: its stops [rad] or [m]; infinite: it has none.
        mass: of the link that it moves [kg].
        centre: (3,) of this mass in the link's frame, which is the joint's after it has moved [m].
        length: of the backbone on this link [m]; 0: the next joint is at the same place.
        begin: (3,) where the backbone begins on this link, from where it goes along z [m].
    """

    axis: Array
    offset: Array
    stiffness: float
    rotation: Array = field(default_factory=partial(np.eye, 3))
    prismatic: bool = False
    damping: float = 0.0
    friction: float = 0.0
    neutral: float = 0.0
    lower: float = -np.inf
    upper: float = np.inf
    mass: float = 0.0
    centre: Array = field(default_factory=partial(np.zeros, 3))
    length: float = 0.0
    begin: Array = field(default_factory=partial(np.zeros, 3))


@dataclass(frozen=True, eq=False)
class ElasticChain:
    """Elastic joints in series on a base.

    Args:
        joints: from the base outwards.
        base_length: of the backbone on the base [m].
        base_begin: (3,) where the backbone begins on the base, from where it goes along z [m].

    Raises:
        SoftshellError: it has no joint.
    """

    joints: tuple[ElasticJoint, ...]
    base_length: float = 0.0
    base_begin: Array = field(default_factory=partial(np.zeros, 3))

    def __post_init__(self) -> None:
        if not self.joints:
            raise SoftshellError('a chain without joints; expected one or more')

    def __len__(self) -> int:
        return len(self.joints)

    @cached_property
    def kinds(self) -> Array:
        """(joints,) REVOLUTE or PRISMATIC."""
        return self._all('prismatic', (REVOLUTE, PRISMATIC).__getitem__)

    @cached_property
    def axes(self) -> Array:
        """(joints, 3) in the frames of the joints."""
        return self._all('axis')

    def by_axis(self, places: Ints) -> list[Ints]:
        """Joints at (n,) places by axis, as first met; axes that are nearly the same are one."""
        left, kinds = places, list[Ints]()
        while len(left):
            alike = np.isclose(self.axes[left], self.axes[left[0]]).all(axis=1)
            kinds.append(left[alike])
            left = left[~alike]
        return kinds

    @cached_property
    def offsets(self) -> Array:
        """(joints, 3) position of each joint in the link before [m]."""
        return self._all('offset')

    @cached_property
    def rotations(self) -> Array:
        """(joints, 3, 3) rotation of each joint's frame in the link before."""
        return self._all('rotation')

    @cached_property
    def data(self) -> tuple[Array, Array, Array, Array]:
        """`kinds`, `axes`, `rotations` and `offsets`, as kernels take them."""
        return self.kinds, self.axes, self.rotations, self.offsets

    @cached_property
    def stiffness(self) -> Array:
        """(joints,) stiffness of the springs [N m/rad] or [N/m]."""
        return self._all('stiffness')

    @cached_property
    def neutral(self) -> Array:
        """(joints,) positions at which springs are at rest [rad] or [m]."""
        return self._all('neutral')

    @cached_property
    def limits(self) -> tuple[Array, Array]:
        """(joints,) lower and (joints,) upper stops [rad] or [m]; infinite: there is none."""
        return self._all('lower'), self._all('upper')

    @cached_property
    def masses(self) -> Array:
        """(joints,) masses of the links that the joints move [kg]."""
        return self._all('mass')

    @cached_property
    def centres(self) -> Array:
        """(joints, 3) of these masses, in the frames of the links [m]."""
        return self._all('centre')

    @cached_property
    def ends(self) -> Array:
        """(joints + 1,) arc length at which the backbone leaves the base and each link [m]."""
        lengths = [self.base_length, *(joint.length for joint in self.joints)]
        return np.cumsum(np.array(lengths))

    @property
    def length(self) -> float:
        """Length of the backbone [m]."""
        return float(self.ends[-1])

    def station(self, arc_length: float) -> tuple[int, Array]:
        """The point of the backbone at an arc length.

        Args:
            arc_length: from the base [m].

        Returns:
            Number of the link, 0 for the base; (3,) the point in its frame [m].

        Raises:
            OutOfRangeError: the backbone is shorter.
            SoftshellError: the arc length is not a number.
        """
        refuse_no_number('arc length', arc_length)
        slack = 1e-9 * self.length
        if not -slack <= arc_length <= self.length + slack:
            raise OutOfRangeError('arc length', arc_length, f'0 to {self.length:g} m')
        link = min(int(np.searchsorted(self.ends, arc_length - slack)), len(self.joints))
        if link == 0:
            return 0, self.base_begin + [0.0, 0.0, arc_length]
        along = arc_length - float(self.ends[link - 1])
        return link, self.joints[link - 1].begin + [0.0, 0.0, along]

    def frames(
        self, positions: ArrayLike, base: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """Rotations and origins of all links, and the axes of the joints.

        Args:
            positions: (joints,) [rad] or [m].
            base: (4, 4) pose of the base in the world; None: the identity.

        Returns:
            (joints + 1, 3, 3) rotations and (joints + 1, 3) origins of the base and all links;
            (joints, 3) axes of the joints; in the world.

        Raises:
            SoftshellError: another number of positions, the base has another shape, or they are
                not numbers.
        """
        q = np.ascontiguousarray(as_numbers(positions, 'positions'))
        if q.shape != (len(self),):
            raise SoftshellError(f'positions have shape {q.shape}; expected ({len(self)},)')
        pose = np.eye(4) if base is None else np.ascontiguousarray(as_numbers(base, 'base'))
        if pose.shape != (4, 4):
            raise SoftshellError(f'base has shape {pose.shape}; expected (4, 4)')
        return frames(*self.data, pose, q)

    def _all(self, name: str, value: object = None) -> Array:
        """An attribute of all joints; `value`, if given, maps each."""
        values: Sequence[object] = [getattr(joint, name) for joint in self.joints]
        if callable(value):
            values = [value(each) for each in values]
        return np.ascontiguousarray(values, float)


def chain_of(parts: Sequence[Part]) -> ElasticChain:
    """The chain of parts in series; a part that is fixed belongs to the link of the one before.

    Args:
        parts: from the base outwards. The base frame is that of the first.

    Raises:
        SoftshellError: there is no part or no joint, the parent of a part does not come before
            it, the parts have branches, or the backbone on a link is not one line along its z.
    """
    if not parts:
        raise SoftshellError('a chain without parts; expected one or more')
    # For each part, the joint that moves it (-1: none), and its pose in the link of that joint.
    places: dict[str, tuple[int, Array]] = {parts[0].name: (-1, np.eye(4))}
    joints: list[dict[str, Any]] = []
    base_length, base_begin, crooked = parts[0].length, np.zeros(3), ''
    for part in parts[1:]:
        if part.parent not in places:
            raise SoftshellError(
                f'body {part.name!r} has the parent {part.parent!r}; expected a body before it'
            )
        moved, pose = places[part.parent]
        pose = pose @ part.pose
        if part.joint is not None:
            if moved != len(joints) - 1:
                raise SoftshellError(f'body {part.name!r} begins a branch; expected one chain')
            joints.append(_joint(part, pose))
            moved, pose = len(joints) - 1, np.eye(4)
        elif moved >= 0:
            _add_mass(joints[moved], part, pose)
        places[part.name] = moved, pose
        begin = (pose @ [*part.begin, 1.0])[:3]
        on = {'begin': base_begin, 'length': base_length} if moved < 0 else joints[moved]
        if part.soft and not crooked and not _goes_on(pose, begin, on):
            crooked = part.name
        if moved < 0:
            base_begin = begin if part.soft and not base_length else base_begin
            base_length += part.length
        elif part.soft:
            if not joints[moved]['length']:
                joints[moved]['begin'] = begin
            joints[moved]['length'] += part.length
    if crooked:
        raise SoftshellError(
            f'the backbone on body {crooked!r} is turned or moved against the body before it; '
            'expected one line along z. Make a chain of each member, with its pose as base'
        )
    made = tuple(ElasticJoint(**joint) for joint in joints)
    return ElasticChain(made, base_length, base_begin)


def _goes_on(pose: Array, begin: Array, link: Mapping[str, Any]) -> bool:
    """Whether the backbone on a part goes on along z of its link.

    Args:
        pose: (4, 4) of the part in the link.
        begin: (3,) of its backbone in the link [m].
        link: `begin` and `length` of the backbone on the link before this part.
    """
    before = link['begin'] + [0.0, 0.0, link['length']] if link['length'] else begin
    off = max(np.abs(pose[:3, :3] - np.eye(3)).max(), np.abs(begin - before).max())
    return bool(off <= STRAIGHT)


def _joint(part: Part, pose: Array) -> dict[str, Any]:
    """Attributes of the `ElasticJoint` of a part; its (4, 4) pose is that in the link before."""
    assert part.joint is not None
    stops = part.joint.limits if part.joint.kind is JointKind.REVOLUTE else None
    return {
        'axis': np.array(part.joint.axis),
        'offset': pose[:3, 3],
        'rotation': pose[:3, :3],
        'stiffness': part.joint.stiffness,
        'damping': part.joint.damping,
        'friction': part.joint.friction,
        'neutral': part.joint.neutral,
        'lower': -np.inf if stops is None else stops.lower,
        'upper': np.inf if stops is None else stops.upper,
        'mass': part.mass,
        'centre': part.centre,
        'length': 0.0,
    }


def _add_mass(joint: dict[str, Any], part: Part, pose: Array) -> None:
    """Add to a joint's link the mass of a part at a (4, 4) pose in it."""
    mass = joint['mass'] + part.mass
    if mass > 0.0:
        centre = pose[:3, :3] @ part.centre + pose[:3, 3]
        joint['centre'] = (joint['mass'] * joint['centre'] + part.mass * centre) / mass
    joint['mass'] = mass
