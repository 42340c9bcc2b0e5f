"""Messages about unknown names."""

import pytest

from softshell_kinematics.errors import UnknownNameError, nearest


def test_a_long_name_is_not_repeated_whole():
    """The message stays one that can be read; the name itself is kept."""
    error = UnknownNameError('chain', 'x' * 5000, ['arm'])
    assert str(error) == f"unknown chain '{'x' * 80}...'; known: arm"
    assert error.name == 'x' * 5000


@pytest.mark.parametrize(
    ('name', 'known', 'meant'),
    [
        ('distnace', ['direction', 'distance', 'height'], 'distance'),
        ('distance', ['height', 'period'], None),
        ('leg_9', ['leg_0', 'leg_1', 'leg_2'], None),
        ('leg_9', ['leg_0', 'leg_0'], 'leg_0'),
        ('walk', [], None),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(name, known, meant):
    """If one known name is more like it than all others; all that are known are listed still."""
    assert nearest(name, known) == meant
    hint = '' if meant is None else f'did you mean {meant}? '
    listed = ', '.join(sorted(set(known))) or 'none'
    error = UnknownNameError('part', name, set(known))
    assert str(error) == f'unknown part {name!r}; {hint}known: {listed}'
