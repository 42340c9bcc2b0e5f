"""Entries of a motor type in robot.yaml: what is left out is off, what is wrong is named."""

import pytest

from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError

FULL = """{effort: 1.765, velocity: 6.178, dry_friction: 0.06, viscous_friction: 0.02,
    rotor_inertia: 0.003, backlash: 0.009, delay: 0.008,
    back_emf: {stall_effort: 1.8, no_load_velocity: 10.0},
    thermal: {loss: 9.0, resistance: 12.0, capacity: 25.0, derate_from: 60.0, limit: 80.0}}"""


def arm_with(folder, motor):
    """The arm that ships, with other words for its motor ax18a."""
    shipped = load_robot('arm')
    text = (shipped.folder / 'robot.yaml').read_text(encoding='utf-8')
    old = '{effort: 1.765, velocity: 6.178}'
    assert old in text
    (folder / 'robot.yaml').write_text(text.replace(old, motor), encoding='utf-8')
    return load_robot(folder)


def test_a_motor_of_the_shipped_robots_is_ideal():
    """Of shipped motors nothing but effort and speed is modelled, and no joint has ki."""
    for name in ('shell', 'arm', 'quadruped'):
        robot = load_robot(name)
        for motor in robot.motors.values():
            assert motor.model_dump(exclude={'effort', 'velocity'}, exclude_defaults=True) == {}
        assert all(joint.gains.ki == 0.0 for joint in robot.joints)


def test_every_entry_is_read(tmp_path):
    """A motor with all entries says them; the ambient temperature is 25 °C unless said."""
    motor = arm_with(tmp_path, FULL).motors['ax18a']
    assert (motor.dry_friction, motor.viscous_friction, motor.rotor_inertia) == (0.06, 0.02, 3e-3)
    assert (motor.backlash, motor.delay) == (0.009, 0.008)
    assert (motor.back_emf.stall_effort, motor.back_emf.no_load_velocity) == (1.8, 10.0)
    heat = motor.thermal
    assert (heat.loss, heat.resistance, heat.capacity) == (9.0, 12.0, 25.0)
    assert (heat.ambient, heat.derate_from, heat.limit) == (25.0, 60.0, 80.0)


@pytest.mark.parametrize(
    ('old', 'new', 'message'),
    [
        ('dry_friction: 0.06', 'dry_friction: -1', r'ax18a\.dry_friction: is -1'),
        (
            'backlash: 0.009',
            'backlash: .nan',
            r'ax18a\.backlash: is \.nan; expected a finite number',
        ),
        ('delay: 0.008', 'delay: 1000.0', r'ax18a\.delay: is 1000\.0; .*10'),
        ('delay: 0.008', 'delayed: 0.008', r'ax18a\.delayed: .*'),
        ('stall_effort: 1.8, ', '', r'ax18a\.back_emf.*stall_effort'),
        ('limit: 80.0', 'limit: 50.0', r'25, 60 and 50; expected each above the one before'),
    ],
)
def test_a_wrong_entry_is_named(tmp_path, old, new, message):
    """By its key and value, with what was expected."""
    assert old in FULL
    with pytest.raises(ProblemsError, match=message):
        arm_with(tmp_path, FULL.replace(old, new))
