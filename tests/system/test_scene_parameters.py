"""The shipped scene: the file of parameters that names it brings it into the robot's world."""

from functools import partial
from pathlib import Path

import pytest

from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError
from softshell_sim.world import World

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def start(simulated, monkeypatch):
    """Function: a bridge's node in the folder of the workspace, given the file of parameters."""
    monkeypatch.chdir(ROOT)
    return partial(simulated, 'examples/terrain.yaml')


def test_the_robot_starts_on_the_floor_amid_the_scene(start):
    """All bodies are there; none but the floor touches the robot, which starts where it would
    without them, and the box stays where it was put."""
    settings = start()._core.backend.world.settings
    world = World(load_robot('shell'), settings)
    assert [*world.engine.bodies] == ['floor', 'robot', 'slope', 'steps', 'stones', 'parcel']
    world.settle(0.5)
    measured = world.measure(0.5)
    assert measured.base.position[2] == pytest.approx(
        world.robot.rest_heights[world.robot.start], abs=4e-3
    )
    touched = {contact.other.name for contact in world.engine.contacts(world.body)}
    assert touched == {'floor'}
    assert world.scene.state('parcel').position == pytest.approx([0.0, -0.6, 0.05], abs=1e-3)
    world.close()


@pytest.mark.parametrize('name', ['scene_file', 'sensors_file'])
def test_paths_of_files_begin_at_the_folder_or_at_home(start, name, tmp_path, monkeypatch):
    """A file of either kind that is missing is named by the path that was looked at."""
    with pytest.raises(ProblemsError, match=f'^{ROOT}/nowhere/none.yaml: .*\n.*cannot be read'):
        start(**{name: 'nowhere/none.yaml'})
    monkeypatch.setenv('HOME', str(tmp_path))
    with pytest.raises(ProblemsError, match=f'^{tmp_path}/none.yaml: .*\n.*cannot be read'):
        start(**{name: '~/none.yaml'})
