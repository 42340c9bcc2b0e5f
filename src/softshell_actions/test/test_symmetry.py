"""A move that is written for one chain is the image of itself on all others."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_actions.held import held_against
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import body_of
from softshell_actions.symmetry import Image, Symmetry
from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.model.chain import SerialChain
from softshell_kinematics.model.joint import Joint, JointKind
from softshell_kinematics.transforms import angles_from_rotation, rotation_from_angles, transform

MIRROR = np.diag([1.0, -1.0, 1.0])
#: Map from the first leg to each leg: angle [rad], mirrored, shift [m]; as the robots are built.
SHELL = {f'lower_{k}': (k * np.pi / 3, False, (0.0, 0.0)) for k in range(6)}
QUADRUPED = {
    'front_left': (0.0, False, (0.0, 0.0)),
    'front_right': (0.0, True, (0.0, 0.0)),
    'rear_left': (0.0, False, (-0.26, 0.0)),
    'rear_right': (0.0, True, (-0.26, 0.0)),
}
ROBOTS = [('shell', SHELL), ('quadruped', QUADRUPED)]


def mapped(points, angle, mirrored, shift):
    """Points (..., 3) as seen in a mirror or not, turned about z, and shifted."""
    seen = points @ MIRROR if mirrored else points
    turn = Rotation.from_euler('z', angle).as_matrix()
    return seen @ turn.T + [*shift, 0.0]


@pytest.mark.parametrize(('name', 'legs'), ROBOTS)
def test_the_images_are_those_that_the_robot_is_built_with(name, legs):
    """By forward kinematics at any positions of the joints, those that all legs share included."""
    robot = load_robot(name)
    body = body_of(robot)
    symmetry, first = body.vocabulary.symmetry, next(iter(legs))
    joints = dict(zip(robot.joint_names, robot.pose(robot.legs.stand), strict=True))
    random = np.random.default_rng(1)
    for leg, (angle, mirrored, shift) in legs.items():
        image = symmetry.image(first, leg)
        assert image.mirrored == mirrored
        assert np.angle(np.exp(1j * (image.angle - angle))) == pytest.approx(0.0, abs=1e-9)
        assert image.offset == pytest.approx([*shift, 0.0], abs=1e-9)
        for name in joints:
            joints[name] = random.uniform(-1.0, 1.0)
        own = zip(robot.own_joints(first), robot.own_joints(leg), image.signs, strict=True)
        joints |= {theirs: sign * joints[ours] for ours, theirs, sign in own}
        tips = body.forward(joints)
        assert tips[leg][:3, 3] == pytest.approx(
            mapped(tips[first][:3, 3], angle, mirrored, shift), abs=1e-9
        )


def actions_of(tmp_path, move):
    path = tmp_path / 'wiggle.yaml'
    path.write_text(
        'name: wiggle\ndescription: Each leg does the same.\nparameters:\n'
        '  far: {default: 0.02, minimum: 0, maximum: 1, unit: m, meaning: how far}\n'
        f'sub_actions:\n  - name: wiggle\n    duration: 0.4\n    moves:\n      - {move}\n'
    )
    return path


def performed(tmp_path, name, move):
    """The only part of an action of one move, and the tips (points, 4, 4) that it leads to."""
    robot = load_robot(name)
    held = held_against(robot, actions_of(tmp_path, move))
    rehearsal = Rehearsal(robot, robot.legs.stand, held.library)
    before = dict(rehearsal.state.joints)
    (part,) = rehearsal.perform('wiggle')
    rows = [
        dict(zip(part.joints, row, strict=True)) for row in zip(*part.joints.values(), strict=True)
    ]
    tips = [rehearsal.body.forward({**before, **row}) for row in rows]
    return part, {leg: np.array([at[leg] for at in tips]) for leg in robot.legs.chains}


@pytest.mark.parametrize(('name', 'legs'), ROBOTS)
@pytest.mark.parametrize('relative', ['true', 'false'])
def test_tips_go_along_images_of_the_same_path(tmp_path, name, legs, relative):
    """Goals are exact images; tips of the solved joints are as near as goals are reached."""
    group = load_robot(name).chains[next(iter(legs))].group
    points = '[{x: far, y: 0.01, z: 0.01}, {x: -far, y: 0.0}]'
    if relative == 'false':
        points = {
            'shell': '[{x: 0.3, y: 0.03, z: -0.12}]',
            'quadruped': '[{x: 0.15, y: 0.1, z: -0.1}]',
        }[name]
    first = next(iter(legs))
    move = f'{{group: {group}, like: {first}, relative: {relative}, points: {points}}}'
    part, tips = performed(tmp_path, name, move)
    assert np.ptp(part.plan.limbs[first][:, 0]) > 0.01
    for leg, image in legs.items():
        expected = mapped(part.plan.limbs[first][:, :3], *image)
        np.testing.assert_allclose(part.plan.limbs[leg][:, :3], expected, atol=1e-9)
        assert np.isnan(part.plan.limbs[leg][:, 3:]).all()
        np.testing.assert_allclose(
            tips[leg][:, :3, 3], mapped(tips[first][:, :3, 3], *image), atol=1e-5
        )


@pytest.mark.parametrize(('name', 'legs'), ROBOTS)
def test_joints_go_so_that_tips_do_the_image(tmp_path, name, legs):
    """Of a swing of each joint of the first leg, to 1e-9 by forward kinematics."""
    robot, first = load_robot(name), next(iter(legs))
    point = ', '.join(
        f'{joint}: {robot.poses["stand"][joint] + 0.1}' for joint in robot.own_joints(first)
    )
    move = f'{{group: {robot.chains[first].group}, like: {first}, joints: [{{{point}}}]}}'
    _, tips = performed(tmp_path, name, move)
    assert np.ptp(tips[first][:, :3, 3], axis=0).max() > 0.01
    for leg, image in legs.items():
        expected = mapped(tips[first][:, :3, 3], *image)
        np.testing.assert_allclose(tips[leg][:, :3, 3], expected, atol=1e-9)


def test_only_the_chains_that_are_named_move(tmp_path):
    """The one that the points are written for need not be among them."""
    like = 'like: front_left, chains: [front_right]'
    move = f'{{group: legs, {like}, relative: true, points: [{{z: far}}]}}'
    part, _ = performed(tmp_path, 'quadruped', move)
    assert [*part.plan.limbs] == ['front_right']


@pytest.mark.parametrize('mirrored', [False, True])
def test_orientations_are_mapped_with_the_places(mirrored):
    """Against matrices: R' = Rz(θ) M R M, a rotation where nothing is mirrored."""
    random = np.random.default_rng(2)
    image = Image(0.7, mirrored, np.array([0.1, -0.2, 0.3]))
    side = MIRROR if mirrored else np.eye(3)
    for _ in range(20):
        angles = random.uniform(-1.2, 1.2, 3)
        place = random.uniform(-1.0, 1.0, 3)
        rotation = rotation_from_angles(angles)
        (row,) = image.of_path(np.array([[*place, *angles]]))
        turned = Rotation.from_euler('z', 0.7).as_matrix() @ side @ rotation @ side
        np.testing.assert_allclose(rotation_from_angles(row[3:]), turned, atol=1e-12)
        np.testing.assert_allclose(
            row[:3], mapped(place, 0.7, mirrored, (0.1, -0.2)) + [0, 0, 0.3]
        )
        back = image.original(transform(turned, row[:3]))
        np.testing.assert_allclose(back[:3, 3], place, atol=1e-12)
        np.testing.assert_allclose(angles_from_rotation(back[:3, :3]), angles, atol=1e-12)


