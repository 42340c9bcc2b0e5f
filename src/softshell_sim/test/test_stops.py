"""Accelerations of springy joints that come to their stops in an implicit step."""

import numpy as np
import pytest

from softshell_sim.joints.stops import HARDNESS, ROUNDS, held_by_stops

STEP = 0.001
LIMITS = np.array([[-0.3], [0.4]]) * np.ones(30)


def chain(random, joints):
    """An inertia of joints that are as coupled as those of a chain."""
    below = np.tril(np.ones((joints, joints)))
    whole = below.T @ np.diag(random.uniform(0.5, 2.0, joints)) @ below
    return whole + np.diag(random.uniform(0.1, 1.0, joints))


def anew(inertia, effort, after, limits):
    """The same with stops as springs in the matrix, solved as a whole in each round."""
    acceleration, presses = np.linalg.solve(inertia, effort), np.zeros(len(after), bool)
    for _ in range(ROUNDS):
        ends = after + STEP**2 * acceleration
        stop = np.clip(ends, *limits)
        did, presses = presses, ends != stop
        if np.array_equal(did, presses):
            break
        hard = np.where(presses, HARDNESS * np.diag(inertia), 0.0)
        push = effort + hard * (stop - after) / STEP**2
        acceleration = np.linalg.solve(inertia + np.diag(hard), push)
    return acceleration


@pytest.mark.parametrize('joints', [1, 4, 30])
def test_they_are_those_of_stops_that_are_springs(joints):
    """As of one large system in each round, within rounding; in many cases some joints press."""
    random, pressed = np.random.default_rng(joints), 0
    limits = LIMITS[:, :joints]
    for _ in range(200):
        inertia = chain(random, joints)
        after = random.uniform(-0.4, 0.5, joints)
        effort = inertia @ random.normal(0.0, 2e4, joints)
        inverse = np.linalg.inv(inertia)
        free = inverse @ effort
        found = held_by_stops(free, limits, after, np.diag(inertia), inverse, STEP)
        wanted = anew(inertia, effort, after, limits)
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-7 * np.abs(wanted).max())
        pressed += not np.array_equal(found, free)
    assert pressed > 20


def test_one_that_reaches_none_is_left_alone():
    free = np.array([1e4, -1e4])
    found = held_by_stops(free, LIMITS[:, :2], np.zeros(2), np.ones(2), np.eye(2), STEP)
    assert found is free
