"""PD control in its implicit form, which no gain makes unstable.

Explicit control takes the springs and dampers at the state where a step begins; stiff ones push
the joints beyond their targets within it. Here they are taken at its end (Tan, Liu and Turk,
"Stable proportional-derivative controllers", 2011, with the spring taken at the end as well):

    τ = kp (θd − θ − h θ̇) + kd (θ̇d − θ̇) − A θ̈,    A = h kd + h² kp,
    θ̈ = (M + A)⁻¹ (kp (θd − θ − h θ̇) + kd (θ̇d − θ̇) + c)

M is the mass matrix of the joints with the base left free, c all other generalised forces on them:
gravity, contacts, friction. As c nobody knows before the step, that of the step before is taken:
c = M θ̈ − τ as it came out. In the stiff limit, with a part s (0 to 1) of each joint's mobility
left by contacts, v and u = h τ / M go by u' = −v + (1 − 2 s) u, v' = v + s u: stable for every s.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_control import pd_kernels as rows
from softshell_kinematics.arrays import Array


class StablePd:
    """What the implicit form needs to know and remember.

    Args:
        joints: number of joints.
        step: time between two steps [s].

    Attributes:
        mass: (joints, joints) mass matrix of the joints, all else free to move; whoever knows it
            keeps it up to date [kg m^2], [kg m] or [kg].
    """

    def __init__(self, joints: int, step: float) -> None:
        self.mass = np.eye(joints)
        self._step = step
        self._velocity, self._effort, self._added = (np.zeros(joints) for _ in range(3))
        self._knows = False

    def correct(
        self,
        velocity: Array,
        joints: Array,
        motors: Array,
        source: NDArray[np.int64],
        released: bool,
    ) -> None:
        """Take − A θ̈ into the efforts; arguments as those of `pd_kernels.give`."""
        added, effort = self._added, joints[rows.EFFORT]
        _added_inertia(joints, motors, source, self._step, released, added)
        matrix, force = self.mass.copy(), effort.copy()
        matrix.flat[:: len(matrix) + 1] += added
        if self._knows:
            force += self.mass @ ((velocity - self._velocity) / self._step) - self._effort
        effort -= added * np.linalg.solve(matrix, force)

    def applied(self, velocity: Array, effort: Array) -> None:
        """Remember (joints,) speeds before the step, and the efforts during it."""
        self._velocity[:], self._effort[:] = velocity, effort
        self._knows = True

    def forget(self) -> None:
        """Forget the last step."""
        self._knows = False

    def save(self) -> tuple[Array, Array, Array, bool]:
        """The last step and the mass matrix, as a copy."""
        return self.mass.copy(), self._velocity.copy(), self._effort.copy(), self._knows

    def restore(self, content: tuple[Array, Array, Array, bool]) -> None:
        """Go on from what `save` gave."""
        self.mass[:], self._velocity[:], self._effort[:], self._knows = content


@njit(cache=True)
def _added_inertia(
    joints: Array,
    motors: Array,
    source: NDArray[np.int64],
    step: float,
    released: bool,
    added: Array,
) -> None:
    """Write A of each joint: 0 where nothing pulls, at a free motor or between two teeth."""
    for joint in range(len(added)):
        motor = source[joint]
        driven = not released and motors[rows.MODE, motor] >= rows.PID
        between_teeth = joints[rows.HALF_GAP, joint] > 0.0 and joints[rows.EFFORT, joint] == 0.0
        pulls = (driven or motors[rows.COUNT, motor] > 1.0) and not between_teeth
        stiff = step * (joints[rows.KD, joint] + step * joints[rows.KP, joint])
        added[joint] = stiff if pulls else 0.0
