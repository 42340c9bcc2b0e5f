"""What is refused in the folder of a robot: each mistake is one line, and no other is blamed."""

import re

import pytest

from softshell_description.load import load_robot
from softshell_description.robots import robot_folder
from softshell_kinematics.errors import ProblemsError

#: Two legs on a slide, and a joint whose range a test writes.
URDF = """
<robot name="two">
  <link name="trunk"/> <link name="rail"/> <link name="left"/> <link name="right"/>
  <link name="mast"/>
  <joint name="slide" type="prismatic"> <parent link="trunk"/> <child link="rail"/>
    <limit lower="-1" upper="1" effort="2" velocity="3"/> </joint>
  <joint name="left" type="revolute"> <parent link="rail"/> <child link="left"/>
    <limit lower="-1" upper="1" effort="2" velocity="3"/> </joint>
  <joint name="right" type="revolute"> <parent link="rail"/> <child link="right"/>
    <limit lower="-1" upper="1" effort="2" velocity="3"/> </joint>
  <joint name="turn" type="revolute"> <parent link="trunk"/> <child link="mast"/>
    <limit lower="-1" upper="1" effort="2" velocity="3"/> </joint>
</robot>
"""
ROBOT = """
description: Two legs on a slide.
urdf: two.urdf
base: {link: trunk}
motors: {m: {effort: 2, velocity: 3}}
groups:
  legs:
    gains: {kp: 1, kd: 0}
    goal_tolerance: 0.1
    joints: {slide: m, left: m, right: m}
    chains: {left: {base: trunk, tip: left}}
  others:
    gains: {kp: 1, kd: 0}
    goal_tolerance: 0.1
    joints: {turn: m}
    chains: {right: {base: trunk, tip: right}}
poses: {home: {joints: {slide: 0, left: 0, right: 0, turn: 0.5}}}
start: home
shared: [slide]
"""


def changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def problems_of(folder) -> tuple[str, ...]:
    with pytest.raises(ProblemsError) as caught:
        load_robot(folder)
    return caught.value.problems


def problems_of_two(tmp_path, *changes, urdf: tuple[str, str] = ('', '')) -> tuple[str, ...]:
    """Problems of the robot of this file with some text replaced."""
    (tmp_path / 'two.urdf').write_text(changed(URDF, urdf))
    (tmp_path / 'robot.yaml').write_text(changed(ROBOT, *changes))
    return problems_of(tmp_path)


def problems_of_quadruped(tmp_path, *changes) -> tuple[str, ...]:
    """Problems of the shipped quadruped with some text of its `robot.yaml` replaced."""
    text = (robot_folder('quadruped') / 'robot.yaml').read_text(encoding='utf-8')
    (tmp_path / 'robot.yaml').write_text(changed(text, *changes), encoding='utf-8')
    return problems_of(tmp_path)


def test_the_robot_of_these_tests_is_right(tmp_path):
    """Nothing is found in it as it is written."""
    (tmp_path / 'two.urdf').write_text(URDF)
    (tmp_path / 'robot.yaml').write_text(ROBOT)
    assert load_robot(tmp_path).own_joints('left') == ('left',)


WORDS = 'expected a whole number of 1 to 1000, or a list of words'


