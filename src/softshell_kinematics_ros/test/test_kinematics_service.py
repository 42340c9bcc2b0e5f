"""The services: whole trajectories in, typed answers out; every bad input by status and name."""

import math

import numpy as np
import pytest

pytest.importorskip('softshell_interfaces.srv', reason='needs the built workspace')

from geometry_msgs.msg import Pose

from softshell_description.load import load_robot
from softshell_interfaces.msg import JointPath, LimbPath, LimbSolution
from softshell_interfaces.srv import SolveBodyIK, SolveFK, SolveIK
from softshell_kinematics.examples import ARM7
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_kinematics.solving.solution import IkOptions
from softshell_kinematics_ros.ros.requests import RefusalError
from softshell_kinematics_ros.ros.service import KinematicsService

Status = SolveIK.Response
LEGS = tuple(f'lower_{k}' for k in range(6))


@pytest.fixture(scope='module')
def service():
    """The service of the robot."""
    robot = load_robot()
    chains = {name: (chain.base_link, chain.tip_link) for name, chain in robot.chains.items()}
    return KinematicsService(robot.urdf, chains, IkOptions())


def answer_of(task, request):
    """What one of the services answers, all slices in one go."""
    kind = type(request)
    response = {each.Request: each for each in (SolveIK, SolveFK, SolveBodyIK)}[kind].Response()
    for left in task(request, response):
        assert left > 0
    return response


def walking(points=30):
    """Joint paths of a gentle motion of all lower legs, the fold at -1."""
    s = np.sin(np.linspace(0.0, 2.0 * np.pi, points))
    joints = [JointPath(name='fold', position=[-1.0] * points)]
    for leg in LEGS:
        for name, centre in (('yaw', 0.1), ('pitch', 0.1), ('knee', 0.3)):
            joints.append(JointPath(name=f'{leg}_{name}', position=(centre + 0.1 * s).tolist()))
    return joints


def foot_goals(service, points=30):
    """An IK request for the feet of that motion."""
    request = SolveFK.Request(chains=list(LEGS), joints=walking(points))
    answer = answer_of(service.solve_fk, request)
    request = SolveIK.Request(limbs=answer.limbs, fixed_joints=['fold'], warm_start=True)
    for limb in request.limbs:
        limb.free = [False] * 3 + [True] * 3
        limb.yaw, limb.pitch, limb.roll = [], [], []
    request.seed.name, request.seed.position = ['fold', 'lower_0_fold'], [-1.0, -1.0]
    return request


def test_fk_then_ik_gives_the_feet_back(service):
    """FK of what IK answers is the goal, to 1e-8, for trajectories of six legs in one call."""
    request = foot_goals(service)
    answer = answer_of(service.solve_ik, request)
    assert answer.status == Status.OK
    assert answer.message == ''
    assert answer.all_converged
    assert [solution.chain for solution in answer.solutions] == list(LEGS)
    joints = {j.name: j for solution in answer.solutions for j in solution.joints}
    assert set(joints['fold'].position) == {-1.0}
    back = answer_of(
        service.solve_fk, SolveFK.Request(chains=list(LEGS), joints=list(joints.values()))
    )
    for wanted, reached in zip(request.limbs, back.limbs, strict=True):
        for axis in ('x', 'y', 'z'):
            np.testing.assert_allclose(getattr(reached, axis), getattr(wanted, axis), atol=2e-8)


def test_goals_in_a_link_fixed_to_the_base_are_transformed(service):
    """upper_chassis has another origin than base_link; the same feet give the same joints."""
    urdf = service.urdf
    frame = 'upper_chassis'
    joint = next(joint for joint in urdf.joints if joint.child == frame)
    assert joint.parent == 'base_link'
    inverse = np.linalg.inv(joint.origin)
    request = foot_goals(service)
    expected = answer_of(service.solve_ik, request)
    for limb in request.limbs:
        moved = inverse @ np.stack([limb.x, limb.y, limb.z, np.ones(len(limb.x))])
        limb.x, limb.y, limb.z = (row.tolist() for row in moved[:3])
    request.header.frame_id = frame
    answer = answer_of(service.solve_ik, request)
    assert answer.all_converged
    for one, other in zip(answer.solutions, expected.solutions, strict=True):
        for a, b in zip(one.joints, other.joints, strict=True):
            np.testing.assert_allclose(a.position, b.position, atol=1e-6)


