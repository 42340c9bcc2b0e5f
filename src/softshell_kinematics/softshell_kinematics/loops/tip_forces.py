"""Forces on the tips of several chains, from the efforts of their joints, for control loops."""

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array
from softshell_kinematics.kernels.bundles import Chain, Floats, Integers
from softshell_kinematics.kernels.compiled import entry
from softshell_kinematics.kernels.forward import forward, geometric_jacobian
from softshell_kinematics.kernels.work import Q, allocate
from softshell_kinematics.loops.tip_shifts import TipShifts, weighted
from softshell_kinematics.loops.tips import refuse_other_shapes

#: Positions and efforts beyond this count as unknown [rad], [m], [N m] or [N].
LARGEST = 1e6


class TipForces(TipShifts):
    """Estimates forces on tips, as if chains had neither weight nor inertia.

    τ = -Jᵀ f, where f acts on the tip (M. W. Spong, S. Hutchinson, M. Vidyasagar, "Robot Modeling
    and Control", 2006, section 4.10), is solved for f by damped least squares. Only the joints in
    `moved` count: those that belong to one chain alone.
    """

    def estimate(
        self, joints: Array, efforts: Array, forces: Array, known: NDArray[np.bool_]
    ) -> None:
        """Write the force on every tip.

        Args:
            joints: (names,) [rad] or [m], NaN where unknown.
            efforts: (names,) of the motors [N m] or [N], likewise.
            forces: (chains, 3) written: in the base of each chain [N]; 0 where unknown.
            known: (chains,) written: whether all joints and efforts of the chain are finite and
                below `LARGEST`.

        Raises:
            SoftshellError: a shape is another.
        """
        count = len(self._rows)
        refuse_other_shapes(
            ('joints', joints, (self._count,)),
            ('efforts', efforts, (self._count,)),
            ('forces', forces, (count, 3)),
            ('known', known, (count,)),
        )
        _estimate(
            self._numbers, self._codes, self._rows, self._columns, self._moves,
            joints, efforts, forces, known,
        )  # fmt: skip


@entry
def _estimate(
    numbers: Floats,
    codes: Integers,
    rows: Integers,
    columns: Integers,
    moves: NDArray[np.bool_],
    joints: Floats,
    efforts: Floats,
    forces: Floats,
    known: NDArray[np.bool_],
) -> None:
    memory = allocate(numbers.shape[0], columns.shape[1])
    work, frames = memory.work, memory.frames
    jacobian = np.zeros((6, columns.shape[1]))
    for c in range(rows.shape[0]):
        chain = Chain(numbers, codes, rows[c, 0], rows[c, 1], rows[c, 2])
        known[c] = True
        for v in range(chain.n):
            work[Q, v] = joints[columns[c, v]]
            # False for NaN as well.
            if not abs(work[Q, v]) + abs(efforts[columns[c, v]]) < LARGEST:
                known[c] = False
        forces[c, :] = 0.0
        if not known[c]:
            continue
        forward(chain, Q, work, frames)
        geometric_jacobian(chain, work, frames, jacobian)
        x = y = z = 0.0
        for v in range(chain.n):
            if not moves[c, v]:
                jacobian[:, v] = 0.0
            effort = efforts[columns[c, v]]
            x -= jacobian[0, v] * effort
            y -= jacobian[1, v] * effort
            z -= jacobian[2, v] * effort
        forces[c, 0], forces[c, 1], forces[c, 2] = weighted(jacobian, chain.n, x, y, z)
