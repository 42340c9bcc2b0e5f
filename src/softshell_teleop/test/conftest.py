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
def start(namespace):
    """Starts keyboards, with dead-man times that outlast a busy machine's hiccups."""
    from keyboard_rig import CONFIG, PATIENT, Keyboard

    started = []

    def start(patch: str = '', key_map: Path = CONFIG) -> Keyboard:
        started.append(Keyboard(namespace, key_map, PATIENT + patch))
        return started[-1]

    yield start
    for keyboard in started:
        keyboard.close()
