"""Robots share actions and gaits that are in a folder beside them."""

import shutil

import pytest

from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import body_of
from softshell_description.load import load_robot
from softshell_description.robots import robot_folder
from softshell_kinematics.errors import ProblemsError

NOD = """
name: nod
description: Nod, and stand again.
sub_actions:
  - name: down
    duration: 0.5
    moves:
      - {base: [{pitch: 0.1}], relative: true}
  - use: stand
"""


@pytest.fixture
def including(tmp_path):
    """Function: a quadruped that includes the folders that are named."""

    def make(*names, robot='mine'):
        folder = tmp_path / robot
        shutil.copytree(robot_folder('quadruped'), folder)
        file = folder / 'robot.yaml'
        text = file.read_text(encoding='utf-8')
        file.write_text(f'include: [{", ".join(names)}]\n{text}', encoding='utf-8')
        return folder

    return make


@pytest.fixture
def shared(tmp_path):
    """A folder with an action."""
    path = tmp_path / 'shared' / 'actions' / 'nod.yaml'
    path.parent.mkdir(parents=True)
    path.write_text(NOD, encoding='utf-8')
    return path


def test_robots_have_the_actions_that_they_include(including, shared):
    """Two robots include the same action, which uses each robot's own."""
    for name in ('mine', 'yours'):
        robot = load_robot(including('../shared', robot=name))
        parts = [*Rehearsal(robot, 'stand').perform('nod')]
        assert parts[0].call.name == 'down'
        library = body_of(robot).library()
        assert library.path('nod') == shared
        assert library.path('stand').parent == robot.folder / 'actions'


def test_gaits_are_included_as_well(including, shared):
    """A gait that moves to the shared folder is walked as before."""
    folder = including('../shared')
    gaits = shared.parents[1] / 'gaits'
    shutil.move(folder / 'gaits', gaits)
    robot = load_robot(folder)
    assert [*body_of(robot).library().gaits] == ['crawl', 'trot']
    assert [*Rehearsal(robot, 'stand').perform('walk')]


def test_names_that_clash_are_refused(including, shared):
    """With the paths of both files; a problem of an included file comes with its own path."""
    folder = including('../shared')
    stand = shared.with_name('stand.yaml')
    stand.write_text(NOD.replace('nod', 'stand'), encoding='utf-8')
    shared.write_text(NOD.replace('0.5', '-1'), encoding='utf-8')
    with pytest.raises(ProblemsError) as caught:
        body_of(load_robot(folder)).library()
    assert caught.value.problems == (
        f'{stand}: has the same name as {folder / "actions" / "stand.yaml"}; expected another',
        f'{shared}: line 6: sub_actions.0.duration: is -1; expected a positive number',
    )


def test_a_folder_that_cannot_be_included_is_refused(including, shared):
    """It does not exist, is named twice, or is the robot's own; each with its line."""
    folder = including('../shared', '../shraed', '../shared', '.')
    with pytest.raises(ProblemsError) as caught:
        load_robot(folder)
    top = folder.parent
    assert caught.value.problems == (
        f'line 1: include.1: {top / "shraed"} is no folder with actions/ or gaits/',
        f'line 1: include.2: {top / "shared"} is there already',
        f'line 1: include.3: {folder} is there already',
    )
