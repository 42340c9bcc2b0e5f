"""What a servo keeps without power, and with which it would not do what it is told."""

from collections.abc import Iterator, Mapping, Sequence

from softshell_hardware.families import AX, Family
from softshell_hardware.wiring import ROUNDING, Motor, Wiring

#: Level at which a servo answers everything, not only reads, or only pings.
ANSWERS_ALL = 2
#: Bit of the drive mode of X with which speeds on the way are times.
BY_TIME = 0x04


def settings_of(family: Family) -> Sequence[str]:
    """The registers that `setting_problems` looks at."""
    common = ('lowest_position', 'highest_position', 'status_return')
    return common if family is AX else ('drive_mode', *common)


def setting_problems(
    motor: Motor,
    values: Mapping[str, int],
    needed: tuple[float, float] | None = None,
) -> Iterator[str]:
    """What has to be changed before a servo may be driven.

    Args:
        motor: the servo as it is wired.
        values: of its registers, as far as they are known.
        needed: positions that its joint can be told to go to [rad]; None: not known.
    """
    level = values.get('status_return', ANSWERS_ALL)
    if level != ANSWERS_ALL:
        yield f'status return level is {level}; expected {ANSWERS_ALL}'
    if not isinstance(motor, Wiring):
        return
    if values.get('drive_mode', 0) & BY_TIME:
        yield 'takes speeds for times; expected a drive mode without bit 2'
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
