"""How a chain with tendons stands still: the minimum of its potential energy.

A tendon pulls with exactly the gradient of its tension times its length, so that a pose at rest is
a minimum of one function. It is found by Newton's method with the exact Hessian, kept a descent by
a multiple of the stiffness where the Hessian is indefinite. Friction at the eyes is no potential:
the shares of the spans are brought up to date between minimisations until both agree.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softshell_continuum.elastic_chain import ElasticChain
from softshell_continuum.equilibrium import Equilibrium
from softshell_continuum.kernels import Ints
from softshell_continuum.routes import Routes
from softshell_continuum.search import Search
from softshell_continuum.tendon import Tendon, refuse_rigid
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import NonFiniteError, SoftshellError
from softshell_kinematics.limits import checked_finite, checked_pose

#: Standard gravity [m/s^2].
GRAVITY = (0.0, 0.0, -9.80665)


@dataclass(frozen=True, eq=False)
class Load:
    """A force at a place of the backbone.

    Attributes:
        arc_length: where [m].
        force: (3,) in the world [N].
    """

    arc_length: float
    force: Array


class Statics:
    """A chain on a fixed base, its tendons, and what it has to carry.

    Args:
        chain: the chain.
        tendons: along it.
        masses: of discs and the like, with the arc length at which they are: (arc length [m],
            mass [kg]); those of the links come to them.
        gravity: (3,) in the world [m/s^2].
        base: (4, 4) pose of its base in the world; None: the world's frame.

    Raises:
        SoftshellError: two tendons have one name, an eye is beyond the chain, a mass is negative,
            gravity is no vector, or the base no pose.
    """

    def __init__(
        self,
        chain: ElasticChain,
        tendons: Sequence[Tendon] = (),
        masses: Sequence[tuple[float, float]] = (),
        gravity: ArrayLike = GRAVITY,
        base: ArrayLike | None = None,
    ) -> None:
        self.chain, self.routes = chain, Routes(chain, tendons)
        self.gravity = _vector(gravity, 'gravity')
        self.base = np.eye(4) if base is None else checked_pose(base, 'base')
        for arc_length, mass in masses:
            if not 0.0 <= mass < math.inf:
                raise SoftshellError(
                    f'the mass at {arc_length:g} m is {mass} kg; expected 0 or more'
                )
        stations = [chain.station(arc_length) for arc_length, _ in masses]
        self._weights = np.array([*chain.masses, *(mass for _, mass in masses)])
        links = [*range(1, len(chain) + 1), *(link for link, _ in stations)]
        self._links = np.concatenate([np.array(links, np.int64), self.routes.links])
        points = [*chain.centres, *(point for _, point in stations)]
        self._points = np.vstack([*points, self.routes.points])
        self.heavy = len(points)
        self.scale = np.maximum(chain.stiffness, 1e-12)

    @property
    def tendons(self) -> tuple[Tendon, ...]:
        """Along the chain."""
        return self.routes.tendons

    def solve(
        self,
        tensions: Mapping[str, float] | ArrayLike = (),
        lengths: Mapping[str, float] | None = None,
        tip_force: ArrayLike = (0.0, 0.0, 0.0),
        loads: Sequence[Load] = (),
        efforts: ArrayLike | None = None,
        start: ArrayLike | None = None,
    ) -> Equilibrium:
        """Where the chain comes to rest.

        Args:
            tensions: of tendons by name, or (tendons,) of all [N]; by default 0.
            lengths: of tendons that are held at a length instead, of all thread from whoever pulls
                it to its end without load [m]; they have to stretch, and may be slack.
            tip_force: (3,) at the end of the backbone, in the world [N].
            loads: other forces.
            efforts: (joints,) of what else drives the joints [N m] or [N].
            start: (joints,) where the search begins; None: where the springs are at rest.

        Returns:
            The pose, whether it is one at rest, and all that is asked of it.

        Raises:
            SoftshellError: a tension is negative, an unknown tendon, a number that is none.
        """
        held = self.pulls(tensions, lengths or {})
        carried = [*loads, Load(self.chain.length, _vector(tip_force, 'tip_force'))]
        drive = self._of_joints('efforts', 0.0 if efforts is None else efforts)
        q = self._of_joints('start', self.chain.neutral if start is None else start)
        return self.search(held, carried, drive).settled(q)

    def _of_joints(self, name: str, given: ArrayLike) -> Array:
        """(joints,) values, of which one stands for all.

        Raises:
            SoftshellError: another number of them.
            NonFiniteError: one is none.
        """
        values = np.array(given, float)
        if values.shape not in ((), (len(self.chain),)):
            raise SoftshellError(
                f'{name} have shape {values.shape}; expected ({len(self.chain)},)'
            )
        if not np.isfinite(values).all():
            raise NonFiniteError(name, float(values[~np.isfinite(values)].flat[0]), 'a number')
        return np.array(np.broadcast_to(values, len(self.chain)))

    def search(self, pulls: Array, loads: Sequence[Load], drive: Array) -> Search:
        """A search for a pose at rest under loads.

        Args:
            pulls: (tendons, 3) tension [N], stiffness [N/m] and length at rest [m].
            loads: forces on the backbone.
            drive: (joints,) what else drives the joints [N m] or [N].

        Raises:
            NonFiniteError: a force is none.
        """
        outer, links, points = self._outer(loads)
        if not np.isfinite(outer).all():
            raise NonFiniteError('force', float(outer[~np.isfinite(outer)][0]), 'a number')
        return Search(self, links, points, outer, drive, pulls)

    def pulls(
        self, tensions: Mapping[str, float] | ArrayLike, lengths: Mapping[str, float]
    ) -> Array:
        """(tendons, 3) tension, stiffness and length at rest of each.

        Raises:
            SoftshellError: one is none, or a tendon has both or cannot stretch.
        """
        pulls = np.zeros((len(self.tendons), 3))
        if isinstance(tensions, Mapping):
            for name, tension in tensions.items():
                pulls[self.routes.index(name), 0] = tension
        elif np.size(tensions):
            given = np.asarray(tensions, float)
            if given.shape != (len(self.tendons),):
                raise SoftshellError(
                    f'tensions have shape {given.shape}; expected ({len(self.tendons)},)'
                )
            pulls[:, 0] = given
        for held, length in lengths.items():
            number = self.routes.index(held)
            tendon = self.tendons[number]
            refuse_rigid(f'tendon {held!r}', tendon.stiffness)
            if pulls[number, 0] or not 0.0 < length < math.inf:
                text = f'tension {pulls[number, 0]:g} N, length {length:g} m'
                raise SoftshellError(f'tendon {held!r}: {text}; expected one of both, more than 0')
            pulls[number, 1:] = tendon.stiffness / length, length
        wrong = ~(np.isfinite(pulls[:, 0]) & (pulls[:, 0] >= 0.0))
        if wrong.any():
            first = int(wrong.argmax())
            raise SoftshellError(
                f'tension of tendon {self.routes.names[first]!r} is {pulls[first, 0]} N; '
                'expected 0 or more'
            )
        return pulls

    def _outer(self, loads: Sequence[Load]) -> tuple[Array, Ints, Array]:
        """Forces on all points, and the links and places of these points."""
        stations = [self.chain.station(load.arc_length) for load in loads]
        links = np.concatenate([self._links, np.array([link for link, _ in stations], np.int64)])
        points = np.vstack([self._points, *(point for _, point in stations)])
        forces = np.zeros((len(points), 3))
        forces[: self.heavy] = self._weights[:, None] * self.gravity
        forces[len(self._points) :] = [_vector(load.force, 'force') for load in loads]
        return forces, links, points


def _vector(given: ArrayLike, name: str) -> Array:
    """(3,) of what was given.

    Raises:
        SoftshellError: it has another shape, or a number is not finite.
    """
    values = checked_finite(given, name)
    if values.shape != (3,):
        raise SoftshellError(f'{name} has shape {values.shape}; expected (3,)')
    return values
