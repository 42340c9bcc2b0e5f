"""A keyboard, and a robot for it, that the tests of the node share."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # keyboard_rig


@pytest.fixture(scope='session')
def namespace():
    return f'/teleop_test_{os.getpid()}'


@pytest.fixture
def robot(namespace):
    from keyboard_rig import Robot

    robot = Robot(namespace)
    yield robot
    robot.close()


@pytest.fixture
def start(namespace, tmp_path):
    """Starts keyboards, with dead-man times that outlast a busy machine's hiccups."""
    from keyboard_rig import CONFIG, Keyboard

    text = CONFIG.read_text(encoding='utf-8')
    text = text.replace('first: 0.8 ', 'first: 2.0 ').replace('repeat: 0.25 ', 'repeat: 1.0 ')
    key_map = tmp_path / 'teleop.yaml'
    key_map.write_text(text, encoding='utf-8')
    started = []

    def start(patch: str = '', key_map: Path = key_map) -> Keyboard:
        started.append(Keyboard(namespace, key_map, patch))
        return started[-1]

    yield start
    for keyboard in started:
        keyboard.close()
