"""What a servo keeps without power, and with which it would not do what it is told."""

import math
from collections.abc import Iterator, Mapping, Sequence

from softshell_hardware.families import AX
from softshell_hardware.wiring import ROUNDING, Motor, Tendon, Wiring

#: Part of its joint's speed that a servo must be able to have: limits are rounded.
SLACK = 0.99
#: Level at which a servo answers everything, not only reads, or only pings.
ANSWERS_ALL = 2
#: Bits of the drive mode of X: speeds on the way are times; a goal brings the torque.
BY_TIME, TORQUE_BY_GOAL = 0x04, 0x08


def settings_of(motor: Motor) -> Sequence[str]:
    """The registers that `setting_problems` looks at."""
    if isinstance(motor, Tendon):
        return 'drive_mode', 'current_limit', 'status_return'
    common = ('lowest_position', 'highest_position', 'status_return')
    return common if motor.family is AX else ('drive_mode', 'velocity_limit', *common)


def setting_problems(
    motor: Motor,
    values: Mapping[str, int],
    needed: tuple[float, float] | None = None,
    fastest: float = 0.0,
) -> Iterator[str]:
    """What has to be changed before a servo may be driven.

    Args:
        motor: the servo as it is wired.
        values: of its registers, as far as they are known.
        needed: positions that its joint can be told to go to [rad], or tensions [N] or torques
            [N m] of its channel; None: not known.
        fastest: speed that its joint can be told to have [rad/s].
    """
    level = values.get('status_return', ANSWERS_ALL)
    if level != ANSWERS_ALL:
        yield f'status return level is {level}; expected {ANSWERS_ALL}'
    if values.get('drive_mode', 0) & TORQUE_BY_GOAL:
        yield 'takes its torque back with any goal; expected a drive mode without bit 3'
    if isinstance(motor, Tendon) and needed is not None:
        units = values.get('current_limit', motor.most)
        most = max(abs(motor.units(value)) for value in needed)
        if units < most:
            yield f'takes currents up to {units} by its own limit; its channel needs {most}'
    if not isinstance(motor, Wiring):
        return
    if values.get('drive_mode', 0) & BY_TIME:
        yield 'takes speeds for times; expected a drive mode without bit 2'
    limit = motor.family.speed_unit * values.get('velocity_limit', math.inf)
    if limit < SLACK * fastest:
        yield f'turns at most at {limit:.2f} rad/s by its own limit; its joint at {fastest:.2f}'
    low, high = values.get('lowest_position'), values.get('highest_position')
    if motor.family is AX and high == 0:
        yield 'turns endlessly, without positions; expected angle limits of 0 and 1023'
    elif needed is not None and motor.calibrated and low is not None and high is not None:
        ends = sorted((motor.position(low), motor.position(high)))
        margin = ROUNDING * motor.family.tick
        if needed[0] < ends[0] - margin or needed[1] > ends[1] + margin:
            yield (
                f'goes from {ends[0]:.3f} to {ends[1]:.3f} rad by its own limits; the joint from '
                f'{needed[0]:.3f} to {needed[1]:.3f} rad'
            )
