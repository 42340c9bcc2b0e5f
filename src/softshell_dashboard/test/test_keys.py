"""The key map for the page has no keys that the robot cannot obey."""

from dataclasses import replace

from softshell_dashboard.keys import bindings_for
from softshell_teleop.offer import Offer


def test_a_robot_that_walks_has_all_its_keys(keys, robot):
    bound = bindings_for(keys, robot.offered)
    assert bound['held'] == {
        'w': 'forward', 's': 'backward', 'a': 'left', 'd': 'right', 'q': 'turn_left',
        'e': 'turn_right',
    }  # fmt: skip
    assert bound['pressed']['u'] == 'raise'
    assert bound['pressed']['b'] == 'close'
    assert 'i' not in bound['pressed']  # it has no action idle
    assert bound['names']['arrowup'] == 'up'


def test_a_robot_that_does_not_walk_has_no_drive_keys(keys, robot):
    bound = bindings_for(keys, replace(robot.offered, walks=False, poses=False))
    assert not bound['held']
    assert set(bound['pressed'].values()) == {'stop', 'emergency_stop', 'close'}


def test_before_anything_is_known_all_of_them_are_shown(keys):
    assert bindings_for(keys, None)['held']
    assert bindings_for(keys, None)['pressed']['backspace'] == 'emergency_stop'
    assert not bindings_for(keys, Offer(walks=False))['held']
