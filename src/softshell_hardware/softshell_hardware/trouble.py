"""What servos say is wrong with them, in words."""

from collections.abc import Mapping

from softshell_hardware.families import Family

#: Bits of AX' error, and of X' hardware error, for which it lets go.
_WORDS = {
    0x01: 'its supply is out of its range',
    0x04: 'it is too hot, and has let go',
    0x08: 'its encoder fails',
    0x10: 'its motor had an electrical shock, or too little power',
    0x20: 'it is overloaded, and has let go',
}
#: Those of `_WORDS` that AX has in each answer; the others are about the question.
_OF_AX = 0x25


def status_trouble(family: Family, error: int) -> str:
    """What the error of an answer tells; empty: nothing, or only that there is something."""
    return _words(error & _OF_AX) if family.protocol == 1 else ''


def state_trouble(family: Family, values: Mapping[str, int]) -> str:
    """What a servo's state tells while it is to be driven; empty: nothing.

    Its LED is lit when it is enlisted, so that a restart shows even where a goal has switched the
    torque on again.
    """
    error = values.get('hardware_error', 0)
    if error:
        return f'says: {_words(error)}; ./softshell reboot clears that'
    if values.get('bus_watchdog', 0) < 0:
        return 'heard nothing for longer than its watchdog waits, and has stopped'
    if not values['led']:
        return 'was restarted, and has lost its torque'
    if not values['torque_enable']:
        return 'has lost its torque'
    return ''


def _words(bits: int) -> str:
    found = [words for bit, words in _WORDS.items() if bits & bit]
    return ' and '.join(found) if found or not bits else f'hardware error {bits}'
