"""Robots of others: what both engines refuse in the same words, and what they leave out."""

import pytest

from softshell_kinematics.errors import ProblemsError, SoftshellError, UnknownNameError
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_sim.bodies import RobotSpec
from softshell_sim.scene import Scene
from softshell_sim.scenes.scene_file import read_body
from softshell_sim.urdf.flatten import flatten
from softshell_sim.urdf.tree import bounds

INERTIAL = (
    '<inertial><mass value="{}"/>'
    '<inertia ixx="{}" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
)
HINGE = (
    '<joint name="hinge" type="{}"><parent link="table"/><child link="leaf"/>'
    '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
)
WEIGHTY = INERTIAL.format(1.0, 0.01)
BALL = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'


def robot(table='', leaf=WEIGHTY, kind='revolute'):
    """The URDF of a table with a leaf on a hinge."""
    return (
        f'<robot name="table"><link name="table">{table}</link><link name="leaf">{leaf}</link>'
        f'{HINGE.format(kind)}</robot>'
    )


def spawned(scene, folder, urdf, more=''):
    (folder / 'table.urdf').write_text(urdf)
    description = f'{{urdf: {{file: {folder / "table.urdf"}{more}}}, position: [0, 0, 1]}}'
    scene.apply([read_body('table', description)])
    return scene.engine.body('table')


@pytest.mark.parametrize('table', ['', INERTIAL.format(0.0, 0.01)])
def test_a_root_without_mass_is_refused_unless_it_is_fixed(start, tmp_path, table):
    """It cannot fall. The text says what to write, and with that it stands and says that."""
    scene = Scene(start().engine, {})
    with pytest.raises(ProblemsError, match=r'table can move and has no mass.*or fixed: true'):
        spawned(scene, tmp_path, robot(table))
    assert not scene.engine.bodies
    spawned(scene, tmp_path, robot(table), ', fixed: true')
    assert scene.stands('table')
    for _ in range(200):
        scene.step()
    assert scene.state('table').position.tolist() == [0.0, 0.0, 1.0]


def test_a_leaf_without_mass_is_refused_in_the_same_words(start, tmp_path):
    """Whatever can move has mass: fixing the root would not help, and is not proposed."""
    with pytest.raises(ProblemsError, match='leaf can move and has no mass') as caught:
        spawned(Scene(start().engine, {}), tmp_path, robot(WEIGHTY, ''))
    assert 'fixed: true' not in str(caught.value)


def test_joints_that_there_are_not_are_refused_by_name(start):
    """And those that there are come with the refusal."""
    bench = start()
    with pytest.raises(UnknownNameError, match="joint of 'table' 'nope'; known: hinge"):
        bench.engine.load(RobotSpec('table', robot(WEIGHTY), ('hinge', 'nope')))
    with pytest.raises(SoftshellError, match="joint 'hinge' is floating; expected revolute"):
        bench.engine.load(RobotSpec('table', robot(WEIGHTY, kind='floating'), ()))
    assert not bench.engine.bodies


@pytest.mark.parametrize(
    ('shape', 'text'),
    [
        (
            '<collision><geometry><sphere radius="0.0"/></geometry></collision>',
            "'leaf', <collision>: its sphere has no extent",
        ),
        (
            '<visual><geometry><box size="1 1 0"/></geometry></visual>',
            "'leaf', <visual>: its box has no extent",
        ),
        (
            '<collision><geometry><material/><box size="0.1 0.1 0.1"/></geometry></collision>',
            "'leaf', <collision>: <material> in its <geometry> is no shape",
        ),
    ],
)
def test_what_is_no_shape_is_left_out_with_one_warning(start, tmp_path, shape, text):
    """The rest weighs 2 kg, falls, and is caught by the ball in it: one contact, of 2 m g."""
    bench = start()
    bench.floor()
    scene = Scene(bench.engine, {})
    with pytest.warns(UserWarning, match=f"URDF 'table': left out: link {text}") as told:
        body = spawned(scene, tmp_path, robot(WEIGHTY + BALL, WEIGHTY + shape))
    assert len(told) == 1
    bench.run(1.5)
    assert bench.engine.mass(body) == pytest.approx(2.0)
    assert bench.engine.contacts(body)
    assert bench.state(body).position[2] < 0.15


