"""Bodies: what a world is made of, what can be read of them, and how they touch each other.

Everything is in the world's frame, z upwards, and in SI units. Quaternions are x, y, z, w.
"""

from dataclasses import dataclass, field

import numpy as np

from softshell_kinematics.arrays import Array
from softshell_kinematics.transforms import (
    quaternion_from_rotation,
    rotation_from_quaternion,
    transform,
)


@dataclass(frozen=True)
class Surface:
    """How a body touches others.

    Args:
        friction: coefficient of sliding friction; that of a pair is the product of both.
        restitution: part of the normal speed that is left after an impact; that of a pair is the
            product of both.
    """

    friction: float = 1.0
    restitution: float = 0.0


@dataclass(frozen=True)
class Box:
    """A box about the origin: its lengths along x, y, z [m]."""

    size: tuple[float, float, float]


@dataclass(frozen=True)
class Sphere:
    """A ball about the origin: its radius [m]."""

    radius: float


@dataclass(frozen=True)
class Cylinder:
    """A cylinder about the origin along z: its radius and length [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class Plane:
    """All space below z = 0; only for bodies that stand still."""


Shape = Box | Sphere | Cylinder | Plane


@dataclass(frozen=True, eq=False)
class ObjectSpec:
    """A rigid body of one shape.

    Args:
        name: that no other body has.
        shape: of even density.
        mass: [kg]; 0: it stands still.
        pose: (4, 4) of the shape in the world.
        surface: how it touches others.
    """

    name: str
    shape: Shape
    mass: float = 0.0
    pose: Array = field(default_factory=lambda: np.eye(4))
    surface: Surface = field(default_factory=Surface)


@dataclass(frozen=True, eq=False)
class RobotSpec:
    """A tree of links.

    Its joints have limits of position, and nothing else: no motor or damping of the engine, and
    no friction but that of `Engine.set_joint_friction`. Links that a joint connects do not collide
    with each other.

    Args:
        name: that no other body has.
        urdf: its URDF as `flatten` gives it: every joint moves, meshes are named by path.
        joints: names of its joints, in the order of all arrays of them.
        fixed: whether its root link is fixed to the world.
        self_collision: whether its other links collide with each other.
        surface: how it touches others.
        rotor_inertia: of each joint, what it has to accelerate besides the links [kg m^2] or [kg];
            empty: nothing.
    """

    name: str
    urdf: str
    joints: tuple[str, ...]
    fixed: bool = False
    self_collision: bool = False
    surface: Surface = field(default_factory=Surface)
    rotor_inertia: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Body:
    """A body that an engine holds; compared by identity.

    Args:
        name: of the body.
        links: names of its links, the root first: a link is given by its place here.
        joints: names of its joints, in the order of all arrays of them.
    """

    name: str
    links: tuple[str, ...]
    joints: tuple[str, ...]


@dataclass(eq=False)
class BodyState:
    """Where the root link of a body is and how it moves.

    Attributes:
        position: (3,) of the link's frame, as in the URDF, in the world [m].
        orientation: (4,) likewise, quaternion x, y, z, w.
        linear_velocity: (3,) of the frame's origin, in the world [m/s].
        angular_velocity: (3,) in the world [rad/s].
    """

    position: Array = field(default_factory=lambda: np.zeros(3))
    orientation: Array = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))
    linear_velocity: Array = field(default_factory=lambda: np.zeros(3))
    angular_velocity: Array = field(default_factory=lambda: np.zeros(3))

    @classmethod
    def at_rest(cls, pose: Array) -> 'BodyState':
        """At rest at a (4, 4) pose."""
        return cls(pose[:3, 3].copy(), quaternion_from_rotation(pose[:3, :3]))

    @property
    def pose(self) -> Array:
        """(4, 4) of the root link in the world."""
        return transform(rotation_from_quaternion(self.orientation), self.position)


@dataclass(frozen=True, eq=False)
class Contact:
    """A point at which a body touches another, or itself, after the last step.

    Args:
        link: of the body that was asked for.
        other, other_link: what it touches.
        point: (3,) in the world [m].
        normal: (3,) unit vector from the other body towards this one.
        depth: how deep the shapes overlap [m]; negative: they are that far apart.
        force: (3,) normal and friction force on this body [N].
    """

    link: int
    other: Body
    other_link: int
    point: Array
    normal: Array
    depth: float
    force: Array


@dataclass(frozen=True)
class Gap:
    """The smallest distance between a link and another [m]; negative where they overlap."""

    link: int
    other_link: int
    distance: float


@dataclass(frozen=True, eq=False)
class RayHit:
    """What a ray hits first: body and link, (3,) point [m] and outward unit normal there."""

    body: Body
    link: int
    point: Array
    normal: Array
