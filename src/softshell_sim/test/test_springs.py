"""Springs in joints: exact at rest, stable at any stiffness, in every engine, in any order."""

import numpy as np
import pytest

from softshell_continuum.calibration import joint_stiffness
from softshell_continuum.elastic_chain import chain_of
from softshell_continuum.files import from_data
from softshell_continuum.forms import ManipulatorForm
from softshell_continuum.parts import parts_of_manipulator
from softshell_continuum.statics import Statics
from softshell_continuum.urdf import urdf
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_sim.bodies import BodyState, RobotSpec
from softshell_sim.joints.springs import Springs
from softshell_sim.urdf.flatten import flatten

#: Of the pendulum in conftest.py.
LENGTH, MASS, MOMENT = 0.4, 1.5, 0.02
GRAVITY, STEP = 9.81, 0.001


def finger(stiffness, joints=10, damping=0.03):
    """A soft finger of 0.1 m that bends in one plane; damping by stiffness [s]."""
    link = {'shape': 'box', 'dimensions': [0.02, 0.02, 0.1 / joints], 'mass': 0.02 / joints}
    joint = {'stiffness': stiffness, 'damping': damping * stiffness}
    actuator = {'length': 0.1, 'n_segments': joints, 'link': link, 'joints': [joint]}
    return from_data(ManipulatorForm, {'name': 'finger', 'actuators': [actuator]})


def loaded(engine, form, **more):
    """A manipulator in an engine, its base fixed; the body and its chain."""
    parts = parts_of_manipulator(form)
    chain = chain_of(parts)
    names = tuple(part.joint_name for part in parts if part.joint is not None)
    springs = Springs.of(
        chain.stiffness, [joint.damping for joint in chain.joints], chain.neutral,
        [joint.friction for joint in chain.joints],
    )  # fmt: skip
    text = flatten(urdf(form.name, parts)).text
    spec = RobotSpec(form.name, text, names, True, springs=springs, **more)
    return engine.load(spec), chain


def tip_of(bench, body, chain):
    return bench_tip(chain, bench.joints(body)[0])


def bench_tip(chain, positions):
    turned, origins, _ = chain.frames(positions)
    link, point = chain.station(chain.length)
    return origins[link] + turned[link] @ point


@pytest.mark.parametrize('joints', [5, 10, 20])
def test_a_finger_is_as_stiff_at_its_tip_as_it_is_calibrated(start, joints):
    """A small lateral force F that lasts moves the tip by F/K_b, within 1 %."""
    measured = 10.0
    bench = start(gravity=0.0)
    stiffness = joint_stiffness(measured, 0.1, joints)
    body, chain = loaded(bench.engine, finger(stiffness, joints))
    force = np.array([0.0, 0.01, 0.0])
    for _ in range(1500):
        bench.engine.apply_wrench(
            body, len(body.links) - 1, force, np.zeros(3), tip_of(bench, body, chain)
        )
        bench.engine.step()
    assert force[1] / tip_of(bench, body, chain)[1] == pytest.approx(measured, rel=0.01)


def test_it_comes_to_rest_where_statics_say(start):
    """Bent far by a force at its tip and moments in its joints, it agrees with the solver."""
    form = finger(0.1, 10, damping=0.05)
    bench = start()
    body, chain = loaded(bench.engine, form)
    moments, force = np.linspace(0.01, 0.03, 10), np.array([0.0, 0.1, -0.2])
    for _ in range(3000):
        bench.engine.apply_effort(body, moments)
        bench.engine.apply_wrench(
            body, len(body.links) - 1, force, np.zeros(3), tip_of(bench, body, chain)
        )
        bench.engine.step()
    statics = Statics(chain, gravity=(0.0, 0.0, -GRAVITY))
    rest = statics.solve(tip_force=force, efforts=moments)
    assert np.abs(rest.positions).sum() > 1.5
    assert bench.joints(body)[0] == pytest.approx(rest.positions, abs=2e-3)


@pytest.mark.parametrize('stiffness', [0.1, 10.0, 1e4])
def test_no_stiffness_makes_it_unstable(start, stiffness):
    """Released from a bend, with steps of 5 ms, it becomes about straight and stops."""
    bench = start(gravity=0.0, time_step=0.005)
    body, _ = loaded(bench.engine, finger(stiffness, 10, damping=0.002))
    bench.engine.place_joints(body, np.full(10, 0.1))
    speeds = []
    for _ in range(400):
        bench.engine.step()
        position, speed = bench.joints(body)
        assert np.abs(position).max() < 0.2
        speeds.append(np.abs(speed).max())
    assert speeds[-1] < 0.02 * max(speeds)