@pytest.mark.parametrize(
    ('geometry', 'text'),
    [
        (
            '<material/>',
            'unknown shape <material>; expected one of box, sphere, cylinder, capsule',
        ),
        ('<sphere radius="-1"/>', "radius of its sphere is '-1'; expected a number of 0 to 10000"),
        ('<sphere/>', "radius of its sphere is ''; expected a number"),
        ('<box size="1 2"/>', "size of its box is '1 2'; expected 3 numbers of 0 to 10000 m"),
        ('<box size="1 2 nan"/>', "size of its box is '1 2 nan'; expected 3 numbers"),
        ('<box size="1 2 1e9"/>', "size of its box is '1 2 1e9'; expected 3 numbers"),
        ('<mesh filename="a.obj" scale="a 1 1"/>', "scale of its mesh is 'a 1 1'; expected 3 num"),
        ('<mesh filename="a.obj" scale="1 nan 1"/>', "scale of its mesh is '1 nan 1'; expected 3"),
        ('<mesh filename="a.obj" scale="1 0 1"/>', 'a length of its mesh is 0 m; expected no'),
        ('<cylinder radius="0.1" length="0"/>', 'a length of its cylinder is 0 m; expected no'),
    ],
)
def test_shapes_that_no_link_has_are_refused_with_the_link(geometry, text):
    """Before any engine reads them."""
    shape = f'<collision><geometry>{geometry}</geometry></collision>'
    with pytest.raises(SoftshellError, match=f"link 'leaf', <collision>: {text}"):
        flatten(robot(WEIGHTY, WEIGHTY + shape))


@pytest.mark.parametrize(
    ('origin', 'text'),
    [
        (
            'xyz="0 nan 0"',
            "xyz of its origin is '0 nan 0'; expected 3 numbers of -10000 to 10000 m",
        ),
        ('xyz="0 1"', "xyz of its origin is '0 1'; expected 3 numbers"),
        ('rpy="0 x 0"', "rpy of its origin is '0 x 0'; expected 3 numbers of -10000 to 10000 rad"),
    ],
)
def test_shapes_at_no_place_are_refused_with_the_link(origin, text):
    """What stands where no number says is not taken to be at the link's origin."""
    shape = f'<collision><origin {origin}/><geometry><sphere radius="1"/></geometry></collision>'
    with pytest.raises(SoftshellError, match=f"link 'leaf', <collision>: {text}"):
        flatten(robot(WEIGHTY, WEIGHTY + shape))


def test_sound_shapes_are_kept_without_a_word(recwarn):
    """All of them, with what they are; a mesh may have one scale for all axes."""
    mesh = '<visual><geometry><mesh filename="a.obj" scale="0.5"/></geometry></visual>'
    flat = flatten(robot(WEIGHTY + BALL, WEIGHTY + BALL + mesh), visuals=True).text
    assert 'scale="0.5"' in flat
    assert flat.count('<sphere radius="0.1"') == 2
    assert not [each for each in recwarn if issubclass(each.category, UserWarning)]


def test_every_joint_is_named_once(start):
    """An engine's own motor would stay on another; the text names those that lack."""
    bench = start()
    for joints, said in ((), 'lack hinge'), (('hinge', 'hinge'), 'have one twice'):
        with pytest.raises(SoftshellError, match=f"'table': its joints {said}; expected each"):
            bench.engine.load(RobotSpec('table', robot(WEIGHTY), joints))


def test_a_moment_of_inertia_below_zero_is_refused(start):
    """PyBullet would take no inertia at all, and MuJoCo would not compile it."""
    leaf = INERTIAL.format(1.0, -1e-4)
    with pytest.raises(SoftshellError, match=r'moments of inertia of leaf, .* are -0.0001, 0.01'):
        start().engine.load(RobotSpec('table', robot(WEIGHTY, leaf), ('hinge',)))


@pytest.mark.parametrize(
    'visual',
    [
        '<visual><origin xyz="0 1"/><geometry><sphere radius="1"/></geometry></visual>',
        '<visual><origin xyz="0 nan 0"/><geometry><sphere radius="1"/></geometry></visual>',
        '<visual><geometry><sphere radius="abc"/></geometry></visual>',
    ],
)
def test_what_is_wrong_with_looks_that_nobody_sees_does_not_count(visual):
    """The robot is as large as its other shapes; where it is shown its looks are refused."""
    text = robot(WEIGHTY + BALL + visual)
    low, high = bounds(parse_urdf(text), text, {'hinge': 0.0})
    assert (low.tolist(), high.tolist()) == ([-0.1] * 3, [0.1] * 3)
    with pytest.raises(SoftshellError, match="link 'table', <visual>"):
        flatten(text, visuals=True)
