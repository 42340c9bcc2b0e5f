"""Scene files say how bodies touch: layers and soft surfaces act, and wrong ones are named."""

from dataclasses import replace

import numpy as np
import pytest
from every_engine import EACH

from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError
from softshell_sim.bodies import BodyState
from softshell_sim.changing.changes import Place
from softshell_sim.scenes.scene_file import read_body, read_scene
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

BALL = 'sphere: {radius: 0.1}, mass: 0.5, position: [0.0, 0.0, %s]'


def rest_height(bench, description):
    """Of a body on a rigid plane after a second."""
    bench.engine.add(read_body('floor', '{plane: {}}').spec)
    ball = bench.engine.add(read_body('ball', description).spec)
    bench.run(1.0)
    return bench.state(ball).position[2]


def test_a_layer_of_a_scene_file_carries_its_body(start):
    """A ball of 0.1 m with a layer of 5 mm rests 105 mm high; shrunk first, 100 mm."""
    described = '{' + BALL % '0.105' + ', padding: 0.005}'
    assert rest_height(start(), described) == pytest.approx(0.105, abs=5e-5)
    described = '{' + BALL % '0.1' + ', padding: 0.005, preshrink: true}'
    assert rest_height(start(), described) == pytest.approx(0.1, abs=5e-5)


def test_a_soft_ball_of_a_scene_file_sinks_in_by_its_weight(start):
    """On what is rigid its stiffness counts twice: F/(2 k) of 0.5 kg and 500 N/m is 4.9 mm."""
    described = '{' + BALL % '0.1' + ', stiffness: 500.0, damping: 20.0}'
    deep = 0.5 * 9.81 / (2.0 * 500.0)
    assert rest_height(start(), described) == pytest.approx(0.1 - deep, abs=2e-5)


def test_what_no_surface_and_no_layer_is_comes_with_its_line(tmp_path):
    """A negative layer, half a soft surface and a layer that is a text: all told at once."""
    file = tmp_path / 'scene.yaml'
    file.write_text(
        'bodies:\n'
        '  thin: {sphere: {radius: 0.1}, padding: -0.001}\n'
        '  soft: {sphere: {radius: 0.1}, preshrink: 1}\n'
        '  ball: {sphere: {radius: 0.1}, stiffness: 0.0}\n'
    )
    with pytest.raises(ProblemsError) as caught:
        read_scene(file)
    text = str(caught.value)
    for line, name in ((2, 'padding'), (3, 'preshrink'), (4, 'stiffness')):
        assert f'{line}' in text
        assert name in text
    assert len(caught.value.problems) == 3


def test_a_place_is_said_once():
    """A description with a place of its own is refused beside a state, and good without one."""
    described = '{sphere: {radius: 0.1}, %s}'
    for key in ('position', 'rotation'):
        with pytest.raises(ProblemsError, match=f'{key}: the pose beside the description says'):
            read_body('ball', described % f'{key}: [0.0, 0.0, 0.0]', BodyState())
    spawn = read_body('ball', described % 'position: [1.0, 2.0, 3.0]')
    assert spawn.spec.pose[:3, 3] == pytest.approx([1.0, 2.0, 3.0])
    assert read_body('ball', described % 'mass: 1.0', BodyState()).spec.mass == 1.0


@pytest.mark.parametrize(
    ('described', 'problem'),
    [
        ('ramp: {slope: 2.0, length: 1.0, width: 1.0}', 'slope'),
        ('urdf: {file: none.urdf}', 'none.urdf'),
        (
            "stairs: {steps: '3', rise: 0.1, run: 0.2, width: 1.0}",
            "steps: is '3'; expected a whole number",
        ),
        (
            'rubble: {size: [1.0, 1.0], height: 0.04, block: 0.1, seed: true}',
            'seed: is true; expected a whole number',
        ),
    ],
)
def test_a_body_that_cannot_be_made_is_named(described, problem):
    """With what is wrong with its shape or its file."""
    with pytest.raises(ProblemsError, match=f"(?s)description of 'thing'.*{problem}"):
        read_body('thing', f'{{{described}}}')


def test_damping_alone_is_refused_by_name(tmp_path):
    """A surface has stiffness and damping, or neither."""
    file = tmp_path / 'scene.yaml'
    file.write_text('bodies:\n  ball: {sphere: {radius: 0.1}, damping: 5.0}\n')
    with pytest.raises(ProblemsError, match='only damping is given') as caught:
        read_scene(file)
    assert 'line 2' in str(caught.value)


SLIDES = """
bodies:
  crate: {box: {size: [0.1, 0.1, 0.1]}, mass: 1.0, position: [1.0, 0.0, 0.05], friction: 1.0}
surfaces:
  - {between: [%s], friction: 0.2}
"""


@pytest.mark.parametrize('engine', EACH)
def test_the_surface_between_two_bodies_acts_from_the_start(tmp_path, engine):
    """A crate pushed on the floor is braked by 0.2 g, again after a reset."""
    file = tmp_path / 'scene.yaml'
    file.write_text(SLIDES % 'crate, floor')
    world = World(load_robot('arm'), WorldSettings(engine=engine, scene=read_scene(file)))
    for _ in range(2):
        world.reset()
        state = replace(world.scene.state('crate'), linear_velocity=np.array([1.0, 0.0, 0.0]))
        world.apply([Place('crate', state)])
        world.simulate(0.2)
        speed = world.scene.state('crate').linear_velocity[0]
        assert speed == pytest.approx(1.0 - 0.2 * 9.81 * 0.2, abs=0.02)
    world.close()


def test_a_pair_of_strangers_comes_with_its_line(tmp_path):
    """The name that is none, and the names that there are."""
    file = tmp_path / 'scene.yaml'
    file.write_text(SLIDES % 'crate, flor')
    with pytest.raises(ProblemsError, match="unknown body 'flor'") as caught:
        read_scene(file)
    assert 'line 5' in str(caught.value)
