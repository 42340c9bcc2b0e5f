"""Bodies of a world: how they are specified, what is read of them, and how they touch.

Everything is in the world's frame, z upwards, and in SI units. Quaternions are x, y, z, w.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.limits import checked_pose
from softshell_kinematics.transforms import (
    quaternion_from_rotation,
    rotation_from_quaternion,
    transform,
)
from softshell_sim.contact.anisotropic_friction import AnisotropicFriction
from softshell_sim.joints.springs import Springs
from softshell_sim.number_checks import HEAVIEST, is_number, number_problems
from softshell_sim.shapes import Ground, Shape, parts_of


@dataclass(frozen=True)
class Surface:
    """How a body touches others; `surfaces.blend` makes the surface between two bodies.

    Args:
        friction: coefficient of sliding friction.
        restitution: part of the normal speed that is left after an impact, 0 to 1; used where the
            contact is rigid.
        stiffness: of the spring at each point of contact [N/m]; None: the contact is rigid.
        damping: at each point of contact [N s/m]; given if and only if the stiffness is.

    Raises:
        ProblemsError: a number is out of range; each problem names value and range.
    """

    friction: float = 1.0
    restitution: float = 0.0
    stiffness: float | None = None
    damping: float | None = None

    def __post_init__(self) -> None:
        problems = [
            *number_problems('friction', self.friction),
            *number_problems('restitution', self.restitution, largest=1.0),
        ]
        if self.stiffness is not None:
            problems += number_problems('stiffness', self.stiffness, 'N/m', above=True)
        if self.damping is not None:
            problems += number_problems('damping', self.damping, 'N s/m')
        if (self.stiffness is None) != (self.damping is None):
            given = 'damping' if self.stiffness is None else 'stiffness'
            problems.append(f'only {given} is given; expected stiffness and damping, or neither')
        if problems:
            raise ProblemsError('surface', problems)


def surface_problems(surface: object) -> Iterator[str]:
    """What is wrong with a surface that was given: that it is none; one line, or nothing."""
    if not isinstance(surface, Surface):
        yield f'surface is {surface!r}; expected a Surface, such as Surface(friction=0.5)'


@dataclass(frozen=True, eq=False)
class ObjectSpec:
    """A rigid body of one shape.

    Args:
        name: that no other body has.
        shape: of uniform density.
        mass: [kg]; 0: the body stands still.
        pose: (4, 4) of the shape in the world; is copied.
        surface: how it touches others.
        padding: thickness of the layer round it at which contact begins [m].
        preshrink: shrink the shape by the padding first, so that the outside of the layer is
            where the shape was.
        anisotropic: friction along and across an axis of the body; None: the same in all
            directions.

    Raises:
        ProblemsError: the mass is out of range, ground has a mass, `pose` is not a pose, or
            `surface` is no `Surface`.
    """

    name: str
    shape: Shape
    mass: float = 0.0
    pose: Array = field(default_factory=lambda: np.eye(4))
    surface: Surface = field(default_factory=Surface)
    padding: float = 0.0
    preshrink: bool = False
    anisotropic: AnisotropicFriction | None = None

    def __post_init__(self) -> None:
        problems = list(number_problems('mass', self.mass, 'kg', HEAVIEST))
        ground = any(isinstance(part, Ground) for _, part in parts_of(self.shape))
        if ground and is_number(self.mass) and self.mass > 0.0:
            kind = type(self.shape).__name__
            problems.append(f'a {kind} stands still; its mass is {self.mass} kg, expected 0')
        try:
            object.__setattr__(self, 'pose', checked_pose(self.pose, 'pose'))
        except SoftshellError as error:
            problems.append(str(error))
        problems += surface_problems(self.surface)
        if problems:
            raise ProblemsError(f'body {self.name!r}', problems)

    @property
    def stands(self) -> bool:
        """Whether it stands still."""
        return self.mass == 0.0


@dataclass(frozen=True, eq=False)
class RobotSpec:
    """A robot: a tree of links.

    In the engine its joints have position limits, springs and rotor inertia, and nothing else: no
    motor, damping or friction of the engine. Links that a joint connects do not collide.

    Args:
        name: that no other body has.
        urdf: its URDF as `flatten` returns it: every joint moves, meshes are named by path.
        joints: names of its joints, in the order that all arrays of joints have.
        fixed: whether its root link is fixed to the world.
        self_collision: whether links that no joint connects collide with each other.
        surface: how it touches others.
        padding: thickness of the layer round it at which contact begins [m].
        preshrink: shrink the shape by the padding first, so that the outside of the layer is
            where the shape was.
        rotor_inertia: (joints,) inertia at each joint besides that of the links [kg m^2] or [kg];
            empty: none.
        springs: of its joints, in their order; None: none.
        anisotropic: friction of links that have another along an axis than across it, by the name
            of the link.

    Raises:
        ProblemsError: `surface` is no `Surface`.
    """

    name: str
    urdf: str
    joints: tuple[str, ...]
    fixed: bool = False
    self_collision: bool = False
    surface: Surface = field(default_factory=Surface)
    padding: float = 0.0
    preshrink: bool = False
    rotor_inertia: tuple[float, ...] = ()
    springs: Springs | None = None
    anisotropic: Mapping[str, AnisotropicFriction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problems = list(surface_problems(self.surface))
        if problems:
            raise ProblemsError(f'body {self.name!r}', problems)

    @property
    def stands(self) -> bool:
        """Whether its root link stands still."""
        return self.fixed


def anisotropic_links(
    spec: ObjectSpec | RobotSpec, links: Sequence[str]
) -> dict[int, AnisotropicFriction]:
    """Anisotropic friction of the links of a body that have it, by their places in `links`."""
    if isinstance(spec, ObjectSpec):
        return {} if spec.anisotropic is None else {0: spec.anisotropic}
    return {links.index(name): friction for name, friction in spec.anisotropic.items()}


@dataclass(frozen=True, eq=False)
class Body:
    """A body that an engine holds; compared by identity.

    Args:
        name: of the body.
        links: names of its links, the root first. Elsewhere a link is its place (index) in here.
        joints: names of its joints, in the order that all arrays of joints have.
    """

    name: str
    links: tuple[str, ...]
    joints: tuple[str, ...]


@dataclass(eq=False)
class BodyState:
    """Where the root link of a body is and how it moves.

    Attributes:
        position: (3,) of the link's frame, as in the URDF, in the world [m].
        orientation: (4,) of that frame in the world, quaternion x, y, z, w.
        linear_velocity: (3,) of the frame's origin, in the world [m/s].
        angular_velocity: (3,) in the world [rad/s].
    """

    position: Array = field(default_factory=lambda: np.zeros(3))
    orientation: Array = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    linear_velocity: Array = field(default_factory=lambda: np.zeros(3))
    angular_velocity: Array = field(default_factory=lambda: np.zeros(3))

    @classmethod
    def at_rest(cls, pose: Array) -> 'BodyState':
        """The state of a body at rest at a (4, 4) pose in the world."""
        return cls(pose[:3, 3].copy(), quaternion_from_rotation(pose[:3, :3]))

    @property
    def pose(self) -> Array:
        """(4, 4) pose of the root link in the world."""
        return transform(rotation_from_quaternion(self.orientation), self.position)


@dataclass(frozen=True, eq=False)
class Contact:
    """A point at which a body touches another, or itself, after the last step.

    Args:
        link: place of the link of the body that was asked for.
        other, other_link: the body that it touches, and the place of the link there.
        point: (3,) in the world [m].
        normal: (3,) unit vector from the other body towards this one.
        depth: how deep the layers overlap [m]; negative: they are that far apart.
        force: (3,) normal plus friction force on this body, in the world [N].
        friction: coefficient of friction that the engine used.
        couple: (3,) torque on this body besides that of `force` about other points, in the world
            [N m]; 0 unless this contact stands for several (`contact/clusters.py`).
    """

    link: int
    other: Body
    other_link: int
    point: Array
    normal: Array
    depth: float
    force: Array
    friction: float = 0.0
    couple: Array = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True)
class Gap:
    """The smallest distance between the layers of two links [m]; negative: they overlap."""

    link: int
    other_link: int
    distance: float


@dataclass(frozen=True, eq=False)
class RayHit:
    """What a ray hits first: body and link, (3,) point in the world [m], outward unit normal."""

    body: Body
    link: int
    point: Array
    normal: Array