def test_a_coordinate_that_is_free_stays_free():
    """Points that name z alone leave x and y free, and the other way round."""
    path = np.full((2, 6), np.nan)
    path[:, 2] = 0.1
    assert np.isnan(Image(0.7).of_path(path)).sum() == 10
    path[:, :3] = [0.1, np.nan, np.nan]
    straight = Image(0.0, True, np.array([0.3, 0.0, 0.0])).of_path(path)
    assert straight[:, 0] == pytest.approx(0.4)
    assert np.isnan(straight).sum() == 10


def arm(name, origin, axis):
    turn = Joint(f'{name}_turn', JointKind.REVOLUTE, transform(translation=origin), np.array(axis))
    ahead = transform(translation=(0.3, 0.1, 0.0))
    bend = Joint(f'{name}_bend', JointKind.REVOLUTE, ahead, np.array([0.0, 1.0, 0.0]))
    return SerialChain(name, (turn, bend), transform(translation=(0.2, 0.0, 0.0)))


@pytest.mark.parametrize(
    ('one', 'other'),
    [
        (arm('a', (0.1, 0.0, 0.0), (0.0, 0.0, 1.0)), arm('b', (0.1, 0.0, 0.0), (1.0, 0.0, 0.0))),
        (
            arm('a', (0.1, 0.0, 0.0), (0.0, 0.0, 1.0)),
            SerialChain(
                'b', (Joint('b_turn', JointKind.REVOLUTE), Joint('b_out', JointKind.PRISMATIC))
            ),
        ),
    ],
)
def test_chains_that_are_built_otherwise_are_no_images(one, other):
    """Other axes, or other kinds of joints."""
    chains = {'a': one, 'b': other}
    own = {name: chain.variables for name, chain in chains.items()}
    with pytest.raises(SoftshellError, match="chain 'b' is no image of 'a': no shift, turn about"):
        Symmetry(chains, own).image('a', 'b')