@pytest.mark.parametrize(
    ('old', 'new', 'problem'),
    [
        (
            "chains: ['{leg}']",
            "chains: ['{leg}', front_left]",
            "legs.chains.1: 'front_left' is given already; expected once",
        ),
        (
            "chains: ['{leg}']",
            'chains: [arm]',
            "legs.chains: unknown chain 'arm'; known: front_left, front_right, rear_left, "
            'rear_right',
        ),
        ('height: 0.045', 'height: -1', 'poses.rest.rest_height: is -1; expected at least 0'),
        ('height: 0.045', 'height: low', "poses.rest.rest_height: is 'low'; expected a number"),
        (
            'height: 0.045',
            'height: 0.2',
            "legs.rest: rest_height of pose 'rest' is 0.2; expected less than the 0.135 of pose "
            "'stand', in which the robot stands",
        ),
        (
            '    rest_height: 0.045\n',
            '',
            'poses.rest: lacks rest_height, which the pose of legs.rest has',
        ),
        ('[front_left, front_right, rear_left, rear_right]', '0', f'is 0; {WORDS}'),
        ('[front_left, front_right, rear_left, rear_right]', '-3', f'is -3; {WORDS}'),
        (
            '[front_left, front_right, rear_left, rear_right]',
            '100000000',
            f'is 100000000; {WORDS}',
        ),
        (
            '[front_left, front_right, rear_left, rear_right]',
            '[a, a]',
            "holds 'a' 2 times; expected it once",
        ),
        (
            "'{leg}_hip': ax12a",
            "'{log}_hip': ax12a",
            "joints.{log}_hip: unknown placeholder 'log'; did you mean leg? known: leg",
        ),
    ],
)
def test_what_a_robot_with_legs_cannot_have(tmp_path, old, new, problem):
    """Chains twice, heights and placeholders without sense: the line, the key and the value."""
    (found,) = problems_of_quadruped(tmp_path, (old, new))
    assert re.match(r'line \d+: ', found)
    assert found.endswith(problem)


@pytest.mark.parametrize(
    ('footprint', 'problem'),
    [
        *(
            (written, f'is {name!r}; expected the name of a frame of its own: ')
            for written, name in (
                ('odom', 'odom'), ('map', 'map'), ("''", ''), ("'a b'", 'a b'), ('/a', '/a'),
            )
        ),
        ('base_link', "is 'base_link', a link of the URDF"),
        ('rear_left_foot', "is 'rear_left_foot', a link of the URDF"),
    ],
)  # fmt: skip
def test_the_footprint_is_a_free_frame(tmp_path, footprint, problem):
    """It hangs below the base: no frame of the world, no link, nothing that is no frame's name."""
    change = ('footprint: base_footprint', f'footprint: {footprint}')
    (found,) = problems_of_quadruped(tmp_path, change)
    assert re.match(rf'line \d+: base\.footprint: {re.escape(problem)}', found)


def test_a_footprint_in_a_namespace_is_fine(tmp_path):
    """A slash inside a name is usual for several robots in one tree."""
    text = (robot_folder('quadruped') / 'robot.yaml').read_text(encoding='utf-8')
    text = changed(text, ('footprint: base_footprint', 'footprint: dog_1/base_footprint'))
    (tmp_path / 'robot.yaml').write_text(text, encoding='utf-8')
    assert load_robot(tmp_path).base.footprint == 'dog_1/base_footprint'


@pytest.mark.parametrize('command', ['cmd_vel', 'body_pose'])
def test_commands_of_the_base_are_for_robots_with_legs(tmp_path, command):
    """A robot without legs neither walks nor poses its base."""
    (found,) = problems_of_two(tmp_path, ('start:', f'commands: {{{command}: go}}\nstart:'))
    assert found == f"line 18: commands.{command}: is 'go'; expected a robot with legs"


def test_a_chain_s_name_is_given_once_and_nothing_else_is_blamed(tmp_path):
    """In two groups: the second is named with its line; that joints are shared is not in doubt."""
    changes = (('{right: {base', '{left: {base'), ('shared: [slide]\n', ''))
    assert problems_of_two(tmp_path, *changes) == (
        "line 16: groups.others.chains.left: chain 'left' is given already: "
        'line 11: groups.legs.chains.left; expected another name',
    )


def test_a_joint_is_in_one_group(tmp_path):
    """The second entry is named with its line, and where the first is."""
    assert problems_of_two(tmp_path, ('{turn: m}', '{turn: m, left: m}')) == (
        "line 15: groups.others.joints.left: joint 'left' is in a group already: "
        'line 10: groups.legs.joints.left',
    )