def test_goals_in_a_link_that_stands_still_against_the_base_are_transformed():
    """A joint that mimics with a multiplier of 0 is as good as one that is fixed."""
    bolt = (
        '<link name="shelf"/><joint name="bolt" type="prismatic"><parent link="base"/>'
        '<child link="shelf"/><mimic joint="j1" multiplier="0" offset="0.5"/>'
        '<limit lower="0" upper="1"/></joint></robot>'
    )
    urdf = parse_urdf(ARM7.replace('</robot>', bolt))
    service = KinematicsService(urdf, {'hand': ('base', 'hand')}, IkOptions())
    limb = LimbPath(chain='hand', free=[False] * 3 + [True] * 3, x=[-0.1], y=[0.2], z=[0.5])
    request = SolveIK.Request(limbs=[limb])
    request.header.frame_id = 'shelf'
    (solution,) = answer_of(service.solve_ik, request).solutions
    (hand,) = answer_of(service.solve_fk, SolveFK.Request(joints=solution.joints)).limbs
    np.testing.assert_allclose([*hand.x, *hand.y, *hand.z], [0.4, 0.2, 0.5], atol=3e-8)


def test_the_feet_stay_on_the_ground_while_the_body_rises(service):
    """solve_body_ik: raised by 1 cm, each foot is 1 cm lower in the base and nowhere else."""
    request = SolveBodyIK.Request(chains=list(LEGS), fixed_joints=['fold'])
    request.start = Pose()
    request.start.position.z = 0.2
    request.base.free = [True, True, False, True, True, True]
    request.base.z = np.linspace(0.2, 0.21, 10).tolist()
    names = ['fold'] + [f'{leg}_{joint}' for leg in LEGS for joint in ('yaw', 'pitch', 'knee')]
    request.stance.name, request.stance.position = names, [-1.0] + [0.1, 0.1, 0.3] * 6
    answer = answer_of(service.solve_body_ik, request)
    assert answer.status == Status.OK
    assert answer.all_converged
    joints = [joint for solution in answer.solutions for joint in solution.joints]
    unique = list({j.name: j for j in joints}.values())
    reached = answer_of(service.solve_fk, SolveFK.Request(chains=list(LEGS), joints=unique))
    for limb in reached.limbs:
        np.testing.assert_allclose(limb.x, limb.x[0], atol=3e-8)
        np.testing.assert_allclose(limb.y, limb.y[0], atol=3e-8)
        np.testing.assert_allclose(limb.z, limb.z[0] - np.linspace(0, 0.01, 10), atol=3e-8)


def test_chains_from_different_bases_have_no_pose_in_common():
    """solve_body_ik refuses them: a pose of one base does not place the other."""
    robot = load_robot()
    chains = {name: (chain.base_link, chain.tip_link) for name, chain in robot.chains.items()}
    first = robot.urdf.joints[[joint.name for joint in robot.urdf.joints].index('lower_1_yaw')]
    chains['lower_1'] = first.child, chains['lower_1'][1]
    service = KinematicsService(robot.urdf, chains, IkOptions())
    request = SolveBodyIK.Request(chains=['lower_0', 'lower_1'])
    request.base.free = [True] * 6
    with pytest.raises(RefusalError, match=f"'lower_1' begins at '{first.child}'") as caught:
        answer_of(service.solve_body_ik, request)
    assert caught.value.status == Status.UNKNOWN_CHAIN


