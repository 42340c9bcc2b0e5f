"""docs/simulation.md: its scene, its program and its tables are those of the code."""

import re
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import yaml

from softshell_description.load import load_robot
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec
from softshell_sim.changing.changes import SetSurface, Spawn
from softshell_sim.scenes.scene_file import SHAPES, BodyForm, read_scene
from softshell_sim.scenes.terrain import ramp
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / 'docs' / 'simulation.md').read_text(encoding='utf-8')


def test_the_scene_of_the_page_is_read_and_has_every_shape(tmp_path):
    """The file that is shown makes a world; each shape has a row that names all its entries."""
    (text,) = re.findall(r'```yaml\n(.*?)```', PAGE, re.DOTALL)
    (tmp_path / 'scene.yaml').write_text(text, encoding='utf-8')
    np.save(tmp_path / 'meadow.npy', np.zeros((5, 5)))
    (tmp_path / 'door.urdf').write_text(
        '<robot name="door"><link name="leaf"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
        'izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    scene = read_scene(tmp_path / 'scene.yaml')
    shown = yaml.safe_load(text)['bodies']
    assert [change.spec.name for change in scene if isinstance(change, Spawn)] == [*shown]
    (pair,) = [change for change in scene if isinstance(change, SetSurface)]
    assert (pair.body, pair.other, pair.surface.friction) == ('crate', 'hill', 0.1)
    assert {shape for body in shown.values() for shape in set(body) & set(SHAPES)} == set(SHAPES)
    world = World(load_robot('arm'), WorldSettings(scene=scene))
    assert [*world.engine.bodies] == ['floor', 'robot', *shown]
    world.close()
    rows = dict(re.findall(r'^\| `(\w+)` \| (.*) \|$', PAGE, re.MULTILINE))
    for shape in SHAPES:
        form = get_args(BodyForm.model_fields[shape].annotation)[0]
        for name in form.model_fields:
            assert f'`{name}`' in rows[shape], (shape, name)
    for name in set(BodyForm.model_fields) - set(SHAPES):
        assert f'`{name}`' in PAGE, name


def slid(friction: float) -> float:
    """How far the page's cube goes: 10 m/s² of push and friction for 0.2 s, then friction [m]."""
    braking = 9.81 * friction
    speed = (10.0 - braking) * 0.2
    return 0.5 * speed * 0.2 + 0.5 * speed**2 / braking


def run_program(number: int) -> dict[str, Any]:
    """What a program of the page leaves behind, by name."""
    shown: dict[str, Any] = {}
    exec(re.findall(r'```python\n(.*?)```', PAGE, re.DOTALL)[number], shown)
    return shown


def test_the_program_of_the_page_on_driven_bodies_lifts_a_cup():
    """It stands on the plate, as high as that was driven."""
    shown = run_program(1)
    assert shown['lifted'] == pytest.approx(0.1 + 0.2 + 0.025 + 0.05, abs=1e-3)


def test_the_program_of_the_page_on_worlds_pushes_a_cube_and_lets_it_fall():
    """It slides as far as impulse and friction let it, and falls as on the Moon."""
    shown = run_program(0)
    world = World(load_robot('shell'), WorldSettings(friction=0.8))
    hill = ObjectSpec('hill', ramp(0.2, 2.0, 1.0), pose=shift(1.0))
    world.apply([Spawn(shown['cube']), Spawn(hill)])  # as while it is pushed
    friction, error = 2.0 / (1.0 / 0.8 + 1.0 / 0.5), world.engine.surface_residual.friction
    world.close()
    nearest, farthest = slid(friction + error) - 2e-3, slid(friction - error) + 2e-3
    x, y, z = shown['pushed']
    assert nearest < y - 0.6 < farthest
    assert [x, z] == pytest.approx([0.0, 0.05], abs=1e-3)
    assert shown['fallen'] == pytest.approx([0.0, 0.6, 1.0 - 0.5 * 1.62 * 0.5**2], abs=2e-3)


def test_parameters_services_and_topics_of_a_world_are_on_its_page():
    """Each parameter is one of the bridge's; each service that only a simulation has is named."""
    pytest.importorskip('rclpy', reason='no ROS here')
    pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')
    from softshell_sim.ros.sim_bridge import SimParameters

    table = PAGE.split('| parameter | meaning |')[1].split('\n\n')[0]
    fields = SimParameters.__dataclass_fields__
    assert set(re.findall(r'^\| `(\w+)` \|', table, re.MULTILINE)) <= set(fields)
    folder = ROOT / 'src' / 'softshell_sim' / 'softshell_sim' / 'ros'
    text = '\n'.join(path.read_text(encoding='utf-8') for path in folder.glob('*.py'))
    for name in set(re.findall(r'`?(~/\w+)', text)):
        assert f'`{name}`' in PAGE, name
