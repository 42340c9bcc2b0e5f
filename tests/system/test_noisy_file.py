"""The shipped files of noisy sensors: what they say arrives in the world and on the wire."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError
from softshell_sim.sensing.sensor_settings import load_sensors

ROOT = Path(__file__).resolve().parents[2]
SENSORS = ROOT / 'examples' / 'sensors.yaml'


@pytest.fixture
def start(simulated, monkeypatch):
    """Function: a bridge's node in the folder of the workspace, given the file of parameters."""
    monkeypatch.chdir(ROOT)
    return partial(simulated, 'examples/noisy.yaml')


def test_the_sensors_are_as_the_file_says(start):
    """Settings and seed arrive, and what is measured is not what is true."""
    world = start()._core.backend.world
    assert world.settings.sensors == load_sensors(SENSORS, load_robot('shell'))
    assert world.settings.seed == 1
    assert not np.array_equal(world.measured.position, world._sensors.truth.position)
    assert world.cameras.names == ('front',)


def test_a_file_for_another_robot_ends_the_start(start, tmp_path):
    """What this robot has not is named with its line."""
    file = tmp_path / 'other.yaml'
    file.write_text('imu:\n  link: nose\n', encoding='utf-8')
    with pytest.raises(ProblemsError, match=r"other\.yaml: .*\n.*line 2: .*'nose'"):
        start(sensors_file=str(file))


def test_a_file_that_is_missing_ends_the_start(start):
    """By its path."""
    with pytest.raises(ProblemsError, match=r'nowhere\.yaml: .*\n.*cannot be read'):
        start(sensors_file='nowhere.yaml')
