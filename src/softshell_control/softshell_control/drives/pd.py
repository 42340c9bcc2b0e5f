"""PID control of joints by motors that are limited in effort, and in effort by speed.

A motor moves a mechanism: one joint, or a joint together with all that mimic it. The joints of a
mechanism share one coordinate q, the position of the motor, by θ_i = m_i q + offset_i. Each joint
hangs on the motor like on a spring and damper of its own:

    τ_i = kp_i (θd_i − θ_i) + kd_i (θ̇d_i − θ̇_i) + ki_i ∫(θd_i − θ_i) dt + τ_ff m_i / Σ m²

For this the motor would have to give the generalised force S = Σ m_i τ_i. It gives S', which its
effort, speed and temperature limit. The difference moves the motor away from its target, and with
it all joints of the mechanism alike: joint i gets c kp_i m_i in addition, with
c = (S' − S) / Σ kp_i m_i². Then Σ m_i τ_i = S', and loads between the joints, which the mechanism
carries and no motor feels, stay as they are. With equal gains this is m_i (S' − S) / Σ m_i². A
mechanism of one joint gets S'. A motor that gives way has S' = 0: a single joint is free, the
joints of a mechanism still go together.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softshell_control.backend import Measured
from softshell_control.drives import pd_kernels as rows
from softshell_control.drives.command_delay import CommandDelay
from softshell_control.drives.motors import Mode, Motors
from softshell_control.drives.stable_pd import StablePd
from softshell_control.joint_map import JointMap
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError


class Drives:
    """Motors with PID control, and the efforts that they put on the joints that they drive.

    `driven` counts these joints, as in `JointMap`: elastic ones are none of them.

    The efforts contain dry friction once `set_grip` has set how stiffly it holds. They do not
    contain rotor inertia: the simulation of the joints adds it.

    Args:
        motors: what the motors can do.
        source: (driven,) the motor that moves each joint.
        multiplier: (driven,) m_i: change of the joint's position with the motor's.
        offset: (driven,) position of the joint where the motor's is 0 [rad] or [m].
        step: time until the next call of `compute` or `release` [s]; see `set_step`.

    Attributes:
        step: the present one [s].
        kp, kd, ki: (driven,) gains [N m/rad] or [N/m], [N m s/rad] or [N s/m], [N m/(rad s)] or
            [N/(m s)]; zero at first. `set_gains` changes them while the joints move.
        viscous: (driven,) coefficient of viscous friction, by the motors [N m s/rad] or [N s/m].
        dry: (driven,) dry friction, by the motors [N m] or [N].
        effort: (driven,) on every joint, with friction, as last computed [N m] or [N].
        motor_effort: (motors,) of every motor, S' above [N m] or [N]. The power of the motors is
            the sum of this times the speeds of the independent joints; without friction the sum of
            `effort` times speed over all joints gives the same power as long as the mechanisms'
            joints move alike.
        temperature: (motors,) [°C]; NaN: not modelled.
        stable: the implicit form of the control; None: explicit.

    Raises:
        SoftshellError: a motor moves no joint.
    """

    _runs: bool
    _blends: bool

    def __init__(
        self,
        motors: Motors,
        source: NDArray[np.int64] | Sequence[int],
        multiplier: Array,
        offset: Array,
        step: float,
    ) -> None:
        self.motors, self.step = motors, step
        self.source = np.array(source, dtype=np.int64)
        self.multiplier = multiplier.copy()
        joints, count = len(self.source), len(motors.effort)
        joints_of = np.bincount(self.source, minlength=count)
        if len(joints_of) != count or not joints_of.all():
            raise SoftshellError(
                f'{joints} joints are moved by motors {sorted(set(self.source.tolist()))}; '
                f'expected each of 0 to {count - 1} to move one or more'
            )
        self._joints = _joint_rows(motors, self.source, multiplier, offset)
        self._motors = _motor_rows(motors, step)
        self._motors[rows.COUNT] = joints_of
        self._warms = bool(self._motors[rows.LOSS].any())
        self.kp, self.kd, self.ki = self._joints[: rows.KI + 1]
        self.viscous, self.dry = self._joints[rows.VISCOUS], self._joints[rows.DRY]
        self.effort = self._joints[rows.EFFORT]
        self.motor_effort = self._motors[rows.GIVEN]
        self.temperature = self._motors[rows.TEMPERATURE]
        self.stable: StablePd | None = None
        late = motors.delay[self.source]
        self._delay = CommandDelay(late, step) if late.any() else None
        self.forget()

    @classmethod
    def of(cls, robot: RobotModel, joint_map: JointMap, step: float) -> 'Drives':
        """The drives of a robot, in the order of a joint map; gains are still zero."""
        return cls(
            Motors.of(robot), joint_map.source, joint_map.multiplier, joint_map.offset, step
        )

    @property
    def derating(self) -> Array | None:
        """(motors,) part of the effort that the temperature leaves; None: not modelled."""
        if not self._warms:
            return None
        m = self._motors
        warm = np.isfinite(m[rows.HOTTEST])
        part = np.ones(len(warm))
        hottest = m[rows.HOTTEST, warm]
        over = (hottest - m[rows.TEMPERATURE, warm]) / (hottest - m[rows.DERATE_FROM, warm])
        part[warm] = np.clip(over, 0.0, 1.0)
        return part

    def tell_heat(self, measured: Measured) -> None:
        """Write temperatures and derating of the motors, if any are modelled."""
        derating = self.derating
        if derating is not None:
            measured.temperature = self.temperature[self.source]
            measured.derating = np.ones(len(measured.channels))
            measured.derating[: len(derating)] = derating

    def set_step(self, step: float) -> None:
        """Change the time between two calls, from the next one on [s]; the state stays."""
        if step == self.step:
            return
        self.step = step
        _cool(self._motors, self.motors, step)
        if self._delay is not None:
            self._delay.set_step(step)
        if self.stable is not None:
            self.stable.step = step

    def set_gains(self, kp: Array, kd: Array, ki: Array) -> None:
        """Take other gains, (driven,) each; the efforts do not jump.

        The jump that the new gains would make is subtracted at first, and this correction fades.
        So gains may change before every step.
        """
        joints = self._joints
        if not self._blends:
            joints[rows.OLD_KP], joints[rows.OLD_KD] = self.kp, self.kd
        self.kp[:], self.kd[:], self.ki[:] = kp, kd, ki
        dropped = self.ki == 0.0
        joints[rows.BLEND, dropped] += joints[rows.INTEGRAL, dropped]
        joints[rows.INTEGRAL, dropped] = 0.0
        self._blends = self._runs

    def set_grip(self, stiffness: Array, damping: Array) -> None:
        """Set the spring and damper by which dry friction holds each joint, up to its amount.

        Args:
            stiffness: (driven,) of the spring [N m/rad] or [N/m].
            damping: (driven,) total of control, viscous friction and this damper, unless control
                alone damps more [N m s/rad] or [N s/m].
        """
        self._joints[rows.GRIP], self._joints[rows.GRIP_DAMPING] = stiffness, damping

    def set_mode(self, mode: Sequence[Mode] | NDArray[np.int64]) -> None:
        """Set the mode of each motor, (motors,); at first all are in `Mode.PID`."""
        self._motors[rows.MODE] = [Mode(value) for value in mode]
        self._motors[rows.REFERENCE] = np.nan

    def set_feed_forward(self, effort: Array) -> None:
        """Add (motors,) efforts [N m] or [N] to what the control wants."""
        self._motors[rows.FEED_FORWARD] = effort

    def compute(
        self, position: Array, velocity: Array, target_position: Array, target_velocity: Array
    ) -> None:
        """Write `effort` and `motor_effort`.

        Args:
            position, velocity: (driven,) measured [rad] or [m], [rad/s] or [m/s].
            target_position, target_velocity: (driven,) likewise.
        """
        if self._delay is not None:
            target_position, target_velocity = self._delay.pass_on(
                target_position, target_velocity
            )
        self._compute(position, velocity, target_position, target_velocity, False)
        self._runs, self._blends = True, False

    def release(self, position: Array, velocity: Array) -> None:
        """Write the efforts with which all motors give way.

        `motor_effort` is zero. So is `effort`, except for friction and in mechanisms of several
        joints, which hold their joints together. Integrals and delayed commands are forgotten.

        Args:
            position, velocity: (driven,) measured [rad] or [m], [rad/s] or [m/s].
        """
        if self._runs:
            self._stop()
        self._compute(position, velocity, position, velocity, True)

    def _compute(
        self,
        position: Array,
        velocity: Array,
        target_position: Array,
        target_velocity: Array,
        released: bool,
    ) -> None:
        joints, motors, source, step = self._joints, self._motors, self.source, self.step
        stable, blends = self.stable, self._blends
        if stable is None:
            rows.want_and_give(
                position, velocity, target_position, target_velocity, joints, motors, source,
                step, released, blends,
            )  # fmt: skip
            return
        rows.want(
            position, velocity, target_position, target_velocity, joints, motors, source, step,
            step, released, blends,
        )  # fmt: skip
        stable.correct(velocity, joints, motors, source, released)
        rows.give(position, velocity, target_position, joints, motors, source, step, released)
        stable.applied(velocity, self.effort)  # without dry friction, which counts as a load
        rows.resist(velocity, joints, motors, source, step, released)

    def forget(self) -> None:
        """Begin anew: cold, all motors by PID, no feed-forward, nothing integrated or delayed."""
        m = self._motors
        m[rows.FEED_FORWARD], m[rows.MODE] = 0.0, Mode.PID
        m[rows.TEMPERATURE] = m[rows.AMBIENT]
        self._joints[rows.HELD] = 0.0
        self._stop()

    def _stop(self) -> None:
        self._joints[rows.CONTROL_STATE :] = 0.0
        self._runs = self._blends = False
        self.placed()

    def placed(self) -> None:
        """Forget commands that are delayed, and how joints moved: they were put elsewhere."""
        self._motors[rows.REFERENCE] = np.nan
        if self._delay is not None:
            self._delay.forget()
        if self.stable is not None:
            self.stable.forget()

    def save(self) -> Any:
        """A copy of the state; gains are no part of it."""
        return (
            self._joints[rows.JOINT_STATE :].copy(),
            self._motors[rows.MOTOR_STATE :].copy(),
            (self._runs, self._blends),
            None if self._delay is None else self._delay.save(),
            None if self.stable is None else self.stable.save(),
        )

    def restore(self, content: Any) -> None:
        """Go on from what `save` gave."""
        joints, motors, (self._runs, self._blends), delay, stable = content
        self._joints[rows.JOINT_STATE :] = joints
        self._motors[rows.MOTOR_STATE :] = motors
        if self._delay is not None:
            self._delay.restore(delay)
        if self.stable is not None:
            self.stable.restore(stable)


def _joint_rows(
    motors: Motors, source: NDArray[np.int64], multiplier: Array, offset: Array
) -> Array:
    """The matrix of the joints, gains and state at zero."""
    joints = np.zeros((rows.OLD_KD + 1, len(source)))
    joints[rows.MULTIPLIER], joints[rows.OFFSET] = multiplier, offset
    square = np.bincount(source, multiplier**2, minlength=len(motors.effort))
    joints[rows.SHARE] = 1.0 / np.maximum(square, 1e-300)[source]
    joints[rows.HALF_GAP] = 0.5 * motors.backlash[source] * np.abs(multiplier)
    joints[rows.VISCOUS] = motors.per_joint('viscous_friction', source, multiplier, True)
    joints[rows.DRY] = motors.per_joint('dry_friction', source, multiplier, False)
    return joints


def _motor_rows(motors: Motors, step: float) -> Array:
    """The matrix of the motors, state at zero."""
    matrix = np.zeros((rows.TEMPERATURE + 1, len(motors.effort)))
    for row, name in (
        (rows.MOST, 'effort'),
        (rows.FASTEST, 'velocity'),
        (rows.STALL, 'stall_effort'),
        (rows.NO_LOAD, 'no_load_velocity'),
        (rows.AMBIENT, 'ambient'),
        (rows.DERATE_FROM, 'derate_from'),
        (rows.HOTTEST, 'hottest'),
    ):
        matrix[row] = getattr(motors, name)
    matrix[rows.LOSS] = motors.heat_loss * motors.heat_resistance
    _cool(matrix, motors, step)
    return matrix


def _cool(matrix: Array, motors: Motors, step: float) -> None:
    """Write the part of its excess temperature that a motor keeps in a step [s]."""
    # Exact for an effort that stays as it is during a step.
    matrix[rows.COOLING] = np.exp(-step / (motors.heat_resistance * motors.heat_capacity))
