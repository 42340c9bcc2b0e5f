"""Settings that a servo keeps without power, and with which it would not follow commands."""

import math
from collections.abc import Iterator, Mapping, Sequence

from softshell_hardware.bus.families import AX
from softshell_hardware.wiring.units import ROUNDING, Motor, Tendon, Wiring

#: Part of its joint's speed that a servo must be able to have: limits are rounded.
SLACK = 0.99
#: Status return level at which a servo answers everything, not only reads, or only pings.
ANSWERS_ALL = 2
#: Bits of the drive mode of X: speeds of profiles are times; a goal switches the torque on.
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
        yield 'switches its torque on with any goal; expected a drive mode without bit 3'
    if isinstance(motor, Tendon) and needed is not None:
        units = values.get('current_limit', motor.most)
        most = max(abs(motor.units(value)) for value in needed)
        if units < most:
            yield f'has a current limit of {units}; expected {most} or more, as its channel needs'
    if not isinstance(motor, Wiring):
        return
    if values.get('drive_mode', 0) & BY_TIME:
        yield 'takes speeds as times; expected a drive mode without bit 2'
    limit = motor.family.speed_unit * values.get('velocity_limit', math.inf)
    if limit < SLACK * fastest:
        yield (
            f'has a velocity limit of {limit:.2f} rad/s; expected at least {fastest:.2f} rad/s, '
            'the velocity of its joint'
        )
    low, high = values.get('lowest_position'), values.get('highest_position')
    if motor.family is AX and high == 0:
        yield 'turns endlessly, without positions; expected angle limits of 0 and 1023'
    elif needed is not None and motor.calibrated and low is not None and high is not None:
        ends = sorted((motor.position(low), motor.position(high)))
        margin = ROUNDING * motor.family.tick
        if needed[0] < ends[0] - margin or needed[1] > ends[1] + margin:
            yield (
                f'has angle limits of {ends[0]:.3f} and {ends[1]:.3f} rad; expected at least '
                f'{needed[0]:.3f} to {needed[1]:.3f} rad, the range of its joint'
            )