def test_a_spring_swings_at_its_frequency(start):
    """A pendulum on a spring has the period 2π √(I / k), with small steps; its amplitude falls."""
    bench = start(gravity=0.0, time_step=0.0002)
    inertia = MOMENT + MASS * LENGTH**2
    stiffness = inertia * (2.0 * np.pi) ** 2  # once a second
    body = bench.pendulum(0.2, springs=Springs.of([stiffness]))
    angles = []
    for _ in range(10_000):
        bench.engine.step()
        angles.append(bench.joints(body)[0][0])
    crossings = np.flatnonzero(np.diff(np.sign(angles)))
    assert np.diff(crossings).mean() * 0.0002 == pytest.approx(0.5, rel=2e-3)
    # Implicit Euler damps by h ω² / 2 as a rate.
    expected = 0.2 * np.exp(-0.5 * 0.0002 * (2.0 * np.pi) ** 2 * 2.0)
    assert max(angles[-2500:]) == pytest.approx(expected, rel=0.01)


def test_a_spring_rests_at_its_neutral_position_and_friction_holds_it_off(start):
    """It rests within what friction can hold, and without friction exactly there."""
    for friction, off in ((0.0, 0.0), (1.0, 0.1)):
        bench = start(gravity=0.0)
        body = bench.pendulum(0.0, springs=Springs.of([10.0], [5.0], [0.5], [friction]))
        bench.run(4.0)
        found = bench.joints(body)[0][0]
        assert abs(found - 0.5) == pytest.approx(off, abs=0.01)


def test_a_saved_state_goes_on_as_it_would_have(start):
    """It repeats bit for bit, with the estimated load of the springs."""
    bench = start()
    body, _ = loaded(bench.engine, finger(0.1))

    def run():
        ways = []
        for _ in range(50):
            bench.engine.apply_effort(body, np.full(10, 0.01))
            bench.engine.step()
            ways.append(bench.joints(body)[0].copy())
        return np.array(ways)

    run()
    state = bench.engine.save()
    first = run()
    bench.engine.restore(state)
    assert (run() == first).all()


def test_a_placed_finger_swings_as_a_fresh_one(start):
    """Nothing is left of how it moved before it was placed, at rest."""
    ways = []
    for before in (0.0, 0.05):
        bench = start()
        body, _ = loaded(bench.engine, finger(0.1))
        bench.engine.place_joints(body, np.full(10, -0.1))
        bench.run(before)
        bench.engine.place_joints(body, np.full(10, 0.1))
        ways.append([])
        for _ in range(50):
            bench.engine.step()
            ways[-1].append(bench.joints(body)[0].copy())
    assert np.array(ways[1]) == pytest.approx(np.array(ways[0]), abs=1e-6)


def test_springs_of_other_joints_and_what_is_no_spring_are_refused(start):
    """The number of joints, a negative stiffness and unequal lengths are named."""
    bench = start()
    with pytest.raises(SoftshellError, match='springs of 2 joints; expected 1, one for each'):
        bench.pendulum(springs=Springs.of([1.0, 2.0]))
    with pytest.raises(ProblemsError, match=r'stiffness of joint 0 is -1\.0 N m/rad or N/m;'):
        Springs.of([-1.0])
    with pytest.raises(ProblemsError, match='arrays of 1, 2 joints'):
        Springs(np.ones(2), np.ones(1), np.ones(2), np.ones(2))


def test_a_free_body_with_springs_keeps_its_momentum(start):
    """Without outer forces its centre of mass stays, but for the errors of steps."""
    bench = start(gravity=0.0, time_step=1e-4)
    form = finger(0.002, 6, damping=0.0)
    parts = parts_of_manipulator(form)
    names = tuple(part.joint_name for part in parts if part.joint is not None)
    text = flatten(urdf('finger', parts)).text
    spec = RobotSpec('finger', text, names, springs=Springs.of(np.full(6, 0.002)))
    body = bench.engine.load(spec)
    bench.engine.place(body, BodyState())
    bench.engine.place_joints(body, np.full(6, 0.3))
    chain = chain_of(parts)

    def centre():
        state = bench.state(body)
        turned, origins, _ = chain.frames(bench.joints(body)[0], state.pose)
        base = state.pose @ [0.0, 0.0, 0.1 / 24, 1.0]
        centres = origins[1:] + np.einsum('nij,nj->ni', turned[1:], chain.centres)
        masses = np.concatenate([[0.02 / 12], chain.masses])
        return masses @ np.vstack([base[:3], centres]) / masses.sum()

    before = centre()
    bench.run(0.3)
    assert np.abs(bench.joints(body)[1]).max() > 1.0
    assert centre() == pytest.approx(before, abs=3e-4)