@pytest.mark.parametrize(
    ('limit', 'problem'),
    [
        ('', 'lower and upper are 0; expected lower below upper in its <limit>'),
        ('lower="0.2" upper="0.2"', 'lower and upper are 0.2; expected lower below upper in its'),
    ],
)
def test_a_joint_without_a_range_is_refused_by_name(tmp_path, limit, problem):
    """One without lower and upper would stand at 0; its positions in poses are not blamed."""
    turn = URDF[URDF.index('<joint name="turn"') :]
    urdf = (turn, turn.replace('lower="-1" upper="1"', limit))
    (found,) = problems_of_two(tmp_path, urdf=urdf)
    assert found.startswith(
        f"line 15: groups.others.joints.turn: URDF joint 'turn' has no range: {problem}"
    )


@pytest.mark.parametrize(
    ('changes', 'problem'),
    [
        ([('kp: 1', 'kp: -1')], 'line 8: groups.legs.gains.kp: is -1; expected at least 0'),
        ([('effort: 2', 'effort: much')], "line 5: motors.m.effort: is 'much'; expected a number"),
        (
            [('slide: m, ', 'slide: {motr: m}, ')],
            "line 10: groups.legs.joints.slide.motr: unknown key; did you mean 'motor', which is "
            'required?',
        ),
        (
            [('slide: m, ', 'slyde: m, ')],
            "line 10: groups.legs.joints.slyde: the URDF has no joint 'slyde'; did you mean "
            "'slide'?",
        ),
        (
            [('turn: 0.5', 'tune: 0.5')],
            "line 17: poses.home.joints.tune: no group has a joint 'tune'; did you mean 'turn'?",
        ),
        (
            [('tip: left}', 'tip: lift}')],
            "line 11: groups.legs.chains.left: tip link 'lift' of 'left' is unknown; did you mean "
            "'left'?",
        ),
        ([('shared: [slide]', 'shared: slide')], "line 19: shared: is 'slide'; expected a list"),
        (
            [('chains: {left:', 'chains: {left one:')],
            "line 11: groups.legs.chains.left one: the name of the chain is 'left one'; expected "
            'no blanks and no commas',
        ),
        (
            [('shared: [slide]\n', '')],
            "line 16: groups.others.chains.right: joint 'slide' moves left, right; expected it in "
            'shared',
        ),
        (
            [('  others:', '  base:')],
            "line 12: groups.base: the name of the group is 'base'; expected letters, digits and "
            '_, no digit first, and none of base, footprint',
        ),
        ([('{turn: m}', '{turn: 3}')], 'line 15: groups.others.joints.turn: is 3; expected the '
         'name of a motor, or the keys motor, gains, goal_tolerance'),
        ([('    joints: {slide: m, left: m, right: m}\n', '')],
         'line 7: groups.legs: lacks joints; expected joints or channels'),
        ([('left: 0, right', 'left: 0.5, left: 0, right')],
         'line 17: poses.home.joints.left: given twice'),
    ],
)  # fmt: skip
def test_one_mistake_is_one_problem(tmp_path, changes, problem):
    """What refers to a wrong entry, or to one that is missing for it, is not blamed as well."""
    assert problems_of_two(tmp_path, *changes) == (problem,)


@pytest.mark.parametrize('kind', ['floating', 'planar'])
@pytest.mark.parametrize('name', ['turn', 'slide'])
def test_a_joint_of_several_coordinates_is_refused_once(tmp_path, kind, name):
    """Groups, chains, poses and shared joints that name it are not blamed as well."""
    types = {'turn': 'revolute', 'slide': 'prismatic'}
    loose = (f'name="{name}" type="{types[name]}"', f'name="{name}" type="{kind}"')
    (problem,) = problems_of_two(tmp_path, urdf=loose)
    assert problem == (
        f"line 3: urdf: URDF joint '{name}' is {kind}; expected revolute, prismatic or fixed: a "
        'base moves freely without a joint, unless base.fixed is true'
    )


