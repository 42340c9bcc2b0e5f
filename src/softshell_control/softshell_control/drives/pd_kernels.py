"""The compiled loops of `pd.py`, over matrices whose rows are named here."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from softshell_kinematics.arrays import Array

#: Part of the speed limit up to which a motor without a torque–speed line has its whole effort;
#: from there to the limit it falls to nothing.
KNEE = 0.5
#: Time constant with which new gains take effect [s].
BLEND_TIME = 0.05

#: Rows of the (rows, driven) matrix; from JOINT_STATE on they are state.
(
    KP, KD, KI, MULTIPLIER, OFFSET, SHARE, HALF_GAP, VISCOUS, DRY, EFFORT,
    GRIP, GRIP_DAMPING, HELD, INTEGRAL, BLEND, OLD_KP, OLD_KD,
) = range(17)  # fmt: skip
JOINT_STATE = GRIP
#: Rows of the state from here on are those of the control.
CONTROL_STATE = INTEGRAL
#: Rows of the (rows, motors) matrix; from MOTOR_STATE on they are state.
(
    MOST, FASTEST, STALL, NO_LOAD, LOSS, COOLING, AMBIENT, DERATE_FROM, HOTTEST, COUNT,
    PLACE, PACE, GOAL_PACE, STIFFNESS, LEFT, GIVEN,
    FEED_FORWARD, MODE, REFERENCE, TEMPERATURE,
) = range(20)  # fmt: skip
MOTOR_STATE = FEED_FORWARD

#: Values of `Mode` as the loops compare them.
OFF, FORCE, PID, VELOCITY = 0.0, 1.0, 2.0, 3.0


@njit(cache=True)
def want(
    position: Array,
    velocity: Array,
    target_position: Array,
    target_velocity: Array,
    joints: Array,
    motors: Array,
    source: NDArray[np.int64],
    step: float,
    ahead: float,
    released: bool,
    blends: bool,
) -> None:
    """Write what each joint's spring, damper, integral and feed-forward ask for, into EFFORT.

    Args:
        position, velocity, target_position, target_velocity: (driven,) [rad] or [m], [rad/s] or
            [m/s].
        joints, motors: (rows, driven) and (rows, motors) matrices of this module.
        source: (driven,) number of the motor that moves each joint.
        step: time until the next call [s].
        ahead: time by which the position is extrapolated [s].
        released: whether all motors give way.
        blends: whether the gains have just changed.
    """
    _average(position, velocity, target_velocity, joints, motors, source)
    for motor in range(motors.shape[1]):
        if motors[MODE, motor] == VELOCITY and not released:
            _move_reference(motors, motor, step)
    fading = math.exp(-step / BLEND_TIME)
    for joint in range(len(position)):
        motor, m = source[joint], joints[MULTIPLIER, joint]
        mode = OFF if released else motors[MODE, motor]
        goal, pace = target_position[joint], target_velocity[joint]
        if mode == VELOCITY:
            goal = m * motors[REFERENCE, motor] + joints[OFFSET, joint]
        elif mode != PID:
            # The joints of a mechanism pull each other to where they are on average.
            goal = m * motors[PLACE, motor] + joints[OFFSET, joint]
            pace = m * motors[PACE, motor]
        wanted = joints[KP, joint] * (goal - position[joint] - ahead * velocity[joint])
        wanted += joints[KD, joint] * (pace - velocity[joint])
        if mode >= PID:
            wanted += joints[INTEGRAL, joint]
            wanted += motors[FEED_FORWARD, motor] * m * joints[SHARE, joint]
            if blends:
                error = goal - position[joint] - ahead * velocity[joint]
                joints[BLEND, joint] += (joints[OLD_KP, joint] - joints[KP, joint]) * error
                error = pace - velocity[joint]
                joints[BLEND, joint] += (joints[OLD_KD, joint] - joints[KD, joint]) * error
            wanted += joints[BLEND, joint]
            joints[BLEND, joint] *= fading
            # Backlash: a rotor without inertia is at once at the end of the gap that it pushes at.
            slack = joints[KP, joint] * joints[HALF_GAP, joint]
            wanted = max(wanted - slack, min(wanted + slack, 0.0))
        joints[EFFORT, joint] = wanted


@njit(cache=True)
def _average(
    position: Array,
    velocity: Array,
    target_velocity: Array,
    joints: Array,
    motors: Array,
    source: NDArray[np.int64],
) -> None:
    """Write where each motor is by its joints, its speed and target speed, and Σ kp m²."""
    motors[PLACE : STIFFNESS + 1] = 0.0
    for joint in range(len(position)):
        motor, m = source[joint], joints[MULTIPLIER, joint]
        # A mechanism without stiffness still has one coordinate: then all joints count alike.
        weight = max(joints[KP, joint], 1e-12) * m
        motors[PLACE, motor] += weight * (position[joint] - joints[OFFSET, joint])
        motors[PACE, motor] += weight * velocity[joint]
        motors[GOAL_PACE, motor] += weight * target_velocity[joint]
        motors[STIFFNESS, motor] += weight * m
    for motor in range(motors.shape[1]):
        stiffness = motors[STIFFNESS, motor]
        for row in range(PLACE, STIFFNESS):
            motors[row, motor] = motors[row, motor] / stiffness if stiffness > 0.0 else 0.0


@njit(cache=True)
def _move_reference(motors: Array, motor: int, step: float) -> None:
    """Move the position to which a motor is locked, no further away than its effort pulls."""
    place = motors[PLACE, motor]
    reach = motors[MOST, motor] / max(motors[STIFFNESS, motor], 1e-12)
    reference = motors[REFERENCE, motor]
    if math.isnan(reference):
        reference = place
    reference += motors[GOAL_PACE, motor] * step
    motors[REFERENCE, motor] = min(max(reference, place - reach), place + reach)


@njit(cache=True)
def effort_range(motors: Array, motor: int, wanted: float) -> tuple[float, float]:
    """Lowest and highest effort of a motor at its present speed and temperature [N m] or [N].

    Args:
        motors: (rows, motors) matrix of this module.
        motor: column of the motor.
        wanted: effort that is wanted of it, whose direction counts [N m] or [N].
    """
    most, pace = motors[MOST, motor], motors[PACE, motor]
    if motors[LOSS, motor] > 0.0:
        hot, hottest = motors[DERATE_FROM, motor], motors[HOTTEST, motor]
        most *= min(max((hottest - motors[TEMPERATURE, motor]) / (hottest - hot), 0.0), 1.0)
    stall = motors[STALL, motor]
    if stall < math.inf:
        part = pace / motors[NO_LOAD, motor]
        return (
            max(min(-stall * (1.0 + part), most), -most),
            min(max(stall * (1.0 - part), -most), most),
        )
    if wanted * pace > 0.0:
        most *= min(max((1.0 - abs(pace) / motors[FASTEST, motor]) / (1.0 - KNEE), 0.0), 1.0)
    return -most, most


@njit(cache=True)
def give(
    position: Array,
    velocity: Array,
    target_position: Array,
    joints: Array,
    motors: Array,
    source: NDArray[np.int64],
    step: float,
    released: bool,
) -> None:
    """Turn what the joints want, in EFFORT, into what they get.

    Args:
        position, velocity, target_position: (driven,) [rad] or [m], [rad/s] or [m/s].
        joints, motors, source: as of `want`.
        step: time until the next call [s].
        released: whether all motors give way.
    """
    motors[GIVEN] = 0.0
    for joint in range(len(position)):
        motors[GIVEN, source[joint]] += joints[MULTIPLIER, joint] * joints[EFFORT, joint]
    for motor in range(motors.shape[1]):
        wanted = asked = motors[GIVEN, motor]
        mode = OFF if released else motors[MODE, motor]
        if mode == FORCE:
            asked = motors[FEED_FORWARD, motor]
        low, high = (0.0, 0.0) if mode == OFF else effort_range(motors, motor, asked)
        given = min(max(asked, low), high)
        motors[GIVEN, motor] = given
        # What each joint gets in addition, per stiffness and multiplier.
        stiffness = motors[STIFFNESS, motor]
        motors[LEFT, motor] = (given - wanted) / stiffness if stiffness > 0.0 else 0.0
        if motors[LOSS, motor] > 0.0:
            end = motors[AMBIENT, motor] + motors[LOSS, motor] * given * given
            warm = motors[TEMPERATURE, motor] - end
            motors[TEMPERATURE, motor] = end + warm * motors[COOLING, motor]
    for joint in range(len(position)):
        motor, m = source[joint], joints[MULTIPLIER, joint]
        more = motors[LEFT, motor] * m
        if joints[KI, joint] > 0.0 and not released and motors[MODE, motor] == PID:
            _integrate(joints, motors, joint, motor, target_position[joint] - position[joint],
                       more, step)  # fmt: skip
        if motors[COUNT, motor] == 1.0 and m == 1.0:
            # The same without rounding, however large the error of the joint.
            joints[EFFORT, joint] = motors[GIVEN, motor]
        else:
            joints[EFFORT, joint] += more * max(joints[KP, joint], 1e-12)
        joints[EFFORT, joint] -= joints[VISCOUS, joint] * velocity[joint]


@njit(cache=True)
def _integrate(
    joints: Array, motors: Array, joint: int, motor: int, error: float, more: float, step: float
) -> None:
    """Add an error to the integral, which stays within the motor's largest effort.

    While the motor gives less than is wanted, an error that would make it want still more does not
    count (anti-windup).
    """
    gap = joints[HALF_GAP, joint]
    error = max(error - gap, min(error + gap, 0.0))
    if error * more < 0.0:
        return
    most = motors[MOST, motor] * abs(joints[MULTIPLIER, joint]) * joints[SHARE, joint]
    integral = joints[INTEGRAL, joint] + joints[KI, joint] * error * step
    joints[INTEGRAL, joint] = min(max(integral, -most), most)


@njit(cache=True)
def resist(
    velocity: Array,
    joints: Array,
    motors: Array,
    source: NDArray[np.int64],
    step: float,
    released: bool,
) -> None:
    """Take dry friction from EFFORT, by a bristle in each joint that bends until it slips.

    The bristle bends with the joint and resists it with a growing force, up to the dry friction,
    at which it slips. Below that it is a spring, which keeps the joint in place for ever: of the
    models with one state this one does not drift (Dupont et al., "Single state elastoplastic
    friction models", 2002, with the breakaway at the dry friction itself). A damper beside it adds
    the damping that control and viscous friction lack.

    Args:
        velocity: (driven,) [rad/s] or [m/s].
        joints, motors, source: as of `want`.
        step: since the last call [s].
        released: whether all motors give way.
    """
    for joint in range(len(velocity)):
        most, speed = joints[DRY, joint], velocity[joint]
        if most > 0.0:
            held = joints[HELD, joint] + joints[GRIP, joint] * step * speed
            held = min(max(held, -most), most)
            joints[HELD, joint] = held
            braked = held + _calming(joints, motors, joint, source[joint], released) * speed
            joints[EFFORT, joint] -= min(max(braked, -most), most)


@njit(cache=True)
def _calming(joints: Array, motors: Array, joint: int, motor: int, released: bool) -> float:
    """Damping of a bristle: what other damping leaves of GRIP_DAMPING, which a step can bear."""
    whole = joints[GRIP_DAMPING, joint]
    damping = whole - joints[VISCOUS, joint]
    if motors[MODE, motor] >= PID and not released:
        damping -= joints[KD, joint]
    elif motors[COUNT, motor] > 1.0:
        # The joints of a mechanism are damped against each other alone.
        damping = max(damping - joints[KD, joint], whole / 3.0)
    return float(max(damping, 0.0))


@njit(cache=True)
def want_and_give(
    position: Array,
    velocity: Array,
    target_position: Array,
    target_velocity: Array,
    joints: Array,
    motors: Array,
    source: NDArray[np.int64],
    step: float,
    released: bool,
    blends: bool,
) -> None:
    """Call `want`, `give` and `resist`, for the explicit form.

    Args:
        position, velocity, target_position, target_velocity: (driven,) [rad] or [m], [rad/s] or
            [m/s].
        joints, motors: (rows, driven) and (rows, motors) matrices of this module; EFFORT and the
            rows of state are written.
        source: (driven,) number of the motor that moves each joint.
        step: time until the next call [s].
        released, blends: as of `want`.
    """
    want(position, velocity, target_position, target_velocity, joints, motors, source, step,
         0.0, released, blends)  # fmt: skip
    give(position, velocity, target_position, joints, motors, source, step, released)
    resist(velocity, joints, motors, source, step, released)
