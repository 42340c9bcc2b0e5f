"""The desk: one visitor drives, others watch; refusals say why."""

import pytest
from dashboard_rig import HOLD

from softshell_dashboard.messages import read_message
from softshell_dashboard.seats import SILENCE
from softshell_kinematics.errors import SoftshellError
from softshell_teleop.commands import Twist

FORWARD = '{"type": "hold", "commands": ["forward"]}'


def ask(desk, visitor, text):
    desk.heed(visitor, read_message(text))


def test_the_first_who_comes_drives_and_the_second_watches(desk, robot):
    first, second = desk.join(), desk.join()
    ask(desk, first, FORWARD)
    assert len(robot.named('drive')) == 1
    with pytest.raises(SoftshellError, match='visitor 1 drives, and you watch: take over first'):
        ask(desk, second, FORWARD)
    assert desk.state(second)['drives'] is False


def test_taking_over_stops_what_the_other_drove(desk, robot):
    first, second = desk.join(), desk.join()
    ask(desk, first, FORWARD)
    ask(desk, second, '{"type": "take"}')
    assert robot.named('drive')[-1] == Twist()
    assert desk.seats.driver is second
    with pytest.raises(SoftshellError, match='visitor 2 drives'):
        ask(desk, first, FORWARD)


def test_when_the_driver_leaves_the_robot_stops_and_nobody_drives(desk, robot):
    first, second = desk.join(), desk.join()
    ask(desk, first, FORWARD)
    desk.leave(first)
    assert robot.named('drive')[-1] == Twist()
    assert desk.seats.driver is None
    with pytest.raises(SoftshellError, match='nobody drives'):
        ask(desk, second, FORWARD)


def test_a_new_visitor_drives_at_once_only_if_there_is_no_other(desk):
    """So a driver who reloads the page has to take over again while others watch."""
    first, second = desk.join(), desk.join()
    desk.leave(first)
    third = desk.join()
    assert desk.seats.driver is None
    desk.leave(second)
    desk.leave(third)
    fourth = desk.join()
    assert desk.seats.driver is fourth


def test_commands_to_fingers_are_logged(desk, robot):
    first = desk.join()
    desk.step()
    desk.heed(first, read_message('{"type": "fingers", "values": {"close_0": 1e300}}'))
    assert robot.named('command_fingers') == [{'close_0': 1e300}]
    assert [one['text'] for one in desk._journal.since(0)][-1] == 'fingers: close_0 1e+300'


def test_keys_that_are_not_repeated_are_released(desk, robot, clock):
    first = desk.join()
    ask(desk, first, FORWARD)
    clock.now = HOLD + 0.01
    desk.step()
    assert robot.named('drive')[-1] == Twist()


def test_a_silent_visitor_is_removed(desk, clock):
    first = desk.join()
    clock.now = SILENCE + 0.1
    desk.step()
    assert desk.seats.driver is None
    with pytest.raises(SoftshellError, match='silent'):
        ask(desk, first, FORWARD)


def test_a_visitor_who_watches_may_stop_but_not_reset(desk, robot):
    first, second = desk.join(), desk.join()
    ask(desk, first, FORWARD)
    ask(desk, second, '{"type": "bridge", "request": "emergency_stop"}')
    assert robot.named('ask_bridge') == ['emergency_stop']
    assert robot.named('drive')[-1] == Twist()
    with pytest.raises(SoftshellError, match='you watch'):
        ask(desk, second, '{"type": "bridge", "request": "reset"}')


def test_keys_do_what_they_do_on_the_keyboard(desk, robot):
    first = desk.join()
    ask(desk, first, '{"type": "key", "key": "u"}')
    assert robot.named('set_posture')[0].z == pytest.approx(0.105)
    ask(desk, first, '{"type": "key", "key": "g"}')
    assert robot.named('set_gait') == ['wave']
    ask(desk, first, '{"type": "key", "key": "b"}')
    assert robot.named('perform') == ['close']
    ask(desk, first, '{"type": "key", "key": "+"}')
    assert desk.state(first)['speed'] == pytest.approx(1.25)
    ask(desk, first, FORWARD)
    ask(desk, first, '{"type": "key", "key": "space"}')
    assert robot.named('drive')[-1] == Twist()
    assert ('cancel_action',) in robot.asked
    ask(desk, first, '{"type": "key", "key": "backspace"}')
    assert ('emergency_stop',) in robot.asked


