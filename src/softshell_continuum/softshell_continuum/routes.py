"""Tendons along a chain: their eyes on its links, and their lengths by its joints."""

from collections.abc import Sequence

import numpy as np

from softshell_continuum.elastic_chain import ElasticChain
from softshell_continuum.kernels import places, shortening
from softshell_continuum.tendon import Tendon, capstan, checked_names
from softshell_kinematics.arrays import Array, as_numbers
from softshell_kinematics.errors import UnknownNameError


class Routes:
    """Tendons with their eyes on the links of a chain.

    Args:
        chain: the chain.
        tendons: along it.

    Attributes:
        tendons, names: of them.
        links: (eyes,) number of the link that each eye is on, 0 for the base.
        points: (eyes, 3) in the frames of these links [m].
        starts: (spans,) first eye of each span; the next eye is its end.
        owners: (spans,) number of the tendon of each span.
        outside: (tendons,) lengths that are in no span [m].
        stiffness: (tendons,) EA of each thread [N].
        rubs: whether any tendon has friction.

    Raises:
        SoftshellError: two tendons have one name, or an eye is beyond the chain.
    """

    def __init__(self, chain: ElasticChain, tendons: Sequence[Tendon]) -> None:
        self._chain, self.tendons = chain, tuple(tendons)
        self.names = checked_names(tendons)
        links: list[int] = []
        points: list[Array] = []
        starts: list[int] = []
        owners: list[int] = []
        for number, tendon in enumerate(self.tendons):
            starts += range(len(links), len(links) + len(tendon.arc_lengths) - 1)
            owners += [number] * (len(tendon.arc_lengths) - 1)
            for arc_length, offset in zip(tendon.arc_lengths, tendon.offsets, strict=True):
                link, point = chain.station(arc_length)
                links.append(link)
                points.append(point + [*offset, 0.0])
        self.links = np.array(links, np.int64)
        self.points = np.array(points, float).reshape(-1, 3)
        self.starts, self.owners = np.array(starts, np.int64), np.array(owners, np.int64)
        self.outside = np.array([tendon.outside for tendon in self.tendons])
        self.stiffness = np.array([tendon.stiffness for tendon in self.tendons])
        self.rubs = any(tendon.friction for tendon in self.tendons)
        self._whole = np.ones(len(starts))

    def index(self, name: str) -> int:
        """Number of a tendon.

        Raises:
            UnknownNameError: there is no tendon of this name.
        """
        if name not in self.names:
            raise UnknownNameError('tendon', str(name), self.names)
        return self.names.index(name)

    def shares(self, eyes: Array, ways: Array | None = None) -> Array:
        """(spans,) part of its tension that a tendon has in each of its spans.

        Args:
            eyes: (eyes, 3) positions of the eyes [m].
            ways: (tendons,) 1 while it is pulled, -1 while it slips towards its end; None: all are
                pulled.
        """
        if not self.rubs:
            return self._whole
        shares, first = [], 0
        signs = np.ones(len(self.tendons)) if ways is None else ways
        for tendon, way in zip(self.tendons, signs, strict=True):
            count = len(tendon.arc_lengths)
            shares.append(capstan(eyes[first : first + count], way * tendon.friction))
            first += count
        return np.concatenate(shares)

    def taken(self, positions: Array) -> tuple[Array, Array]:
        """Lengths of tendons, and the efforts with which they pull on the joints.

        Args:
            positions: (joints,) of the chain [rad] or [m].

        Returns:
            (tendons,) lengths [m]; (tendons, joints) efforts against the joints, divided by the
            tension [m] or [1], with friction as while the tendons are being pulled, even as they
            are let go.

        Raises:
            SoftshellError: the positions are not numbers.
        """
        chain, q = self._chain, np.ascontiguousarray(as_numbers(positions, 'positions'))
        parts = self._whole
        if self.rubs:
            turned, origins, _ = chain.frames(q)
            parts = self.shares(places(turned, origins, self.links, self.points))
        spans = self.starts, self.owners, parts
        return shortening(chain.data, q, (self.links, self.points), spans, self.outside)
