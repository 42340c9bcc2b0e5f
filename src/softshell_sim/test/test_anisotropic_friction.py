"""What every engine promises of links whose friction is another along an axis than across it."""

import numpy as np
import pytest

from softshell_kinematics.errors import ProblemsError, UnknownNameError
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import BodyState, ObjectSpec, RobotSpec, Surface
from softshell_sim.contact.anisotropic_friction import AnisotropicFriction
from softshell_sim.contact.friction_forces import friction_force
from softshell_sim.shapes import Box, Capsule, Compound

GRAVITY, MASS = 9.81, 2.0
LYING = transform(rotation_about((0.0, 1.0, 0.0), np.pi / 2))
#: Two capsules along x, a track of 0.2 m apart, which cannot roll.
RUNNERS = Compound(tuple((shift(0.0, y, 0.02) @ LYING, Capsule(0.02, 0.2)) for y in (-0.1, 0.1)))
BOARD = Box((0.24, 0.24, 0.04))


def sled(bench, along, across, heading=0.6, shape=RUNNERS):
    """A sled whose own x axis is at a heading on a floor, at rest; friction is across its axis."""
    bench.floor(Surface(across))
    pose = transform(rotation_about((0.0, 0.0, 1.0), heading))
    if isinstance(shape, Box):
        pose = pose @ shift(z=0.02)
    friction = AnisotropicFriction(along / across, (1.0, 0.0, 0.0))
    spec = ObjectSpec('sled', shape, MASS, pose, Surface(across), anisotropic=friction)
    body = bench.engine.add(spec)
    bench.run(0.1)
    return body


def slid(along, across, speed, seconds, pieces=2_000):
    """Velocity of what slid for a time, by the law of an ellipse: (along, across) [m/s]."""
    friction, velocity = np.array([along, across]), np.array(speed)
    step = seconds / pieces
    for _ in range(pieces):
        power = np.linalg.norm(friction * velocity)
        velocity = velocity - step * GRAVITY * friction**2 * velocity / power
    return velocity


@pytest.mark.long
@pytest.mark.parametrize('shape', [RUNNERS, BOARD])
@pytest.mark.parametrize('direction', [0.0, np.pi / 4, 1.2, np.pi / 2])
@pytest.mark.parametrize(('along', 'across'), [(0.1, 0.5), (0.02, 1.0), (0.6, 0.3)])
def test_it_slides_as_an_ellipse_of_friction_lets_it(start, along, across, direction, shape):
    """Its loss of speed in 0.1 s is that of the ellipse within 2 %, of a box within 5 %."""
    bench = start()
    body = sled(bench, along, across, shape=shape)
    speed = 2.0 * np.array([np.cos(direction), np.sin(direction)])
    turn = rotation_about((0.0, 0.0, 1.0), 0.6)
    state = bench.state(body)
    state.linear_velocity[:] = turn @ [*speed, 0.0]
    bench.engine.place(body, state)
    bench.run(0.01)  # until contacts are as those of what slides
    before = (turn.T @ bench.state(body).linear_velocity)[:2]
    bench.run(0.1)
    after = (turn.T @ bench.state(body).linear_velocity)[:2]
    lost = before - slid(along, across, before, 0.1)
    part, more = (0.05, 0.005) if isinstance(shape, Box) else (0.02, 0.0)
    assert before - after == pytest.approx(lost, abs=part * np.linalg.norm(lost) + more)


@pytest.mark.parametrize(('axis', 'friction'), [(0, 0.1), (1, 0.5)])
@pytest.mark.parametrize(('part', 'slips'), [(0.9, False), (1.1, True)])
def test_it_breaks_away_along_and_across_at_its_own_force(start, axis, friction, part, slips):
    """Pushed with 0.9 of μ m g it creeps slower than 15 mm/s; with 1.1 it gets the rest."""
    bench = start()
    body = sled(bench, 0.1, 0.5, heading=0.0)
    force = np.zeros(3)
    force[axis] = part * friction * MASS * GRAVITY
    for _ in range(500):
        # At the floor, so that it does not tilt.
        point = bench.state(body).position * [1.0, 1.0, 0.0]
        bench.engine.apply_wrench(body, 0, force, np.zeros(3), point)
        bench.engine.step()
    speed = bench.state(body).linear_velocity[axis]
    if slips:
        assert speed == pytest.approx(0.5 * (part - 1.0) * friction * GRAVITY, rel=0.1)
    else:
        assert abs(speed) < 0.015


