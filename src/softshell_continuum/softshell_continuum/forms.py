"""The form of a soft manipulator: its links, joints, actuators, and how they are put together.

It is plain data, in YAML or JSON; `files.py` reads and writes it. Units are SI.
"""

import math
from collections.abc import Iterator
from enum import Enum
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from softshell_common.yaml_file import NotNegative, Number, Positive, StrictModel, Whole
from softshell_continuum.shapes import DIMENSIONS, Shape, gyration, height
from softshell_kinematics.arrays import Array
from softshell_kinematics.limits import LARGEST_ANGLE, LONGEST_REACH

#: Largest difference of the sum of an actuator's links to its length, as part of that.
TOLERANCE = 1e-6
#: How far the length of an axis may be from 1, and how far an inertia may miss a possible one.
SLACK = 1e-6

Name = Annotated[str, Field(pattern=r'^[A-Za-z][A-Za-z0-9_]*$')]
Triple = tuple[Number, Number, Number]
Sextuple = tuple[Number, Number, Number, Number, Number, Number]
#: A size and a coordinate [m] whose squares stay far below overflow; an angle [rad].
Size = Annotated[Positive, Field(le=LONGEST_REACH)]
Coordinate = Annotated[Number, Field(ge=-LONGEST_REACH, le=LONGEST_REACH)]
Angle = Annotated[Number, Field(ge=-LARGEST_ANGLE, le=LARGEST_ANGLE)]
#: x, y, z, roll, pitch, yaw.
Pose = tuple[Coordinate, Coordinate, Coordinate, Angle, Angle, Angle]
Share = Annotated[Number, Field(ge=0, le=1)]


class MaterialForm(StrictModel):
    """How a link looks.

    Attributes:
        name: of the material.
        colour: red, green, blue, opacity.
    """

    name: str = 'silicone'
    colour: tuple[Share, Share, Share, Share] = (0.54, 0.41, 0.69, 1.0)


class LinkForm(StrictModel):
    """A rigid link.

    Attributes:
        shape: for pictures and collisions.
        dimensions: of a box or stadium x, y, z; of a cylinder or capsule height and radius; of a
            sphere its radius [m].
        mass: [kg].
        inertia: ixx, ixy, ixz, iyy, iyz, izz about its centre [kg m^2]; left out: that of its
            shape.
        material: how it looks.
        offset: x, y, z, roll, pitch, yaw of its shape from its place on the backbone [m], [rad].
        friction_along: friction along its shape's z axis divided by that across it, e.g. 0.1 of a
            skate; links that are fixed to each other need the same value.
    """

    shape: Shape
    dimensions: tuple[Size, ...]
    mass: NotNegative
    inertia: Sextuple | None = None
    material: MaterialForm = MaterialForm()
    offset: Pose = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    friction_along: NotNegative = 1.0

    @model_validator(mode='after')
    def _physical(self) -> 'LinkForm':
        names = DIMENSIONS[self.shape]
        if len(self.dimensions) != len(names):
            raise ValueError(
                f'dimensions of a {self.shape.value} are {list(self.dimensions)}; '
                f'expected {", ".join(names)}'
            )
        if self.inertia is not None:
            problem = _inertia_problem(self.inertia_matrix, self.mass)
            if problem:
                raise ValueError(f'inertia is {list(self.inertia)}: {problem}')
        return self

    @property
    def height(self) -> float:
        """Length of the backbone on it [m]."""
        return height(self.shape, self.dimensions)

    @property
    def inertia_matrix(self) -> Array:
        """(3, 3) about its centre [kg m^2]."""
        if self.inertia is None:
            return np.diag(self.mass * gyration(self.shape, self.dimensions))
        xx, xy, xz, yy, yz, zz = self.inertia
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _inertia_problem(inertia: Array, mass: float) -> str:
    """Why no body can have an inertia; empty if a body can.

    The largest principal moment of any body is no larger than the sum of the others.
    """
    moments = np.linalg.eigvalsh(inertia)
    slack = SLACK * max(float(np.abs(moments).max()), 1e-300)
    shown = ', '.join(f'{value:.4g}' for value in moments)
    if moments[0] < -slack:
        return f'its principal moments are {shown}; expected none below 0'
    if moments[2] > moments[0] + moments[1] + slack:
        return f'its principal moments are {shown}; expected none above the sum of the others'
    if mass == 0.0 and moments[2] > 0.0:
        return 'expected none of a link without mass'
    return ''


class JointKind(Enum):
    """How a joint moves."""

    REVOLUTE = 'revolute'
    CONTINUOUS = 'continuous'


class JointLimits(StrictModel):
    """How far a joint moves, and what its URDF says besides.

    Attributes:
        lower: least position [rad].
        upper: largest position [rad].
        effort: largest effort in the URDF [N m]; neither statics nor simulations apply it.
        velocity: largest velocity in the URDF [rad/s]; neither statics nor simulations apply it.
    """

    lower: Number
    upper: Number
    effort: Positive = 100.0
    velocity: Positive = 100.0

    @model_validator(mode='after')
    def _in_order(self) -> 'JointLimits':
        if not self.lower < self.upper:
            raise ValueError(f'lower is {self.lower:g}; expected less than upper, {self.upper:g}')
        return self


