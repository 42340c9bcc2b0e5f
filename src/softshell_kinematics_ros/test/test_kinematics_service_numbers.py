"""Numbers in requests: not finite, too large, given twice or missing, they are refused by name."""

import array
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip('softshell_interfaces.srv', reason='needs the built workspace')

from softshell_interfaces.msg import JointPath, LimbPath
from softshell_interfaces.srv import SolveBodyIK, SolveFK, SolveIK
from softshell_kinematics import chain_from_urdf
from softshell_kinematics.examples import ARM7, GANTRY
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_kinematics.solving.solution import IkOptions
from softshell_kinematics.transforms import COORDINATES
from softshell_kinematics_ros.chains import read_chains
from softshell_kinematics_ros.ros.requests import MOST_POINTS, RefusalError
from softshell_kinematics_ros.ros.service import KinematicsService

NAN, INF = math.nan, math.inf
Status = SolveIK.Response
REST = {'j1': 0.2, 'j2': 0.3, 'j3': -0.4, 'j4': -1.5, 'j5': 0.1, 'j6': 1.6, 'j7': 0.3}
ARM = chain_from_urdf(ARM7, 'base', 'hand')
FARTHEST = 1e4 * ARM.reach


@pytest.fixture(scope='module')
def service():
    """An arm of seven joints."""
    return KinematicsService(parse_urdf(ARM7), {'hand': ('base', 'hand')}, IkOptions(restarts=2))


def answer_of(task, request):
    """What one of the services answers, all slices in one go."""
    kind = {each.Request: each for each in (SolveIK, SolveFK, SolveBodyIK)}[type(request)]
    response = kind.Response()
    for _ in task(request, response):
        pass
    return response


def goal(**coordinates):
    """A path of the hand: one value or a list for each constrained coordinate."""
    path = LimbPath(chain='hand')
    path.free = [name not in coordinates for name in COORDINATES]
    for name, value in coordinates.items():
        setattr(path, name, list(value) if isinstance(value, list) else [value])
    return path


def ik(path, seed=None, **more):
    """A request for the arm."""
    request = SolveIK.Request(limbs=[path], **more)
    request.seed.name, request.seed.position = list(seed or {}), list((seed or {}).values())
    return request


def fk(**positions):
    """A request of joint paths."""
    paths = [JointPath(name=name, position=list(each)) for name, each in positions.items()]
    return SolveFK.Request(joints=paths)


def body(start=(0.0, 0.0, 0.3), stance=REST, **coordinates):
    """A request to move the base over the hand."""
    request = SolveBodyIK.Request(chains=['hand'], base=goal(**coordinates))
    request.start.position.x, request.start.position.y, request.start.position.z = start
    request.stance.name, request.stance.position = list(stance), list(stance.values())
    return request


def twice(request, field):
    """The same request with its first joint given a second time, with another position."""
    state = getattr(request, field)
    state.name = [*state.name, state.name[0]]
    state.position = [*state.position, 0.0]
    return request


def twice_in_a_path():
    request = fk(j1=[0.1])
    request.joints.append(JointPath(name='j1', position=[0.2]))
    return request


WRONG, NONE, RANGE = Status.WRONG_SIZE, Status.NON_FINITE, Status.OUT_OF_RANGE
RADIANS = 'expected -10000 to 10000 rad'
METRES = f'expected {-FARTHEST:.6g} to {FARTHEST:.6g} m, 10000 times the reach of'


