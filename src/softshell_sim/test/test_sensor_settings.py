"""The file of sensors: what it takes, what it refuses and where."""

from pathlib import Path

import pytest

from softshell_kinematics.errors import ProblemsError
from softshell_sim.sensing.sensor_settings import (
    SensorSettings,
    SignalSettings,
    load_sensors,
    sensor_settings,
)
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

EXAMPLE = Path(__file__).resolve().parents[3] / 'examples' / 'sensors.yaml'


@pytest.fixture
def load(tmp_path):
    """Function: what a text of YAML says of the sensors of a robot."""

    def read(text, robot):
        path = tmp_path / 'sensors.yaml'
        path.write_text(text, encoding='utf-8')
        return load_sensors(path, robot)

    return read


def test_sensors_are_exact_unless_something_is_said():
    """Neither errors, nor rates, nor delays, nor cameras by default."""
    settings = SensorSettings()
    for name in ('joints', 'imu', 'odometry', 'contacts'):
        sensor = getattr(settings, name)
        assert sensor.at_once, name
        signals = [value for _, value in sensor if isinstance(value, SignalSettings)]
        assert all(signal.exact for signal in signals), name
        assert signals, name
    assert not settings.cameras
    assert WorldSettings().sensors == settings


def test_a_file_says_what_differs(load, arm):
    """What is written arrives, the rest is as by default; a bias is one number or by name."""
    settings = load(
        """
imu: {link: slide, rate: 200, delay: 0.01, angular_velocity: {noise: 0.02, bias: {z: -0.1}}}
joints: {position: {bias: 0.3, resolution: 0.001}}
contacts: {links: [upper, slide], threshold: 1.5}
cameras: {eye: {link: upper, width: 64, height: 48}}
""",
        arm,
    )
    assert (settings.imu.link, settings.imu.rate, settings.imu.delay) == ('slide', 200.0, 0.01)
    assert settings.imu.angular_velocity.bias == {'z': -0.1}
    assert settings.imu.orientation.exact
    assert settings.joints.position.bias == 0.3
    assert settings.contacts.links == ('upper', 'slide')
    assert settings.cameras['eye'].rate == 10.0
    assert settings.odometry.at_once


def test_mistakes_are_told_all_at_once_with_their_lines(load, arm):
    """Misspelt keys, values out of range, of a wrong kind and a camera without its link."""
    with pytest.raises(ProblemsError) as told:
        load(
            """
imu:
  rate: -1
  orientatoin: {noise: 0.1}
  angular_velocity: {noise: .inf}
joints:
  delay: 11
contacts:
  links: [upper, upper]
cameras:
  eye: {width: 0}
  Eye: {link: upper}
""",
            arm,
        )
    text = '\n'.join(told.value.problems)
    for line in (
        'line 3: imu.rate',
        'line 4: imu.orientatoin',
        'line 5: imu.angular_velocity.noise',
        'line 7: joints.delay',
        'line 9: contacts.links: upper: given twice',
        'line 11: cameras.eye.width',
        'line 11: cameras.eye.link: is required',
        'line 12: cameras.Eye',
    ):
        assert line in text, line
    assert "'orientation'" in text


def test_names_that_the_robot_has_not_are_told_with_their_lines(load, arm):
    """Links, joints and axes, each with the ones that there are."""
    with pytest.raises(ProblemsError) as told:
        load(
            """
imu: {link: nose, angular_velocity: {bias: {w: 1.0}}}
joints:
  position: {bias: {swing: 0.1, swong: 0.1}}
contacts: {links: [tail]}
cameras: {eye: {link: head}}
""",
            arm,
        )
    problems = told.value.problems
    assert len(problems) == 5
    swong = "unknown joint 'swong'; did you mean swing? known: reach, swing"
    assert f'line 4: joints.position.bias.swong: {swong}' in problems
    for name, line in (('nose', 2), ("axis 'w'", 2), ('tail', 5), ('head', 6)):
        assert any(f'line {line}:' in each and name in each for each in problems), name


def test_settings_of_a_program_are_checked_likewise(arm):
    """Values by themselves when they are made, names when the world is."""
    with pytest.raises(ProblemsError, match=r'imu\.delay: .* at most 10'):
        sensor_settings({'imu': {'delay': 20.0}})
    with pytest.raises(ProblemsError, match=r'cameras\.eye: near is 2\.0 m; expected less'):
        sensor_settings({'cameras': {'eye': {'link': 'upper', 'near': 2.0, 'far': 1.0}}})
    settings = sensor_settings({'imu': {'link': 'nose'}})
    with pytest.raises(ProblemsError, match=r"imu\.link: unknown link 'nose'"):
        World(arm, WorldSettings(sensors=settings))
    with pytest.raises(ProblemsError, match='seed is -1; expected a whole number'):
        WorldSettings(seed=-1)


def test_the_shipped_file_is_of_shells_sensors(robot):
    """It has an error, a rate or a delay of every sensor, and a camera."""
    settings = load_sensors(EXAMPLE, robot)
    for name in ('joints', 'imu', 'odometry', 'contacts'):
        sensor = getattr(settings, name)
        signals = [value for _, value in sensor if isinstance(value, SignalSettings)]
        assert not sensor.at_once or not all(signal.exact for signal in signals), name
    assert settings.cameras
    assert settings.contacts.links
