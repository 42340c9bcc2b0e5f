"""Damping and friction that the URDF of a robot states, where those of its motors count."""

import warnings
import xml.etree.ElementTree as ElementTree

from softshell_description.model import RobotModel

#: The attributes of `<dynamics>`, and what a motor of `robot.yaml` has instead.
INSTEAD = {'damping': 'viscous_friction', 'friction': 'dry_friction'}


def warn_of_losses(robot: RobotModel, urdf: str) -> None:
    """Warn of losses of joints that are not simulated, as their motors have none in `robot.yaml`.

    Args:
        robot: the robot; joints that no motor moves, as those of soft manipulators, have the
            losses that are stated.
        urdf: text of its URDF.
    """
    motors = {joint.name: robot.motors[joint.motor] for joint in robot.joints}
    motors |= {mimic.name: motors[mimic.source] for mimic in robot.mimics}
    dropped = []
    for element in ElementTree.fromstring(urdf).findall('joint'):
        name, dynamics = element.get('name', ''), element.find('dynamics')
        if dynamics is None or name not in motors:
            continue
        for attribute, entry in INSTEAD.items():
            number = dynamics.get(attribute, '0')
            if _is_loss(number) and not getattr(motors[name], entry):
                dropped.append(f'{attribute} {number} of joint {name!r} ({entry})')
    if dropped:
        warnings.warn(
            f'robot {robot.name!r}: <dynamics> of its URDF does not count: {"; ".join(dropped)}; '
            'expected the entry in brackets at the motor in robot.yaml',
            stacklevel=2,
        )


def _is_loss(number: str) -> bool:
    """Whether an attribute is anything else than 0."""
    try:
        return float(number) != 0.0
    except ValueError:
        return True
