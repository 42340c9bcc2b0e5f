"""Ask the kinematics services: angles for a foot, and for all legs when the trunk is lowered.

Run: .venv/bin/python examples/25_kinematics.py
"""

import math

import rclpy
from sensor_msgs.msg import JointState

from softshell_bringup.runner import Stack
from softshell_description.load import load_robot
from softshell_interfaces.msg import LimbPath
from softshell_interfaces.srv import SolveBodyIK, SolveFK, SolveIK

LEGS = ['front_left', 'front_right', 'rear_left', 'rear_right']
stand = load_robot('quadruped').poses['stand']  # angles [rad] by joint
stance = JointState(name=list(stand), position=list(stand.values()))


def ask(node, kind, name, request):
    """Call a service; again if no answer came, as the server may not know a new client yet."""
    client = node.create_client(kind, name)
    client.wait_for_service()
    while True:
        future = client.call_async(request)
        rclpy.spin_until_future_complete(node, future, timeout_sec=5.0)
        if future.done():
            return future.result()


with Stack({'robot': 'quadruped', 'bridge': 'mock'}) as stack:
    stack.wait_ready()
    rclpy.init()
    node = rclpy.create_node('asker')

    x, y, z = 0.16, 0.13, -0.12  # [m] in base_link; yaw, pitch, roll are free
    goal = LimbPath(chain='front_left', x=[x], y=[y], z=[z], free=[False] * 3 + [True] * 3)
    answer = ask(node, SolveIK, 'solve_ik', SolveIK.Request(limbs=[goal], seed=stance))
    joints = answer.solutions[0].joints
    print('front left:', ', '.join(f'{joint.position[0]:.4f}' for joint in joints), 'rad')

    request = SolveFK.Request(chains=['front_left'], joints=joints)
    (foot,) = ask(node, SolveFK, 'solve_fk', request).limbs
    off = math.dist((x, y, z), (foot.x[0], foot.y[0], foot.z[0]))
    print(f'forward again: {off:.1e} m off')

    lower = LimbPath(z=[-0.02], free=[True, True, False, True, True, True])  # from z = 0
    request = SolveBodyIK.Request(base=lower, chains=LEGS, stance=stance)
    answer = ask(node, SolveBodyIK, 'solve_body_ik', request)
    shanks = [solution.joints[2].position[0] for solution in answer.solutions]
    print('20 mm lower: shanks at', ', '.join(f'{angle:.4f}' for angle in shanks), 'rad')
    rclpy.shutdown()
