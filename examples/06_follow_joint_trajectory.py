"""Move joints with the action that motion planners use.

Run: .venv/bin/python examples/06_follow_joint_trajectory.py

It starts a stack; everything else is plain rclpy and `control_msgs/FollowJointTrajectory`.
"""

import rclpy
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from rclpy.duration import Duration
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from softshell_bringup.runner import Stack


def goal_through(names: list[str], points: list[list[float]]) -> FollowJointTrajectory.Goal:
    """A goal that passes through one point [rad] each second."""
    trajectory = JointTrajectory(joint_names=names)
    for second, positions in enumerate(points, start=1):
        time = Duration(seconds=second).to_msg()
        trajectory.points.append(JointTrajectoryPoint(positions=positions, time_from_start=time))
    return FollowJointTrajectory.Goal(trajectory=trajectory)


def follow(node: Node, goal: FollowJointTrajectory.Goal) -> None:
    """Send a goal, and print its result and the last feedback."""
    client = ActionClient(node, FollowJointTrajectory, 'follow_joint_trajectory')
    client.wait_for_server()
    places = []
    sent = client.send_goal_async(goal, lambda message: places.append(message.feedback.actual))
    rclpy.spin_until_future_complete(node, sent)
    result = sent.result().get_result_async()
    rclpy.spin_until_future_complete(node, result)
    answer = result.result().result
    print(f'error code {answer.error_code}: {answer.error_string or "reached"}')
    if places:
        print('last seen at', ' '.join(f'{angle:.2f}' for angle in places[-1].positions), 'rad')


with Stack({'robot': 'arm', 'bridge': 'mock'}) as stack:
    stack.wait_ready()
    rclpy.init()
    planner = rclpy.create_node('planner')
    follow(planner, goal_through(['shoulder', 'elbow'], [[-1.2, 1.2], [-0.8, 0.9]]))
    follow(planner, goal_through(['shoulder', 'nose'], [[0.0, 0.0]]))
    rclpy.shutdown()