def test_forces_of_contacts_hold_its_friction(start):
    """Sliding at 45°, nearly all of μ m g is across; the contact tells the coefficient across."""
    bench = start()
    body = sled(bench, 0.02, 0.5, heading=0.0)
    state = bench.state(body)
    state.linear_velocity[:2] = 1.0, 1.0
    bench.engine.place(body, state)
    bench.run(0.02)
    force, mean, weight = np.zeros((1, 3)), np.zeros(3), MASS * GRAVITY
    for _ in range(100):
        bench.engine.step()
        bench.engine.contact_forces(body, force)
        mean += force[0] / 100
    assert mean == pytest.approx(np.array([0.0, -0.5, 1.0]) * weight, abs=0.03 * weight)
    contacts = bench.engine.contacts(body)
    assert np.sum([each.force for each in contacts], axis=0) == pytest.approx(force[0])
    assert {round(each.friction, 6) for each in contacts} == {0.5}


def sliding(bench):
    """A sled that slides askew to its runners."""
    body = sled(bench, 0.1, 0.5)
    state = bench.state(body)
    state.linear_velocity[:2] = 1.0, 1.0
    bench.engine.place(body, state)
    return body


def test_friction_that_was_is_not_told_of_a_new_contact(start):
    """A sled that slid, and is set down again at rest, has none in its first step."""
    bench = start()
    body = sliding(bench)
    rest = BodyState.at_rest(bench.state(body).pose)
    bench.run(0.02)
    force, weight = np.zeros((1, 3)), MASS * GRAVITY
    bench.engine.contact_forces(body, force)
    assert np.linalg.norm(force[0, :2]) > 0.05 * weight
    bench.engine.place(body, rest)
    bench.engine.step()
    bench.engine.contact_forces(body, force)
    assert np.linalg.norm(force[0, :2]) < 0.01 * weight


def test_going_on_after_save_is_going_on_after_restore(start):
    """A sliding body repeats bit for bit."""
    bench = start()
    body = sliding(bench)
    bench.run(0.05)
    saved, ways = bench.engine.save(), []
    for _ in range(2):
        bench.run(0.05)
        ways.append(bench.state(body).position.copy())
        bench.engine.restore(saved)
    assert (ways[0] == ways[1]).all()


ROD = """
<robot name="rod"><link name="rod"><inertial><mass value="2"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link></robot>
"""


def test_links_of_robots_have_it_by_name(start):
    """A box that is a robot slides along its z axis, which is level, and not across it."""
    bench = start()
    bench.floor(Surface(0.5))
    friction = {'rod': AnisotropicFriction(0.1)}
    spec = RobotSpec('rod', ROD, (), surface=Surface(0.5), anisotropic=friction)
    body = bench.engine.load(spec)
    state = bench.state(body)
    state.position[2], state.orientation[:] = 0.1, [0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5)]
    state.linear_velocity[0] = 1.0
    bench.engine.place(body, state)
    bench.run(0.2)
    expected = 1.0 - 0.05 * GRAVITY * 0.2
    assert bench.state(body).linear_velocity[0] == pytest.approx(expected, abs=0.01)


def test_what_no_link_has_is_refused_by_name(start):
    """Wrong numbers, wrong axes and unknown links are named."""
    for along, axis, text in (
        (-0.1, (0.0, 0.0, 1.0), 'along is -0.1; expected 0 or more'),
        ('1', (0.0, 0.0, 1.0), "along is '1'; expected 0 or more"),
        (np.nan, (0.0, 0.0, 1.0), 'along is nan; expected 0 or more'),
        (0.1, (0.0, 0.0, 2.0), r'axis is \(0.0, 0.0, 2.0\); expected a unit vector'),
        (0.1, (0.0, 1.0), r'axis is \(0.0, 1.0\); expected three numbers'),
        (0.1, 'z', "axis is 'z'; expected three numbers"),
    ):
        with pytest.raises(ProblemsError, match=text):
            AnisotropicFriction(along, axis)
    spec = RobotSpec('rod', ROD, (), anisotropic={'rot': AnisotropicFriction(0.1)})
    with pytest.raises(UnknownNameError, match="link of 'rod' 'rot'; did you mean rod"):
        start().engine.load(spec)


def test_a_force_of_friction_is_the_nearest_that_can_be():
    """A fine search of the ellipse finds none nearer; inside of it the force stops the slip."""
    random = np.random.default_rng(4)
    up, ahead = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    angles = np.linspace(0.0, 2.0 * np.pi, 200_001)
    for _ in range(50):
        most = 10.0 ** random.uniform(-3.0, 1.0, 2)
        slip = random.normal(size=2)
        wanted = -slip / 0.1
        force = friction_force((*slip, 0.0), up, ahead, *most, 0.1)[:2]
        if np.sum((wanted / most) ** 2) <= 1.0:
            assert force == pytest.approx(wanted)
            continue
        edge = np.column_stack([most[0] * np.cos(angles), most[1] * np.sin(angles)])
        nearest = edge[np.argmin(np.linalg.norm(edge - wanted, axis=1))]
        assert force == pytest.approx(nearest, abs=1e-4 * most.max())
