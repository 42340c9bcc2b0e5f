"""Surfaces, layers and gains that are changed while a world runs, and come back with a state."""

import numpy as np
import pytest
from scene_runs import run, trace

from softshell_description.config import Gains
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, ObjectSpec, RobotSpec, Surface
from softshell_sim.changing.changes import Place, Remove, SetPadding, SetSurface, Spawn
from softshell_sim.scene import Scene
from softshell_sim.scenes.terrain import laid
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Box, Plane, Sphere
from softshell_sim.world import World

STEP, GRAVITY = 0.001, 9.81
SOFT = Surface(1.0, 0.0, 5e3, 50.0)


@pytest.fixture
def scene(start):
    """A floor and two boxes of 2 kg that slide on it at 1 m/s, of friction 0.4."""
    scene = Scene(start().engine, {})
    surface = Surface(0.4)
    scene.apply([Spawn(ObjectSpec('floor', Plane(), surface=surface))])
    for name, y in (('box', 0.0), ('other', 1.0)):
        spec = ObjectSpec(name, Box((0.2, 0.2, 0.2)), 2.0, shift(0.0, y, 0.1), surface)
        scene.apply([Spawn(spec)])
    run(scene, 0.1)
    push_off(scene)
    return scene


def push_off(scene):
    for name in ('box', 'other'):
        state = scene.state(name)
        state.linear_velocity[:] = 1.0, 0.0, 0.0
        scene.apply([Place(name, state)])


def test_laid_ground_has_its_friction_with_the_robot(start):
    """What slides on it loses 0.4 g, though its own surface has a friction of 1."""
    scene = Scene(start().engine, {})
    body = ObjectSpec('robot', Box((0.2, 0.2, 0.2)), 2.0, shift(0.0, 0.0, 0.1))
    scene.apply([Spawn(body), *laid(Plane(), 0.4)])
    run(scene, 0.1)
    state = scene.state('robot')
    state.linear_velocity[:] = 1.0, 0.0, 0.0
    scene.apply([Place('robot', state)])
    run(scene, 0.15)
    lost = 1.0 - scene.state('robot').linear_velocity[0]
    assert lost == pytest.approx(0.4 * GRAVITY * 0.15, rel=0.03)


def test_a_body_is_rigid_again_without_the_other_of_a_soft_pair(start):
    """After that one left it rests on the floor as one does that was never part of a pair."""
    scene = Scene(start().engine, {})
    cube = Box((0.2, 0.2, 0.2))
    names = ('other', 'box', 'third')
    specs = [ObjectSpec(name, cube, 2.0, shift(k, 0, 0.1)) for k, name in enumerate(names)]
    scene.apply([Spawn(ObjectSpec('floor', Plane())), *map(Spawn, specs)])
    scene.apply([SetSurface('other', Surface(1.0, 0.0, 1e3, 50.0), 'box')])
    run(scene, 0.2)
    scene.apply([Remove('other')])
    run(scene, 0.5)
    heights = [scene.state(name).position[2] for name in names[1:]]
    assert heights[0] == pytest.approx(heights[1], abs=1e-4)


def speeds(scene):
    return [scene.state(name).linear_velocity[0] for name in ('box', 'other')]


@pytest.mark.parametrize(
    ('change', 'frictions'),
    [
        (SetSurface('box', Surface(0.1)), (2 * 0.4 * 0.1 / 0.5, 0.4)),
        (SetSurface('box', Surface(0.1), 'floor'), (0.1, 0.4)),
        (SetSurface('floor', Surface(0.1)), (2 * 0.4 * 0.1 / 0.5,) * 2),
    ],
)
def test_boxes_slide_as_their_surfaces_say(scene, change, frictions):
    """They lose the speed μ g t, within 2 %, with μ of the changed body or pair."""
    scene.apply([change])
    run(scene, 0.05)
    before = speeds(scene)
    run(scene, 0.1)
    lost = np.subtract(before, speeds(scene))
    assert lost == pytest.approx([mu * GRAVITY * 0.1 for mu in frictions], rel=0.02)


def test_a_pair_has_the_blend_again(scene):
    """It has the blend when its own surface is taken away, also within one batch of changes."""
    scene.apply([SetSurface('floor', Surface(0.05), 'box'), SetSurface('box', None, 'floor')])
    run(scene, 0.15)
    assert speeds(scene) == pytest.approx([1.0 - 0.4 * GRAVITY * 0.15] * 2, rel=0.02)


