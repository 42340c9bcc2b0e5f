"""Any signal that can end a process has a name for people."""

import signal

import pytest

from softshell_common.signal_name import signal_name


@pytest.mark.parametrize('number', sorted(signal.valid_signals()))
def test_a_signal_without_a_name_is_its_number(number):
    """Those that Python names, and no others, have their names."""
    names = [one.name for one in signal.Signals if one == number]
    assert signal_name(number) == (names[0] if names else f'signal {int(number)}')
