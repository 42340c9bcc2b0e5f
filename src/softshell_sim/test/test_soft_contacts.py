"""Soft chains that touch things, rub in their joints, and come to their stops."""

import numpy as np
import pytest

from softshell_continuum.files import from_data
from softshell_continuum.forms import ManipulatorForm
from softshell_continuum.statics import Statics
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import BodyState, ObjectSpec
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.shapes import Box, Plane
from softshell_sim.soft.body import SoftBody

ENGINES = ['mujoco', 'pybullet']


def finger(count=8, length=0.08, mass=0.012, stiffness=0.1, **joint):
    """A finger of boxes that bends about x in each joint."""
    return from_data(
        ManipulatorForm,
        {
            'name': 'finger',
            'actuators': [
                {
                    'length': length,
                    'n_segments': count,
                    'link': {
                        'shape': 'box',
                        'dimensions': [0.014, 0.01, length / count],
                        'mass': mass / count,
                    },
                    'joints': [
                        {'axis': [1, 0, 0], 'stiffness': stiffness, 'damping': 0.005, **joint}
                    ],
                }
            ],
        },
    )


def bent(engine, form, moment, seconds, step=1e-3, gravity=0.0):
    """Positions of the joints after a moment was on each of them for a while."""
    world = make_engine(engine, EngineSettings(step, gravity, False))
    soft = SoftBody(world, form)
    soft.bend('finger', [moment])
    for _ in range(round(seconds / step)):
        soft.apply()
        world.step()
    soft.read()
    return soft.position.copy()


@pytest.mark.parametrize('engine', ENGINES)
@pytest.mark.parametrize('count', [8, 40])
def test_a_finger_that_presses_on_the_ground_stays_what_it_is(engine, count):
    """Links of a gram and less, by springs that alone would bend each joint by M/k."""
    world = make_engine(engine, EngineSettings(1e-3, 9.81, False))
    world.add(ObjectSpec('ground', Plane()))
    lying = shift(0.0, 0.0, 0.03) @ transform(rotation_about(np.array([0.0, 1.0, 0.0]), np.pi / 2))
    lying = lying @ transform(rotation_about(np.array([0.0, 0.0, 1.0]), np.pi / 2))
    soft = SoftBody(world, finger(count, stiffness=0.1 * count / 8), lying)
    soft.bend('finger', [0.1])
    largest = 0.0
    for _ in range(1000):
        soft.apply()
        world.step()
        soft.read()
        largest = max(largest, float(np.abs(soft.position).max()))
    assert largest < 3.0 * 0.1 / (0.1 * count / 8)  # M/k, and what it swings
    assert soft.tip('finger')[2, 3] < 0.025  # it does press
    assert np.abs(soft.velocity).max() < 1.0


@pytest.mark.parametrize('engine', ENGINES)
def test_friction_holds_what_it_can(engine):
    """A moment below the friction moves no joint by more than its bristle gives."""
    for count in (1, 8):
        position = bent(engine, finger(count, friction=0.05), 0.04, 2.0)
        assert np.abs(position).max() < 0.003


@pytest.mark.parametrize('engine', ENGINES)
@pytest.mark.parametrize(
    ('count', 'step'), [(1, 1e-3), (8, 1e-3), pytest.param(8, 2e-4, marks=pytest.mark.long)]
)
def test_friction_takes_its_part_of_the_moment(engine, count, step):
    """(M − F)/k once it has come to rest from below: 0.3 rad, without it 0.4."""
    position = bent(engine, finger(count, friction=0.01), 0.04, 1.5, step)
    np.testing.assert_allclose(position, 0.3, atol=0.002)


@pytest.mark.parametrize('engine', ENGINES)
def test_joints_that_rub_go_on_from_a_saved_state(engine):
    world = make_engine(engine, EngineSettings(1e-3, 0.0, False))
    soft = SoftBody(world, finger(4, friction=0.01))
    soft.bend('finger', [0.04])

    def go():
        for _ in range(100):
            soft.apply()
            world.step()
        soft.read()
        return soft.position.copy()

    go()
    saved = world.save()
    first = go()
    world.restore(saved)
    np.testing.assert_array_equal(go(), first)


