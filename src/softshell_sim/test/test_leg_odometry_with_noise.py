"""Odometry of legs by sensors that are not exact, against the truth of a simulated walk."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from walking_rig import PERIOD, Stage

from softshell_control.estimates.leg_odometry import LegOdometry
from softshell_description.load import load_robot
from softshell_sim.sensing.sensor_settings import load_sensors

SENSORS = Path(__file__).resolve().parents[3] / 'examples' / 'sensors.yaml'


def walked(seed):
    """(3,) way of the truth and of the estimate in a walk of a metre [m, m, rad]."""
    stage = Stage('shell', sensors=load_sensors(SENSORS, load_robot('shell')), seed=seed)
    truth = stage.backend.world._sensors.base
    odometry = LegOdometry(stage.robot)
    rows = []
    for action, values in (('stand', {}), ('walk', {'distance': 1.0})):
        for measured in stage.perform(action, **values):
            base = odometry.update(replace(measured, base=None), PERIOD)
        rows.append([place(truth), place(base)])
    stage.close()
    (before, begun), (after, ended) = rows
    return after - before, ended - begun


def place(base):
    """x, y [m] and yaw [rad] of a base."""
    yaw = Rotation.from_quat(base.orientation).as_euler('ZYX')[0]
    return np.array([*base.position[:2], yaw])


@pytest.mark.long
@pytest.mark.parametrize('seed', [0, 1])
def test_shell_knows_where_it_walked_by_the_sensors_of_the_example(seed):
    """With their noise, digits, biases and delays a metre is off by no more than 3 %, and 1°."""
    truth, estimate = walked(seed)
    off = estimate - truth
    print(f'{1e3 * np.hypot(*off[:2]):.1f} mm and {np.degrees(off[2]):.2f}° after 1 m')
    assert np.hypot(*truth[:2]) > 0.9
    assert np.hypot(*off[:2]) < 0.03
    assert abs(off[2]) < np.radians(1.0)
