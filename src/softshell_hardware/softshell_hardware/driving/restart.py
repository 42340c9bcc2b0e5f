"""Restarting a servo, by a bridge or while none runs."""

from softshell_hardware.bus.bus import ServoBus
from softshell_hardware.bus.families import FAMILIES
from softshell_hardware.wiring.config import HardwareConfig
from softshell_hardware.wiring.units import Motor
from softshell_kinematics.errors import SoftshellError, UnknownNameError


def restart(config: HardwareConfig, name: str) -> str:
    """Restart the servo of a joint or channel, which clears what it shut down for.

    Returns:
        What was done, for people.

    Raises:
        UnknownNameError: there is no such joint or channel.
        PortError: its port cannot be used, e.g. because a bridge has it.
        SoftshellError: its family does not know how, or it does not answer.
    """
    for motor in config.motors:
        if motor.name == name:
            break
    else:
        raise UnknownNameError('joint or channel', name, [each.name for each in config.motors])
    spec = config.buses[motor.bus]
    family = FAMILIES[spec.family]
    with ServoBus(spec.port, family, spec.baud, spec.latency, spec.slack) as bus:
        return restarted(bus, motor)


def restarted(bus: ServoBus, motor: Motor) -> str:
    """Restart a servo on an open bus.

    Returns:
        What was done, for people.

    Raises:
        SoftshellError: its family does not know how, or it does not answer.
    """
    answer = bus.reboot(motor.id)
    if answer.failure is not None:
        raise SoftshellError(f'{motor.label}: {answer.failure.value}')
    return f'{motor.label} restarts'
