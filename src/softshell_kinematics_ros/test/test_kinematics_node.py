"""The node in a process of its own, with robots that are not part of softshell."""

import math

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')
pytest.importorskip('softshell_interfaces.srv', reason='the workspace is not built')

from node_rig import PATIENCE
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from softshell_interfaces.msg import JointPath, LimbPath
from softshell_interfaces.srv import SolveFK, SolveIK
from softshell_kinematics.examples import ARM7, GANTRY
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.solving.solution import IkOptions

ARM7_REST = {'j1': 0.2, 'j2': 0.3, 'j3': -0.4, 'j4': -1.5, 'j5': 0.1, 'j6': 1.6, 'j7': 0.3}


def test_a_foreign_robot_is_served_by_its_description_alone(start):
    """Without `chains` each leaf is a chain; IK finds what FK shows, also from a fixed link."""
    # A plate on the base, turned and moved, and nothing that moves it.
    plate = (
        '<link name="plate"/><joint name="screws" type="fixed"><parent link="base"/>'
        '<child link="plate"/><origin xyz="0.1 -0.2 0.3" rpy="0 0 1.5707963267948966"/></joint>'
    )
    node = start(robot_description=ARM7.replace('</robot>', f'{plate}</robot>'))
    tips = node.fk(**ARM7_REST)
    assert list(tips) == ['hand']
    answer = node.ik(tips['hand'])
    assert answer.status == SolveIK.Response.OK, answer.message
    assert answer.all_converged
    found = {joint.name: joint.position[0] for joint in answer.solutions[0].joints}
    assert set(found) == set(ARM7_REST)
    reached = node.fk(**found)['hand']
    for axis in ('x', 'y', 'z'):
        np.testing.assert_allclose(getattr(reached, axis), getattr(tips['hand'], axis), atol=2e-8)

    # The same place, seen from the plate: p = Rz(90°)ᵀ (x - 0.1, y + 0.2, z - 0.3).
    x, y, z = (getattr(tips['hand'], axis)[0] for axis in ('x', 'y', 'z'))
    goal = LimbPath(
        chain='hand', x=[y + 0.2], y=[0.1 - x], z=[z - 0.3], free=[False] * 3 + [True] * 3
    )
    answer = node.ik(goal, 'plate')
    assert answer.all_converged
    found = {joint.name: joint.position[0] for joint in answer.solutions[0].joints}
    reached = node.fk(**found)['hand']
    np.testing.assert_allclose((reached.x[0], reached.y[0], reached.z[0]), (x, y, z), atol=2e-8)
    refused = node.ik(goal, 'l3')
    assert refused.status == SolveIK.Response.UNKNOWN_FRAME
    assert 'known: base, plate' in refused.message


#: The arm on a trolley that rolls over the floor of a hall with a lamp on a hinge.
HALL = ARM7.replace('name="arm7">', 'name="hall">', 1).replace(
    '</robot>',
    '<link name="floor"/><link name="lamp"/>'
    '<joint name="roll" type="planar"><parent link="floor"/><child link="base"/></joint>'
    '<joint name="hinge" type="revolute"><parent link="floor"/><child link="lamp"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>',
)


def test_a_robot_with_a_planar_joint_is_served(start):
    """Each leaf from its own side of it; the joint has no position that could be asked for."""
    node = start(robot_description=HALL)
    tips = node.fk(**ARM7_REST, hinge=0.5)
    assert set(tips) == {'hand', 'lamp'}
    alone = chain_from_urdf(ARM7, 'base', 'hand').forward([*ARM7_REST.values()])
    hand = tips['hand']
    np.testing.assert_allclose((hand.x[0], hand.y[0], hand.z[0]), alone[:3, 3], atol=1e-12)
    request = SolveFK.Request(joints=[JointPath(name='roll', position=[0.0])])
    answer = node.call(SolveFK, 'solve_fk', request)
    assert answer.status == SolveFK.Response.UNKNOWN_JOINT


def test_leaves_that_no_chain_reaches_from_a_base_are_told(start):
    """From a base that is given, what is beyond a planar joint is left out, in one line."""
    node = start(robot_description=HALL, base='floor')
    assert list(node.fk(hinge=0.5)) == ['lamp']
    assert node.output.count("no chain from 'floor' to 'hand': a joint between them is") == 1


