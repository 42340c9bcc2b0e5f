"""What every engine promises, on bodies whose mechanics have a closed form."""

from dataclasses import replace

import numpy as np
import pytest

from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import BodyState, ObjectSpec, RobotSpec, Surface
from softshell_sim.physics.engine import Engine
from softshell_sim.shapes import Cylinder, Plane, Sphere

STEP, GRAVITY = 0.001, 9.81
#: Of the pendulum in conftest.py.
LENGTH, MASS, MOMENT = 0.4, 1.5, 0.02
#: A single link whose inertial frame is neither at its origin nor along its axes.
CENTRE = np.array([0.1, 0.2, -0.05])
LUMP = """
<robot name="lump"><link name="lump"><inertial><origin xyz="0.1 0.2 -0.05" rpy="0.3 -0.5 0.9"/>
  <mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
</link></robot>
"""
#: A wheel on an axle.
ROTOR = """
<robot name="rotor"><link name="axle"/><link name="wheel"><inertial><mass value="0.1"/>
  <inertia ixx="1e-4" iyy="1e-4" izz="2e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="spin" type="continuous"><parent link="axle"/><child link="wheel"/>
    <axis xyz="0 0 1"/></joint>
</robot>
"""


def test_a_body_falls_as_gravity_says(start):
    """A body falls g t²/2 (the steps of symplectic Euler add g h t/2) and keeps its drift."""
    bench = start()
    engine = bench.engine
    ball = engine.add(ObjectSpec('ball', Sphere(0.1), 0.7, shift(z=10.0)))
    engine.place(
        ball, BodyState(np.array([0.0, 0.0, 10.0]), linear_velocity=np.array([1.5, 0, 0]))
    )
    bench.run(0.5)
    state = bench.state(ball)
    assert state.position == pytest.approx([0.75, 0.0, 10.0 - GRAVITY * 0.5 * (0.5 + STEP) / 2])
    assert state.linear_velocity == pytest.approx([1.5, 0.0, -GRAVITY * 0.5])


def test_state_is_that_of_the_root_links_frame(start):
    """A placed state is read again; the frame of a spinning body circles its centre of mass."""
    bench = start(gravity=0.0)
    engine = bench.engine
    lump = engine.load(RobotSpec('lump', LUMP, ()))
    pose, spin = (
        shift(1.0, 2.0, 3.0) @ transform(rotation_about((1, 0, 0), 0.4)),
        np.array([0.0, 0.0, 2.0]),
    )
    at = BodyState.at_rest(pose)
    arm = pose[:3, :3] @ -CENTRE
    at.angular_velocity[:], at.linear_velocity[:] = spin, np.cross(spin, arm)
    engine.place(lump, at)
    found = bench.state(lump)
    for name in ('position', 'orientation', 'linear_velocity', 'angular_velocity'):
        assert getattr(found, name) == pytest.approx(getattr(at, name), abs=1e-6), name
    bench.run(0.5)
    turn = transform(rotation_about((0, 0, 1), 2.0 * 0.5))
    found = bench.state(lump)
    centre = pose[:3, 3] - arm
    assert found.position == pytest.approx(centre + turn[:3, :3] @ arm, abs=1e-3)
    assert found.pose[:3, :3] == pytest.approx(turn[:3, :3] @ pose[:3, :3], abs=1e-3)


def test_torque_on_a_pendulum(start):
    """In one step the speed changes by (τ − m g l sin θ) h / (I + m l²); torque lasts one step."""
    bench = start()
    engine = bench.engine
    body = bench.pendulum(0.7)
    inertia, weight = MOMENT + MASS * LENGTH**2, MASS * GRAVITY * LENGTH * np.sin(0.7)
    engine.apply_effort(body, np.array([5.0]))
    engine.step()
    speed = bench.joints(body)[1][0]
    assert speed == pytest.approx((5.0 - weight) * STEP / inertia, rel=1e-6)
    engine.step()
    change = bench.joints(body)[1][0] - speed
    assert change == pytest.approx(-weight * STEP / inertia, rel=1e-3)


def test_what_is_fast_stays_as_fast(start):
    """A thrown ball and a spinning joint, above the 100 m/s and rad/s of PyBullet's defaults."""
    bench = start(gravity=0.0)
    engine = bench.engine
    ball = engine.add(ObjectSpec('ball', Sphere(0.1), 0.7, shift(y=5.0)))
    thrown = np.array([250.0, 0.0, 0.0]), np.array([0.0, 0.0, 200.0])
    at = BodyState(np.array([0.0, 5.0, 0.0]), linear_velocity=thrown[0])
    at.angular_velocity[:] = thrown[1]
    engine.place(ball, at)
    body = engine.load(RobotSpec('rotor', ROTOR, ('spin',), fixed=True))
    engine.place_joints(body, np.zeros(1), np.array([300.0]))
    bench.run(0.02)
    state = bench.state(ball)
    assert state.linear_velocity == pytest.approx(thrown[0])
    assert state.angular_velocity == pytest.approx(thrown[1])
    assert bench.joints(body)[1] == pytest.approx([300.0], rel=1e-6)


