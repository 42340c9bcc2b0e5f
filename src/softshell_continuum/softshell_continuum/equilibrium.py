"""A chain at rest: its pose, and how it changes with small loads and tensions."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray

from softshell_continuum.kernels import PRISMATIC, places
from softshell_kinematics.arrays import Array, as_numbers
from softshell_kinematics.errors import SoftshellError

if TYPE_CHECKING:
    from softshell_continuum.statics import Statics


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """The pose at which a search for rest has ended.

    Attributes:
        statics: the chain with its tendons and masses.
        positions: (joints,) [rad] or [m].
        converged: whether it is at rest.
        steps: number of Newton steps.
        residual: largest torque or force left on a joint that presses on no stop, divided by its
            stiffness [rad] or [m].
        energy: potential energy [J].
        lengths: (tendons,) from where they are pulled to their ends [m].
        tensions: (tendons,) where they are pulled [N].
        stopped: (joints,) whether they press on a stop. Derivatives take these as held there.
    """

    statics: 'Statics'
    positions: Array
    converged: bool
    steps: int
    residual: float
    energy: float
    lengths: Array
    tensions: Array
    stopped: NDArray[np.bool_]
    _hessian: Array
    _taken: Array

    def at_rest(self) -> 'Equilibrium':
        """The same, for who needs a pose at rest.

        Raises:
            SoftshellError: it is not at rest.
        """
        if not self.converged:
            raise SoftshellError(
                f'no pose at rest was found in {self.steps} Newton steps: the residual is '
                f'{self.residual:.3g} rad or m; expected a chain and loads that come to rest'
            )
        return self

    @cached_property
    def _frames(self) -> tuple[Array, Array, Array]:
        return self.statics.chain.frames(self.positions, self.statics.base)

    @cached_property
    def _factor(self) -> tuple[Array, bool]:
        free = ~self.stopped
        factor: tuple[Array, bool] = scipy.linalg.lu_factor(self._hessian[np.ix_(free, free)])
        return factor

    def backbone(self, arc_lengths: ArrayLike) -> tuple[Array, Array]:
        """Points and directions of the backbone.

        Args:
            arc_lengths: (n,) from the base [m].

        Returns:
            (n, 3) positions [m] and (n, 3) unit tangents in the world.

        Raises:
            OutOfRangeError: the backbone is shorter.
            SoftshellError: they are not numbers.
        """
        turned, origins, _ = self._frames
        given = as_numbers(arc_lengths, 'arc lengths').ravel().tolist()
        stations = [self.statics.chain.station(arc_length) for arc_length in given]
        links = np.array([link for link, _ in stations], np.int64)
        points = np.ascontiguousarray([point for _, point in stations], float)
        return places(turned, origins, links, points.reshape(-1, 3)), turned[links, :, 2]

    @property
    def tip(self) -> Array:
        """(3,) end of the backbone in the world [m]."""
        place: Array = self.backbone([self.statics.chain.length])[0][0]
        return place

    @property
    def tip_pose(self) -> Array:
        """(4, 4) pose of the end of the backbone in the world; z goes along the backbone."""
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = self._frames[0][self._last], self.tip
        return pose

    @property
    def _last(self) -> int:
        """Number of the link that the backbone ends on, 0 for the base."""
        return self.statics.chain.station(self.statics.chain.length)[0]

    @cached_property
    def tip_jacobian(self) -> Array:
        """(6, joints) Jacobian of the tip by the joints, in the world: linear, then angular."""
        _, origins, world = self._frames
        arms = self.tip - origins[1:]
        slides = (self.statics.chain.kinds == PRISMATIC)[:, None]
        moves = np.where(slides, world, np.cross(world, arms))
        columns: Array = np.hstack([moves, np.where(slides, 0.0, world)]).T
        columns[:, self._last :] = 0.0  # joints beyond the backbone do not move its end
        return columns

    @property
    def tip_by_force(self) -> Array:
        """(3, 3) compliance of the tip: how it moves with a force on it [m/N]."""
        jacobian = self.tip_jacobian[:3]
        compliance: Array = jacobian @ self._answer(jacobian.T)
        return compliance

    @property
    def tip_by_tension(self) -> Array:
        """(3, tendons) how the tip moves with the tensions [m/N].

        Friction at the eyes is taken as constant.
        """
        return self.twist_by_tension[:3]

    @property
    def twist_by_tension(self) -> Array:
        """(6, tendons) how the tip moves and turns with the tensions [m/N], [rad/N]."""
        change: Array = -self.tip_jacobian @ self._answer(self._taken.T)
        return change

    def _answer(self, efforts: Array) -> Array:
        """How the joints move with efforts on them: the Hessian's inverse times these."""
        answer, free = np.zeros(efforts.shape), ~self.stopped
        if free.any():
            answer[free] = scipy.linalg.lu_solve(self._factor, efforts[free])
        return answer
