"""The keyboard node as a process of its own on a pseudo-terminal: how it drives, and ends."""

import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('softshell_interfaces.action', reason='needs the built workspace')

from keyboard_rig import CONFIG, PATIENCE, SILENCE, hold, listened, wait

# A key that breaks the core, as a defect would.
BREAK = """
sound = core.step
def broken(settings, state, key, now):
    if key == 'z':
        raise RuntimeError('deliberate')
    return sound(settings, state, key, now)
core.step = broken
"""


def test_hold_walks_and_release_is_one_zero(robot, start):
    """W held is a stream of equal Twists; its release is one zero, then silence; X ends it all."""
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    wait(lambda: listened(robot))
    hold(keyboard, 'w', robot, 30)
    wait(lambda: robot.twists[-1] == (0, 0, 0))
    time.sleep(SILENCE)
    speed = robot.twists[0][0]
    assert speed > 0
    assert robot.twists == [(speed, 0, 0)] * (len(robot.twists) - 1) + [(0, 0, 0)]
    keyboard.type('X')
    assert keyboard.ended() == 0
    assert keyboard.printed.count('forward (speed') == 1
    assert 'no node subscribes to cmd_vel' not in keyboard.printed


@pytest.mark.long
@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_signals_stop_the_robot_and_restore_the_terminal(robot, start, number):
    """A signal in mid-walk, even twice, sends the zero, restores the terminal and exits clean."""
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    assert termios.tcgetattr(keyboard.slave) != keyboard.before
    wait(lambda: listened(robot))
    hold(keyboard, 'e', robot, 3)
    keyboard.process.send_signal(number)
    keyboard.process.send_signal(number)
    assert keyboard.ended() == 0
    wait(lambda: robot.twists[-1] == (0, 0, 0))
    assert robot.twists.count((0, 0, 0)) == 1
    assert 'Traceback' not in keyboard.printed


def test_control_c_and_control_d_end_it(start):
    """Ctrl-C and Ctrl-D, typed, exit with status 0."""
    for key in ('\x03', '\x04'):
        keyboard = start()
        keyboard.wait_for('waiting for odom')
        keyboard.type(key)
        assert keyboard.ended() == 0


def test_exception_stops_the_robot_and_restores_the_terminal(robot, start):
    """A defect in mid-walk still sends the zero and restores the terminal, and shows itself."""
    keyboard = start(BREAK)
    keyboard.wait_for('waiting for odom')
    wait(lambda: listened(robot))
    hold(keyboard, 'w', robot, 3)
    keyboard.type('z')
    assert keyboard.ended() == 1
    keyboard.wait_for('RuntimeError: deliberate')
    wait(lambda: robot.twists[-1] == (0, 0, 0))


def test_suspension_stops_the_robot_and_keys_work_again(robot, start):
    """Stopped in mid-walk it sends the zero first, and resumes key by key.

    Its process group is orphaned here, so the system continues it at once; what counts is the
    zero, well before the dead-man time, and that keys work again. What is restored meanwhile is
    seen in `test_teleop_terminal.py`.
    """
    keyboard = start()
    keyboard.wait_for('waiting for odom')
    wait(lambda: listened(robot))
    hold(keyboard, 'w', robot, 3)
    keyboard.process.send_signal(signal.SIGTSTP)
    wait(lambda: robot.twists[-1] == (0, 0, 0))
    wait(lambda: termios.tcgetattr(keyboard.slave) != keyboard.before)

    def turns() -> bool:
        keyboard.type('q')
        time.sleep(0.03)
        return robot.twists[-1][2] > 0

    wait(turns)
    keyboard.type('x')
    assert keyboard.ended() == 0


def test_bad_key_map_is_refused_before_the_terminal_changes(start, tmp_path):
    """A bad key map is listed and exits with status 1."""
    path = tmp_path / 'bad.yaml'
    path.write_text(CONFIG.read_text(encoding='utf-8').replace('[w]', '[ww]'), encoding='utf-8')
    keyboard = start(key_map=path)
    assert keyboard.ended() == 1
    keyboard.wait_for(r'bad\.yaml: 1 problem')


def test_what_ros_refuses_is_one_error(start):
    """An argument that is no YAML ends it before the terminal changes, without a traceback."""
    keyboard = start(key_map=Path('[1,'))
    assert keyboard.ended() == 1
    keyboard.wait_for('error: ROS refuses its arguments or variables: ')
    assert 'Traceback' not in keyboard.printed


def test_without_a_terminal_it_ends_with_status_2():
    """Without a terminal on stdin it says so at once and exits with status 2."""
    ended = subprocess.run(
        [
            sys.executable,
            '-c',
            'import sys; from softshell_teleop.main import keyboard; sys.exit(keyboard())',
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 2
    assert 'terminal' in ended.stderr
    assert ended.stderr.count('\n') == 1