@pytest.mark.parametrize(
    'text',
    [
        '{"type": "key", "key": "space"}',
        '{"type": "key", "key": "backspace"}',
        '{"type": "key", "key": "b"}',
        '{"type": "cancel"}',
        '{"type": "perform", "action": "walk"}',
        '{"type": "bridge", "request": "emergency_stop"}',
    ],
)
def test_what_stops_or_begins_an_action_ends_a_held_key(desk, robot, clock, text):
    """Although the page repeats the key, until the person has let it go."""
    first = desk.join()
    ask(desk, first, FORWARD)
    ask(desk, first, text)
    sent = len(robot.named('drive'))
    for _ in range(10):
        clock.now += 0.1
        ask(desk, first, FORWARD)
        desk.step()
    assert robot.named('drive')[-1] == Twist()
    assert len(robot.named('drive')) == sent
    ask(desk, first, '{"type": "hold"}')
    ask(desk, first, FORWARD)
    assert robot.named('drive')[-1].forward > 0.0


@pytest.mark.parametrize('text', ['{"type": "perform", "action": "walk"}', '{"type": "cancel"}'])
@pytest.mark.parametrize(('key', 'done'), [('space', 'cancel_action'), ('b', 'perform')])
def test_a_key_that_is_pressed_again_after_a_click_counts_however_soon(
    desk, robot, clock, text, key, done
):
    """Without the click it is a repeat of a key that is held."""
    first, again = desk.join(), f'{{"type": "key", "key": "{key}"}}'
    ask(desk, first, again)
    clock.now += 0.1
    ask(desk, first, again)
    assert [name for name, *_ in robot.asked].count(done) == 1
    clock.now += 0.1
    ask(desk, first, text)
    robot.asked.clear()
    clock.now += 0.1
    ask(desk, first, again)
    assert [name for name, *_ in robot.asked].count(done) == 1


def test_the_gait_of_a_robot_that_has_gone_is_forgotten(desk, robot):
    """The next one walks by its own, and the key for the next gait goes on from that."""
    first, offer = desk.join(), robot.offered
    ask(desk, first, '{"type": "gait", "name": "wave"}')
    desk.step()
    assert desk.state(first)['gait'] == 'wave'
    for robot.offered in (None, offer):
        desk.step()
    assert desk.state(first)['gait'] == ''
    ask(desk, first, '{"type": "key", "key": "g"}')
    assert robot.named('set_gait') == ['wave', 'wave']


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('{"type": "key", "key": "w"}', 'key w is a drive key, which is to be held'),
        ('{"type": "key", "key": "f9"}', 'key f9 is not in the key map'),
        ('{"type": "key", "key": "i"}', 'this robot has no such action'),
        ('{"type": "gait", "name": "gallop"}', 'gait'),
        ('{"type": "perform", "action": "dance"}', 'dance'),
        ('{"type": "perform", "action": "walk", "parameters": {"queue": 1}}', 'queue'),
        ('{"type": "hold", "commands": ["raise"]}', 'raise'),
    ],
)
def test_a_wrong_command_is_refused_and_nothing_moves(desk, robot, text, said):
    first = desk.join()
    with pytest.raises(SoftshellError, match=said):
        ask(desk, first, text)
    assert not robot.asked


def test_without_a_robot_everything_is_refused(desk, robot):
    robot.offered = None
    first = desk.join()
    for text in (
        '{"type": "perform", "action": "walk"}',
        '{"type": "gait", "name": "tripod"}',
        '{"type": "pose", "z": 0.1, "roll": 0, "pitch": 0}',
    ):
        with pytest.raises(SoftshellError, match='no robot answers; is the stack running'):
            ask(desk, first, text)


def test_valid_commands_are_handed_to_the_robot(desk, robot):
    first = desk.join()
    ask(desk, first, '{"type": "pose", "z": 0.12, "roll": 0.1, "pitch": 0}')
    assert robot.named('set_posture')[0].roll == 0.1
    ask(desk, first, '{"type": "perform", "action": "walk", "parameters": {"distance": 0.5}}')
    assert robot.named('perform') == [['walk', {'distance': 0.5}, False]]
    ask(desk, first, '{"type": "fingers", "values": {"a": 2}}')
    assert robot.named('command_fingers') == [{'a': 2.0}]
    ask(desk, first, '{"type": "remove", "body": "ball"}')
    assert robot.named('remove') == ['ball']
    ask(desk, first, '{"type": "cancel"}')
    ask(desk, first, '{"type": "view", "follow": false, "contacts": true}')
    assert desk.view.contacts
    ask(desk, first, '{"type": "leave"}')
    assert desk.seats.driver is None
