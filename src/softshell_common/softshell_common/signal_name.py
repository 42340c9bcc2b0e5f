"""Signals in words; needs no ROS."""

import signal


def signal_name(number: int) -> str:
    """A signal as messages call it, e.g. `SIGKILL`; by its number, `signal 40`, without a name.

    Args:
        number: as the system counts them. Of the real-time signals only two have names.
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f'signal {number}'