def test_a_pendulum_swings_undamped(start):
    """Nothing but gravity acts on a joint: after five periods it is back where it began."""
    bench = start()
    body = bench.pendulum(0.1)
    period = 2 * np.pi * np.sqrt((MOMENT + MASS * LENGTH**2) / (MASS * GRAVITY * LENGTH))
    bench.run(5 * period * (1 + 0.1**2 / 16))
    assert bench.joints(body)[0][0] == pytest.approx(0.1, abs=1e-3)


def test_damping_and_friction_that_a_urdf_names_are_not_the_engines(start):
    """Only the control uses them: in the engine the joint turns on at the same speed."""
    bench = start(gravity=0.0)
    body = bench.pendulum(dynamics='<dynamics damping="0.5" friction="0.5"/>')
    assert '<dynamics' in bench.engine.specs[body.name].urdf
    bench.engine.place_joints(body, np.zeros(1), np.ones(1))
    bench.run(0.5)
    assert bench.joints(body)[1][0] == pytest.approx(1.0, rel=1e-6)


def test_joint_limits_are_kept(start):
    """A steady torque presses a joint against its limit of 2 rad, and not through it."""
    bench = start(gravity=0.0)
    engine = bench.engine
    body = bench.pendulum(1.5)
    for _ in range(1500):
        engine.apply_effort(body, np.array([0.5]))
        engine.step()
    assert bench.joints(body)[0][0] == pytest.approx(2.0, abs=0.02)


def test_a_wrench_changes_velocities_by_mass_and_inertia(start):
    """During one step F changes v by F h/m, τ changes ω by τ h/I, and F beside the centre both."""
    bench = start(gravity=0.0)
    engine = bench.engine
    block = bench.box(pose=shift(z=5.0) @ transform(rotation_about((0, 0, 1), 0.5)))
    inertia, centre = 2.0 * 0.2**2 / 6, np.array([0.0, 0.0, 5.0])
    force, torque, beside = np.array([3.0, -1.0, 2.0]), np.array([0.0, 0.2, 0.1]), (0.1, 0.0, 0.0)
    engine.apply_wrench(block, 0, force, torque, centre + beside)
    bench.run(2 * STEP)
    state = bench.state(block)
    assert state.linear_velocity == pytest.approx(force * STEP / 2.0)
    moment = torque + np.cross(beside, force)
    assert state.angular_velocity == pytest.approx(moment * STEP / inertia, rel=1e-3)


def test_wrench_on_a_link(start):
    """A force F along x at the bob, l below the hinge, turns it by −F l h / (I + m l²)."""
    bench = start(gravity=0.0)
    engine = bench.engine
    body = bench.pendulum()
    point = np.array([0.0, 0.0, 5.0 - LENGTH])
    engine.apply_wrench(body, body.links.index('bob'), np.array([2.0, 0, 0]), np.zeros(3), point)
    engine.step()
    speed = -2.0 * LENGTH * STEP / (MOMENT + MASS * LENGTH**2)
    assert bench.joints(body)[1][0] == pytest.approx(speed, rel=1e-6)


def test_ray_and_gaps(start):
    """A ray ends at the nearest body, with the link, point and normal; gaps are exact."""
    bench = start()
    engine = bench.engine
    ground = bench.floor()
    rod = engine.add(ObjectSpec('rod', Cylinder(0.1, 0.6), 1.0, shift(z=1.0)))
    body = bench.pendulum()
    hit = engine.ray(np.array([0.0, 0.0, 3.0]), np.array([0.0, 0.0, -1.0]))
    assert hit.body is rod
    assert hit.point == pytest.approx([0.0, 0.0, 1.3], abs=1e-6)
    assert hit.normal == pytest.approx([0.0, 0.0, 1.0])
    hit = engine.ray(np.array([0.0, 2.0, 3.0]), np.array([0.0, 2.0, -1.0]))
    assert (hit.body, hit.link) == (ground, 0)
    hit = engine.ray(np.array([1.0, 0.0, 5.0 - LENGTH]), np.array([-1.0, 0.0, 5.0 - LENGTH]))
    assert (hit.body, body.links[hit.link]) == (body, 'bob')
    assert engine.ray(np.array([1.0, 0.0, 3.0]), np.array([1.0, 0.0, 2.0])) is None
    assert engine.ray(np.array([0.0, 0.0, 3.0]), np.array([0.0, 0.0, 3.0])) is None
    (gap,) = engine.gaps(rod, ground, 2.0)
    assert gap.distance == pytest.approx(0.7, abs=2e-3)
    assert engine.gaps(rod, ground, 0.5) == []


