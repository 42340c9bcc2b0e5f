"""The ground of a scenario: its file, and what it asks of the stack."""

import pytest

from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError, SoftshellError
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
    scenario = load_scenario(scenario_of(robot, 'rough'))
    assert scenario.footing
    assert scenario.scene is not None
    assert scenario.scene.is_file()


def test_a_robot_has_the_scenarios_of_those_that_it_extends(tmp_path):
    """Its own come first; without a demo of its own it performs theirs."""
    mine = tmp_path / 'mine'
    mine.mkdir()
    (mine / 'robot.yaml').write_text('description: Mine.\nextends: shell\n', encoding='utf-8')
    shell, robot = load_robot('shell'), load_robot(mine)
    assert scenario_of(robot, '') == shell.folder / 'demo.yaml'
    assert scenario_of(robot, 'tour') == shell.folder / 'tour.yaml'
    (mine / 'demo.yaml').write_text(STEPS, encoding='utf-8')
    assert scenario_of(robot, '') == scenario_of(robot, 'demo') == mine / 'demo.yaml'
    with pytest.raises(SoftshellError, match=r"unknown scenario 'tuor'; did you mean tour\?"):
        scenario_of(robot, 'tuor')
