"""A robot has the actions and gaits of those that it extends."""

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
def base(tmp_path):
    """The folder of a quadruped that nods."""
    folder = tmp_path / 'base'
    shutil.copytree(robot_folder('quadruped'), folder)
    (folder / 'actions' / 'nod.yaml').write_text(NOD, encoding='utf-8')
    return folder


@pytest.fixture
def mine(tmp_path):
    """The folder of a robot that extends it, with an action of its own."""
    folder = tmp_path / 'mine'
    (folder / 'actions').mkdir(parents=True)
    (folder / 'robot.yaml').write_text('extends: ../base\n', encoding='utf-8')
    own = NOD.replace('nod', 'bow').replace('use: stand', 'use: nod')
    (folder / 'actions' / 'bow.yaml').write_text(own, encoding='utf-8')
    return folder


def test_actions_of_both_use_each_other(base, mine):
    """Gaits are those of the base."""
    robot = load_robot(mine)
    parts = [*Rehearsal(robot, 'stand').perform('bow')]
    assert [part.call.name for part in parts[:2]] == ['down', 'down']
    library = body_of(robot).library()
    assert library.path('nod').parent == base / 'actions'
    assert [*library.gaits] == ['crawl', 'trot']


def test_names_that_clash_are_refused(base, mine):
    """With the paths of both files; a problem of a file of the base comes with its own path."""
    stand, nod = mine / 'actions' / 'stand.yaml', base / 'actions' / 'nod.yaml'
    own = NOD.replace('use: stand', 'use: pose').replace('nod', 'stand')
    stand.write_text(own, encoding='utf-8')
    nod.write_text(NOD.replace('0.5', '-1'), encoding='utf-8')
    with pytest.raises(ProblemsError) as caught:
        body_of(load_robot(mine)).library()
    assert caught.value.problems == (
        f'{nod.with_name("stand.yaml")}: has the same name as {stand}; expected another',
        f'{nod}: line 6: sub_actions.0.duration: is -1; expected a positive number',
    )