@pytest.mark.parametrize('engine', ENGINES)
@pytest.mark.parametrize(('moment', 'step'), [(0.04, 1e-3), (0.1, 1e-3), (0.1, 2e-4), (0.2, 1e-3)])
def test_stops_hold_light_joints(engine, moment, step):
    """They come to rest at their stops, where statics have them, whatever presses on them."""
    form = finger(8, damping=0.001, limits={'lower': -0.3, 'upper': 0.3})
    world = make_engine(engine, EngineSettings(step, 9.81, False))
    soft = SoftBody(world, form)
    statics = Statics(soft.members['finger'].chain, gravity=(0.0, 0.0, -9.81))
    at_rest = statics.solve(efforts=np.full(8, moment))
    assert at_rest.stopped.all()
    soft.bend('finger', [moment])
    for _ in range(round(0.6 / step)):
        soft.apply()
        world.step()
    soft.read()
    np.testing.assert_allclose(soft.position, at_rest.positions, atol=0.002)
    assert np.abs(soft.velocity).max() * step < 0.001


@pytest.mark.parametrize(
    ('engine', 'mass'),
    [('mujoco', 0.05), ('mujoco', 0.3), ('mujoco', 1.0), ('pybullet', 0.05), ('pybullet', 0.3)],
)
def test_stops_hold_what_lies_on_a_finger(engine, mass):
    """A box on a level finger whose springs alone would let it hang down."""
    form = finger(4, stiffness=0.02, damping=0.002, limits={'lower': -0.05, 'upper': 0.05})
    world = make_engine(engine, EngineSettings(1e-3, 9.81, False))
    level = shift(0.0, 0.0, 0.2) @ transform(rotation_about(np.array([1.0, 0.0, 0.0]), -np.pi / 2))
    soft = SoftBody(world, form, level)
    place = shift(0.0, soft.tip('finger')[1, 3] - 0.02, 0.2 + 0.005 + 0.016)
    box = world.add(ObjectSpec('box', Box((0.03, 0.03, 0.03)), mass=mass, pose=place))
    state = BodyState()
    for count in range(1500):
        soft.apply()
        world.step()
        soft.read()
        assert np.abs(soft.position).max() < (0.1 if count < 500 else 0.06)  # first it lands
    world.read(box, state)
    assert np.abs(state.position - place[:3, 3]).max() < 0.01


@pytest.mark.parametrize('moment', [float('nan'), float('inf')])
def test_a_moment_that_is_none_is_refused(moment):
    world = make_engine('mujoco', EngineSettings(1e-3, 0.0, False))
    soft = SoftBody(world, finger())
    with pytest.raises(SoftshellError, match='moments of finger'):
        soft.bend('finger', [moment])
    assert not soft.efforts.any()


@pytest.mark.long
@pytest.mark.parametrize('engine', ENGINES)
def test_cylinders_that_stand_upright_over_the_ground_do_not_touch_it(engine):
    """However their links have turned about the vertical: they hover by a millimetre."""
    world = make_engine(engine, EngineSettings(2e-3, 0.0, False))
    world.add(ObjectSpec('ground', Plane()))
    form = from_data(
        ManipulatorForm,
        {
            'name': 'arm',
            'actuators': 4 * [{
                'length': 0.125, 'n_segments': 5,
                'link': {'shape': 'stadium', 'dimensions': [0.05, 0.05, 0.025], 'mass': 0.003},
                'joints': [{'axis': [1, 0, 0], 'stiffness': 0.2, 'damping': 0.08}],
            }],
        },
    )  # fmt: skip
    lying = np.column_stack([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])
    soft = SoftBody(world, form, transform(lying, (0.0, 0.0, 0.026)))
    for number, moment in enumerate((0.06, -0.06, -0.06, 0.06)):
        soft.bend('arm', [moment], number)
    for _ in range(1000):
        soft.apply()
        world.step()
        assert not any(contact.force.any() for contact in world.contacts(soft.body))
    world.close()
