"""`./softshell call` and `set` against running nodes: what they print, refuse and change."""

import pytest
from commands_rig import finished

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack

pytestmark = pytest.mark.needs('hardware')


def long(words, said):
    """A case that waits for what there may still be, or is like another."""
    return pytest.param(words, said, marks=pytest.mark.long)


@pytest.fixture(scope='module')
def domain():
    """A domain with an arm of emulated servos, which have a speed."""
    domain = free_domain()
    arguments = {'robot': 'arm', 'bridge': 'hardware', 'wiring': 'emulated'}
    with Stack(arguments, domain=domain) as stack:
        stack.wait_ready()
        yield domain


@pytest.fixture
def softshell(domain, tmp_path):
    """Runs a command; returns its status, and all that it said."""

    def run(words):
        done = finished(words, tmp_path, domain)
        assert 'Traceback' not in done.stderr
        return done.returncode, done.stdout + done.stderr

    return run


def test_the_services_are_listed_with_what_they_take(softshell):
    """Those for a person, not those that each node of ROS has."""
    status, said = softshell('call')
    assert status == 0
    for wanted in ('bridge/emergency_stop', 'bridge/reboot_servo', 'joint (string)', 'solve_ik'):
        assert wanted in said
    assert 'set_parameters' not in said
    assert 'execute_action' not in said


def test_an_emergency_stop_is_called_and_left(softshell):
    """Each by one command; what is refused meanwhile says why, with status 1."""
    assert softshell('call bridge/emergency_stop')[0] == 0
    status, said = softshell('call bridge/activate')
    assert status == 1
    assert 'reset' in said
    assert softshell('call /bridge/reset')[0] == 0
    assert softshell('call bridge/activate')[0] == 0


def test_an_answer_of_more_than_a_message_is_yaml(softshell):
    status, said = softshell('call list_actions')
    assert status == 0
    assert '- name: home' in said


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        long('call bridge/rest', 'did you mean bridge/reset?'),
        ('call bridge/reboot_servo joint:=knee', 'expected ~/deactivate first'),
        long('call bridge/reboot_servo servo:=elbow', "'servo'; known: joint"),
        long('call solve_fk chains:=[leg]', "unknown chain 'leg'"),
        long('call bridge/reset namespace:=one', 'no services in namespace /one'),
        long('set brige', "unknown node 'brige'; did you mean bridge?"),
        long('set bridge namespace:=one', 'no nodes in namespace /one'),
        ('set bridge sped:=1', "unknown parameter of bridge 'sped'; did you mean speed?"),
        ('set bridge speed:=fast', 'speed is fast; expected a number'),
        long('set bridge speed:=true', 'speed is true; expected a number'),
        long('set bridge footing:=1', 'footing is 1; expected true or false'),
        ('set bridge speed:=9', 'speed: '),
        long('set bridge robot:=shell', 'robot: '),
    ],
)
def test_what_cannot_be_done_is_one_error(softshell, words, said):
    """It names the thing, and what there is instead; nothing has changed."""
    status, told = softshell(words)
    assert status == 1
    assert said in told
    assert told.count('error: ') == 1


@pytest.mark.long
def test_a_parameter_is_set_and_listed(softshell):
    """A whole number for one that is none, too; it holds until it is set again."""
    for value in ('0.2', '1'):
        assert softshell(f'set bridge speed:={value}') == (0, f'bridge: speed is {value}\n')
        status, listed = softshell('set bridge')
        assert status == 0
        (row,) = [line for line in listed.splitlines() if '│ speed ' in line]
        assert [cell.strip() for cell in row.split('│')][2:4] == [str(float(value)), 'yes']
    status, said = softshell('set bridge speed:=0.5 tracking_error:=0.2')
    assert status == 0
    assert said.count('bridge: ') == 2
