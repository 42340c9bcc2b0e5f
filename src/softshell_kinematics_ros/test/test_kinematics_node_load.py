"""Large requests: what is small gets through between their slices, and the node can end."""

import array
import signal

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.srv', reason='the workspace is not built')

from softshell_interfaces.msg import JointPath, LimbPath
from softshell_interfaces.srv import SolveFK, SolveIK
from softshell_kinematics.examples import ARM7
from softshell_kinematics_ros.ros.requests import MOST_POINTS

#: Whole poses out of reach for one thread: many seconds, whatever the machine.
POINTS = 3_000
SLOW = {'robot_description': ARM7, 'threads': 1}


def far_away(points):
    """Whole poses of the hand that it cannot reach."""
    generator = np.random.default_rng(0)
    goal = LimbPath(chain='hand')
    for name in ('x', 'y', 'z', 'yaw', 'pitch', 'roll'):
        setattr(goal, name, array.array('d', generator.uniform(1.0, 3.0, points).tobytes()))
    return goal


@pytest.mark.long
def test_small_requests_get_through_while_a_large_one_is_solved(start):
    """Five of each service, one after the other, are answered before the large one is."""
    node = start(**SLOW)
    near = node.fk(j4=-1.5, j6=1.6)['hand']
    large = node.begin(SolveIK, 'solve_ik', SolveIK.Request(limbs=[far_away(POINTS)]))
    spent = []
    for _ in range(5):
        answer = node.ik(near)
        assert answer.all_converged
        spent.append(answer.solve_time)
        node.fk(j4=-1.0)
    assert not large.done()
    node.wait(large.done, 'the large answer')
    answer = large.result()
    assert answer.status == SolveIK.Response.OK
    assert max(spent) < 0.1 * answer.solve_time
    (solution,) = answer.solutions
    assert len(solution.status) == POINTS
    assert min(solution.residual) > 0.1
    assert answer.message.startswith(f'hand misses point 1 of {POINTS} by ')


@pytest.mark.long
def test_the_smaller_of_two_large_requests_is_answered_first(start):
    """The one that came later has least left, so it does not wait for the other."""
    node = start(**SLOW)
    node.fk()
    large = node.begin(SolveIK, 'solve_ik', SolveIK.Request(limbs=[far_away(POINTS)]))
    node.ik(far_away(POINTS // 10))
    assert not large.done()


@pytest.mark.long
def test_the_node_ends_in_the_middle_of_a_large_request(start):
    """A signal between two slices is enough, and the process ends as always."""
    node = start(**SLOW)
    node.fk()
    large = node.begin(SolveIK, 'solve_ik', SolveIK.Request(limbs=[far_away(POINTS)]))
    node.fk()
    assert not large.done()
    node.process.send_signal(signal.SIGTERM)
    assert node.process.wait(timeout=30.0) == 0
    assert 'Traceback' not in node.output
    node.close()


def test_more_points_than_fit_are_refused_by_their_number(start):
    """Of all chains together, by every service; what just fits is answered."""
    node = start(robot_description=ARM7)
    path = JointPath(name='j1', position=array.array('d', bytes(8 * (MOST_POINTS + 1))))
    for kind, name, request in (
        (SolveIK, 'solve_ik', SolveIK.Request(limbs=[far_away(MOST_POINTS + 1)])),
        (SolveFK, 'solve_fk', SolveFK.Request(joints=[path])),
    ):
        answer = node.call(kind, name, request)
        assert answer.status == SolveIK.Response.WRONG_SIZE
        assert answer.message == (
            f'{MOST_POINTS + 1} points for each of 1 chains are {MOST_POINTS + 1}; expected at '
            f'most {MOST_POINTS} in one request'
        )
    path.position.pop()
    answer = node.call(SolveFK, 'solve_fk', SolveFK.Request(joints=[path]))
    assert answer.status == SolveFK.Response.OK
    assert len(answer.limbs[0].x) == MOST_POINTS
