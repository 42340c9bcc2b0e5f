"""Corrections of joints that shift the tips of several chains a little, for control loops."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array, as_numbers
from softshell_kinematics.errors import UnknownNameError
from softshell_kinematics.kernels.bundles import Chain, Floats, Integers
from softshell_kinematics.kernels.compiled import compiled, entry
from softshell_kinematics.kernels.forward import forward, geometric_jacobian
from softshell_kinematics.kernels.work import POSE, TRIAL, Q, allocate
from softshell_kinematics.loops.tips import Tips, refuse_other_shapes
from softshell_kinematics.model.chain import SerialChain

#: Most steps from the last correction, and then, if these do not arrive, from no correction.
STEPS, ANEW = 3, 8
#: Distance from a tip to its goal that is small enough [m].
CLOSE = 1e-5
#: Damping λ [m]: it keeps the joints of a stretched leg from racing.
DAMPING = 1e-3
#: Longest step of a joint [rad] or [m].
LONGEST = 0.2


class TipShifts(Tips):
    """Finds corrections of given joints that shift the tips by given vectors.

    By damped least squares (C. W. Wampler, "Manipulator inverse kinematic solutions based on
    vector formulations and damped least-squares methods", IEEE Trans. SMC 16, 1986), started from
    the last correction.

    Args:
        chains: one or more.
        names: of the joints in the vector, among them all variables of the chains.
        moved: of each chain, the joints that may be corrected.
        lower, upper: (names,) their limits [rad] or [m].

    Raises:
        SoftshellError: there is no chain, or limits have another shape.
        UnknownNameError: a chain's variable, or a joint of `moved`, is not among the names.
    """

    def __init__(
        self,
        chains: Sequence[SerialChain],
        names: Sequence[str],
        moved: Sequence[Sequence[str]],
        lower: Array,
        upper: Array,
    ) -> None:
        super().__init__(chains, names)
        limits = as_numbers(lower, 'lower'), as_numbers(upper, 'upper')
        shape = (self._count,)
        refuse_other_shapes(('lower', limits[0], shape), ('upper', limits[1], shape))
        unknown = [name for own in moved for name in own if name not in names]
        if unknown:
            raise UnknownNameError('joint', unknown[0], names)
        self._moves = np.zeros(self._columns.shape, dtype=np.bool_)
        for row, (chain, own) in enumerate(zip(chains, moved, strict=True)):
            for column, name in enumerate(chain.variables):
                self._moves[row, column] = name in own
        self._limits = np.array(limits)

    def solve(self, joints: Array, shifts: Array, corrections: Array, reached: Array) -> None:
        """Write what has to be added to the joints so that each tip is shifted.

        Args:
            joints: (names,) [rad] or [m], finite.
            shifts: (chains, 3) in the base of each chain [m].
            corrections: (names,) [rad] or [m] the last ones, replaced by the new ones; those of
                joints that may not be corrected stay.
            reached: (chains, 3) written: by how much these corrections shift each tip [m].

        Raises:
            SoftshellError: a shape is another.
        """
        count = len(self._rows)
        refuse_other_shapes(
            ('joints', joints, (self._count,)),
            ('shifts', shifts, (count, 3)),
            ('corrections', corrections, (self._count,)),
            ('reached', reached, (count, 3)),
        )
        _solve(
            self._numbers, self._codes, self._rows, self._columns, self._moves, self._limits,
            joints, shifts, corrections, reached,
        )  # fmt: skip


@compiled
def weighted(jacobian: Floats, n: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """(J Jᵀ + λ² I)⁻¹ (x, y, z) with the three rows of position of J, by Cramer's rule."""
    a = b = c = d = e = f = 0.0
    for v in range(n):
        i, j, k = jacobian[0, v], jacobian[1, v], jacobian[2, v]
        a, b, c = a + i * i, b + i * j, c + i * k
        d, e, f = d + j * j, e + j * k, f + k * k
    damping = DAMPING * DAMPING
    a, d, f = a + damping, d + damping, f + damping
    aa, bb, cc = d * f - e * e, c * e - b * f, b * e - c * d
    dd, ee, ff = a * f - c * c, b * c - a * e, a * d - b * b
    whole = a * aa + b * bb + c * cc
    return (
        (aa * x + bb * y + cc * z) / whole,
        (bb * x + dd * y + ee * z) / whole,
        (cc * x + ee * y + ff * z) / whole,
    )


@entry
def _solve(
    numbers: Floats,
    codes: Integers,
    rows: Integers,
    columns: Integers,
    moves: NDArray[np.bool_],
    limits: Floats,
    joints: Floats,
    shifts: Floats,
    corrections: Floats,
    reached: Floats,
) -> None:
    memory = allocate(numbers.shape[0], columns.shape[1])
    work, frames = memory.work, memory.frames
    jacobian, goal = np.zeros((6, columns.shape[1])), np.zeros(3)
    for c in range(rows.shape[0]):
        chain = Chain(numbers, codes, rows[c, 0], rows[c, 1], rows[c, 2])
        for v in range(chain.n):
            work[Q, v] = joints[columns[c, v]]
            work[TRIAL, v] = work[Q, v] + corrections[columns[c, v]] * moves[c, v]
        forward(chain, Q, work, frames)
        for i in range(3):
            goal[i] = work[POSE, 9 + i] + shifts[c, i]
            reached[c, i] = work[POSE, 9 + i]
        for k in range(STEPS + ANEW):
            forward(chain, TRIAL, work, frames)
            x, y = goal[0] - work[POSE, 9], goal[1] - work[POSE, 10]
            z = goal[2] - work[POSE, 11]
            if x * x + y * y + z * z < CLOSE * CLOSE:
                break
            if k == STEPS:  # the last correction may be far from any solution
                for v in range(chain.n):
                    work[TRIAL, v] = work[Q, v]
                forward(chain, TRIAL, work, frames)
                x, y = goal[0] - work[POSE, 9], goal[1] - work[POSE, 10]
                z = goal[2] - work[POSE, 11]
            geometric_jacobian(chain, work, frames, jacobian)
            for v in range(chain.n):
                if not moves[c, v]:
                    jacobian[:, v] = 0.0
            x, y, z = weighted(jacobian, chain.n, x, y, z)
            for v in range(chain.n):
                step = jacobian[0, v] * x + jacobian[1, v] * y + jacobian[2, v] * z
                step = min(max(step, -LONGEST), LONGEST)
                column = columns[c, v]
                value = work[TRIAL, v] + step
                if moves[c, v]:
                    work[TRIAL, v] = min(max(value, limits[0, column]), limits[1, column])
        forward(chain, TRIAL, work, frames)
        for i in range(3):
            reached[c, i] = work[POSE, 9 + i] - reached[c, i]
        for v in range(chain.n):
            if moves[c, v]:
                corrections[columns[c, v]] = work[TRIAL, v] - work[Q, v]
