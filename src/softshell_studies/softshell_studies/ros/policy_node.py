"""A policy that moves the joints of the robot, from what is measured: `policy:=FILE`.

It is one commander among others: what it asks for passes the bridge's safety gate, and whoever
else sends a trajectory takes over.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.duration import Duration
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from softshell_common.bridge_mode import BridgeMode
from softshell_common.goal_state import GoalState
from softshell_common.ros import qos
from softshell_common.ros.parameters import declare, parameter
from softshell_common.ros.run import run
from softshell_description.robots import DEFAULT_ROBOT
from softshell_interfaces.msg import BridgeStatus
from softshell_kinematics.arrays import Array
from softshell_studies.gym.policy_check import wired_policy
from softshell_studies.gym.wiring import Sensed

#: Whose trajectories are ours: bare ones, as all of this topic.
UNNAMED = 'unnamed'
#: Joints further than this from where the policy begins are not there [rad].
NEAR = 0.35
#: What is measured and older is not known [s]; a velocity that is older is none.
OLD, SILENT = 0.3, 0.5


@dataclass(frozen=True)
class PolicyParameters:
    """Parameters of the policy."""

    robot: str = parameter(DEFAULT_ROBOT, 'name of an installed robot, or path of its folder')
    policy: str = parameter('', 'file of the policy, as `./softshell train` writes it')


class PolicyNode(Node):
    """Acts each period while it is started; see `PolicyParameters`.

    `~/start` and `~/stop` are its services, `~/cmd_vel` is what it is told.
    """

    def __init__(self) -> None:
        super().__init__('policy')
        settings = declare(self, PolicyParameters)
        self._network, self._wiring = wired_policy(Path(settings.policy), settings.robot)
        wiring = self._wiring
        self._names = [wiring.robot.joint_names[place] for place in wiring.moved]
        self._rate = wiring.robot.velocities[wiring.moved]
        count = len(wiring.robot.joint_names)
        self._sensed = Sensed(np.full(count, np.nan), np.zeros(count))
        self._places: dict[str, int] = {
            name: place for place, name in enumerate(wiring.robot.joint_names)
        }
        self._heard = {'joint_states': -np.inf, 'odom': -np.inf, 'cmd_vel': -np.inf}
        self._velocity, self._target = np.zeros(3), wiring.centre.copy()
        self._runs, self._driven = False, False
        self._due = 0.0
        self._commands = self.create_publisher(JointTrajectory, 'joint_trajectory', qos.ORDERS)
        consumer = qos.SENSOR_CONSUMER
        self.create_subscription(JointState, 'joint_states', self._on_joints, consumer)
        self.create_subscription(Odometry, 'odom', self._on_odometry, consumer)
        self.create_subscription(Twist, '~/cmd_vel', self._on_velocity, qos.COMMAND)
        self.create_subscription(BridgeStatus, 'bridge_status', self._on_status, qos.CHANGES)
        self.create_service(Trigger, '~/start', self._on_start)
        self.create_service(Trigger, '~/stop', self._on_stop)
        self.get_logger().info(
            f'a policy for {self._network.task} waits for ~/start; then ~/cmd_vel leads it'
        )

    def _now(self) -> float:
        return float(self.get_clock().now().nanoseconds) * 1e-9

    def _on_joints(self, message: JointState) -> None:
        for name, position, velocity in zip(
            message.name, message.position, message.velocity, strict=False
        ):
            place = self._places.get(name)
            if place is not None:
                self._sensed.joints[place] = position
                self._sensed.rates[place] = velocity
        now = self._heard['joint_states'] = self._now()
        # Half a period of the joints early is nearer than one late.
        if self._runs and now >= self._due - 0.25 * self._wiring.period:
            self._act(now)

    def _on_odometry(self, message: Odometry) -> None:
        turn, twist = message.pose.pose.orientation, message.twist.twist
        self._sensed.orientation = np.array([turn.x, turn.y, turn.z, turn.w])
        self._sensed.velocity = np.array([twist.linear.x, twist.linear.y, twist.linear.z])
        self._sensed.spin = np.array([twist.angular.x, twist.angular.y, twist.angular.z])
        self._heard['odom'] = self._now()

    def _on_velocity(self, message: Twist) -> None:
        velocity = np.array([message.linear.x, message.linear.y, message.angular.z])
        if np.isfinite(velocity).all():
            self._velocity, self._heard['cmd_vel'] = velocity, self._now()

    def _on_status(self, message: BridgeStatus) -> None:
        self._driven = message.mode in (BridgeMode.HOLDING, BridgeMode.EXECUTING)
        goal = message.trajectory
        if not self._runs:
            return
        if not self._driven:
            self._end('the bridge does not drive the joints')
        elif goal.state == GoalState.ACTIVE and goal.sender != UNNAMED:
            self._end(f'{goal.sender} has taken over')
        elif goal.state == GoalState.REJECTED and goal.sender == UNNAMED:
            self._end('; '.join(goal.reasons))

    def _on_start(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        problem = self._problem()
        if problem:
            response.message = problem
            return response
        if not self._runs:
            self._wiring.begin()
            self._target = self._sensed.joints.copy()
            self._due = self._now()
            self._runs = True
        response.success = True
        response.message = f'the policy for {self._network.task} runs'
        return response

    def _problem(self) -> str:
        """Why it cannot begin now; empty if it can."""
        now = self._now()
        for name in ('joint_states', 'odom'):
            if now - self._heard[name] > OLD:
                return f'{name} has said nothing for {OLD:g} s; expected it at all times'
        if not self._driven:
            return 'the bridge does not drive the joints; expected it to: bridge/activate'
        off = self._sensed.joints - self._wiring.centre
        worst = self._wiring.moved[int(np.argmax(np.abs(off[self._wiring.moved])))]
        if not abs(off[worst]) <= NEAR:
            name = self._wiring.robot.joint_names[worst]
            return (
                f'{name} is {self._sensed.joints[worst]:.2f} rad; expected '
                f'{self._wiring.centre[worst]:.2f} rad to within {NEAR:g}, as in the pose '
                f'{self._wiring.pose!r}'
            )
        return ''

    def _on_stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = True
        response.message = 'the policy has ended' if self._runs else 'the policy was not running'
        self._runs = False
        return response

    def _end(self, why: str) -> None:
        """Send nothing more; the bridge holds what it was told last."""
        self._runs = False
        self.get_logger().warning(f'the policy has ended: {why}')

    def _act(self, now: float) -> None:
        """Choose an action, and send it."""
        if now - self._heard['odom'] > OLD:
            self._end(f'odom has said nothing for {OLD:g} s')
            return
        known = now - self._heard['cmd_vel'] <= SILENT
        wish = self._wiring.wish(self._velocity if known else np.zeros(3))
        action: Array = self._network.act(self._wiring.observe(self._sensed, wish))
        if not np.isfinite(action).all():
            self._end('it gave an action that is no number')
            return
        wanted = self._wiring.positions(action)
        period = self._wiring.period
        moved = self._wiring.moved
        rate = np.clip((wanted - self._target)[moved] / period, -self._rate, self._rate)
        point = JointTrajectoryPoint(
            positions=wanted[moved].tolist(), velocities=rate.tolist(),
            time_from_start=Duration(seconds=period).to_msg(),
        )  # fmt: skip
        self._commands.publish(JointTrajectory(joint_names=self._names, points=[point]))
        self._target = wanted
        self._due = max(self._due + period, now)


def main() -> int:
    """Entry point."""
    return run(PolicyNode)
