"""Statics of a chain with tendons: the minimum of its potential energy.

The efforts of a tendon are the gradient of its tension times its length, so that a pose at rest is
a minimum of one function. It is found by Newton's method with the exact Hessian; where that is
indefinite, a multiple of the stiffness is added to it, so that each step goes downhill. Friction
at the eyes has no potential: the spans' parts of the tension are updated between minimisations
until they no longer change. Joints stay within their stops. Their dry friction is left out: with
it, a chain may rest in any pose near this one.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as shortened

import numpy as np
from numpy.typing import ArrayLike

from softshell_continuum.checks import refuse_no_number
from softshell_continuum.elastic_chain import ElasticChain
from softshell_continuum.equilibrium import Equilibrium
from softshell_continuum.kernels import Ints
from softshell_continuum.routes import Routes
from softshell_continuum.search import Search
from softshell_continuum.tendon import Tendon, refuse_rigid
from softshell_kinematics.arrays import Array, as_numbers
from softshell_kinematics.errors import NonFiniteError, SoftshellError
from softshell_kinematics.limits import checked_finite, checked_pose

#: Standard gravity in the world [m/s^2], to compare with what is measured on real rods. Simulated
#: worlds have the 9.81 m/s^2 that is usual there (`softshell_common.gravity`): 0.03 % more. To
#: compare with one, give its gravity.
GRAVITY = (0.0, 0.0, -9.80665)


@dataclass(frozen=True, eq=False)
class Load:
    """A force on the backbone.

    Attributes:
        arc_length: where it acts [m].
        force: (3,) in the world [N].
    """

    arc_length: float
    force: Array


class Statics:
    """A chain on a fixed base with its tendons and masses.

    Args:
        chain: the chain.
        tendons: along it.
        masses: further masses besides those of the links, e.g. of discs: (arc length [m],
            mass [kg]).
        gravity: (3,) in the world [m/s^2]; default: `GRAVITY`, not that of simulated worlds.
        base: (4, 4) pose of its base in the world; None: the identity.

    Attributes:
        chain, gravity, base: as given.
        routes: the tendons' eyes on the chain.
        heavy: number of points with mass: links first, then the further ones.
        scale: (joints,) stiffness by which gradients are measured [N m/rad] or [N/m]; of a joint
            without a spring the least of the others, at most 1.

    Raises:
        SoftshellError: two tendons have one name, an eye is beyond the chain, a mass is negative,
            masses are no pairs of numbers, gravity has not three finite numbers, or the base is
            no pose.
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
        pairs = _pairs(masses)
        for arc_length, mass in pairs:
            if not 0.0 <= mass < math.inf:
                raise SoftshellError(
                    f'the mass at {arc_length:g} m is {mass} kg; expected 0 or more'
                )
        stations = [chain.station(arc_length) for arc_length, _ in pairs]
        self._weights = np.array([*chain.masses, *(mass for _, mass in pairs)])
        links = [*range(1, len(chain) + 1), *(link for link, _ in stations)]
        self._links = np.concatenate([np.array(links, np.int64), self.routes.links])
        points = [*chain.centres, *(point for _, point in stations)]
        self._points = np.vstack([*points, self.routes.points])
        self.heavy = len(points)
        springs = chain.stiffness > 0.0
        least = np.min(chain.stiffness, where=springs, initial=1.0)
        self.scale = np.where(springs, chain.stiffness, least)

    @property
    def tendons(self) -> tuple[Tendon, ...]:
        """The tendons along the chain."""
        return self.routes.tendons

    def solve(
        self,
        tensions: Mapping[str, float] | ArrayLike = (),
        lengths: Mapping[str, float] | None = None,
        tip_force: ArrayLike = (0.0, 0.0, 0.0),
        loads: Sequence[Load] = (),
        efforts: ArrayLike | None = None,
        start: ArrayLike | None = None,
        let_go: Collection[str] = (),
    ) -> Equilibrium:
        """Where the chain comes to rest.

        Args:
            tensions: of tendons by name, or (tendons,) of all [N]; by default 0.
            lengths: of tendons that are held at a length instead, by name: of the thread without
                load, from where it is pulled to its end [m]. These have to stretch, and may be
                slack.
            tip_force: (3,) at the end of the backbone, in the world [N].
            loads: further forces on the backbone.
            efforts: (joints,) further efforts on the joints [N m] or [N].
            start: (joints,) where the search begins [rad] or [m], or at the stops before that;
                None: where the springs are at rest.
            let_go: names of tendons that slip towards their ends while the chain comes to rest,
                as those do that are let go, or drawn in as others are pulled. Their friction is
                against that. Friction of the others is as while they are pulled.

        Returns:
            The pose, and whether it is at rest.

        Raises:
            UnknownNameError: there is no such tendon.
            SoftshellError: a tension is negative, a length is not more than 0, an array has a
                wrong shape, a number is not one or not finite, or a load is no `Load`.
        """
        held = self.pulls(tensions, {} if lengths is None else lengths)
        if not np.iterable(loads):
            raise SoftshellError(f'loads are {shortened(loads)}; expected a list of them')
        carried = [*loads, Load(self.chain.length, _vector(tip_force, 'tip_force'))]
        drive = self._of_joints('efforts', 0.0 if efforts is None else efforts)
        q = self._of_joints('start', self.chain.neutral if start is None else start)
        ways = np.ones(len(self.tendons))
        ways[[self.routes.index(name) for name in let_go]] = -1.0
        return self.search(held, carried, drive, ways).settled(q)

    def _of_joints(self, name: str, given: ArrayLike) -> Array:
        """(joints,) values; a single one is taken for all joints.

        Raises:
            SoftshellError: another number of them, or they are not numbers.
            NonFiniteError: one is not finite.
        """
        values = as_numbers(given, name)
        if values.shape not in ((), (len(self.chain),)):
            raise SoftshellError(
                f'shape of {name} is {values.shape}; expected ({len(self.chain)},)'
            )
        if not np.isfinite(values).all():
            wrong = float(values[~np.isfinite(values)].flat[0])
            raise NonFiniteError(name, wrong, 'finite numbers')
        return np.array(np.broadcast_to(values, len(self.chain)))

    def search(
        self, pulls: Array, loads: Sequence[Load], drive: Array, ways: Array | None = None
    ) -> Search:
        """A search for a pose at rest under loads.

        Args:
            pulls: (tendons, 3) tension [N], stiffness [N/m] and length at rest [m].
            loads: forces on the backbone.
            drive: (joints,) further efforts on the joints [N m] or [N].
            ways: (tendons,) as `Routes.shares` takes them.

        Raises:
            OutOfRangeError: a load is beyond the chain.
            NonFiniteError: a force is not finite.
            SoftshellError: a force has not three numbers, or a load is no `Load`.
        """
        outer, links, points = self._outer(loads)
        if not np.isfinite(outer).all():
            raise NonFiniteError('force', float(outer[~np.isfinite(outer)][0]), 'a finite number')
        return Search(self, links, points, outer, drive, pulls, ways)

    def pulls(
        self, tensions: Mapping[str, float] | ArrayLike, lengths: Mapping[str, float]
    ) -> Array:
        """(tendons, 3) tension [N], stiffness [N/m] and length at rest [m] of each tendon.

        Args:
            tensions, lengths: as of `solve`.

        Raises:
            UnknownNameError: there is no such tendon.
            SoftshellError: a tension or a length is out of range or not a number, or a tendon
                that is held has a tension too or cannot stretch.
        """
        pulls = np.zeros((len(self.tendons), 3))
        if isinstance(tensions, Mapping):
            for name, tension in tensions.items():
                refuse_no_number(f'tension of tendon {name!r}', tension)
                pulls[self.routes.index(name), 0] = tension
        elif (given := as_numbers(tensions, 'tensions')).size:
            if given.shape != (len(self.tendons),):
                raise SoftshellError(
                    f'tensions have shape {given.shape}; expected ({len(self.tendons)},)'
                )
            pulls[:, 0] = given
        if not isinstance(lengths, Mapping):
            raise SoftshellError(f'lengths are {shortened(lengths)}; expected them by tendon')
        for held, length in lengths.items():
            number = self.routes.index(held)
            refuse_no_number(f'length of tendon {held!r}', length)
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
        """(points, 3) forces [N] on all points; (points,) their links, (points, 3) places [m].

        Raises:
            SoftshellError: a load is no `Load`, is beyond the chain, or has not three numbers.
        """
        for load in loads:
            if not isinstance(load, Load):
                raise SoftshellError(
                    f'a load is {shortened(load)}; expected Load(arc_length, force)'
                )
        stations = [self.chain.station(load.arc_length) for load in loads]
        links = np.concatenate([self._links, np.array([link for link, _ in stations], np.int64)])
        points = np.vstack([self._points, *(point for _, point in stations)])
        forces = np.zeros((len(points), 3))
        forces[: self.heavy] = self._weights[:, None] * self.gravity
        forces[len(self._points) :] = [_vector(load.force, 'force') for load in loads]
        return forces, links, points


def _pairs(masses: ArrayLike) -> list[list[float]]:
    """Arc lengths [m] and masses [kg] that were given in pairs.

    Raises:
        SoftshellError: they are no pairs of numbers.
    """
    pairs = as_numbers(masses, 'masses')
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
        raise SoftshellError(
            f'masses have shape {pairs.shape}; expected (n, 2), pairs of arc length and mass'
        )
    return pairs.reshape(-1, 2).tolist()


def _vector(given: ArrayLike, name: str) -> Array:
    """A vector (3,) that was given.

    Raises:
        SoftshellError: it has another shape, or a number is not finite.
    """
    values = checked_finite(given, name)
    if values.shape != (3,):
        raise SoftshellError(f'{name} has shape {values.shape}; expected (3,)')
    return values