CHANGES = {
    'body': [SetSurface('box', Surface(0.1))],
    'pair': [SetSurface('box', Surface(0.1), 'floor')],
    'soft': [SetSurface('box', SOFT), SetSurface('other', SOFT, 'floor')],
    'layer': [SetPadding('box', 0.004)],
}


@pytest.mark.parametrize('kind', CHANGES)
def test_a_state_has_the_surfaces_of_its_time(scene, kind):
    """Restored, it has the surfaces of when it was saved, and repeats bit for bit."""
    engine = scene.engine
    plain = scene.save()
    first = trace(scene)
    scene.restore(plain)
    scene.apply(CHANGES[kind])
    run(scene, 0.05)
    changed = scene.save()
    second = trace(scene)
    assert second != first
    scene.restore(plain)
    assert engine.surfaces.of(engine.body('box')) == Surface(0.4)
    assert engine.surfaces.given(engine.body('box'), engine.body('floor')) is None
    assert engine.padding[engine.body('box')] == 0.0
    assert trace(scene) == first
    scene.restore(changed)
    assert trace(scene) == second


def test_a_state_gives_surfaces_to_bodies_that_came_anew(scene):
    """A body that was removed and spawned again gets the surface and the pairs that were saved."""
    scene.apply([*CHANGES['pair'], SetSurface('other', Surface(0.2))])
    saved = scene.save()
    first = trace(scene)
    spec = scene.engine.specs['other']
    scene.apply([Remove('other'), Spawn(spec)])
    scene.restore(saved)
    assert trace(scene) == first


def test_soft_bodies_become_rigid_again(scene):
    """They sank in by m g / k, and then stand on the floor again; all other bodies go on."""
    scene.apply([SetSurface('floor', SOFT), SetSurface('box', SOFT)])
    run(scene, 1.0)
    sunk = 2.0 * GRAVITY / 5e3 / 4.0
    assert scene.state('box').position[2] == pytest.approx(0.1 - sunk, abs=3e-5)
    scene.apply([SetSurface('floor', Surface(0.4)), SetSurface('box', Surface(0.4))])
    run(scene, 1.0)
    for name in ('box', 'other'):
        assert scene.state(name).position[2] == pytest.approx(0.1, abs=5e-5)


FOOT = """
<robot name="foot"><link name="foot"><inertial><mass value="2"/>
  <inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>
"""


@pytest.mark.parametrize('preshrink', [False, True])
@pytest.mark.parametrize('kind', ['ball', 'foot'])
def test_a_body_rests_on_the_layer_that_it_got(start, kind, preshrink):
    """It rests higher by the layer; a preshrunk one rests as high as before."""
    scene = Scene(start().engine, {})
    spec = ObjectSpec(kind, Sphere(0.1), 2.0, preshrink=preshrink)
    if kind == 'foot':
        spec = RobotSpec(kind, FOOT, (), preshrink=preshrink)
    there = BodyState.at_rest(shift(z=0.12))
    scene.apply([Spawn(ObjectSpec('floor', Plane())), Spawn(spec, there)])
    run(scene, 0.5)
    for padding in (0.01, 0.003, 0.0):
        scene.apply([SetPadding(kind, padding), Place(kind, there)])
        run(scene, 0.5)
        expected = 0.1 if preshrink else 0.1 + padding
        assert scene.state(kind).position[2] == pytest.approx(expected, abs=5e-5)


def test_a_plane_gets_a_layer(scene):
    """A body on it rests higher by the layer, and the plane is where it was."""
    scene.apply([SetPadding('floor', 0.005)])
    run(scene, 1.0)
    assert scene.state('box').position[2] == pytest.approx(0.105, abs=5e-5)
    assert scene.state('floor').position == pytest.approx(np.zeros(3), abs=1e-9)


@pytest.mark.usefixtures('each_engine')
@pytest.mark.parametrize('pd', ['explicit', 'implicit'])
def test_a_state_has_the_gains_of_its_time(arm, pd):
    """A motion repeats bit for bit after other gains and another reset."""
    world = World(arm, WorldSettings(pd=pd))
    world.set_gains({'turning': Gains(kp=20.0, kd=0.3, ki=5.0)})
    goal = np.array([-0.5, 0.06])
    world.simulate(0.1, goal)
    saved = world.save()
    runs = []
    for _ in range(2):
        rows = []
        for _ in range(50):
            world.simulate(0.004, goal)
            rows.append(world.measure(0.004).position.copy())
        runs.append(np.concatenate(rows).tobytes())
        world.set_gains({'turning': Gains(kp=80.0, kd=1.0)})
        world.reset(np.array([1.0, 0.0]))
        world.simulate(0.1)
        world.restore(saved)
    assert runs[0] == runs[1]
    world.close()
