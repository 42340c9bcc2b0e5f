"""A wiring file is read whole or refused with every problem, and joints and ticks agree."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hardware_rig import wiring_text
from hypothesis import given
from hypothesis import strategies as st

from softshell_description.form import ChannelKind, ChannelSpec
from softshell_description.load import load_robot
from softshell_hardware.bus.families import AX, FAMILIES, X
from softshell_hardware.wiring.config import load_hardware
from softshell_hardware.wiring.units import Tendon, Wiring
from softshell_kinematics.errors import ProblemsError

ARM = load_robot('arm')


def load(tmp_path, text, robot=ARM):
    path = tmp_path / 'wiring.yaml'
    path.write_text(text)
    return load_hardware(robot, path)


@pytest.mark.parametrize('robot', ['shell', 'quadruped', 'arm'])
def test_every_robot_has_a_wiring_that_is_not_calibrated(robot):
    """Shipped for each: a servo for every joint, ids once, and nothing driven by mistake."""
    model = load_robot(robot)
    config = load_hardware(model)
    assert [each.name for each in config.joints] == list(model.joint_names)
    assert config.uncalibrated == model.joint_names
    assert len({(each.bus, each.id) for each in config.joints}) == len(model.joints)
    emulated = config.at({})
    assert emulated.uncalibrated == ()
    assert emulated.form.watchdog == config.form.watchdog
    assert config.at({}, watchdog=1.0).form.watchdog == 1.0
    assert config.at({}, watchdog=0.01).form.watchdog == config.form.watchdog


def test_everything_that_is_wrong_is_listed_with_its_line(tmp_path):
    """Unknown joints, missing ones, ids given twice, models, buses, ranges, limits in order."""
    text = """robot: arm
buses: {one: {family: ax}, two: {family: x}}
joints:
  shoulder: {bus: one, id: 1, model: XM430-W350, offset: 0.0}
  elbow: {bus: three, id: 1}
  hip: {bus: one, id: 1}
  wrist: {id: 1}