@pytest.mark.parametrize(
    ('request_', 'status', 'said'),
    [
        (ik(goal(x=[0.1, 1e100])), RANGE, f"limb 'hand'.x[1] is 1e+100; {METRES}"),
        (ik(goal(x=0.1, yaw=-1e20)), RANGE, f"limb 'hand'.yaw[0] is -1e+20; {RADIANS}"),
        (ik(goal(x=0.1, roll=INF)), NONE, "limb 'hand'.roll[0] is inf; expected a finite number"),
        (ik(goal(x=0.1), {'j1': 0.0, 'j2': 1e308}), RANGE,
         f"seed.position[1] of 'j2' is 1e+308; {RADIANS}"),
        (ik(goal(x=0.1), {'j1': NAN}), NONE, 'seed.position[0] is nan; expected a finite number'),
        (twice(ik(goal(x=0.1), REST), 'seed'), WRONG,
         "seed: joint 'j1' is given 2 times; expected once"),
        (ik(goal(x=0.1), tolerance=NAN), NONE, 'tolerance is nan; expected a finite number'),
        (ik(goal(x=0.1), tolerance=INF), NONE, 'tolerance is inf; expected a finite number'),
        (ik(goal(x=0.1), tolerance=1.0), RANGE, 'tolerance is 1.0; expected 1e-12 to 0.1'),
        (fk(j1=[0.1, 1e308]), RANGE, f"joint 'j1': position[1] is 1e+308; {RADIANS}"),
        (fk(j1=[0.1, -10001.0]), RANGE, f"joint 'j1': position[1] is -10001.0; {RADIANS}"),
        (fk(j2=[-INF]), NONE, "joint 'j2': position[0] is -inf; expected a finite number"),
        (fk(j2=[]), WRONG, "joint 'j2' has 0 points; expected 1 or more"),
        (twice_in_a_path(), WRONG, "joint 'j1' is given 2 times; expected once"),
        (fk(j1=array.array('d', bytes(8 * (MOST_POINTS + 1)))), WRONG, 'expected at most 250000'),
        (body(x=1e9), RANGE, f'base.x[0] is 1000000000.0; {METRES}'),
        (body(yaw=1e5), RANGE, f'base.yaw[0] is 100000.0; {RADIANS}'),
        (body(z=NAN), NONE, 'base.z[0] is nan; expected a finite number'),
        (body((1e300, 0.0, 0.0), z=0.3), RANGE, f'start of the base: x is 1e+300; {METRES}'),
        (body((NAN, 0.0, 0.0), z=0.3), NONE, 'start.position[0] is nan; expected a finite'),
        (body(stance={**REST, 'j7': 1e9}, z=0.3), RANGE,
         f"stance.position[6] of 'j7' is 1000000000.0; {RADIANS}"),
        (twice(body(z=0.3), 'stance'), WRONG, "stance: joint 'j1' is given 2 times"),
    ],
)  # fmt: skip
def test_numbers_that_cannot_be_used_are_refused_by_status_and_name(
    service, request_, status, said
):
    """Each with the field, the place, the value and what was expected."""
    kind = {SolveIK.Request: 'solve_ik', SolveFK.Request: 'solve_fk'}
    task = getattr(service, kind.get(type(request_), 'solve_body_ik'))
    with pytest.raises(RefusalError) as refusal:
        answer_of(task, request_)
    assert said in str(refusal.value)
    assert refusal.value.status == status


def test_a_slide_may_go_as_far_as_its_chain_reaches_ten_thousand_times():
    """Positions of slides are refused in metres; a joint of no chain may stand anywhere."""
    chains = {'tool': ('floor', 'tool')}
    gantry = KinematicsService(parse_urdf(GANTRY), chains, IkOptions())
    largest = 1e4 * chain_from_urdf(GANTRY, 'floor', 'tool').reach
    answer = answer_of(gantry.solve_fk, fk(rail=[0.999 * largest]))
    assert math.isfinite(answer.limbs[0].x[0])
    with pytest.raises(RefusalError, match=r"joint 'rail': position\[0\] is .* m, 10000 times"):
        answer_of(gantry.solve_fk, fk(rail=[1.001 * largest]))
    short = KinematicsService(parse_urdf(GANTRY), {'arm': ('floor', 'carriage')}, IkOptions())
    assert answer_of(short.solve_fk, fk(turn=[1e9])).status == SolveFK.Response.OK


WHEEL = (
    '<link name="rim"/><joint name="wheel" type="continuous"><parent link="base"/>'
    '<child link="rim"/><axis xyz="0 1 0"/></joint></robot>'
)


def test_a_wheel_that_has_turned_far_keeps_no_other_chain_from_its_answer():
    """How large a position may be is asked of the chains of the request alone."""
    robot = parse_urdf(ARM7.replace('</robot>', WHEEL))
    service = KinematicsService(robot, read_chains(robot, '', ''), IkOptions())
    turned, hand = {'wheel': 2e4, **REST}, ARM.forward([*REST.values()])[:3, 3]
    wanted = goal(**dict(zip('xyz', hand.tolist(), strict=True)))
    assert answer_of(service.solve_ik, ik(wanted, turned)).all_converged
    assert answer_of(service.solve_body_ik, body(stance=turned, z=0.3)).all_converged
    positions = {name: [value] for name, value in turned.items()}
    request = fk(**positions)
    request.chains = ['hand']
    assert answer_of(service.solve_fk, request).limbs[0].x[0] == pytest.approx(hand[0])
    request.chains = ['hand', 'rim']
    with pytest.raises(RefusalError, match=r"joint 'wheel': position\[0\] is 20000.0"):
        answer_of(service.solve_fk, request)