class JointForm(StrictModel):
    """An elastic joint between two links.

    Attributes:
        kind: how it moves.
        axis: unit vector that it turns about.
        limits: left out: half a turn either way.
        stiffness: of its spring [N m/rad].
        damping: viscous [N m s/rad].
        friction: dry [N m].
        neutral: position at which the spring is at rest [rad].
        neutral_axis: x, y, z of the axis from the backbone [m].
    """

    kind: JointKind = JointKind.REVOLUTE
    axis: Triple = (1.0, 0.0, 0.0)
    limits: JointLimits = JointLimits(lower=-math.pi, upper=math.pi)
    stiffness: NotNegative = 0.0
    damping: NotNegative = 0.0
    friction: NotNegative = 0.0
    neutral: Number = 0.0
    neutral_axis: Triple = (0.0, 0.0, 0.0)

    @model_validator(mode='after')
    def _unit(self) -> 'JointForm':
        length = math.hypot(*self.axis)
        if abs(length - 1.0) > SLACK:
            raise ValueError(f'axis is {list(self.axis)}, of length {length:g}; expected length 1')
        return self


class Arrangement(Enum):
    """Which joints are at each place where two links of an actuator meet."""

    #: The first joint at the first place, the second at the second, and so on around.
    ALTERNATING = 'alternating'
    #: All of them at each place.
    TOGETHER = 'together'
    #: One joint for each place.
    LISTED = 'listed'


class ActuatorForm(StrictModel):
    """A soft part: equal links with elastic joints between them.

    Links of height h meet at (j + ½) h, so that the first and the last are half links.

    Attributes:
        length: of the backbone on it [m].
        n_segments: number of segments, which is the number of places where links meet.
        link: one whole link.
        joints: between the links.
        arrangement: which of the joints are at which place.
    """

    length: Positive
    n_segments: Annotated[Whole, Field(ge=1, le=1000)]
    link: LinkForm
    joints: tuple[JointForm, ...] = Field(min_length=1)
    arrangement: Arrangement = Arrangement.ALTERNATING

    @model_validator(mode='after')
    def _fits(self) -> 'ActuatorForm':
        if self.link.shape is Shape.SPHERE:
            raise ValueError('link is a sphere, which cannot be halved; expected another shape')
        total = self.n_segments * self.link.height
        if abs(total - self.length) > TOLERANCE * self.length:
            raise ValueError(
                f'{self.n_segments} links of height {self.link.height:g} m are {total:g} m long; '
                f'expected length, {self.length:g} m'
            )
        if self.arrangement is Arrangement.LISTED and len(self.joints) != self.n_segments:
            raise ValueError(
                f'{len(self.joints)} joints are listed; expected one for each of '
                f'{self.n_segments} segments'
            )
        return self

    def joints_at(self, place: int) -> tuple[JointForm, ...]:
        """The joints at a place where links meet; places count from 0."""
        if self.arrangement is Arrangement.TOGETHER:
            return self.joints
        return (self.joints[place % len(self.joints)],)


class DiscForm(StrictModel):
    """A rigid link about the backbone, e.g. a vertebra that leads tendons.

    Attributes:
        at: arc length of its middle [m].
        link: the link; its z is along the backbone.
    """

    at: NotNegative
    link: LinkForm


class ManipulatorForm(StrictModel):
    """Actuators in series, from a base to tips.

    Attributes:
        name: of the manipulator.
        base: link that the first actuator is fixed to; left out: one without shape and mass.
        actuators: from the base outwards.
        tips: links that are fixed to the end of the last actuator.
        discs: links that are fixed along the actuators.
    """

    name: Name
    base: LinkForm | None = None
    actuators: tuple[ActuatorForm, ...] = Field(min_length=1)
    tips: tuple[LinkForm, ...] = ()
    discs: tuple[DiscForm, ...] = ()

    @model_validator(mode='after')
    def _on_the_backbone(self) -> 'ManipulatorForm':
        for disc in self.discs:
            if disc.at > self.length * (1.0 + TOLERANCE):
                raise ValueError(f'a disc is at {disc.at:g} m; expected 0 to {self.length:g} m')
        return self

    @property
    def length(self) -> float:
        """Length of the backbone on all actuators [m]."""
        return sum(actuator.length for actuator in self.actuators)


class MemberForm(StrictModel):
    """A member of an assembly: a manipulator or a rigid link.

    Attributes:
        name: of the member; the names of its links and joints begin with it.
        manipulator: the manipulator, or
        link: the link; exactly one of both.
        parent: the member that it is attached to; left out: the assembly's own origin.
        pose: x, y, z, roll, pitch, yaw of its origin from the end of the parent [m], [rad]: the
            upper end of its link, or the end of its backbone, whatever its tips; without a
            parent, from the assembly's own origin.
    """

    name: Name
    manipulator: ManipulatorForm | None = None
    link: LinkForm | None = None
    parent: Name | None = None
    pose: Pose = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    @model_validator(mode='after')
    def _one_of_both(self) -> 'MemberForm':
        if (self.manipulator is None) == (self.link is None):
            raise ValueError(
                f'{self.name} is expected to have a manipulator or a link, one of both'
            )
        return self


class AssemblyForm(StrictModel):
    """Manipulators and links at poses: a hand of fingers, a body with legs, a starfish.

    Attributes:
        name: of the assembly.
        members: each comes after the one that it is attached to.
    """

    name: Name
    members: tuple[MemberForm, ...] = Field(min_length=1)

    @model_validator(mode='after')
    def _attached(self) -> 'AssemblyForm':
        problems = list(self._problems())
        if problems:
            raise ValueError('; '.join(problems))
        return self

    def _problems(self) -> Iterator[str]:
        """Names that are given twice, and parents that do not come before."""
        seen: list[str] = []
        for member in self.members:
            if member.name in seen:
                yield f'two members are named {member.name}'
            if member.parent is not None and member.parent not in seen:
                before = ', '.join(seen) or 'none'
                yield f'{member.name} has parent {member.parent}; expected one before it: {before}'
            seen.append(member.name)