"""
    with pytest.raises(ProblemsError) as caught:
        load(tmp_path, text)
    told = str(caught.value)
    for words in (
        'line 6: joints.hip: the robot has none of this name',
        "line 4: joints.shoulder.model: is 'XM430-W350'; expected one of family 'ax'",
        "line 5: joints.elbow.bus: is 'three'; expected one of one, two",
        'line 7: joints.wrist: bus is not given; expected one of one, two',
        'line 6: joints.hip.id: is 1, which shoulder has on the same bus; expected another',
    ):
        assert words in told
    with pytest.raises(ProblemsError) as caught:
        load(tmp_path, text.replace('family: ax', 'baud: -3').replace('id: 1}', 'id: one}', 1))
    told = str(caught.value)
    assert 'buses.one.baud' in told
    assert 'joints.elbow.id' in told
    assert 'joints.hip: the robot has none of this name' in told
    assert 'no servo is given' not in told
    with pytest.raises(ProblemsError, match='no servo is given for elbow, wrist'):
        load(tmp_path, 'robot: arm\nbuses: {one: {}}\njoints:\n  shoulder: {id: 1}\n')
    with pytest.raises(ProblemsError, match='expected them in this order'):
        load(tmp_path, wiring_text(ARM, 'ax', stop_temperature=40.0))
    with pytest.raises(ProblemsError, match='expected the lowest first'):
        load(tmp_path, wiring_text(ARM, 'ax', lowest_voltage=15.0))
    with pytest.raises(
        ProblemsError, match=r'hysteresis is 31\.0: .* end at 29 °C; expected at most 30'
    ):
        load(tmp_path, wiring_text(ARM, 'ax', hysteresis=31))
    with pytest.raises(
        ProblemsError, match=r'joints\.shoulder\.direction: is true; expected 1 or -1'
    ):
        load(tmp_path, wiring_text(ARM, 'ax').replace('direction: 1', 'direction: true', 1))


@pytest.mark.parametrize(
    ('buses', 'said'),
    [
        ('{body: {baud: 12345}}', 'buses.body.baud: is 12345; expected one of 9600, 19200, '),
        ("{body: {port: ''}}", 'buses.body.port: is empty; expected the path of a device'),
        ("{'a/b': {}}", "buses.a/b: is named 'a/b'; expected a name without slashes"),
        (
            '{body: {port: /dev/a}, b: {port: /dev/a, family: x}}',
            "buses.b.port: is /dev/a, which is that of 'body'",
        ),
    ],
)
def test_a_bus_that_is_none_is_refused(tmp_path, buses, said):
    """By its name, rate and port."""
    text = wiring_text(ARM, 'ax').replace('{body: {family: ax}}', buses)
    with pytest.raises(ProblemsError, match=re.escape(said)):
        load(tmp_path, text)


@pytest.mark.parametrize(
    ('servo', 'said'),
    [
        ('spool_radius: 0.1, torque_constant: 2.4, model: XM540-W270', None),
        ('spool_radius: 0.01, torque_constant: 1.78', None),
        ('spool_radius: 0.1, torque_constant: 1.78', 'goes from 0 to 80 N; the servo gives at mo'),
        ('spool_radius: 0.01, torque_constant: 1.0, model: XL430-W250', 'no control of current'),
        ('torque_constant: 1.78', 'spool_radius is not given'),
    ],
)
def test_a_tendon_that_its_servo_cannot_pull_is_refused(tmp_path, servo, said):
    """With the largest tension that there is by current and spool."""
    tension = ChannelSpec(
        kind=ChannelKind.TENSION, range=(0.0, 80.0), rate=100.0, goal_tolerance=0.5
    )
    robot = replace(ARM, channels={'tendon': tension})
    text = f'{wiring_text(ARM, "x")}\nchannels:\n  tendon: {{id: 50, {servo}}}\n'
    if said is None:
        assert load(tmp_path, text, robot).tendons[0].name == 'tendon'
        return
    with pytest.raises(ProblemsError, match=said):
        load(tmp_path, text, robot)


def test_a_joint_that_its_servo_cannot_reach_is_refused(tmp_path):
    """With what the servo reaches by this offset, and the range of the joint."""
    text = wiring_text(ARM, 'ax').replace('offset: 0.0', 'offset: 1.5', 1)
    with pytest.raises(ProblemsError, match=r'shoulder: the servo reaches -1\.121 to 4\.115 rad'):
        load(tmp_path, text)


@given(
    st.sampled_from([AX, X]),
    st.sampled_from([1, -1]),
    st.floats(-0.5, 0.5),
    st.floats(-2.0, 2.0),
    st.floats(-6.0, 6.0),
)
def test_joints_and_servos_agree_within_half_a_tick(family, direction, offset, position, rate):
    """There and back for positions; the sign of a velocity is that of the joint."""
    wiring = Wiring('j', 'b', family, 1, '', direction, offset)
    assert abs(wiring.position(wiring.ticks(position)) - position) <= 0.5001 * family.tick
    low, high = wiring.range
    assert low < high
    assert wiring.ticks(1e9) in family.goal_range
    assert 1 <= wiring.pace(rate, 0.0) <= 1023
    assert 1 <= wiring.pace(rate, 0.0, 100) == min(wiring.pace(rate, 0.0), 100)
    units = wiring.pace(rate, 0.0)
    shown = units if rate * direction >= 0.0 else (units | 0x400 if family is AX else -units)
    if abs(rate) > family.speed_unit:
        assert abs(wiring.velocity(shown) - rate) <= family.speed_unit


def test_tensions_become_currents_by_spool_and_motor(tmp_path):
    """2.69 mA a unit: 10 N on a spool of 1 cm need 0.1 N m, at 1.8 N m/A 55.6 mA, 21 units."""
    tendon = Tendon('t', 'b', FAMILIES['x'], 1, '', -1, 1.8, 0.01)
    assert tendon.current(10.0) == -21
    assert tendon.value(-21) == pytest.approx(21 * 0.00269 * 1.8 / 0.01)
    assert tendon.current(1e9) == -1193
    assert np.isclose(Tendon('t', 'b', X, 1, '', 1, 1.8, None).value(100), 100 * 0.00269 * 1.8)
    assert Tendon('t', 'b', X, 1, 'XM540-W270', 1, 2.409, 0.01).current(1e9) == 2047


@pytest.mark.parametrize(
    ('family', 'model', 'shown', 'torque'),
    [
        (AX, 'AX-12A', {'present_load': 1023}, 1.5),
        (AX, 'AX-18A', {'present_load': 0x400 | 511}, -0.9),
        (X, 'XM430-W210', {'present_current': 855}, 3.0),
        (X, 'XM430-W350', {'present_current': -855}, -4.1),
        (X, 'XM540-W270', {'present_current': 1636}, 10.6),
        (X, 'XL430-W250', {'present_current': 500}, 0.75),
    ],
)
def test_what_a_servo_shows_is_the_torque_of_its_model(family, model, shown, torque):
    """At its stall current, or by its part: that of the e-Manual at 12 V, to a unit."""
    wiring = Wiring('j', 'b', family, 1, model, 1, 0.0)
    assert wiring.torque(shown) == pytest.approx(torque, rel=2e-3)
    assert Wiring('j', 'b', family, 1, model, -1, 0.0).torque(shown) == -wiring.torque(shown)
    (value,) = shown.values()
    assert abs(family.shown_torque(wiring.specification, torque) - value) <= 1
