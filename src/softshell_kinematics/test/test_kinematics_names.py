"""Errors: messages about unknown names, and the way to another process."""

import copy
import importlib
import pickle

import pytest

from softshell_kinematics.errors import (
    NonFiniteError,
    OutOfRangeError,
    ProblemsError,
    SoftshellError,
    UnknownNameError,
    nearest,
)


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


ERRORS = [
    (SoftshellError, ('no chain',)),
    (UnknownNameError, ('chain', 'amr', ('arm', 'leg'))),
    (OutOfRangeError, ('tolerance', 2.0, '0 to 1')),
    (NonFiniteError, ('tolerance', float('inf'), 'a number')),
    (ProblemsError, ('robot.yaml', ('one', 'two'))),
]
#: Errors of other packages, by module and name, with what they are made of.
ELSEWHERE = [
    ('softshell_actions.performing.robot', 'PerformError', (3, 'no bridge')),
    ('softshell_actions.planning.reach', 'UnreachableError', ('too far',)),
    ('softshell_client.errors', 'RequestRefusedError', ('activate', 'a fault')),
    ('softshell_bringup.processes', 'ProcessDiedError', ('bridge', 'ended', ['error: x'])),
    ('softshell_control.fault', 'FaultError', (1, 'overheated')),
    ('softshell_kinematics_ros.ros.requests', 'RefusalError', (7, 'too large')),
]


def assert_kept(error):
    """Pickled or copied it is the same: its class, its text and all that it holds."""
    error.__notes__ = ['in the second leg']
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error)
        assert (str(other), other.args, vars(other)) == (str(error), error.args, vars(error))


@pytest.mark.parametrize(('kind', 'made_of'), ERRORS)
def test_an_error_reaches_another_process_whole(kind, made_of):
    """Else a pool whose worker raises it would wait for ever."""
    assert_kept(kind(*made_of))


@pytest.mark.parametrize(('module', 'name', 'made_of'), ELSEWHERE)
def test_so_does_an_error_of_another_package(module, name, made_of):
    """Each has arguments of its own, and needs nothing of its own for that."""
    pytest.importorskip(module, reason='kinematics alone', exc_type=ImportError)
    assert_kept(getattr(importlib.import_module(module), name)(*made_of))
