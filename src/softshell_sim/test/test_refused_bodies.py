"""Bodies and changes that no world takes: told by name, and nothing is changed."""

import numpy as np
import pytest

from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, ObjectSpec, RobotSpec, Surface
from softshell_sim.changing.changes import Place, Remove, SetPadding, Spawn
from softshell_sim.scene import Scene
from softshell_sim.scenes.scene_file import read_body, read_scene
from softshell_sim.scenes.terrain import ramp
from softshell_sim.shapes import Box, Plane

CUBE = Box((0.2, 0.2, 0.2))
MOUNT = '<robot name="mount"><link name="mount"/></robot>'


@pytest.mark.parametrize(
    ('make', 'text'),
    [
        (lambda: ObjectSpec('a', CUBE, '5'), "mass is '5'; expected 0 or more, at most 1e"),
        (lambda: ObjectSpec('a', CUBE, True), 'mass is True; expected 0 or more'),
        (lambda: ObjectSpec('a', CUBE, None), 'mass is None; expected 0 or more'),
        (lambda: ObjectSpec('a', CUBE, 1e12), 'mass is 1000000000000.0 kg; expected 0 or more'),
        (lambda: ObjectSpec('a', CUBE, -1.0), 'mass is -1.0 kg; expected 0 or more'),
        (lambda: ObjectSpec('a', CUBE, 1.0, 'here'), "pose: 'here' is no array of numbers"),
        (lambda: ObjectSpec('a', CUBE, 1.0, np.ones((4, 4))), 'pose is not rigid; expected'),
        (lambda: ObjectSpec('a', CUBE, surface=0.5), 'surface is 0.5; expected a Surface, such'),
        (lambda: RobotSpec('a', MOUNT, (), surface=None), 'surface is None; expected a Surface'),
        (lambda: Surface('rough'), "friction is 'rough'; expected 0 or more, and finite"),
        (lambda: Surface(0.5, '0'), "restitution is '0'; expected 0 or more, at most 1"),
        (lambda: Surface(0.5, 0.0, '1', 2.0), "stiffness is '1'; expected more than 0"),
        (lambda: Surface(0.5, 0.0, 1.0, '2'), "damping is '2'; expected 0 or more"),
    ],
)
def test_numbers_that_no_body_has_are_refused(make, text):
    """Also those that are none, with the value as it was given."""
    with pytest.raises(ProblemsError, match=text):
        make()


@pytest.mark.parametrize('padding', [1e6, 1.01, -0.1, np.nan, '1'])
def test_layers_that_no_body_has_are_refused(start, padding):
    """A new body's and a change's, by name, value and range; a layer of 1 m is taken."""
    engine = start().engine
    scene = Scene(engine, {})
    scene.apply([Spawn(ObjectSpec('ball', CUBE, 1.0, shift(z=5.0)))])
    spec = ObjectSpec('box', CUBE, 1.0, padding=padding)
    for change in (Spawn(spec), SetPadding('ball', padding)):
        with pytest.raises(ProblemsError, match=r'padding is .*; expected 0 or more, at most 1 m'):
            scene.apply([change])
    assert list(engine.padding.values()) == [0.0]
    scene.apply([SetPadding('ball', 1.0)])
    assert list(engine.padding.values()) == [1.0]


@pytest.mark.parametrize(
    ('description', 'text'),
    [
        ('{sphere: {radius: 0.1}, mass: 1.0, mass: 2.0}', 'line 1: mass: given twice'),
        ('{sphere: {radius: 0.1, radius: 0.2}}', 'line 1: sphere.radius: given twice'),
        ('{sphere: {radius: 0.1}, mass: 1.0e+12}', 'mass is 1000000000000.0 kg; expected 0 or'),
        ('{sphere: {radius: 0.1}, padding: 1.0e+6}', 'padding: is 1000000.0; expected at most 1'),
        ('{sphere: {radius: 1.0e+9}}', 'radius is 1000000000.0 m; expected more than 0, at most'),
        ('{sphere: {radius: 0.1}, mass: 2026-99-99}', 'is not YAML|expected a number'),
    ],
)
def test_descriptions_of_no_body_are_refused(description, text):
    """Keys that are given twice, as scene files do, and what is too large for any engine."""
    with pytest.raises(SoftshellError, match=text):
        read_body('ball', description)


def test_scene_files_refuse_keys_that_are_given_twice(tmp_path):
    """With the line of the second."""
    file = tmp_path / 'scene.yaml'
    file.write_text('bodies:\n  ball: {sphere: {radius: 0.1}}\n  ball: {sphere: {radius: 0.2}}\n')
    with pytest.raises(ProblemsError, match=r'line 3: bodies\.ball: given twice'):
        read_scene(file)


@pytest.mark.parametrize('wrong', ['jump', None, 3, CUBE])
def test_a_change_that_is_none_is_refused_with_the_whole_batch(start, wrong):
    """The others of its batch are not made."""
    scene = Scene(start().engine, {})
    good = Spawn(ObjectSpec('box', CUBE))
    with pytest.raises(ProblemsError, match=r'change 2 of 2 is .*; expected one of Spawn, Remove'):
        scene.apply([good, wrong])
    assert not scene.engine.bodies


@pytest.mark.parametrize(
    'spec', [ObjectSpec('hill', ramp(0.2, 1.0, 1.0)), RobotSpec('hill', MOUNT, (), fixed=True)]
)
def test_what_stands_still_takes_no_velocity(start, spec):
    """Neither when it comes nor later; a pose it takes."""
    scene = Scene(start().engine, {})
    moving = BodyState(linear_velocity=np.array([1.0, 0.0, 0.0]))
    turning = BodyState(angular_velocity=np.array([0.0, 0.0, 2.0]))
    with pytest.raises(ProblemsError, match=r"'hill' stands still; its linear velocity is \[1.0"):
        scene.apply([Spawn(spec, moving)])
    scene.apply([Spawn(spec, BodyState.at_rest(shift(1.0)))])
    with pytest.raises(ProblemsError, match=r'its angular velocity is .* 2.0\] rad/s, expected 0'):
        scene.apply([Place('hill', turning)])
    assert scene.state('hill').position[0] == pytest.approx(1.0)


def test_other_ground_may_come_in_the_place_of_the_floor(start):
    """A box that rested on a plane falls 0.3 m, onto the next one, in one batch."""
    bench = start()
    scene = Scene(bench.engine, {})
    floor, lower = ObjectSpec('floor', Plane()), ObjectSpec('lower', Plane(), pose=shift(z=-0.3))
    scene.apply([Spawn(floor), Spawn(ObjectSpec('box', CUBE, 1.0, shift(z=0.1)))])
    bench.run(0.2)
    scene.apply([Remove('floor'), Spawn(lower)])
    bench.run(1.0)
    assert scene.state('box').position[2] == pytest.approx(-0.2, abs=1e-3)
