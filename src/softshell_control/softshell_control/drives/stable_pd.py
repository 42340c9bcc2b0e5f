"""PD control in its implicit form, which no gain makes unstable.

Explicit control takes the springs and dampers at the state where a step begins; stiff ones push
the joints beyond their targets within it. Here they are taken at its end (Tan, Liu and Turk,
"Stable proportional-derivative controllers", 2011, with the spring taken at the end as well):

    τ = kp (θd − θ − h θ̇) + kd (θ̇d − θ̇) − A θ̈,    A = h kd + h² kp,
    θ̈ = (M + A)⁻¹ (kp (θd − θ − h θ̇) + kd (θ̇d − θ̇) + c)

M is the mass matrix of the joints with the base left free, c all other generalised forces on them:
gravity, contacts, friction. c is not known before the step. A running mean of c = M θ̈ − τ of the
steps before is taken, because contact forces jump from step to step.

A motor that cannot give this effort gives what it can, whatever the acceleration is. Its joints
then keep only the part of A that acts between them, A − A m mᵀ A / (mᵀ A m), which is 0 for a
single joint. Which motors these are is found by solving again.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_control.drives import pd_kernels as rows
from softshell_kinematics.arrays import Array

#: Weight of the last step in the running mean of the load c.
LEARNED = 0.05
#: Most solutions in a step, to find the motors that cannot give their effort.
ROUNDS = 4


class StablePd:
    """The implicit form, and what it remembers of earlier steps.

    Args:
        joints, motors: how many there are.
        step: time until the next step [s].

    Attributes:
        step: as given; may be changed between two steps.
        mass: (joints, joints) mass matrix of the joints, all else free to move [kg m^2], [kg m] or
            [kg]; the simulation has to keep it up to date.
    """

    def __init__(self, joints: int, motors: int, step: float) -> None:
        self.mass = np.eye(joints)
        self.step = self._last_step = step
        self._velocity, self._effort, self._load = (np.zeros(joints) for _ in range(3))
        self._added, self._force = np.zeros(joints), np.zeros(joints)
        self._given, self._matrix = np.zeros(motors), np.zeros((joints, joints))
        self._knows = False

    def correct(
        self,
        velocity: Array,
        joints: Array,
        motors: Array,
        source: NDArray[np.int64],
        released: bool,
    ) -> None:
        """Add − A θ̈ to the efforts.

        Args:
            velocity: (joints,) of the joints [rad/s] or [m/s].
            joints, motors: (rows, joints) and (rows, motors) matrices of `pd_kernels`; of the
                first the row EFFORT is written [N m] or [N].
            source: (joints,) number of the motor that moves each joint.
            released: whether all motors give way.
        """
        effort, step = joints[rows.EFFORT], self.step
        if self._knows:
            gained = velocity - self._velocity
            load = self.mass @ (gained / self._last_step) - self._effort
            self._load += LEARNED * (load - self._load)
        wanted, given = effort.copy(), self._given
        _begin(joints, motors, source, step, released, self._added, given)
        for _ in range(ROUNDS):
            _assemble(joints, self._added, given, source, wanted, self.mass, self._load,
                      self._matrix, self._force, effort)  # fmt: skip
            solution = np.linalg.solve(self._matrix, self._force)
            acceleration = np.asarray(solution, dtype=np.float64)
            if not _bound(
                joints, motors, source, acceleration, self._added, given, wanted, effort
            ):
                break

    def applied(self, velocity: Array, effort: Array) -> None:
        """Remember (joints,) speeds before the step [rad/s] or [m/s], and efforts [N m] or [N]."""
        self._velocity[:], self._effort[:] = velocity, effort
        self._knows, self._last_step = True, self.step

    def forget(self) -> None:
        """Forget the last steps."""
        self._knows = False
        self._load[:] = 0.0

    def save(self) -> Any:
        """A copy of the state."""
        arrays = (self.mass, self._velocity, self._effort, self._load)
        return self._knows, self._last_step, [array.copy() for array in arrays]

    def restore(self, content: Any) -> None:
        """Go on from what `save` gave."""
        self._knows, self._last_step, arrays = content
        self.mass[:], self._velocity[:], self._effort[:], self._load[:] = arrays


@njit(cache=True)
def _begin(
    joints: Array,
    motors: Array,
    source: NDArray[np.int64],
    step: float,
    released: bool,
    added: Array,
    given: Array,
) -> None:
    """Write A of each joint, 0 inside its backlash, and efforts of motors without control."""
    for joint in range(len(added)):
        stiff = step * (joints[rows.KD, joint] + step * joints[rows.KP, joint])
        between_teeth = joints[rows.HALF_GAP, joint] > 0.0 and joints[rows.EFFORT, joint] == 0.0
        added[joint] = 0.0 if between_teeth else stiff
    for motor in range(len(given)):
        mode = rows.OFF if released else motors[rows.MODE, motor]
        given[motor] = np.nan
        if mode == rows.OFF:
            given[motor] = 0.0
        elif mode == rows.FORCE:
            low, high = rows.effort_range(motors, motor, motors[rows.FEED_FORWARD, motor])
            given[motor] = min(max(motors[rows.FEED_FORWARD, motor], low), high)


@njit(cache=True)
def _assemble(
    joints: Array,
    added: Array,
    given: Array,
    source: NDArray[np.int64],
    wanted: Array,
    mass: Array,
    load: Array,
    matrix: Array,
    force: Array,
    effort: Array,
) -> None:
    """Write M + A, and efforts and forces at zero acceleration.

    A motor whose effort is given (not NaN) has it whatever the common motion of its joints.
    """
    count, motors = len(added), len(given)
    along, sums = np.zeros(motors), np.zeros(motors)
    for joint in range(count):
        m, motor = joints[rows.MULTIPLIER, joint], source[joint]
        along[motor] += m * added[joint] * m
        sums[motor] += m * wanted[joint]
    matrix[:] = mass
    for joint in range(count):
        motor, push = source[joint], added[joint] * joints[rows.MULTIPLIER, joint]
        matrix[joint, joint] += added[joint]
        effort[joint] = wanted[joint]
        if not np.isnan(given[motor]):
            if along[motor] > 0.0:
                for other in range(count):
                    if source[other] == motor:
                        pull = added[other] * joints[rows.MULTIPLIER, other]
                        matrix[joint, other] -= push * pull / along[motor]
                effort[joint] += push * (given[motor] - sums[motor]) / along[motor]
            else:
                share = joints[rows.MULTIPLIER, joint] * joints[rows.SHARE, joint]
                effort[joint] += share * (given[motor] - sums[motor])
        force[joint] = effort[joint] + load[joint]


@njit(cache=True)
def _bound(
    joints: Array,
    motors: Array,
    source: NDArray[np.int64],
    acceleration: Array,
    added: Array,
    given: Array,
    wanted: Array,
    effort: Array,
) -> bool:
    """Write the efforts and mark motors that cannot give theirs; returns whether any are new."""
    along, common = np.zeros(len(given)), np.zeros(len(given))
    for joint in range(len(added)):
        m, motor = joints[rows.MULTIPLIER, joint], source[joint]
        along[motor] += m * added[joint] * m
        common[motor] += m * added[joint] * acceleration[joint]
    sums = np.zeros(len(given))
    for joint in range(len(added)):
        m, motor = joints[rows.MULTIPLIER, joint], source[joint]
        effort[joint] -= added[joint] * acceleration[joint]
        if not np.isnan(given[motor]) and along[motor] > 0.0:
            effort[joint] += added[joint] * m * common[motor] / along[motor]
        sums[motor] += m * effort[joint]
    more = False
    for motor in range(len(given)):
        if np.isnan(given[motor]):
            low, high = rows.effort_range(motors, motor, sums[motor])
            if sums[motor] < low or sums[motor] > high:
                given[motor] = min(max(sums[motor], low), high)
                more = True
    return more