def test_a_joint_of_a_robot_may_not_mimic_what_is_not_there(tmp_path):
    """Kinematics leaves out what depends on it; a robot is whole, or none."""
    lost = ('"turn" type="revolute">', '"turn" type="revolute"><mimic joint="gone"/>')
    (problem,) = problems_of_two(tmp_path, urdf=lost)
    assert problem == "line 3: urdf: URDF joint 'turn' mimics unknown 'gone'"


def test_a_wheel_that_no_group_holds_is_told_to_be_one(tmp_path):
    """It cannot be listed either: the message says so at once."""
    wheel = ('<joint name="turn" type="revolute">', '<joint name="turn" type="continuous">')
    changes = (('joints: {turn: m}', 'joints: {}'), (', turn: 0.5', ''))
    (problem,) = problems_of_two(tmp_path, *changes, urdf=wheel)
    assert problem == (
        "line 6: groups: no group holds the URDF joint 'turn'; 'turn' turns without limits, as a "
        'wheel does, which no channel commands yet: expected revolute, prismatic or fixed'
    )


def test_a_broken_urdf_is_listed_with_what_is_wrong_in_the_configuration(tmp_path):
    """All files of a robot are read before anything is said; the URDF is named by its path."""
    found = problems_of_two(tmp_path, ('start: home', 'start: bed'), urdf=('</robot>', ''))
    assert found == (
        "line 18: start: unknown pose 'bed'; known: home",
        f'{tmp_path / "two.urdf"}: URDF is not XML: no element found: line 14, column 0',
    )


XACRO = """<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:include filename="part.xacro"/>
  <link name="a"/>
  <xacro:part size="1"/>
</robot>
"""
PART = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="part" params="size">
    <link name="${size + 1}"/>
  </xacro:macro>
</robot>
"""


@pytest.mark.parametrize(
    ('name', 'old', 'new', 'problem'),
    [
        ('x', '</robot>', '', 'x.xacro: line 6: is not XML: no element found'),
        ('part', '</robot>', '', 'part.xacro: line 6: is not XML: no element found'),
        ('x', 'part.', 'pert.', 'x.xacro: cannot read {}/pert.xacro: No such file or directory'),
        ('x', 'xacro:part', 'xacro:pert', 'x.xacro: line 4: unknown macro name: xacro:pert'),
        ('x', 'size=', 'sise=', 'x.xacro: line 4: Invalid parameter "sise"'),
        ('part', 'size + 1', 'sise + 1', "part.xacro: line 3: name 'sise' is not defined"),
        ('x', 'size="1"', 'size="${nope}"', "x.xacro: line 4: name 'nope' is not defined"),
        ('part', 'size + 1', 'size +', 'part.xacro: line 3: invalid syntax'),
        (
            'part',
            '<link name="${size + 1}"/>',
            '<xacro:part size="1"/>',
            'x.xacro: a file that includes itself, or a macro that calls itself',
        ),
    ],
)
def test_a_broken_xacro_is_one_line_with_file_and_line(tmp_path, name, old, new, problem):
    """The file is the one with the mistake, also where another includes it."""
    (tmp_path / 'x.xacro').write_text(XACRO)
    (tmp_path / 'part.xacro').write_text(PART)
    file = tmp_path / f'{name}.xacro'
    file.write_text(changed(file.read_text(), (old, new)))
    (tmp_path / 'robot.yaml').write_text(changed(ROBOT, ('two.urdf', 'x.xacro')))
    (found,) = problems_of(tmp_path)
    assert found.startswith(f'{tmp_path}/{problem.format(tmp_path)}')
    assert '\n' not in found


def test_problems_of_a_shipped_robot_name_the_file_that_a_person_edits():
    """Not the link to it that the build installs."""
    folder = robot_folder('arm')
    assert folder.name == 'arm'
    assert not any(path.is_symlink() for path in folder.rglob('*.yaml'))
