"""The keyboard in a real terminal drives the real stack: gaits, the ball, and back on its feet."""

import os
import re
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import rclpy
from rclpy.context import Context
from std_msgs.msg import String
from waiting import until

from softshell_bringup.domain import free_domain
from softshell_bringup.runner import Stack
from softshell_client import Shell
from softshell_common.ros import qos

sys.path.insert(0, str(Path(__file__).parents[2] / 'src/softshell_teleop/test'))
from keyboard_rig import CONFIG, Keyboard

#: How often keys that are held repeat [s].
REPEAT = 0.1


@pytest.fixture
def stack():
    """A running simulation."""
    arguments = {'bridge': 'sim', 'engine': 'mujoco', 'real_time_factor': '3'}
    with Stack(arguments, domain=free_domain()) as stack:
        stack.wait_ready()
        yield stack


@pytest.fixture
def shell(stack):
    """Sees what the robot does, and asks nothing of it."""
    context = Context()
    rclpy.init(context=context, domain_id=stack.domain)
    with Shell(context=context) as shell:
        shell.modes = []
        shell.node.create_subscription(
            String, 'mode', lambda message: shell.modes.append(message.data), qos.LATCHED
        )
        shell.wait_for_odometry()
        yield shell
    context.try_shutdown()


@pytest.fixture
def keyboard(stack, monkeypatch):
    """The interface in a terminal of its own."""
    monkeypatch.setitem(os.environ, 'ROS_DOMAIN_ID', str(stack.domain))
    keyboard = Keyboard('/', CONFIG)
    yield keyboard
    keyboard.close()


@pytest.mark.long
def test_keys_walk_by_other_gaits_roll_the_ball_and_stand_up_again(shell, keyboard):
    """T, G, W; then B, W and A as a ball, which stops when they are released; O, and W again."""

    def went():
        return float(np.hypot(*np.subtract(shell.position[:2], start)))

    def hold(key):
        return lambda: keyboard.type(key)

    def press_anew():
        keyboard.type('g')
        time.sleep(1.0)  # sooner, it would count as held

    chosen = r'gait: (\w+)\r?\n'
    # A key that comes before the action manager is known is refused.
    until(lambda: re.search(chosen, keyboard.printed), 'a gait to choose', press_anew)
    until(
        lambda: shell.gaits()[0] == re.findall(chosen, keyboard.printed)[-1], 'that gait walked by'
    )
    keyboard.type('t')
    keyboard.wait_for('stand: done')
    start = shell.position[:2]
    until(lambda: went() > 0.1, 'walked', hold('w'), REPEAT)
    keyboard.type(' ')
    keyboard.type('b')  # at once: what is cancelled is what came before it
    keyboard.wait_for('close: done')
    until(lambda: shell.modes[-1] == 'shell', 'a ball')
    start, before = shell.position[:2], len(shell.modes)
    until(lambda: went() > 1.0, 'rolled', hold('w'), REPEAT)
    # On a busy machine a key may count as released on the way.
    until(lambda: 'rolling' in shell.modes[before:], 'rolling')
    until(lambda: shell.modes[-1] == 'shell', 'at rest')
    start = shell.position[:2]
    until(lambda: went() > 0.7, 'rolled aside', hold('a'), REPEAT)
    until(lambda: shell.modes[-1] == 'shell', 'at rest again')
    assert set(shell.modes[before:]) == {'rolling', 'shell'}

    keyboard.type('o')
    keyboard.wait_for('open: done')
    until(lambda: shell.modes[-1] == 'hexapod', 'a hexapod')
    start = shell.position[:2]
    until(lambda: went() > 0.1, 'walked again', hold('w'), REPEAT)
    keyboard.type('x')
    assert keyboard.ended() == 0