def test_a_leaf_to_which_no_chain_can_be_made_is_told(start):
    """The others are served."""
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    stuck = '<limit lower="0" upper="0" effort="1" velocity="-1"/>'
    node = start(robot_description=HALL.replace(limit, stuck))
    assert list(node.fk(**ARM7_REST)) == ['hand']
    assert (
        node.output.count("no chain to 'lamp': joint 'hinge': velocity is -1.0; expected 0") == 1
    )


def test_live_parameters_take_effect_and_the_node_lives_on(start):
    """One step from one seed is not enough, the default is; out of range is refused."""
    node = start(robot_description=ARM7)
    goal = node.fk(**ARM7_REST)['hand']
    away = JointState(name=list(ARM7_REST), position=[x + 0.2 for x in ARM7_REST.values()])
    assert node.ik(goal, seed=away).all_converged
    assert node.set(max_iterations=1, restarts=0) == [True, True]
    answer = node.ik(goal, seed=away)
    assert answer.status == SolveIK.Response.OK
    assert not answer.all_converged
    assert node.set(tolerance=-1.0, restarts=-1) == [False, False]
    assert node.set(max_iterations=IkOptions.max_iterations, restarts=IkOptions.restarts) == [
        True,
        True,
    ]
    assert node.ik(goal, seed=away).all_converged


def test_the_parameters_defaults_are_those_of_the_library(start):
    """What stands in `IkOptions` is what the node answers."""
    node = start(robot_description=ARM7)
    names = [
        'tolerance', 'max_iterations', 'restarts', 'position_weight', 'rotation_weight', 'threads',
    ]  # fmt: skip
    request = GetParameters.Request(names=names)
    answer = node.call(GetParameters, 'kinematics/get_parameters', request)
    double = ParameterType.PARAMETER_DOUBLE
    numbers = [
        value.double_value if value.type == double else value.integer_value
        for value in answer.values
    ]
    assert numbers == [getattr(IkOptions, name) for name in names]


def test_a_robot_comes_and_another_takes_its_place(start):
    """From the latched topic; a text that is no URDF, or one without joints, changes nothing."""
    node = start()
    node.says('solvers ready')
    node.descriptions.publish(String(data='<robot name="torn"'))
    node.says('robot_description is refused: URDF is not XML')
    node.descriptions.publish(String(data=ARM7))
    assert list(node.fk()) == ['hand']
    goal = node.fk(**ARM7_REST)['hand']
    node.descriptions.publish(String(data='<robot name="rock"><link name="rock"/></robot>'))
    node.says("robot_description is refused: robot 'rock' has no chain")
    assert node.ik(goal).all_converged

    node.descriptions.publish(String(data=GANTRY))
    node.says('gantry: ')
    tips = node.fk(rail=0.1, lift=0.2, turn=0.3, bend=0.4)
    assert list(tips) == ['tool', 'marker']
    tool = tips['tool']
    tool.free = [False] * 3 + [True] * 3
    tool.yaw, tool.pitch, tool.roll = [], [], []
    answer = node.ik(tool)
    assert answer.all_converged
    assert [joint.name for joint in answer.solutions[0].joints] == ['rail', 'lift', 'turn', 'bend']
    refused = node.ik(goal)
    assert refused.status == SolveIK.Response.UNKNOWN_CHAIN
    assert refused.message == "unknown chain 'hand'; known: marker, tool"
    assert all(math.isfinite(value) for value in (*answer.solutions[0].residual, tool.x[0]))


WRONG = 'arm base hand, arm base l3, base hand, x base foot'


@pytest.mark.parametrize('robot', [ARM7, ''], ids=['robot', 'no robot'])
def test_chains_that_are_none_are_refused_at_start_all_at_once(start, robot):
    """The process ends with every problem; without a robot at least the form is judged."""
    node = start(robot_description=robot, chains=WRONG)
    assert node.process.wait(timeout=PATIENCE) == 1
    node.close()
    assert 'error: parameter chains: ' in node.output
    assert "chain 'arm' is given twice" in node.output
    assert "'base hand' is not a chain; expected NAME BASE TIP" in node.output
    assert ("chain 'x': unknown link 'foot'" in node.output) == bool(robot)