def test_a_joint_that_turns_the_other_way_has_the_opposite_sign():
    """An arm that is shifted and one of whose axes points down instead of up."""
    chains = {
        'a': arm('a', (0.1, 0.0, 0.0), (0.0, 0.0, 1.0)),
        'b': arm('b', (-0.4, 0.2, 0.1), (0.0, 0.0, -1.0)),
    }
    own = {name: chain.variables for name, chain in chains.items()}
    image = Symmetry(chains, own).image('a', 'b')
    assert image.signs == (-1.0, 1.0)
    assert image.offset == pytest.approx([-0.5, 0.2, 0.1])


LIKE = 'group: lower, like: lower_0'
REAR = 'group: legs, like: front_left, chains: [rear_left], mirrored: true'


@pytest.mark.parametrize(
    ('name', 'move', 'said'),
    [
        (
            'shell',
            f'{{{LIKE}, points: [{{x: 0.3}}]}}',
            'points name x alone; expected both x and y, or neither, as ',
        ),
        (
            'shell',
            f'{{{LIKE}, mirrored: true, points: [{{z: 0}}]}}',
            'no vertical mirror takes',
        ),
        (
            'shell',
            '{group: lower, like: lover_0, points: [{z: 0}]}',
            "unknown chain 'lover_0'; did you mean",
        ),
        (
            'shell',
            '{group: lower, like: upper_0, points: [{z: 0}]}',
            "unknown chain 'upper_0'; known: lower_0",
        ),
        (
            'shell',
            f'{{{LIKE}, joints: [{{lower_1_yaw: 0}}]}}',
            "unknown joint 'lower_1_yaw'; did you mean",
        ),
        ('shell', f'{{{LIKE}, pose: stand}}', 'expected like only beside joints'),
        ('shell', '{group: lower, mirrored: true, points: [{z: 0}]}', 'expected both or neither'),
        ('shell', f'{{{LIKE}, joints: [{{lower_0_knee: 9}}]}}', 'lower_0_knee is 9; expected'),
        (
            'quadruped',
            f'{{{REAR}, points: [{{yaw: 0}}]}}',
            "points name yaw; expected none, as the frame of the tip of 'rear_left' is no image",
        ),
        (
            'shell',
            f'{{{LIKE}, mirrored: true, joints: [{{lower_0_knee: 0}}]}}',
            'no vertical mirror takes',
        ),
        (
            'quadruped',
            f'{{{REAR}, joints: [{{front_left_thigh: 2}}]}}',
            'rear_left_thigh is -2; expected -1.2 to 2.2',
        ),
    ],
)
def test_what_has_no_image_is_refused_when_it_is_read(tmp_path, name, move, said):
    """With file and line, before anything moves."""
    with pytest.raises(ProblemsError) as caught:
        held_against(load_robot(name), actions_of(tmp_path, move))
    for problem in caught.value.problems:
        assert 'wiggle.yaml: line 9: ' in problem
    assert any(said in problem for problem in caught.value.problems), caught.value.problems
    assert len(caught.value.problems) == len({*caught.value.problems})


