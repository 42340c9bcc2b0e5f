"""The error that odometry of legs states, against the truth of a walk by sensors of many seeds."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2
from walk_recording import Recording

from softshell_description.load import load_robot
from softshell_sim.sensing.sensor_settings import SensorSettings, load_sensors, sensor_settings

EXAMPLE = Path(__file__).resolve().parents[3] / 'examples' / 'sensors.yaml'
SEEDS = range(12)
PARTS = ('joints', 'imu', 'contacts')


@pytest.fixture(scope='module')
def walk():
    """A metre and a right angle of Shell."""
    script = [('stand', {}), ('walk', {'distance': 1.0}), ('turn', {'angle': np.pi / 2})]
    return Recording('shell', script)


def worse(factor):
    """The sensors of the example with so many times their noise, biases and digits."""
    example = load_sensors(EXAMPLE, load_robot('shell')).model_dump(include=set(PARTS))
    for part in PARTS:
        for name, value in example[part].items():
            if isinstance(value, dict):
                example[part][name] = {key: _times(factor, each) for key, each in value.items()}
    return sensor_settings(example)


def _times(factor, value):
    if isinstance(value, dict):
        return {key: factor * each for key, each in value.items()}
    return factor * value


@pytest.mark.long
@pytest.mark.parametrize(('factor', 'farthest'), [(1, 0.03), (3, 0.05)])
def test_the_error_is_as_large_as_it_is_stated(walk, factor, farthest):
    """At the end of a metre and of a right angle. The squares of the errors of x, y and yaw over
    those stated, summed over twelve seeds, are within what chi-square gives in 999 of 1000 times;
    the errors of x and y are no less than a sixth of what is stated."""
    estimates = [walk.estimate(worse(factor), seed) for seed in SEEDS]
    for end in walk.ends[1:]:
        off = np.array([each.off[end] - each.off[walk.ends[0]] for each in estimates])
        stated = np.array([each.stated[end] for each in estimates])
        ways = np.sqrt((off[:, :2] ** 2).sum(axis=1))
        print(
            f'{1e3 * np.sqrt((ways**2).mean()):.1f} mm, stated {1e3 * stated.mean(axis=0)[0]:.1f}'
        )
        assert np.sqrt((ways**2).mean()) < farthest
        squares = (off / stated) ** 2
        assert squares.sum() < chi2.ppf(0.999, squares.size)
        assert squares.max() < 3.0**2
        assert squares[:, :2].mean() > 1.0 / 36.0


@pytest.mark.long
@pytest.mark.parametrize('factor', [1, 3])
def test_the_velocity_is_as_uncertain_as_it_is_stated(walk, factor):
    """While it walks: between a third of what is stated and one and a half times that."""
    estimate = walk.estimate(worse(factor))
    walking = slice(walk.ends[0], walk.ends[1])
    ratio = estimate.slow[walking] / estimate.stated_velocity[walking]
    assert 0.33 < np.sqrt((ratio**2).mean()) < 1.5


@pytest.mark.long
def test_what_trembles_does_not_roll(walk):
    """Noise of an IMU is no turning: a robot that lay and stood up states some millimetres."""
    for factor in (1, 3):
        stated = walk.estimate(worse(factor)).stated[walk.ends[0]]
        assert stated[0] < 0.02


@pytest.mark.long
def test_exact_sensors_state_what_is_left(walk):
    """By exact sensors a metre is known within 1 %, and what is stated is more, but not 6 cm."""
    estimate = walk.estimate(SensorSettings())
    off = estimate.off[walk.ends[1]] - estimate.off[walk.ends[0]]
    assert np.hypot(*off[:2]) < 0.01
    assert np.hypot(*off[:2]) < estimate.stated[-1, 0] < 0.06
