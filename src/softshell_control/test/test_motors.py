"""What motors lose and cannot do: speed, heat, backlash, delay, friction; by closed forms."""

import numpy as np
import pytest

from softshell_control.drives.motors import Motors
from softshell_control.drives.pd import Drives
from softshell_control.joint_map import JointMap
from softshell_description.load import load_robot
from softshell_description.motor_form import BackEmfSpec, MotorSpec, ThermalSpec

STEP = 1e-3
ZERO = np.zeros(1)


def servo(kp=10.0, kd=0.0, effort=2.0, step=STEP, **motor):
    """Drives of one motor, which has the effort of its whole speed range."""
    motors = Motors(np.array([effort]), np.array([1e9]), **motor)
    drives = Drives(motors, [0], np.ones(1), np.zeros(1), step)
    drives.set_gains(np.array([kp]), np.array([kd]), ZERO)
    return drives


@pytest.mark.parametrize('speed', [-9.0, -6.0, -2.0, 0.0, 1.0, 3.0, 6.0, 8.0])
def test_torque_speed_line(speed):
    """With full voltage either way, τ = ±τ0 − τ0 ω/ω0; and never more than the effort."""
    drives = servo(stall_effort=2.4, no_load_velocity=6.0)
    for side in (1.0, -1.0):
        drives.compute(ZERO, np.array([speed]), np.array([side * 1e6]), ZERO)
        line = 2.4 * (side - speed / 6.0)
        assert drives.motor_effort[0] == pytest.approx(np.clip(line, -2.0, 2.0), abs=1e-12)


def test_no_load_speed_is_where_a_free_motor_ends():
    """At full voltage the speed goes to ω0 by 1 − exp(−τ0 t / (ω0 I)), with h/2 of its slope."""
    drives, inertia = servo(effort=9.0, stall_effort=2.0, no_load_velocity=6.0, step=1e-4), 0.05
    speed = np.zeros(1)
    for _ in range(2000):
        drives.compute(ZERO, speed, np.array([1e6]), ZERO)
        speed += drives.effort / inertia * 1e-4
    assert speed[0] == pytest.approx(6.0 * (1.0 - np.exp(-2.0 * 0.2 / (6.0 * 0.05))), rel=1e-3)


HEAT = {
    'heat_loss': 8.0, 'heat_resistance': 5.0, 'heat_capacity': 2.0, 'ambient': 20.0,
    'derate_from': 70.0, 'hottest': 90.0,
}  # fmt: skip


def test_winding_warms_and_cools_exponentially():
    """T = T∞ + (T0 − T∞) exp(−t/(R C)) with T∞ = ambient + R loss τ², exact at every step."""
    drives = servo(**HEAT)
    for _ in range(3000):
        drives.compute(ZERO, ZERO, np.array([0.1]), ZERO)
    end = 20.0 + 5.0 * 8.0 * 1.0
    warm = end + (20.0 - end) * np.exp(-3.0 / 10.0)
    assert drives.temperature[0] == pytest.approx(warm, rel=1e-12)
    assert drives.derating.tolist() == [1.0]
    for _ in range(3000):
        drives.release(ZERO, ZERO)
    cool = 20.0 + (warm - 20.0) * np.exp(-3.0 / 10.0)
    assert drives.temperature[0] == pytest.approx(cool, rel=1e-12)


def test_a_hot_motor_settles_where_heat_and_effort_agree():
    """At 2 N m it would come to 180 °C; with τ = 2 (90 − T)/20 it rests at T = 20 + 40 τ²."""
    drives = servo(**HEAT)
    for _ in range(200000):
        drives.compute(ZERO, ZERO, np.array([9.0]), ZERO)
    temperature, effort = drives.temperature[0], drives.motor_effort[0]
    assert effort == pytest.approx(2.0 * (90.0 - temperature) / 20.0, rel=1e-6)
    assert temperature == pytest.approx(20.0 + 40.0 * effort**2, rel=1e-6)
    assert drives.derating[0] == pytest.approx(effort / 2.0, rel=1e-6)


def test_backlash_is_a_dead_band():
    """Nothing within ± half the width; beyond it kp times what is more; the same with a load."""
    drives = servo(backlash=0.04)
    for error, given in ((0.0, 0), (0.019, 0), (-0.019, 0), (0.05, 0.3), (-0.12, -1.0)):
        drives.compute(ZERO, ZERO, np.array([error]), ZERO)
        assert drives.effort[0] == pytest.approx(given, abs=1e-12)
    drives.set_feed_forward(np.array([0.5]))
    # The motor stands 0.05 rad ahead of its target by its feed-forward.
    for error, given in ((-0.05, 0.0), (-0.04, 0.0), (-0.02, 0.1), (-0.1, -0.3)):
        drives.compute(ZERO, ZERO, np.array([error]), ZERO)
        assert drives.effort[0] == pytest.approx(given, abs=1e-12)