def test_bodies_come_and_go(start):
    """A box falls when its floor is removed and lands on one that is added; names are unique."""
    bench = start()
    engine = bench.engine
    ground, block = bench.floor(), bench.box()
    bench.run(0.2)
    engine.remove(ground)
    with pytest.raises(UnknownNameError, match="unknown body 'floor'; known: box"):
        engine.remove(ground)
    bench.run(0.5)
    assert bench.state(block).position[2] == pytest.approx(0.1 - GRAVITY * 0.125, rel=0.02)
    engine.add(ObjectSpec('lower floor', Plane(), pose=shift(z=-3.0)))
    bench.run(1.0)
    assert bench.state(block).position[2] == pytest.approx(-2.9, abs=0.01)
    with pytest.raises(SoftshellError, match="body 'box' exists already"):
        bench.box()
    with pytest.raises(SoftshellError, match='a Plane stands still'):
        engine.add(ObjectSpec('sheet', Plane(), 1.0))
    assert list(engine.bodies) == ['box', 'lower floor']


def messy(bench):
    """A pendulum, which is returned, hits a box on a floor: all that a state has to hold."""
    bench.floor()
    bench.box(shift(0.25, z=0.1), Surface(0.7))
    return bench.pendulum(1.0, height=0.5)


def trace(bench, body, steps=400, between=lambda: None):
    """(steps, 8) every number of the box and the pendulum."""
    rows, block = [], bench.engine.body('box')
    for k in range(steps):
        bench.engine.apply_effort(body, np.array([np.sin(0.02 * k)]))
        bench.engine.step()
        between()
        state = bench.state(block)
        rows.append(np.concatenate([*bench.joints(body), state.position, state.linear_velocity]))
    return np.array(rows)


def test_replay_is_bit_identical(start):
    """Going on after `save`, and after each `restore`, gives the same numbers bit for bit."""
    bench = start()
    body = messy(bench)
    trace(bench, body, 300)
    state = bench.engine.save()
    runs = [trace(bench, body)]
    for _ in range(2):
        bench.engine.restore(state)
        runs.append(trace(bench, body))
    assert np.ptp(runs[0][:, 2]) > 0.01
    assert runs[0].tobytes() == runs[1].tobytes() == runs[2].tobytes()


def test_state_of_other_bodies_is_refused(start):
    """A state is refused that was saved with other bodies, by name, or in another order."""
    bench = start()
    engine = bench.engine
    messy(bench)
    state = engine.save()
    engine.remove(engine.body('box'))
    ball = engine.add(ObjectSpec('ball', Sphere(0.1), 1.0, shift(y=1.0)))
    with pytest.raises(SoftshellError, match="other bodies: 'box' is missing, 'ball' is new"):
        engine.restore(state)
    engine.remove(ball)
    bench.box(shift(z=0.3))
    with pytest.raises(SoftshellError, match="'box' is specified otherwise"):
        engine.restore(state)
    engine.clear()
    for spec in reversed(state.specs):
        engine.load(spec) if isinstance(spec, RobotSpec) else engine.add(spec)
    with pytest.raises(SoftshellError, match="in the order 'floor', 'box', 'pendulum'"):
        engine.restore(state)


def test_a_state_of_another_kind_of_engine_is_refused(start):
    """An engine refuses a state that another class of engine saved."""
    engine = start().engine
    saved = engine.save()
    with pytest.raises(
        SoftshellError, match=f'by a Engine; expected one of a {type(engine).__name__}'
    ):
        engine.restore(replace(saved, engine=Engine))


def test_a_state_outlives_its_bodies(start):
    """After `clear`, with bodies made from the same specifications, it goes on bit for bit."""
    bench = start()
    body = messy(bench)
    trace(bench, body, 300)
    state = bench.engine.save()
    first = trace(bench, body)
    bench.engine.clear()
    for spec in state.specs:
        bench.engine.load(spec) if isinstance(spec, RobotSpec) else bench.engine.add(spec)
    bench.engine.restore(state)
    assert trace(bench, bench.engine.body('pendulum')).tobytes() == first.tobytes()


def test_two_worlds_do_not_mix(start):
    """A run repeats bit for bit while another engine, of other gravity, steps in turn with it."""
    alone, one, other = start(), start(), start(gravity=1.0)
    expected = trace(alone, messy(alone))
    other.box(shift(0.25, z=1.0))
    found = trace(one, messy(one), between=other.engine.step)
    assert found.tobytes() == expected.tobytes()
    assert fallen(other) == pytest.approx(0.5 * 0.4 * 0.401, rel=1e-3)


def fallen(bench):
    """How far the box has fallen from 1 m [m]."""
    return 1.0 - bench.state(bench.engine.body('box')).position[2]


def test_cleared_engine_is_as_new(start):
    """After `clear` there is no body, and a run repeats bit for bit."""
    bench = start()
    first = trace(bench, messy(bench))
    bench.engine.clear()
    assert not bench.engine.bodies
    assert trace(bench, messy(bench)).tobytes() == first.tobytes()
