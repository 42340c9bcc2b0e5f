"""What engines let change while they run, and where links are."""

import numpy as np
import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import BodyState, ObjectSpec
from softshell_sim.shapes import Sphere

STEP = 0.001


def test_gravity_points_where_it_is_told_to(start):
    """It changes from one step to the next, and stays after the world was cleared."""
    bench = start()
    engine, gravity = bench.engine, np.array([1.0, -2.0, 3.0])
    for _ in range(2):
        engine.set_gravity(gravity)
        ball = engine.add(ObjectSpec('ball', Sphere(0.1), 1.0))
        bench.run(0.5)
        assert bench.state(ball).linear_velocity == pytest.approx(0.5 * gravity)
        engine.clear()
    ball = engine.add(ObjectSpec('ball', Sphere(0.1), 1.0))
    bench.run(0.5)
    assert bench.state(ball).linear_velocity == pytest.approx(0.5 * gravity)


def test_steps_are_as_long_as_they_are_told_to_be(start):
    """A fall takes fewer steps when they are longer; new bodies do not change that."""
    bench = start()
    ball = bench.engine.add(ObjectSpec('ball', Sphere(0.1), 1.0, shift(z=10.0)))
    bench.engine.set_time_step(0.004)
    for step in range(125):
        if step == 50:
            bench.engine.add(ObjectSpec('other', Sphere(0.1), 1.0))
        bench.engine.step()
    assert bench.state(ball).position[2] == pytest.approx(10.0 - 9.81 * 0.5 * 0.504 / 2)


def test_poses_of_links(start):
    """The frame of a link turns with its joint, about the hinge."""
    bench = start()
    pendulum = bench.pendulum()
    mount = transform(rotation_about((0, 0, 1), 0.7), (1.0, 2.0, 3.0))
    bench.engine.place(pendulum, BodyState.at_rest(mount))
    bench.engine.place_joints(pendulum, np.array([0.4]))
    turned = mount @ transform(rotation_about((0, 1, 0), 0.4))
    for link, expected in ((0, mount), (1, turned)):
        assert bench.engine.link_pose(pendulum, link) == pytest.approx(expected, abs=1e-7)
    bench.run(0.2)
    (angle,), _ = bench.joints(pendulum)
    turned = mount @ transform(rotation_about((0, 1, 0), angle))
    assert bench.engine.link_pose(pendulum, 1) == pytest.approx(turned, abs=1e-7)


def test_a_closed_engine_changes_nothing(start):
    """Its setters raise that it was closed, as all other methods do."""
    bench = start()
    ball = bench.engine.add(ObjectSpec('ball', Sphere(0.1), 1.0))
    bench.engine.close()
    for call in (
        lambda: bench.engine.set_gravity(np.zeros(3)),
        lambda: bench.engine.set_time_step(2.0 * STEP),
        lambda: bench.engine.link_pose(ball, 0),
    ):
        with pytest.raises(SoftshellError, match='the world was closed'):
            call()