def hanging(name, angle, turned=(0.0, 0.0, 0.0)):
    """A leg that hangs down at zero, at an angle about the middle of the robot."""
    turn = Rotation.from_euler('z', angle).as_matrix()
    hip = transform(turn, turn @ [0.1, 0.0, 0.0])
    down = transform(translation=(0.0, 0.0, -0.1))
    return SerialChain(
        name,
        (
            Joint(f'{name}_abduction', JointKind.REVOLUTE, hip, np.array([1.0, 0.0, 0.0])),
            Joint(f'{name}_hip', JointKind.REVOLUTE, np.eye(4), np.array([0.0, 1.0, 0.0])),
            Joint(f'{name}_knee', JointKind.REVOLUTE, down, np.array([0.0, 1.0, 0.0])),
        ),
        transform(rotation_from_angles(turned), np.array([0.0, 0.0, -0.1])),
    )


@pytest.mark.parametrize('turned', [(0.0, 0.0, 0.0), (0.3, 0.0, 0.2)])
def test_legs_that_hang_down_are_images_by_the_turn_between_them(turned):
    """All their joints are on a vertical line, so that only axes tell the angle.

    Whatever else maps the tips (half a turn more, all joints the other way), the turn by which
    they are built is the one that maps the frames of the tips too, and all joints the same way.
    """
    chains = {f'leg{k}': hanging(f'leg{k}', k * np.pi / 3, turned) for k in range(6)}
    own = {name: chain.variables for name, chain in chains.items()}
    symmetry = Symmetry(chains, own)
    for k in range(1, 6):
        image = symmetry.image('leg0', f'leg{k}')
        assert np.angle(np.exp(1j * (image.angle - k * np.pi / 3))) == pytest.approx(0, abs=1e-9)
        assert (image.mirrored, image.turns, image.signs) == (False, True, (1.0, 1.0, 1.0))
        q = np.random.default_rng(k).uniform(-1.0, 1.0, (10, 3))
        ours, theirs = (chains[name].forward(q)[:, :3, 3] for name in ('leg0', f'leg{k}'))
        np.testing.assert_allclose(theirs, mapped(ours, k * np.pi / 3, False, (0, 0)), atol=1e-12)


def test_legs_that_hang_down_have_mirror_images_as_well():
    """Both legs swing ahead together, and outwards each to its own side."""
    chains = {'left': hanging('left', np.pi / 2), 'right': hanging('right', -np.pi / 2)}
    own = {name: chain.variables for name, chain in chains.items()}
    image = Symmetry(chains, own).image('left', 'right', mirrored=True)
    q = np.random.default_rng(3).uniform(-1.0, 1.0, (10, 3))
    theirs = chains['right'].forward(q * image.signs)[:, :3, 3]
    expected = chains['left'].forward(q)[:, :3, 3] @ image.linear.T + image.offset
    assert image.mirrored
    np.testing.assert_allclose(theirs, expected, atol=1e-12)
