"""What the joints of a walking robot have to exert so that it moves as planned.

By virtual work: what moves each body against gravity, less what the ground exerts on the feet.
Together the feet exert what moves the whole robot, each its part of least Σ F² / s, where s is the
part to which it stands; on level ground at rest these forces are vertical.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.interpolate import CubicSpline

from softshell_kinematics.arrays import Array
from softshell_kinematics.chain import SerialChain

GRAVITY = 9.81  # [m/s^2]
#: Added to what is solved for the feet's forces, which so are found where too few feet stand.
LEAST = 1e-9


@dataclass(frozen=True)
class Body:
    """A rigid body, or a foot, that moves with the tip of a chain.

    Args:
        chain: from the robot's base to its link; None: it is the base.
        joints: of the robot that each variable of the chain moves; one that mimics another is
            moved by the variable of that one.
        centre: (3,) of mass, or where a foot touches the ground, in that link [m].
        mass: [kg].
        inertia: (3, 3) about the centre, along the axes of the link [kg m^2].
    """

    chain: SerialChain | None
    joints: tuple[str, ...]
    centre: Array
    mass: float = 0.0
    inertia: Array | None = None


@dataclass(frozen=True)
class BasePath:
    """Where the base is over time, in a frame fixed to the ground, whose z is up.

    Args:
        origins: (points, 3) [m].
        rotations: (points, 3, 3).
    """

    origins: Array
    rotations: Array

    def seen(self, points: Array) -> Array:
        """(points, 3) [m] over the ground, seen from the base at each time: T_base⁻¹ · point."""
        inside: Array = ((points - self.origins)[:, None] @ self.rotations)[:, 0]
        return inside


@dataclass(frozen=True)
class Track:
    """A body over time, in the frame of the ground.

    Attributes:
        places: (points, 3) of its centre [m].
        rotations: (points, 3, 3) of its link.
        moved, turned: (points, 3, n) how the variables of its chain move and turn it.
        joints: that each variable moves.
    """

    places: Array
    rotations: Array
    moved: Array
    turned: Array
    joints: tuple[str, ...]

    @classmethod
    def of(cls, body: Body, joints: Mapping[str, Array], base: BasePath) -> 'Track':
        """Where a body is for joint positions, (points,) each."""
        points = len(base.origins)
        if body.chain is None:
            nothing = np.zeros((points, 3, 0))
            places = base.origins + base.rotations @ body.centre
            return cls(places, base.rotations, nothing, nothing, ())
        q = np.empty((points, len(body.chain)))
        for column, name in enumerate(body.chain.variables):
            q[:, column] = joints[name]
        poses, jacobians = body.chain.forward_and_jacobian(q)
        rotations = base.rotations @ poses[:, :3, :3]
        arms = rotations @ body.centre
        turned = base.rotations @ jacobians[:, 3:]
        moved = base.rotations @ jacobians[:, :3] - crossing(arms) @ turned
        places = base.origins + (base.rotations @ poses[:, :3, 3:])[..., 0] + arms
        return cls(places, rotations, moved, turned, body.joints)


@dataclass(frozen=True)
class Burden:
    """What a motion takes, however its feet share it.

    Attributes:
        wrench: (points, 6) that moves the whole robot: force [N], and moment about the origin of
            the ground [N m].
        torques: (points,) that each joint would exert without feet, by name [N m] or [N].
        feet: where they are meanwhile, in the order of the legs.
    """

    wrench: Array
    torques: Mapping[str, Array]
    feet: tuple[Track, ...]

    def carried(self, standing: Array) -> dict[str, Array]:
        """(points,) torques that each joint exerts by name [N m] or [N].

        Args:
            standing: (points, feet) part to which each foot stands, from 0 to 1.
        """
        torques = dict(self.torques)
        forces = shared(
            self.wrench, np.stack([foot.places for foot in self.feet], axis=1), standing
        )
        for column, foot in enumerate(self.feet):
            _add(torques, foot, -forces[:, column])
        return torques


class Load:
    """What moves a legged robot.

    Args:
        bodies: all of the robot.
        feet: what carries it, in the order of its legs.
    """

    def __init__(self, bodies: Sequence[Body], feet: Sequence[Body]) -> None:
        self._bodies, self._feet = tuple(bodies), tuple(feet)
        self._masses = np.array([body.mass for body in self._bodies])
        # A body that is a point has no moment.
        none = np.zeros((3, 3))
        self._inertias = np.array(
            [none if body.inertia is None else body.inertia for body in self._bodies]
        ).reshape(-1, 3, 3)

    def burden(
        self, period: float, joints: Mapping[str, Array], base: BasePath, inertia: Array
    ) -> Burden:
        """What a motion takes.

        Args:
            period: between two points [s].
            joints: positions of all independent joints, (points,) each.
            base: where the base is meanwhile.
            inertia: (points,) part of what accelerates the robot that counts, from 0 to 1.
        """
        points = len(base.origins)
        first, second = derivatives(points, period)
        tracks = [Track.of(body, joints, base) for body in self._bodies]
        places = np.array([track.places for track in tracks])
        rotations = np.array([track.rotations for track in tracks])
        lifted = inertia[:, None] * (second @ places) + [0.0, 0.0, GRAVITY]
        forces = self._masses[:, None, None] * lifted
        momenta = angular_momenta(first, rotations, self._inertias)
        moments = inertia[:, None] * (first @ momenta)
        wrench = np.empty((points, 6))
        wrench[:, :3] = forces.sum(axis=0)
        wrench[:, 3:] = (np.cross(places, forces) + moments).sum(axis=0)
        torques: dict[str, Array] = {}
        for track, force, moment in zip(tracks, forces, moments, strict=True):
            _add(torques, track, force, moment)
        return Burden(wrench, torques, tuple(Track.of(foot, joints, base) for foot in self._feet))


def crossing(vectors: Array) -> Array:
    """(points, 3, 3) matrices [v]× that take another vector to v × it."""
    matrices = np.zeros((len(vectors), 3, 3))
    for row, column, from_ in ((2, 1, 0), (0, 2, 1), (1, 0, 2)):
        matrices[:, row, column] = vectors[:, from_]
        matrices[:, column, row] = -vectors[:, from_]
    return matrices


@lru_cache(maxsize=64)
def derivatives(points: int, period: float, ends: str = 'not-a-knot') -> tuple[Array, Array]:
    """(points, points) that take evenly spaced values to their first and second derivatives.

    Those of the cubic spline through them.

    Args:
        points: how many.
        period: between two [s].
        ends: how the spline ends: 'not-a-knot', or 'clamped', which is level there.
    """
    times = np.arange(points) * period
    spline = CubicSpline(times, np.eye(points), bc_type=ends)
    return spline.derivative(1)(times), spline.derivative(2)(times)


def angular_momenta(first: Array, rotations: Array, inertias: Array) -> Array:
    """(bodies, points, 3) of turning bodies about their centres of mass [N m s].

    Args:
        first: of `derivatives`.
        rotations: (bodies, points, 3, 3).
        inertias: (bodies, 3, 3) along their axes [kg m^2].
    """
    flat = first @ rotations.reshape(*rotations.shape[:2], 9)
    back = rotations.transpose(0, 1, 3, 2)
    rate = flat.reshape(rotations.shape) @ back  # [ω]×
    skew = rate - rate.transpose(0, 1, 3, 2)
    velocity = 0.5 * np.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], axis=-1)
    # Seen from each body, where its inertia does not change, and back.
    inside = inertias[:, None] @ (back @ velocity[..., None])
    momenta: Array = (rotations @ inside)[..., 0]
    return momenta


def shared(wrench: Array, feet: Array, standing: Array) -> Array:
    """(points, feet, 3) forces of the feet that together are a wrench, of least Σ F² / s [N].

    A foot that would have to pull does nothing.

    Args:
        wrench: (points, 6) force [N] and moment about the origin [N m].
        feet: (points, feet, 3) [m].
        standing: (points, feet) s, from 0 to 1.
    """
    points, count = standing.shape
    rows = np.zeros((points, 6, count, 3))
    rows[:, :3] = np.eye(3)[:, None]
    # The moments of the unit forces: place × e.
    rows[:, 3, :, 1], rows[:, 3, :, 2] = -feet[..., 2], feet[..., 1]
    rows[:, 4, :, 0], rows[:, 4, :, 2] = feet[..., 2], -feet[..., 0]
    rows[:, 5, :, 0], rows[:, 5, :, 1] = -feet[..., 1], feet[..., 0]
    weighted = (rows * standing[:, None, :, None]).reshape(points, 6, -1)
    square = weighted @ rows.reshape(points, 6, -1).transpose(0, 2, 1) + LEAST * np.eye(6)
    shares = weighted.transpose(0, 2, 1) @ np.linalg.solve(square, wrench[..., None])
    forces: Array = shares.reshape(points, count, 3)
    return np.where(forces[..., 2:] > 0.0, forces, 0.0)


def _add(
    torques: dict[str, Array], track: Track, force: Array, moment: Array | None = None
) -> None:
    """Add what it takes to exert (points, 3) forces and moments on a body, by virtual work."""
    held = (force[:, None] @ track.moved)[:, 0]
    if moment is not None:
        held += (moment[:, None] @ track.turned)[:, 0]
    for column, name in enumerate(track.joints):
        torques[name] = torques.get(name, 0.0) + held[:, column]