#: Two fingers that follow one motor and have no position of it in common.
FINGERS = '<robot name="fingers"><link name="palm"/>{}</robot>'.format(
    ''.join(
        f'<link name="{child}"/><joint name="{name}" type="revolute"><parent link="palm"/>'
        f'<child link="{child}"/><axis xyz="0 0 1"/>{mimic}'
        f'<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/></joint>'
        for name, child, lower, upper, mimic in (
            ('motor', 'shaft', -1, 1, ''),
            ('a', 'thumb', 0.5, 1, '<mimic joint="motor"/>'),
            ('b', 'index', -1, -0.5, '<mimic joint="motor"/>'),
        )
    )
)


def test_chains_without_a_position_in_common_are_refused_together_alone():
    """Each by itself is answered; both at once are refused with the reason."""
    robot = parse_urdf(FINGERS)
    service = KinematicsService(robot, read_chains(robot, '', ''), IkOptions())
    service.warm_up()
    thumb, index = goal(yaw=0.7), goal(yaw=-0.7)
    thumb.chain, index.chain = 'thumb', 'index'
    for each in (thumb, index):
        assert answer_of(service.solve_ik, ik(each)).all_converged
    with pytest.raises(RefusalError, match="no position of 'motor' is within the limits of all"):
        answer_of(service.solve_ik, SolveIK.Request(limbs=[thumb, index]))


def test_the_message_of_an_answer_says_what_a_goal_misses_and_why(service):
    """Empty where all is reached; else one sentence with the limit that stands in the way."""
    beyond = ARM.upper.copy()
    beyond[0] += 0.05
    x, y, z = ARM.forward(beyond)[:3, 3].tolist()
    names = [f'j{i}' for i in range(2, 8)]
    seed = dict(zip(ARM.variables, ARM.upper.tolist(), strict=True))
    answer = answer_of(service.solve_ik, ik(goal(x=x, y=y, z=z), seed, fixed_joints=names))
    assert answer.status == Status.OK
    assert not answer.all_converged
    miss = 1e3 * 2.0 * math.sin(0.025) * math.hypot(x, y)
    assert answer.message == (
        f'hand misses point 1 of 1 by {miss:.3g} mm: j1 is at its upper limit of 2.7437 rad and '
        'would have to go 0.05 rad farther'
    )
    reached = answer_of(service.solve_ik, ik(goal(x=x - 0.01, y=y, z=z)))
    assert (reached.all_converged, reached.message) == (True, '')


number = st.one_of(
    st.floats(-0.6, 0.6), st.floats(-0.6, 0.6), st.floats(-0.6, 0.6), st.floats(-3.0, 3.0),
    st.sampled_from([NAN, INF, 1e20, 1e100, 1.7e308, 9999.9, 1e-320]),
)  # fmt: skip
goals = st.dictionaries(st.sampled_from(COORDINATES), number, min_size=1)
states = st.dictionaries(st.sampled_from(list(REST)), number)


@settings(max_examples=300)
@given(goals, states, st.sampled_from([0.0, 1e-3, NAN]))
def test_converged_on_the_wire_means_that_solve_fk_meets_the_goal(
    service, wanted, seed, tolerance
):
    """Whatever a request holds: a refusal by status, or finite numbers and the truth."""
    try:
        answer = answer_of(service.solve_ik, ik(goal(**wanted), seed, tolerance=tolerance))
    except RefusalError:
        return
    (solution,) = answer.solutions
    joints = {joint.name: joint.position for joint in solution.joints}
    assert np.isfinite([*solution.residual, *(value[0] for value in joints.values())]).all()
    assert answer.all_converged == (list(solution.status) == [0])
    pose = answer_of(service.solve_fk, fk(**joints)).limbs[0]
    if answer.all_converged:
        for name in {'x', 'y', 'z'} & set(wanted):
            assert abs(getattr(pose, name)[0] - wanted[name]) <= (tolerance or 1e-8) + 1e-12


@settings(max_examples=100)
@given(states)
def test_forward_kinematics_answers_finite_poses_or_refuses(service, positions):
    """No answer holds NaN or infinity."""
    request = fk(**{name: [value] for name, value in positions.items()})
    if all(abs(value) <= 1e4 for value in positions.values()):
        (pose,) = answer_of(service.solve_fk, request).limbs
        assert all(math.isfinite(getattr(pose, name)[0]) for name in COORDINATES)
    else:
        with pytest.raises(RefusalError, match=r'position\[0\] is'):
            answer_of(service.solve_fk, request)


def test_the_largest_request_is_told_where_a_user_looks():
    """The comment of the service and the page of the package name the number that is held to."""
    source = Path(__file__).resolve().parents[2]
    for page in ('softshell_interfaces/srv/SolveIK.srv', 'softshell_kinematics/README.md'):
        assert f'{MOST_POINTS:,} points'.replace(',', ' ') in (source / page).read_text()
