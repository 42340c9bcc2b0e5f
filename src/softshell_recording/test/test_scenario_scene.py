"""The ground of a scenario: its file, and what it asks of the stack."""

import pytest

from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError
from softshell_recording.scenario import load_scenario, scenario_of

STEPS = 'description: d\nsteps: [{action: stand}]\n'


def test_a_scene_is_found_beside_the_scenario(tmp_path):
    (tmp_path / 'hill.yaml').write_text('bodies: {}\n')
    (tmp_path / 'walk.yaml').write_text(STEPS + 'scene: hill.yaml\nfooting: true\n')
    arguments = load_scenario(tmp_path / 'walk.yaml').arguments
    assert arguments == {'footing': 'true', 'scene': str(tmp_path / 'hill.yaml')}


def test_without_one_the_stack_is_as_ever(tmp_path):
    (tmp_path / 'walk.yaml').write_text(STEPS)
    assert load_scenario(tmp_path / 'walk.yaml').arguments == {}


def test_a_scene_that_is_not_there_is_named(tmp_path):
    (tmp_path / 'walk.yaml').write_text(STEPS + 'scene: hill.yaml\n')
    with pytest.raises(ProblemsError, match=r"line 3.*no file 'hill.yaml' in"):
        load_scenario(tmp_path / 'walk.yaml')


def test_the_rough_scenario_of_shell_has_ground():
    robot = load_robot('shell')
    scenario = load_scenario(scenario_of(robot.folder, 'rough'))
    assert scenario.footing
    assert scenario.scene is not None
    assert scenario.scene.is_file()
