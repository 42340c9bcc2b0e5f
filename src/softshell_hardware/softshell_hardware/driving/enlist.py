"""From limp to holding: what is written to servos before they are driven."""

from collections.abc import Iterator, Mapping, Sequence

from softshell_description.model import RobotModel
from softshell_hardware.bus.bus import ServoBus
from softshell_hardware.bus.patience import asked, said
from softshell_hardware.guard.trouble import state_trouble
from softshell_hardware.wiring.units import Motor, Wiring

#: Operating modes of servos that have several: by current, and to a position.
CURRENT, POSITION = 0, 3


def enlist(
    bus: ServoBus,
    motors: Sequence[Motor],
    robot: RobotModel,
    limits: Mapping[int, int],
) -> Iterator[str]:
    """Let some servos hold where they are.

    Args:
        bus: which they are on.
        motors: the servos.
        robot: whose joints' speeds the servos get as limits.
        limits: of what can be written for that, by id.

    Yields:
        A problem for each servo that does not hold.
    """
    for motor in motors:
        for register, value in _preparation(bus, motor, robot, limits.get(motor.id)):
            if value is None:
                yield f'{motor.label}: the value for {register} could not be read'
                break
            answer = said(bus, motor.id, register, value)
            if answer.failure is not None:
                yield f'{motor.label}: {answer.failure.value} when {register} was written'
                break
        else:
            answer = asked(bus, motor.id, bus.family.state)
            if answer.failure is not None:
                yield f'{motor.label}: {answer.failure.value} after it was switched on'
                continue
            trouble = state_trouble(motor.label, answer.values)
            if trouble is not None:
                yield trouble.text


def _preparation(
    bus: ServoBus, motor: Motor, robot: RobotModel, most: int | None
) -> Iterator[tuple[str, int | None]]:
    """Registers and values in the order in which they are written; None: it was not read."""
    family = bus.family
    mode = POSITION if isinstance(motor, Wiring) else CURRENT
    if 'operating_mode' in family.registers:
        found = asked(bus, motor.id, ['operating_mode']).values.get('operating_mode')
        if found != mode:
            yield 'torque_enable', 0
            yield 'operating_mode', mode
        yield 'bus_watchdog', 0
    # An AX that has shut down has set its torque limit to 0, and another program may have left an
    # X a low one: each gets the one it keeps.
    limit, kept = family.limit
    yield limit, asked(bus, motor.id, [kept]).values.get(kept)
    if isinstance(motor, Wiring):
        if 'profile_acceleration' in family.registers:
            yield 'profile_acceleration', 0  # no limit: a joint that speeds up slowly lags behind
        speed = 'moving_speed' if family.protocol == 1 else 'profile_velocity'
        rate = robot.joints[robot.index(motor.name)].velocity
        yield speed, motor.pace(rate, 0.0, most)
        # The goal comes before the torque, and is where the servo is now: it may have sunk while
        # others were switched on.
        present = asked(bus, motor.id, ['present_position'])
        yield 'goal_position', present.values.get('present_position')
        yield 'torque_enable', 1
    else:
        # What it holds stays held; else a change of the mode may have set the largest current.
        torque = asked(bus, motor.id, ['torque_enable']).values.get('torque_enable')
        if torque is None:
            yield 'torque_enable', None
        elif not torque:
            yield 'goal_current', 0
        yield 'torque_enable', 1
    yield 'led', 1
