"""What is refused in the actions and gaits of a robot: each mistake is one line, listed once."""

import sys
from pathlib import Path

import pytest

from softshell_actions.library import ParameterError
from softshell_actions.robot import body_of
from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError

sys.path.insert(0, str(Path(__file__).parent))
from changed_robots import STRIDE, WALK, at_line_of, changed, problems_of


@pytest.mark.parametrize('robot', ['arm', 'quadruped', 'shell'])
def test_shipped_robots_are_right(tmp_path, robot):
    """Nothing is found in a copy of their folders."""
    assert body_of(load_robot(changed(tmp_path, robot))).library().actions


@pytest.mark.parametrize(
    ('changes', 'problem'),
    [
        (
            [('gaits/crawl.yaml', 'stride: stride', 'stride: stand')],
            "action 'stand' lacks the parameters x, y, yaw; expected an action that takes a "
            'velocity: x, y, yaw',
        ),
        (
            [(STRIDE, '  - name: stride\n', '  - name: stride\n    repeat: 2\n')],
            "action 'stride' has 2 sub-actions, repetitions included; expected one",
        ),
        (
            [(STRIDE, '      - {gait: any', '    duration: 1\n#')],
            "action 'stride' does not follow this gait; expected a move with its name, or "
            'with gait: any',
        ),
        (
            [(STRIDE, '      - {velocity: {x: x, y: y, yaw: yaw}}\n', '')],
            "action 'stride' gains no velocity; expected a move with velocity",
        ),
        (
            [(STRIDE, 'default: 0.0, minimum: -0.2', 'default: 0.02, minimum: 0.01')],
            "parameter x of action 'stride' is 0.01 to 0.2 m/s; expected a range with 0, at "
            'which the robot comes to rest',
        ),
    ],
)
def test_the_stride_of_a_gait_can_be_walked(tmp_path, changes, problem):
    """One sub-action that follows the gait at any velocity, also at rest."""
    found = problems_of(tmp_path, 'quadruped', *changes)
    expected = f'stride: {problem}'
    assert found == (at_line_of(tmp_path, 'quadruped', 'gaits/crawl.yaml', 'stride:', expected),)


@pytest.mark.parametrize(
    ('old', 'new', 'problem'),
    [
        (
            'body_pose: pose',
            'body_pose: walk',
            "commands.body_pose: action 'walk' lacks the parameters x, y, z, yaw, pitch, "
            'roll; expected an action that takes a pose of the base',
        ),
        (
            'body_pose: pose',
            'body_pose: posture',
            "commands.body_pose: unknown action 'posture'; did you mean pose? known: gather, "
            'idle, pose, stand, stride, turn, walk',
        ),
        (
            'cmd_vel: crawl',
            'cmd_vel: gallop',
            "commands.cmd_vel: unknown gait 'gallop'; known: crawl, trot",
        ),
    ],
)
def test_commands_name_what_can_follow_them(tmp_path, old, new, problem):
    """A gait, and an action that takes the six coordinates of a pose."""
    found = problems_of(tmp_path, 'quadruped', ('robot.yaml', old, new))
    assert found == (at_line_of(tmp_path, 'quadruped', 'robot.yaml', new, problem),)


POSE, CRAWL = 'actions/pose.yaml', 'gaits/crawl.yaml'


@pytest.mark.parametrize(
    ('file', 'old', 'new', 'problem'),
    [
        (
            WALK,
            'default: 0.3',
            'default: far',
            "parameters.distance.default: is 'far'; expected a number",
        ),
        (
            STRIDE,
            'cycle: cycle',
            'cycle: cycel',
            "sub_actions.0.moves.1: expression 'cycel': unknown name 'cycel'; did you mean ",
        ),
        (
            STRIDE,
            'sub_actions:',
            'subactions:',
            "subactions: unknown key; did you mean 'sub_actions', which is required?",
        ),
        (
            POSE,
            'name: pose',
            'nam: pose',
            "nam: unknown key; did you mean 'name', which is required?",
        ),
        (
            CRAWL,
            'phase: 0.12,',
            'phase: -0.12,',
            'legs.rear_left.phase: is -0.12; expected at least 0',
        ),
        (
            CRAWL,
            'rear_left:',
            'raer_left:',
            "legs.raer_left: unknown leg 'raer_left'; did you mean rear_left? known: front",
        ),
        (WALK, 'cycles: ceil', 'cycles: ceal', "variables.cycles: expression 'ceal("),
        (
            WALK,
            '{x: speed,',
            '{x: 10 * speed,',
            'sub_actions.0.with.x: stride: parameter x is 0.208333; expected -0.2 to 0.2 m/s',
        ),
    ],
)
def test_one_mistake_in_any_file_is_one_problem(tmp_path, file, old, new, problem):
    """Other files that use a wrong action or gait, or count its parts, are not wrong for that."""
    (found,) = problems_of(tmp_path, 'quadruped', (file, old, new))
    assert found.startswith(at_line_of(tmp_path, 'quadruped', file, new, problem))


