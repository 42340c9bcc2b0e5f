"""PD torque as a servo gives it."""

import numpy as np
import pytest

from softshell_control.pd import KNEE, Motors, joint_torques

MOTORS = Motors(np.array([1.5, 2.0]), np.array([6.0, 6.0]))
KP, KD = np.array([10.0, 20.0]), np.array([0.1, 0.2])


def torque(position, velocity, target=(0.0, 0.0), pace=(0.0, 0.0)):
    result = np.empty(2)
    vectors = [np.array(v, dtype=float) for v in (position, velocity, target, pace)]
    joint_torques(*vectors, KP, KD, MOTORS, result)
    return result


def test_law():
    """Inside all limits τ = kp (θd − θ) + kd (θ̇d − θ̇)."""
    result = torque([0.1, -0.02], [0.5, -0.4], [0.2, 0.0], [1.0, 0.0])
    assert result == pytest.approx([10 * 0.1 + 0.1 * 0.5, 20 * 0.02 + 0.2 * 0.4])


def test_effort_limit():
    """However large the error, the torque is the effort limit, either way."""
    assert torque([-1e9, 1e9], [0.0, 0.0]) == pytest.approx([1.5, -2.0])


def test_speed_limit():
    """Effort falls from the knee to nothing at the speed limit; braking keeps all of it."""
    half = 6.0 * (KNEE + 1.0) / 2.0
    assert torque([-9.0, 9.0], [half, -half]) == pytest.approx([0.75, -1.0])
    assert torque([-9.0, 9.0], [6.0, -6.5]) == pytest.approx([0.0, 0.0], abs=1e-12)
    assert torque([9.0, -9.0], [6.5, -6.5]) == pytest.approx([-1.5, 2.0])


def test_static_error():
    """Under a load a joint rests where kp times its error is the load: here I θ̈ = τ + load."""
    position, velocity, load, step, inertia = np.zeros(2), np.zeros(2), 0.5, 1e-3, 1e-3
    result = np.empty(2)
    for _ in range(5000):
        joint_torques(position, velocity, np.zeros(2), np.zeros(2), KP, KD, MOTORS, result)
        velocity += (result + load) / inertia * step
        position += velocity * step
    assert position == pytest.approx(load / KP, abs=1e-9)
