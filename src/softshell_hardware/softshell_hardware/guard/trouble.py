"""What servos say is wrong with them, as reasons."""

from collections.abc import Mapping

from softshell_common.reason import Reason, ReasonCode
from softshell_hardware.bus.families import Family

#: Bits of the error of AX and of the hardware error of X; for these a servo shuts down.
_WORDS = {
    0x01: (ReasonCode.VOLTAGE, 'its supply is out of its range'),
    0x04: (ReasonCode.TEMPERATURE, 'it is too hot, and has shut down'),
    0x08: (ReasonCode.SERVO, 'its encoder fails'),
    0x10: (ReasonCode.SERVO, 'its motor had an electrical shock, or too little power'),
    0x20: (ReasonCode.OVERLOAD, 'it is overloaded, and has shut down'),
}
#: Bits of AX that are about the servo; the others are about the instruction.
_OF_AX = 0x25


def status_trouble(family: Family, label: str, error: int) -> Reason | None:
    """What the error of an answer tells of a servo; None: nothing, or only that there is some."""
    if family.protocol != 1 or not error & _OF_AX:
        return None
    return _reason(label, error & _OF_AX, '')


def state_trouble(label: str, values: Mapping[str, int]) -> Reason | None:
    """What the state of a servo tells while it is to be driven; None: nothing.

    Its LED is lit when it is enlisted, so that a restart shows even where a goal has switched the
    torque on again.
    """
    error = values.get('hardware_error', 0)
    if error:
        return _reason(label, error, '; ./softshell reboot clears that')
    if values.get('bus_watchdog', 0) < 0:
        text = 'heard nothing for longer than its watchdog waits, and has stopped'
        return Reason(ReasonCode.BUS, f'{label} {text}')
    if not values['led']:
        return Reason(ReasonCode.SERVO, f'{label} was restarted, and has lost its torque')
    if not values['torque_enable']:
        return Reason(ReasonCode.SERVO, f'{label} has lost its torque')
    return None


def _reason(label: str, bits: int, advice: str) -> Reason:
    found = [words for bit, words in _WORDS.items() if bits & bit]
    if not found:
        return Reason(ReasonCode.SERVO, f'{label} says: hardware error {bits}{advice}')
    words = ' and '.join(text for _, text in found)
    return Reason(found[0][0], f'{label} says: {words}{advice}')
