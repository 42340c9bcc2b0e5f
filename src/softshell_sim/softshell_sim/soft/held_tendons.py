"""Tendons that are held at lengths, as by winches: their tensions in a step.

A thread of stiffness EA whose length without load is L pulls with EA / L · (l − L), and never
pushes; what friction takes from the tension on the way is left out of the stretch. Stiff threads
at light links leave explicit steps unstable, so the tension is that at the end of the step. With k
= EA / L, G = ∂l/∂q, C = G (M + h D + h² K)⁻¹ Gᵀ, and u the velocity of the joints at the end of
the step if no thread pulled:

    T / k + h² C T = l − L + h (G u + c),    T ≥ 0.

u includes what is known: springs, dampers, motors. c stands for what is not, such as gravity and
contacts: how much faster tendons got longer than expected, as a mean over the steps before.

At rest that is T = k (l − L), whatever C is. As T ≥ 0 and tendons of one manipulator pull against
each other, it is a problem of non-negative least squares (Lawson & Hanson, "Solving Least Squares
Problems", 1974).
"""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from softshell_kinematics.arrays import Array

#: Weight of the last step in c, a running mean.
LEARNED = 0.05


class HeldTendons:
    """Tendons of a manipulator, some of them held at a length.

    Args:
        stiffness: (tendons,) EA of each thread [N].

    Attributes:
        lengths: (tendons,) of each thread without load [m]; NaN: it is not held.
        tensions: (tendons,) of those that are held, in the last step [N].
    """

    def __init__(self, stiffness: Array) -> None:
        self._stiffness = stiffness
        self.lengths = np.full(len(stiffness), np.nan)
        self.tensions = np.zeros(len(stiffness))
        self._expected = np.full(len(stiffness), np.nan)
        self._unknown = np.zeros(len(stiffness))

    @property
    def any(self) -> bool:
        """Whether any tendon is held."""
        return not np.isnan(self.lengths).all()

    def pull(
        self,
        taken: Array,
        by_joint: Array,
        velocities: tuple[Array, Array],
        answer: Array,
        step: float,
    ) -> Array:
        """Tensions in the next step, at its end.

        Args:
            taken: (tendons,) lengths l now [m].
            by_joint: (tendons, joints) their derivatives G by the joints [m/rad].
            velocities: (joints,) now, and u [rad/s].
            answer: (joints, joints) accelerations by efforts, (M + h D + h² K)⁻¹.
            step: time h of the step [s].

        Returns:
            (tendons,) [N], 0 for those that are not held.
        """
        now, free = (by_joint @ velocity for velocity in velocities)
        self._unknown += LEARNED * (np.nan_to_num(now - self._expected) - self._unknown)
        held = ~np.isnan(self.lengths)
        rates, lengths = by_joint[held], self.lengths[held]
        coupled = step * step * (rates @ answer @ rates.T)
        wanted = taken[held] - lengths + step * (free + self._unknown)[held]
        matrix = coupled + np.diag(lengths / self._stiffness[held])
        self.tensions.fill(0.0)
        self.tensions[held] = _not_negative(matrix, wanted)
        self._expected[:] = free - step * by_joint @ (answer @ (self.tensions @ by_joint))
        return self.tensions

    def release(self) -> None:
        """Hold no tendon from now on."""
        self.lengths.fill(np.nan)
        self.tensions.fill(0.0)
        self._expected.fill(np.nan)
        self._unknown.fill(0.0)

    def save(self) -> tuple[Array, ...]:
        """Everything that the next steps depend on, as a copy, for `restore`."""
        arrays = self.lengths, self.tensions, self._expected, self._unknown
        return tuple(array.copy() for array in arrays)

    def restore(self, content: Sequence[Array]) -> None:
        """Go on as after `save`."""
        self.lengths[:], self.tensions[:], self._expected[:], self._unknown[:] = content


def _not_negative(matrix: Array, wanted: Array) -> Array:
    """Solve for x ≥ 0: matrix · x = wanted where x > 0, and matrix · x ≥ wanted where x = 0.

    Args:
        matrix: (n, n) symmetric, positive definite.
        wanted: (n,).

    Returns:
        (n,); NaN if not all numbers are finite: `World.measure` then tells the divergence.
    """
    if not (np.isfinite(matrix).all() and np.isfinite(wanted).all()):
        return np.full(len(wanted), np.nan)
    factor = np.linalg.cholesky(matrix)
    half = np.linalg.solve(factor, wanted)
    free = np.linalg.solve(factor.T, half)
    if (free >= 0.0).all():
        return free
    return np.asarray(nnls(factor.T, half)[0])
