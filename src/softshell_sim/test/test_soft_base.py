"""How the origin of a soft body may move, and friction along its links, in every engine."""

import numpy as np
import pytest

from softshell_continuum.files import from_data
from softshell_continuum.forms import ManipulatorForm
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.shapes import Plane
from softshell_sim.soft.base import Base
from softshell_sim.soft.body import SoftBody

GRAVITY = 9.81
#: Lies along x of the world, and bends about the vertical.
LYING = transform(rotation_about((0.0, 1.0, 0.0), np.pi / 2))
LINK = {'shape': 'capsule', 'dimensions': [0.05, 0.02], 'mass': 0.05}
JOINT = {'axis': [1.0, 0.0, 0.0], 'stiffness': 50.0, 'damping': 1.0}


def worm(**more):
    """A stiff body of 0.2 m and 0.2 kg, of four links; further settings of each link."""
    actuator = {'length': 0.2, 'n_segments': 4, 'link': LINK | more, 'joints': [JOINT]}
    return from_data(ManipulatorForm, {'name': 'worm', 'actuators': [actuator]})


def pushed(bench, soft, force, point, seconds):
    """Push its root link for a time at a (3,) point in the frame of its origin."""
    root = soft.body.links.index('base')
    for _ in range(round(seconds / bench.engine.time_step)):
        at = soft.origin[:3, :3] @ point + soft.origin[:3, 3]
        bench.engine.apply_wrench(soft.body, root, np.array(force), np.zeros(3), at)
        soft.apply()
        bench.engine.step()


@pytest.mark.parametrize('base', [Base.UPRIGHT, Base.FREE])
def test_what_nothing_holds_falls(start, base):
    """By g t² / 2, straight down, and as it was turned."""
    bench = start()
    pose = shift(0.3, -0.2, 5.0) @ transform(rotation_about((0.0, 0.0, 1.0), 0.7)) @ LYING
    soft = SoftBody(bench.engine, worm(), pose, base)
    assert soft.origin == pytest.approx(pose, abs=1e-6)  # PyBullet: single precision
    bench.run(0.5)
    fallen = shift(z=-0.5 * GRAVITY * 0.25) @ pose
    assert soft.origin == pytest.approx(fallen, abs=5e-3)


def test_a_fixed_origin_stays(start):
    """Whatever pulls at it."""
    bench = start()
    soft = SoftBody(bench.engine, worm(), shift(z=1.0) @ LYING)
    pushed(bench, soft, [5.0, 5.0, 5.0], np.zeros(3), 0.2)
    assert soft.origin == pytest.approx(shift(z=1.0) @ LYING, abs=1e-12)


@pytest.mark.parametrize('base', [Base.UPRIGHT, Base.FREE])
def test_it_is_as_heavy_as_it_is(start, base):
    """Without weight: its centre goes F t² / 2 m, along x that of each of its links as well."""
    bench = start(gravity=0.0)
    soft = SoftBody(bench.engine, worm(), LYING, base)
    pushed(bench, soft, [0.4, 0.0, 0.0], np.zeros(3), 0.5)
    assert bench.engine.mass(soft.body) == pytest.approx(0.2, rel=1e-4)
    assert soft.origin[:3, 3] == pytest.approx([0.5 * 0.4 / 0.2 * 0.25, 0.0, 0.0], abs=2e-3)


def test_an_upright_origin_turns_but_never_tilts(start):
    """A push up beside it turns a free one over; one to the side turns both about the vertical."""
    for base, tilts in ((Base.UPRIGHT, False), (Base.FREE, True)):
        bench = start(gravity=0.0)
        soft = SoftBody(bench.engine, worm(), LYING, base)
        pushed(bench, soft, [0.0, 0.2, 0.0], np.zeros(3), 0.3)
        assert abs(soft.origin[1, 2]) > 0.1
        pushed(bench, soft, [0.0, 0.0, 0.2], np.zeros(3), 0.3)
        # Its x axis pointed down.
        assert (soft.origin[2, 0] > -0.99) == tilts
        if not tilts:
            assert soft.origin[2, 0] == pytest.approx(-1.0, abs=1e-9)


@pytest.mark.parametrize('base', [Base.UPRIGHT, Base.FREE])
@pytest.mark.parametrize('friction_along', [0.1, 1.0])
def test_it_slides_along_itself_by_its_own_friction(start, base, friction_along):
    """It is braked by μ g, μ that along its links, and weighs what it weighs on the ground."""
    bench = start()
    surface = Surface(0.3, 0.0, 5e3, 50.0)
    ground = bench.engine.add(ObjectSpec('ground', Plane(), surface=surface))
    form = worm(friction_along=friction_along)
    soft = SoftBody(bench.engine, form, shift(z=0.02) @ LYING, base, surface=surface)
    bench.run(0.2)
    force = np.zeros((1, 3))
    bench.engine.contact_forces(ground, force)
    assert -force[0, 2] == pytest.approx(0.2 * GRAVITY, rel=0.01)
    pushed(bench, soft, [4.0, 0.0, 0.0], np.zeros(3), 0.1)
    speeds = []
    for _ in range(2):
        before = soft.origin[0, 3]
        bench.run(0.01)
        speeds.append((soft.origin[0, 3] - before) / 0.01)
        bench.run(0.09)
    braked = 0.3 * friction_along * GRAVITY * 0.1
    assert speeds[0] - speeds[1] == pytest.approx(braked, rel=0.05)


def test_links_that_are_fixed_to_each_other_have_the_same_friction_along(start):
    """A tip with another is refused, with both names and numbers."""
    tip = {'shape': 'sphere', 'dimensions': [0.02], 'mass': 0.01}
    actuator = {
        'length': 0.2, 'n_segments': 4, 'link': LINK | {'friction_along': 0.1}, 'joints': [JOINT],
    }  # fmt: skip
    form = from_data(ManipulatorForm, {'name': 'worm', 'actuators': [actuator], 'tips': [tip]})
    text = '0_3 and tip_0 are fixed to each other and have friction_along 0.1 and 1; expected'
    with pytest.raises(SoftshellError, match=text):
        SoftBody(start().engine, form)


def test_a_base_may_be_given_by_its_value(start):
    """What is 'free' falls, g t² / 2 as above."""
    bench = start()
    soft = SoftBody(bench.engine, worm(), shift(z=5.0), 'free')
    bench.run(0.5)
    assert soft.origin[2, 3] == pytest.approx(5.0 - 0.5 * GRAVITY * 0.25, abs=5e-3)


@pytest.mark.parametrize(
    ('pose', 'base', 'text'),
    [
        (None, 'loose', "base is 'loose'; expected one of 'fixed', 'upright', 'free'"),
        (None, None, 'base is None; expected one of'),
        (2.0 * np.eye(4), Base.FIXED, 'pose is not rigid; expected a rotation'),
        (np.eye(3), Base.FREE, r'pose has shape \(3, 3\); expected \(4, 4\)'),
        (np.full((4, 4), np.nan), Base.UPRIGHT, 'pose'),
    ],
)
def test_poses_and_bases_that_are_none_are_refused(start, pose, base, text):
    """By value and what was expected; the engine stays empty."""
    engine = start().engine
    with pytest.raises(SoftshellError, match=text):
        SoftBody(engine, worm(), pose, base)
    assert not engine.bodies
