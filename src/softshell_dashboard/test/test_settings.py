"""The settings of the page: modes, and bodies for simulated worlds."""

from pathlib import Path

import pytest

from softshell_dashboard.settings import load_page_settings
from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState
from softshell_sim.scenes.scene_file import read_body
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

CONFIG = Path(__file__).resolve().parents[3] / 'config' / 'dashboard.yaml'


@pytest.mark.parametrize('engine', ['mujoco', 'pybullet'])
def test_all_bodies_that_are_offered_can_be_put_into_a_world(engine):
    world = World(load_robot('arm'), WorldSettings(engine=engine))
    bodies = load_page_settings(CONFIG).bodies
    for place, (name, body) in enumerate(bodies.items()):
        state = BodyState.at_rest(shift(3.0 * place + 2.0, 0.0, body.height))
        world.apply([read_body(name, body.text()['description'], state)])
    assert {'ramp', 'stairs', 'rubble'} <= set(bodies) <= {*world.engine.bodies}
    world.close()


@pytest.mark.parametrize(
    ('body', 'told'),
    [
        ('{description: {sphere: {radius: -1}}}', 'radius'),
        ('{description: {sphere: {radius: 1}, position: [0, 0, 0]}}', 'position'),
        ('{description: {cone: {}}}', 'cone'),
        ('{description: {sphere: {radius: 1}}, ahead: far}', 'ahead'),
        ('{description: {sphere: {radius: 1}}, ahead: .inf}', 'ahead'),
        ('{description: {sphere: {radius: 1}}, height: true}', 'height'),
        ("{description: {sphere: {radius: 1}}, height: '0.1'}", 'height'),
    ],
)
def test_a_wrong_body_is_refused_by_name(tmp_path, body, told):
    file = tmp_path / 'page.yaml'
    file.write_text(f'modes: {{}}\nhold_timeout: 0.5\nbodies:\n  thing: {body}\n', 'utf-8')
    with pytest.raises(ProblemsError, match=rf'(?s)thing.*{told}'):
        load_page_settings(file)