def test_an_unreachable_goal_is_an_answer(service):
    """A foot a metre away: OK, not converged, best effort with its residual."""
    request = foot_goals(service, 3)
    request.limbs[0].x = [1.0, 1.0, 1.0]
    answer = answer_of(service.solve_ik, request)
    assert answer.status == Status.OK
    assert not answer.all_converged
    first = answer.solutions[0]
    assert set(first.status) <= {LimbSolution.LIMIT_BOUND, LimbSolution.UNREACHABLE}
    assert min(first.residual) > 0.3
    assert all(s == LimbSolution.CONVERGED for s in answer.solutions[1].status)


def free_with_values(request):
    request.limbs[0].yaw = [0.0]


def unknown_chain(request):
    request.limbs[2].chain = 'lower_9'


def unknown_frame(request):
    request.header.frame_id = 'foot_0'


def uneven(request):
    request.limbs[1].y = request.limbs[1].y[:-1]


def shorter(request):
    for axis in ('x', 'y', 'z'):
        setattr(request.limbs[3], axis, getattr(request.limbs[3], axis)[:-1])


def not_a_number(request):
    request.limbs[0].z[3] = math.nan


def nothing(request):
    request.limbs[5].free = [True] * 6


def seed_of_nobody(request):
    request.seed.name = ['fold', 'nose']


def seed_too_short(request):
    request.seed.position = [-1.0]


def infinite_seed(request):
    request.seed.position = [-1.0, math.inf]


def held_by_nobody(request):
    request.fixed_joints = ['folds']


def held_by_another(request):
    request.fixed_joints = ['lower_0_fold']


def held_nowhere(request):
    request.seed.name, request.seed.position = ['lower_0_yaw'], [0.1]


def seed_of_a_follower(request):
    request.seed.name, request.seed.position = ['lower_0_fold'], [-1.0]


def seed_apart(request):
    request.seed.position = [-1.0, -0.5]


def negative_tolerance(request):
    request.tolerance = -1e-3


def no_points(request):
    for limb in request.limbs:
        limb.x, limb.y, limb.z = [], [], []


@pytest.mark.parametrize(
    ('spoil', 'status', 'said'),
    [
        (unknown_chain, Status.UNKNOWN_CHAIN, "unknown chain 'lower_9'; known: lower_0"),
        (unknown_frame, Status.UNKNOWN_FRAME, "unknown frame 'foot_0'; known: base_link"),
        (uneven, Status.WRONG_SIZE, "limb 'lower_1': y has 29 values; expected 30 as x has"),
        (shorter, Status.WRONG_SIZE, "limb 'lower_3' has 29 points; expected 30"),
        (no_points, Status.WRONG_SIZE, "limb 'lower_0': x has 0 values; expected 1 or more"),
        (free_with_values, Status.WRONG_SIZE, 'yaw is free and has 1 values; expected none'),
        (not_a_number, Status.NON_FINITE, "limb 'lower_0'.z[3] is nan; expected a finite"),
        (nothing, Status.NOTHING_CONSTRAINED, "limb 'lower_5': x, y, z, yaw, pitch, roll are"),
        (seed_of_nobody, Status.UNKNOWN_JOINT, "seed: unknown joint 'nose'; known: fold"),
        (seed_too_short, Status.WRONG_SIZE, 'seed has 2 names and 1 positions'),
        (infinite_seed, Status.NON_FINITE, 'seed.position[1] is inf'),
        (held_by_nobody, Status.UNKNOWN_JOINT, "fixed_joints: unknown joint 'folds'"),
        (
            held_by_another,
            Status.UNKNOWN_JOINT,
            "fixed_joints: joint 'lower_0_fold' follows 'fold'",
        ),
        (
            held_nowhere,
            Status.UNKNOWN_JOINT,
            "fixed_joints names 'fold', and seed does not; expected the position at which",
        ),
        (
            seed_of_a_follower,
            Status.UNKNOWN_JOINT,
            "seed: joint 'lower_0_fold' follows 'fold' and",
        ),
        (
            seed_apart,
            Status.OUT_OF_RANGE,
            "seed: 'lower_0_fold' is at -0.5, but follows 'fold', which puts it at -1; expected",
        ),
        (negative_tolerance, Status.OUT_OF_RANGE, 'tolerance is -0.001'),
    ],
)
def test_bad_requests_are_refused_by_status_and_name(service, spoil, status, said):
    """Each has its own status, and a message with the thing, the value and what was expected."""
    request = foot_goals(service)
    spoil(request)
    with pytest.raises(RefusalError) as refusal:
        answer_of(service.solve_ik, request)
    assert refusal.value.status == status
    assert said in str(refusal.value)