def test_commands_come_late_by_whole_steps():
    """Each motor's commands come by its own number of steps later, at first the first ones."""
    motors = Motors(np.full(3, 9.0), np.full(3, 1e9), delay=np.array([0.0, 0.003, 0.0072]))
    drives = Drives(motors, [0, 1, 2, 1], np.array([1.0, 1.0, 1.0, 2.0]), np.zeros(4), STEP)
    drives.kp[:] = 1.0
    given = np.random.default_rng(1).uniform(-1.0, 1.0, (30, 4))
    still = np.zeros(4)
    found = []
    for target in given:
        drives.compute(still, still, target, still)
        found.append([drives.motor_effort[0], drives.motor_effort[2], drives.motor_effort[1]])
    for column, (place, late) in enumerate(((0, 0), (2, 7))):
        expected = given[np.maximum(np.arange(30) - late, 0), place]
        assert np.array(found)[:, column] == pytest.approx(expected)
    both = given[np.maximum(np.arange(30) - 3, 0)]
    assert np.array(found)[:, 2] == pytest.approx(both[:, 1] + 2.0 * both[:, 3])


def test_a_delay_is_a_time_while_steps_change():
    """A ramp of targets comes late by 7.2 ms, within a step, in steps of many lengths."""
    drives = servo(kp=1.0, effort=99.0, delay=np.array([0.0072]))
    now = 0.0
    for step in np.repeat(np.random.default_rng(2).uniform(1e-4, 5e-4, 30), 15):
        drives.set_step(step)
        drives.compute(ZERO, ZERO, np.array([now]), ZERO)
        if now > 0.01:
            assert now - drives.motor_effort[0] == pytest.approx(0.0072, abs=5e-4)
        now += step


def test_steps_of_other_lengths_warm_as_much():
    """T = T∞ + (T0 − T∞) exp(−t/(R C)), however the time is divided."""
    drives, now = servo(**HEAT), 0.0
    for step in np.random.default_rng(3).uniform(2e-4, 2e-3, 2000):
        drives.set_step(step)
        drives.compute(ZERO, ZERO, np.array([0.1]), ZERO)
        now += step
    assert drives.temperature[0] == pytest.approx(60.0 - 40.0 * np.exp(-now / 10.0), rel=1e-12)


def test_viscous_friction_slows_exponentially():
    """A free joint keeps exp(−c t/I) of its speed, within the error of a step's length."""
    drives = servo(kp=0.0, viscous_friction=0.03, step=1e-4)
    speed = np.array([2.0])
    for _ in range(5000):
        drives.compute(ZERO, speed, ZERO, ZERO)
        speed += drives.effort / 0.01 * 1e-4
    assert speed[0] == pytest.approx(2.0 * np.exp(-0.03 * 0.5 / 0.01), rel=1e-3)
    assert drives.motor_effort[0] == 0.0


def test_losses_of_a_mechanism_are_those_of_its_motor():
    """Σ |m| F, Σ c m² and Σ J m² over its joints are what the motor loses and carries."""
    motors = Motors(
        np.ones(2), np.ones(2), dry_friction=np.array([0.3, 0.1]), rotor_inertia=0.02,
        viscous_friction=0.5,
    )  # fmt: skip
    source, multiplier = np.array([0, 1, 0, 0]), np.array([1.0, 1.0, -2.0, 0.5])
    for name, power, whole in (
        ('dry_friction', 1, [0.3, 0.1]),
        ('viscous_friction', 2, [0.5, 0.5]),
        ('rotor_inertia', 2, [0.02, 0.02]),
    ):
        each = motors.per_joint(name, source, multiplier, by_speed=power == 2)
        sums = np.bincount(source, each * np.abs(multiplier) ** power)
        assert sums == pytest.approx(whole), name


def test_motors_of_a_robot_are_those_of_its_file():
    """What a motor type says of itself is said of each joint that it moves; else it is off."""
    robot = load_robot('arm')
    heat = ThermalSpec(loss=8.0, resistance=5.0, capacity=2.0, derate_from=70.0, limit=90.0)
    line = BackEmfSpec(stall_effort=2.5, no_load_velocity=7.0)
    robot.motors['ax18a'] = MotorSpec(
        effort=1.765, velocity=6.178, dry_friction=0.05, delay=0.01, back_emf=line, thermal=heat
    )
    motors = Motors.of(robot)
    assert motors.dry_friction.tolist() == [0.05, 0.05, 0.0]
    assert motors.delay.tolist() == [0.01, 0.01, 0.0]
    assert motors.stall_effort.tolist() == [2.5, 2.5, np.inf]
    assert motors.no_load_velocity.tolist() == [7.0, 7.0, np.inf]
    assert motors.heat_loss.tolist() == [8.0, 8.0, 0.0]
    drives = Drives.of(robot, JointMap.of(robot), STEP)
    assert drives.temperature == pytest.approx([25.0, 25.0, np.nan], nan_ok=True)
    assert drives.derating.tolist() == [1.0, 1.0, 1.0]
