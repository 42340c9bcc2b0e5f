"""The field `posture` of solve_ik: where redundant chains are led, over the service."""

import math

import numpy as np
import pytest

pytest.importorskip('softshell_interfaces.srv', reason='needs the built workspace')

from softshell_interfaces.msg import JointPath, LimbPath
from softshell_interfaces.srv import SolveIK
from softshell_kinematics.examples import ARM7
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_kinematics.solving.solution import IkOptions
from softshell_kinematics_ros.ros.requests import RefusalError
from softshell_kinematics_ros.ros.service import KinematicsService

URDF = parse_urdf(ARM7)
CHAIN = chain_from_urdf(URDF, 'base', 'hand', 'hand')
SERVICE = KinematicsService(URDF, {'hand': ('base', 'hand')}, IkOptions())
MIDDLE = CHAIN.middle() + 0.2
POINTS = 25


def request_of(*posture):
    """A request for a hand that goes around a circle, and back to where it began."""
    x, y, z = CHAIN.forward(MIDDLE)[:3, 3]
    angle = np.linspace(0.0, 2.0 * np.pi, POINTS)
    path = LimbPath(chain='hand', free=[False] * 3 + [True] * 3)
    path.x = (x + 0.03 * np.cos(angle) - 0.03).tolist()
    path.y = (y + 0.03 * np.sin(angle)).tolist()
    path.z = [z] * POINTS
    request = SolveIK.Request(limbs=[path], posture=list(posture), warm_start=True)
    request.seed.name, request.seed.position = list(CHAIN.variables), MIDDLE.tolist()
    return request


def posture_of(positions):
    """A posture of the field's form, from positions (7, 1 or points)."""
    paths = zip(CHAIN.variables, positions.tolist(), strict=True)
    return [JointPath(name=name, position=path) for name, path in paths]


def answer_of(request):
    """The response, and (points, 7) positions."""
    response = SolveIK.Response()
    for _ in SERVICE.solve_ik(request, response):
        pass
    assert response.all_converged
    return np.array([joint.position for joint in response.solutions[0].joints]).T


def test_a_hand_that_comes_back_brings_back_all_joints_if_they_have_a_posture():
    """Seven joints, three coordinates: without a posture they end elsewhere."""
    apart = np.abs(answer_of(request_of(*posture_of(MIDDLE[:, None])))[[0, -1]] - MIDDLE).max()
    assert apart < 1e-4 < 1e-3 < np.abs(answer_of(request_of())[-1] - MIDDLE).max()


def test_a_posture_may_change_from_point_to_point():
    """From where the arm is to a pose with the same hand: the first point is the seed's."""
    other = answer_of(request_of(JointPath(name='j3', position=[MIDDLE[2] + 0.4])))[-1]
    share = np.linspace(0.0, 1.0, POINTS)[:, None]
    between = MIDDLE + share * (other - MIDDLE)
    found = answer_of(request_of(*posture_of(between.T)))
    assert np.abs(found[0] - MIDDLE).max() < 1e-4
    assert np.abs(found[-1] - other).max() < 1e-4
    assert np.abs(np.diff(found, axis=0)).max() < 0.2


@pytest.mark.parametrize(
    ('posture', 'status', 'said'),
    [
        ([('nose', [0.0])], SolveIK.Response.UNKNOWN_JOINT, "posture: unknown joint 'nose'"),
        ([('j1', [0.0] * 3)], SolveIK.Response.WRONG_SIZE, '3 values; expected 1 or 25'),
        ([('j1', [])], SolveIK.Response.WRONG_SIZE, '0 values; expected 1 or 25'),
        ([('j1', [0.0])] * 2, SolveIK.Response.WRONG_SIZE, "joint 'j1' is given 2 times"),
        ([('j1', [math.nan])], SolveIK.Response.NON_FINITE, "position of 'j1'"),
        ([('j1', [1e9])], SolveIK.Response.OUT_OF_RANGE, "position of 'j1'[0] is 1000000000"),
    ],
)
def test_a_posture_that_cannot_be_used_is_refused_by_status_and_name(posture, status, said):
    request = request_of(*(JointPath(name=name, position=path) for name, path in posture))
    with pytest.raises(RefusalError) as refusal:
        answer_of(request)
    assert refusal.value.status == status
    assert said in str(refusal.value)
