"""Which servos are on a bus, and whether each is as the wiring expects."""

from collections.abc import Iterator, Mapping, Sequence

from softshell_description.model import RobotModel
from softshell_hardware.bus.bus import ServoBus
from softshell_hardware.bus.patience import TRIES, asked
from softshell_hardware.driving.own_settings import setting_problems, settings_of
from softshell_hardware.wiring.units import Motor, Tendon, Wiring


def roll_call(bus: ServoBus, motors: Sequence[Motor], robot: RobotModel) -> Iterator[str]:
    """Ask every servo for its model and its settings.

    Args:
        bus: which they are on.
        motors: the servos that are expected on it.
        robot: whose joints have the ranges and speeds that are needed.

    Yields:
        What is not as expected.
    """
    models: list[Mapping[str, int]] = []
    for place, motor in enumerate(motors):
        # While none has answered, one try with each saves time on a line that is dead.
        tries = TRIES if place == 0 or any(models) else 1
        models.append(asked(bus, motor.id, ['model_number'], tries).values)
    if not any(models) and len(motors) > 1:
        yield (
            f'none of {len(motors)} servos answers; are they supplied, and is their baud rate '
            f'{bus.baud}? ./softshell scan finds them'
        )
        return
    for motor, values in zip(motors, models, strict=True):
        for problem in _problems(bus, motor, values.get('model_number'), robot):
            yield f'{motor.label} {problem}'


def _problems(bus: ServoBus, motor: Motor, model: int | None, robot: RobotModel) -> Iterator[str]:
    expected = motor.model or f'one of family {motor.family.name!r}'
    if model is None:
        yield f'does not answer; expected {expected}'
        return
    found = motor.family.models.get(model)
    if found is None or (motor.model and found.name != motor.model):
        yield f'is {found.name if found else f"model {model}"}; expected {expected}'
        return
    # One by one: long answers are damaged more often.
    values: dict[str, int] = {}
    for name in settings_of(motor):
        values |= asked(bus, motor.id, [name]).values
        if name not in values:
            yield f'does not tell its {name}; expected that of a servo that can be driven'
    if isinstance(motor, Wiring):
        joint = robot.joints[robot.index(motor.name)]
        needed = (joint.lower, joint.upper)
        yield from setting_problems(motor, values, needed, joint.velocity)
    elif isinstance(motor, Tendon):
        needed = robot.channels[motor.name].range
        yield from setting_problems(motor, values, needed)
