"""Files from anywhere are checked together with a robot's own, every problem with its line."""

import pytest

from softshell_actions.held import durations, files_below, held_against
from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError, SoftshellError

NOD = """
name: nod
description: Nod.
requires: {condition: standing, action: stand}
sub_actions:
  - name: down
    duration: 0.5
    moves:
      - {base: [{pitch: DEPTH}], relative: true}
"""


@pytest.fixture(scope='module')
def quadruped():
    return load_robot('quadruped')


def written(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding='utf-8')
    return path


def test_a_file_anywhere_is_one_more_action_of_the_robot(tmp_path, quadruped):
    """It may require the robot's own, and takes as long as it says, after what it requires."""
    held = held_against(quadruped, written(tmp_path, 'nod.yaml', NOD.replace('DEPTH', '0.1')))
    assert held.names == ('nod',)
    assert {'nod', 'stand', 'walk'} <= held.library.actions.keys()
    stand = held_against(quadruped, quadruped.folder / 'actions' / 'stand.yaml')
    ((_, standing),) = durations(quadruped, stand)
    (before,) = [word for word in standing.split() if word[0].isdigit()]
    said = f'takes 0.5 s, after {before} s for what it requires'
    assert [*durations(quadruped, held)] == [('nod', said)]


def test_a_file_takes_the_place_of_the_robots_own_of_the_same_name(tmp_path, quadruped):
    """Files that use it are checked against the new one, and are wrong if they do not fit it."""
    own = (quadruped.folder / 'actions' / 'stride.yaml').read_text(encoding='utf-8')
    path = written(tmp_path, 'stride.yaml', own.replace('cycle: {', 'period: {', 1))
    with pytest.raises(ProblemsError) as caught:
        held_against(quadruped, path)
    problems = caught.value.problems
    assert problems[0].startswith(f'{path}: line 14: sub_actions.0.moves.1: expression ')
    assert (
        "actions/walk.yaml: line 16: sub_actions.0.with.cycle: stride: unknown parameter 'cycle"
        in ('\n'.join(problems))
    )
    of_gaits = [problem for problem in problems if problem.startswith('gaits')]
    assert [text.split(': ')[0] for text in of_gaits] == ['gaits/trot.yaml']
    assert "defaults.cycle: stride: unknown parameter 'cycle'" in of_gaits[0]


def test_every_problem_of_every_file_is_listed_with_its_line(tmp_path, quadruped):
    """Of actions and of gaits, whether the folder has subfolders for them or not."""
    nod = NOD.replace('DEPTH', 'dept').replace('0.5', '-0.5')
    gait = (
        'name: trot\ndescription: Two.\nlegs: {front_leg: {phase: 0, duty: 2}}\nstride: stride\n'
    )
    for folder in (tmp_path / 'flat', tmp_path / 'deep'):
        deep = folder.name == 'deep'
        written(folder, 'actions/nod.yaml' if deep else 'nod.yaml', nod)
        written(folder, 'gaits/trot.yaml' if deep else 'trot.yaml', gait)
        assert [path.stem for path in files_below(folder).actions] == ['nod']
        with pytest.raises(ProblemsError) as caught:
            held_against(quadruped, folder)
        found = [problem.split(f'{folder}/')[1] for problem in caught.value.problems]
        assert [text.removeprefix('actions/').removeprefix('gaits/') for text in found] == [
            'nod.yaml: line 7: sub_actions.0.duration: is -0.5; expected a positive number',
            "nod.yaml: line 9: sub_actions.0.moves.0: expression 'dept': unknown name 'dept'; "
            'known: abs, ceil, cos, crawl_parts, crawl_stance, gait_parts, gait_stance, '
            'lying_height, max, min, pi, sin, sqrt, '
            'stand_height',
            'trot.yaml: line 3: legs.front_leg.duty: is 2; expected less than 1',
        ]


def test_an_action_that_the_robot_cannot_perform_is_found_out(tmp_path, quadruped):
    """By a rehearsal with its defaults: a nod by a right angle is out of the legs' reach."""
    path = written(tmp_path, 'nod.yaml', NOD.replace('DEPTH', 'pi / 2'))
    held = held_against(quadruped, path)
    with pytest.raises(ProblemsError) as caught:
        list(durations(quadruped, held))
    (problem,) = caught.value.problems
    assert problem.startswith(
        f'{path}: line 5: sub_actions: cannot be performed with the defaults: '
    )
    assert 'misses point' in problem


def test_what_cannot_be_brought_about_is_no_mistake_of_the_file(tmp_path, quadruped):
    """An action for a fallen robot is right, although it cannot be rehearsed."""
    required = 'requires: {condition: fallen}'
    text = NOD.replace('requires: {condition: standing, action: stand}', required)
    held = held_against(quadruped, written(tmp_path, 'nod.yaml', text.replace('DEPTH', '0.1')))
    ((name, said),) = durations(quadruped, held)
    assert (name, said) == ('nod', 'not rehearsed: nod requires: fallen; true now: lying')


@pytest.mark.parametrize('name', ['arm', 'quadruped', 'shell'])
def test_what_ships_is_right(name):
    """Every action of every robot can be performed with its defaults."""
    robot = load_robot(name)
    held = held_against(robot, robot.folder)
    names = [name for name, _ in durations(robot, held)]
    assert names == sorted(path.stem for path in (robot.folder / 'actions').glob('*.yaml'))


def test_a_robot_without_files_of_its_own_is_held_against_those_that_it_takes(tmp_path):
    """All that it extends; its `robot.yaml` is not read as an action."""
    folder = tmp_path / 'calf'
    written(folder, 'robot.yaml', 'description: Smaller.\nextends: quadruped\n')
    calf, whole = load_robot(folder), load_robot('quadruped')
    held = held_against(calf, folder)
    assert held.names == held_against(whole, whole.folder).names
    assert 'walk' in dict(durations(calf, held))


def test_a_gait_is_refused_for_a_robot_without_legs(tmp_path):
    """Whatever tells that it is one: its keys, or the folder of a file that cannot be read."""
    gait = 'name: trot\ndescription: Two.\nlegs: {leg: {phase: 0, duty: 0.5}}\nstride: stride\n'
    flat = written(tmp_path, 'flat/trot.yaml', gait)
    deep = written(tmp_path, 'gaits/trot.yaml', '{')
    for path, file in ((flat, flat), (flat.parent, flat), (deep, deep), (tmp_path, deep)):
        with pytest.raises(ProblemsError) as caught:
            held_against(load_robot('arm'), path)
        assert caught.value.problems == (f'{file}: is a gait; expected a robot with legs',)


def test_a_path_without_files_is_refused(tmp_path, quadruped):
    """Nothing there, or a folder without any file of this kind."""
    with pytest.raises(SoftshellError, match='there is no file or folder'):
        held_against(quadruped, tmp_path / 'nod.yaml')
    with pytest.raises(SoftshellError, match=r'holds no file \*\.yaml of an action or a gait'):
        held_against(quadruped, tmp_path)
