"""Torques that the joints of a walking robot have to exert so that it moves as planned.

By virtual work: the forces that move each body against gravity, less those of the ground on the
feet. The forces of the feet together move the whole robot; of all that do, those with the least
Σ F² / s are taken, where s is the part to which a foot stands. At rest on level ground they are
vertical.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from softshell_common.gravity import GRAVITY
from softshell_description.model import MimicSpec
from softshell_kinematics.arrays import Array
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.transforms import skew

#: Added to the matrix that is solved for the feet's forces, which is singular if too few stand.
LEAST = 1e-9


@dataclass(frozen=True)
class Body:
    """A rigid body, or a foot, that moves with the tip of a chain.

    Args:
        chain: from the robot's base to its link, in which each joint moves by itself; None: it is
            the base.
        centre: (3,) of mass, or where a foot touches the ground, in that link [m].
        mass: [kg].
        inertia: (3, 3) about the centre, along the axes of the link [kg m^2].
    """

    chain: SerialChain | None
    centre: Array
    mass: float = 0.0
    inertia: Array | None = None


@dataclass(frozen=True)
class BasePath:
    """Where the base is over time, in a frame that is fixed to the ground, z up.

    Args:
        origins: (points, 3) [m].
        rotations: (points, 3, 3).
    """

    origins: Array
    rotations: Array

    def seen(self, points: Array) -> Array:
        """(points, 3) points of that frame in the base at each time: T_base⁻¹ · point [m]."""
        inside: Array = ((points - self.origins)[:, None] @ self.rotations)[:, 0]
        return inside


@dataclass(frozen=True)
class Track:
    """A body over time, in the frame of the ground.

    Attributes:
        places: (points, 3) of its centre [m].
        rotations: (points, 3, 3) of its link.
        moved, turned: (points, 3, n) Jacobians of its centre and of its orientation with respect
            to the n joints of its chain.
        joints: their names.
    """

    places: Array
    rotations: Array
    moved: Array
    turned: Array
    joints: tuple[str, ...]

    @classmethod
    def of(cls, body: Body, joints: Mapping[str, Array], base: BasePath) -> 'Track':
        """The track of a body for positions of all joints, (points,) by name [rad] or [m]."""
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
        moved = base.rotations @ jacobians[:, :3] - skew(arms) @ turned
        places = base.origins + (base.rotations @ poses[:, :3, 3:])[..., 0] + arms
        return cls(places, rotations, moved, turned, tuple(body.chain.variables))


@dataclass(frozen=True)
class Burden:
    """The forces that a motion takes, before they are shared among the feet.

    Attributes:
        wrench: (points, 6) that moves the whole robot: force [N], and moment about the origin of
            the ground [N m].
        torques: (points,) that each joint would exert without forces at the feet, by name [N m] or
            [N].
        feet: where they are meanwhile, in the order of the legs.
    """

    wrench: Array
    torques: Mapping[str, Array]
    feet: tuple[Track, ...]

    def carried(self, standing: Array, borne: Array) -> dict[str, Array]:
        """(points,) torques that each joint exerts, by name [N m] or [N].

        Args:
            standing: (points, feet) part to which each foot stands, from 0 to 1.
            borne: (points,) part of the robot that its feet carry; its belly carries the rest.
        """
        torques = dict(self.torques)
        places = np.stack([foot.places for foot in self.feet], axis=1)
        forces = shared(borne[:, None] * self.wrench, places, standing)
        for column, foot in enumerate(self.feet):
            _add(torques, foot, -forces[:, column])
        return torques


class Load:
    """The bodies and feet of a legged robot, and the forces that its motions take.

    Args:
        bodies: all of the robot.
        feet: in the order of its legs.
        mimics: the joints that follow others.
    """

    def __init__(
        self, bodies: Sequence[Body], feet: Sequence[Body], mimics: Sequence[MimicSpec]
    ) -> None:
        self._bodies, self._feet, self._mimics = tuple(bodies), tuple(feet), tuple(mimics)
        self._masses = np.array([body.mass for body in self._bodies])
        # A point mass has no moment of inertia.
        none = np.zeros((3, 3))
        self._inertias = np.array(
            [none if body.inertia is None else body.inertia for body in self._bodies]
        ).reshape(-1, 3, 3)

    def burden(
        self, period: float, joints: Mapping[str, Array], base: BasePath, inertia: Array
    ) -> Burden:
        """The forces that a motion takes.

        Args:
            period: between two points [s].
            joints: positions of all independent joints, (points,) by name [rad] or [m].
            base: where the base is meanwhile.
            inertia: (points,) part to which inertial forces count, from 0 to 1.
        """
        points = len(base.origins)
        followers = {
            mimic.name: mimic.multiplier * joints[mimic.source] + mimic.offset
            for mimic in self._mimics
        }
        joints = {**joints, **followers}
        tracks = [Track.of(body, joints, base) for body in self._bodies]
        places = np.array([track.places for track in tracks])
        rotations = np.array([track.rotations for track in tracks])
        lifted = inertia[:, None] * derivative(places, period, 2, axis=1) + [0.0, 0.0, GRAVITY]
        forces = self._masses[:, None, None] * lifted
        momenta = angular_momenta(period, rotations, self._inertias)
        moments = inertia[:, None] * derivative(momenta, period, axis=1)
        wrench = np.empty((points, 6))
        wrench[:, :3] = forces.sum(axis=0)
        wrench[:, 3:] = (np.cross(places, forces) + moments).sum(axis=0)
        torques: dict[str, Array] = {}
        for track, force, moment in zip(tracks, forces, moments, strict=True):
            _add(torques, track, force, moment)
        return Burden(wrench, torques, tuple(Track.of(foot, joints, base) for foot in self._feet))


def derivative(
    values: Array, period: float, order: int = 1, ends: str = 'not-a-knot', axis: int = 0
) -> Array:
    """A derivative of the cubic spline through evenly spaced values, at these values.

    Args:
        values: along an axis.
        period: between two values [s].
        order: 1 or 2.
        ends: of the spline: 'not-a-knot', or 'clamped': slope 0 there.
        axis: along which the values follow each other.
    """
    times = period * np.arange(values.shape[axis])
    spline = CubicSpline(times, values, axis, bc_type=ends)
    found: Array = spline.derivative(order)(times)
    return found


def angular_momenta(period: float, rotations: Array, inertias: Array) -> Array:
    """(bodies, points, 3) of turning bodies about their centres of mass [N m s].

    Args:
        period: between two points [s].
        rotations: (bodies, points, 3, 3) of the bodies.
        inertias: (bodies, 3, 3) along the axes of each body [kg m^2].
    """
    back = rotations.transpose(0, 1, 3, 2)
    rate = derivative(rotations, period, axis=1) @ back  # [ω]×
    twice = rate - rate.transpose(0, 1, 3, 2)
    velocity = 0.5 * np.stack([twice[..., 2, 1], twice[..., 0, 2], twice[..., 1, 0]], axis=-1)
    # In the frame of each body, where its inertia is constant, and back.
    inside = inertias[:, None] @ (back @ velocity[..., None])
    momenta: Array = (rotations @ inside)[..., 0]
    return momenta


def shared(wrench: Array, feet: Array, standing: Array) -> Array:
    """(points, feet, 3) forces of the feet that sum up to a wrench, with the least Σ F² / s [N].

    A foot that would have to pull is left without force.

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