def test_forward_kinematics_refuses_a_joint_that_follows_another(service):
    """Its position is that of the other, whatever is given; so it is not given."""
    request = SolveFK.Request(joints=[JointPath(name='lower_0_fold', position=[-0.5])])
    with pytest.raises(RefusalError, match="joints: joint 'lower_0_fold' follows 'fold'"):
        answer_of(service.solve_fk, request)


def test_a_stance_that_leaves_joints_out_is_refused(service):
    """Body IK needs to know where the feet are."""
    request = SolveBodyIK.Request(chains=['lower_0'], base=LimbPath(free=[False] + [True] * 5))
    request.base.x = [0.0]
    request.stance.name, request.stance.position = ['fold'], [-1.0]
    with pytest.raises(RefusalError, match="stance does not name 'lower_0_yaw'"):
        answer_of(service.solve_body_ik, request)


@pytest.mark.parametrize('warm_start', [False, True])
def test_one_motor_has_one_answer_for_all_chains_that_it_moves(service, warm_start):
    """Without fixed joints the six legs are one problem: one fold, and every foot on its goal."""
    request = foot_goals(service)
    request.fixed_joints, request.warm_start = [], warm_start
    names = ['fold'] + [f'{leg}_{joint}' for leg in LEGS for joint in ('yaw', 'pitch', 'knee')]
    request.seed.name, request.seed.position = names, [-0.93] + [0.15, 0.05, 0.35] * 6
    answer = answer_of(service.solve_ik, request)
    assert answer.all_converged, answer.message
    folds = [
        np.array(joint.position)
        for solution in answer.solutions
        for joint in solution.joints
        if joint.name == 'fold'
    ]
    assert len(folds) == 6
    for other in folds[1:]:
        np.testing.assert_array_equal(folds[0], other)
    joints = list({j.name: j for s in answer.solutions for j in s.joints}.values())
    back = answer_of(service.solve_fk, SolveFK.Request(chains=list(LEGS), joints=joints))
    for wanted, reached in zip(request.limbs, back.limbs, strict=True):
        for name in ('x', 'y', 'z'):
            np.testing.assert_allclose(getattr(reached, name), getattr(wanted, name), atol=3e-8)


def test_a_body_pose_has_one_answer_of_the_motor_that_all_legs_share(service):
    """solve_body_ik with the fold free: one fold for all legs, at every point of the path."""
    request = SolveBodyIK.Request(chains=list(LEGS))
    request.start.position.z = 0.2
    request.base.free = [True, True, False, True, True, True]
    request.base.z = np.linspace(0.2, 0.21, 10).tolist()
    names = ['fold'] + [f'{leg}_{joint}' for leg in LEGS for joint in ('yaw', 'pitch', 'knee')]
    request.stance.name, request.stance.position = names, [-1.0] + [0.1, 0.1, 0.3] * 6
    answer = answer_of(service.solve_body_ik, request)
    assert answer.all_converged
    folds = {tuple(j.position) for s in answer.solutions for j in s.joints if j.name == 'fold'}
    assert len(folds) == 1


def test_what_keeps_one_leg_from_its_goal_is_told_for_that_leg(service):
    """The others reach theirs, and the message names the one that does not."""
    request = foot_goals(service)
    request.fixed_joints = []
    request.limbs[2].z = (np.array(request.limbs[2].z) - 1.0).tolist()
    answer = answer_of(service.solve_ik, request)
    assert not answer.all_converged
    assert answer.status == Status.OK
    assert min(answer.solutions[2].residual) > 0.1
    assert ' misses point ' in answer.message