def test_mistakes_in_several_files_are_listed_at_once(tmp_path):
    """Form, names and commands: all of the folder in one error, file by file."""
    found = problems_of(
        tmp_path,
        'quadruped',
        ('actions/stride.yaml', 'height: height', 'hight: height'),
        ('actions/pose.yaml', 'duration: duration', 'duration: time'),
        ('gaits/crawl.yaml', 'sway: 0.4', 'sway: 6'),
        ('robot.yaml', 'body_pose: pose', 'body_pose: posture'),
    )
    assert [problem.split(': ')[::2][:2] for problem in found] == [
        [STRIDE, 'sub_actions.0.moves.1.hight'],
        [POSE, 'sub_actions.0.duration'],
        [CRAWL, 'sway'],
        ['robot.yaml', 'commands.body_pose'],
    ]


WAVE = 'actions/wave.yaml'
TURN = '{group: arm, joints: [{wrist: 1.0}, {wrist: -0.4}]}'
TWICE = "sub_actions.0.moves.1: moves.0 sets joint 'shoulder' already; expected one move for it"


@pytest.mark.parametrize(
    ('position', 'problem'),
    [
        ('9.0', 'wrist is 9; expected -1.8 to 1.8'),
        ('2 * pi', 'wrist is 6.28319; expected -1.8 to 1.8'),
        ('times / 10', 'wrist is 2 where times is 20; expected -1.8 to 1.8'),
        ('1 - far', 'wrist is -9 where times is 20; expected -1.8 to 1.8'),
    ],
)
def test_a_position_out_of_a_joint_s_range_is_refused_when_it_is_read(tmp_path, position, problem):
    """Constants, and what parameters may make of it at the ends of their ranges."""
    changes = (
        (WAVE, '{wrist: 1.0}', f'{{wrist: {position}}}'),
        (WAVE, 'sub_actions:', 'variables: {far: times / 2}\nsub_actions:'),
    )
    (found,) = problems_of(tmp_path, 'arm', *changes)
    expected = f'sub_actions.0.moves.0.joints.0.wrist: {problem}'
    assert found == at_line_of(tmp_path, 'arm', WAVE, f'wrist: {position}', expected)


@pytest.mark.parametrize(
    ('robot', 'file', 'old', 'new', 'problem'),
    [
        (
            'arm',
            WAVE,
            TURN,
            f'{TURN}\n      - {{group: arm, pose: home}}',
            TWICE,
        ),
        (
            'arm',
            WAVE,
            TURN,
            f'{TURN}\n      - {{group: arm, points: [{{x: 0.1}}]}}',
            TWICE,
        ),
        (
            'quadruped',
            STRIDE,
            '      - {gait',
            '      - {velocity: {x: 0}}\n      - {gait',
            'sub_actions.0.moves.1: moves.0 sets the velocity already; expected one move for it',
        ),
        (
            'quadruped',
            'actions/idle.yaml',
            '{group: legs, pose: rest}',
            '{legs: [front_left, front_left], height: 0}',
            "sub_actions.3.moves.0: leg 'front_left' is given 2 times; expected it once",
        ),
    ],
)
def test_two_moves_of_the_same_joints_are_refused_when_they_are_read(
    tmp_path, robot, file, old, new, problem
):
    """What no robot can perform is found before it moves."""
    (found,) = problems_of(tmp_path, robot, (file, old, new))
    written = new.splitlines()[1 if new.startswith(TURN) else 0]
    assert found == at_line_of(tmp_path, robot, file, written, problem)


@pytest.mark.parametrize(
    ('old', 'new', 'problem'),
    [
        (
            f'moves:\n      - {TURN}',
            'moves: [wave]',
            "sub_actions.0.moves.0: is 'wave'; expected one of the keys velocity, legs, "
            'gait, base, points, joints, pose, controller',
        ),
        (
            TURN,
            '{group: arm, pose: [home]}',
            'sub_actions.0.moves.0.pose: is [home]; expected a text',
        ),
        (
            'duration: 0.8',
            'duration: [0.8]',
            'sub_actions.0.duration: is [0.8]; expected a number or an expression',
        ),
        (
            'duration: 0.8',
            'duration: true',
            'sub_actions.0.duration: is true; expected a number or an expression',
        ),
        (
            'maximum: 20',
            'maximum: .inf',
            'parameters.times.maximum: is .inf; expected a finite number',
        ),
        (
            'minimum: 0',
            'minimum: 30',
            'parameters.times: minimum is 30; expected no more than the maximum, 20',
        ),
    ],
)
def test_values_of_the_wrong_kind_are_said_in_the_words_of_the_file(tmp_path, old, new, problem):
    """Also where several kinds of entry are possible: place, value and what was expected."""
    (found,) = problems_of(tmp_path, 'arm', (WAVE, old, new))
    assert found == at_line_of(tmp_path, 'arm', WAVE, new, problem)


def test_a_number_without_unit_has_none_in_messages():
    """The unit of a count is 1, which is no word of a message."""
    library = body_of(load_robot('arm')).library()
    with pytest.raises(ParameterError, match=r'parameter times is 1e\+09; expected 0 to 20$'):
        library.call('wave', {'times': 1e9})


def test_links_to_files_are_followed_in_messages(tmp_path):
    """Where a build installs links, problems name the files that a person edits."""
    source = changed(tmp_path, 'arm', (WAVE, 'times', 'time'))
    installed = tmp_path / 'install' / 'arm'
    for file in source.rglob('*.yaml'):
        link = installed / file.relative_to(source)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(file)
    body = body_of(load_robot(installed))
    with pytest.raises(ProblemsError) as caught:
        body.library()
    assert caught.value.problems[0].startswith(f'{source / WAVE}: line ')
