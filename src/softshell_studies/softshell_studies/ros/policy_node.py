"""A node that moves the joints of the robot by a trained policy: `policy:=FILE`.

Its trajectories pass the bridge's safety gate, as those of any other sender. If another sender
sends a trajectory, the policy ends: each of its trajectories is to follow the one before it, so
that the bridge refuses those that were on their way by then.
"""

import math
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.clock import Clock, ClockType
from rclpy.duration import Duration
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from unique_identifier_msgs.msg import UUID

from softshell_common.bridge_mode import DRIVING
from softshell_common.goal_state import GoalState
from softshell_common.ros import qos
from softshell_common.ros.parameters import declare, parameter
from softshell_common.ros.run import run
from softshell_description.robots import DEFAULT_ROBOT
from softshell_interfaces.msg import BridgeStatus, TrajectoryCommand
from softshell_kinematics.arrays import Array
from softshell_studies.gym.policy_check import wired_policy
from softshell_studies.gym.wiring import Sensed

#: Name of the sender in its trajectories.
SENDER = 'policy'
#: The policy starts only if each joint is this near to its position in the pose [rad].
NEAR = 0.35
#: A commanded velocity that is older counts as none [s, wall].
SILENT = 0.5
#: Period of the check that measurements still arrive [s, wall].
LOOK_PERIOD = 0.1
#: Topics of the measurements that it needs.
SEEN = ('joint_states', 'odom')


@dataclass(frozen=True)
class PolicyParameters:
    """Parameters of the policy."""

    robot: str = parameter(DEFAULT_ROBOT, 'name of an installed robot, or path of its folder')
    policy: str = parameter('', 'file of the policy, as `./softshell train` writes it')
    measurement_timeout: float = parameter(
        0.3, 'measurements older than this end the policy [s, wall]', 0.05, 60.0
    )


class PolicyNode(Node):
    """Applies a policy in each period between `~/start` and `~/stop`; see `PolicyParameters`.

    The velocity that it is to follow comes on `~/cmd_vel`.
    """

    def __init__(self) -> None:
        super().__init__('policy')
        settings = declare(self, PolicyParameters)
        self._network, self._wiring = wired_policy(Path(settings.policy), settings.robot)
        self._timeout, wiring = settings.measurement_timeout, self._wiring
        self._names = [wiring.robot.joint_names[place] for place in wiring.moved]
        count = len(wiring.robot.joint_names)
        self._sensed = Sensed(np.full(count, np.nan), np.zeros(count))
        self._places = {name: place for place, name in enumerate(wiring.robot.joint_names)}
        self._heard = dict.fromkeys((*SEEN, 'cmd_vel'), -math.inf)
        self._velocity, self._target = np.zeros(3), wiring.centre.copy()
        self._runs = self._driven = False
        self._newest = UUID()
        self._due = self._last = 0.0
        self._commands = self.create_publisher(TrajectoryCommand, 'trajectory_command', qos.ORDERS)
        self.create_subscription(
            BridgeStatus, 'bridge_status', self._on_status, qos.CHANGES_CONSUMER
        )
        consumer = qos.SENSOR_CONSUMER
        self.create_subscription(Odometry, 'odom', self._on_odometry, consumer)
        self.create_subscription(JointState, 'joint_states', self._on_joints, consumer)
        self.create_subscription(Twist, '~/cmd_vel', self._on_velocity, qos.COMMAND)
        self.create_service(Trigger, '~/start', self._on_start, qos_profile=qos.SERVICE)
        self.create_service(Trigger, '~/stop', self._on_stop, qos_profile=qos.SERVICE)
        self.create_timer(LOOK_PERIOD, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.get_logger().info(
            f'the policy for {self._network.task} waits for ~/start; then it follows ~/cmd_vel'
        )

    def _on_joints(self, message: JointState) -> None:
        if not len(message.name) == len(message.position) == len(message.velocity):
            return  # a policy needs velocities; after a while this counts as silence
        if not self._places.keys() <= set(message.name):
            return  # of another robot, or of some joints only
        for name, position, velocity in zip(
            message.name, message.position, message.velocity, strict=True
        ):
            place = self._places.get(name)
            if place is not None:
                self._sensed.joints[place] = position
                self._sensed.rates[place] = velocity
        self._heard['joint_states'] = time.monotonic()
        now = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
        if not self._runs:
            self._last = now
        elif now < self._last:
            self._end(f'the clock went back by {self._last - now:.3f} s')
        # Joint states do not come exactly when the policy is due: one that comes a little early is
        # nearer to the due time than the next one.
        elif now >= self._due - 0.25 * self._wiring.period:
            self._act(now)
        self._last = now

    def _on_odometry(self, message: Odometry) -> None:
        turn, twist = message.pose.pose.orientation, message.twist.twist
        orientation = np.array([turn.x, turn.y, turn.z, turn.w])
        moves = np.array([
            twist.linear.x, twist.linear.y, twist.linear.z,
            twist.angular.x, twist.angular.y, twist.angular.z,
        ])  # fmt: skip
        length = float(np.linalg.norm(orientation))
        if not (np.isfinite(moves).all() and 0.9 < length < 1.1):
            return  # not a valid odometry; after a while this counts as silence
        seen = self._sensed
        self._sensed = Sensed(seen.joints, seen.rates, orientation / length, moves[3:], moves[:3])
        self._heard['odom'] = time.monotonic()

    def _on_velocity(self, message: Twist) -> None:
        velocity = np.array([message.linear.x, message.linear.y, message.angular.z])
        if np.isfinite(velocity).all():
            self._velocity, self._heard['cmd_vel'] = velocity, time.monotonic()

    def _on_status(self, message: BridgeStatus) -> None:
        self._driven = message.mode in DRIVING
        goal = message.trajectory
        if not self._runs:
            return
        if not self._driven:
            self._end('the bridge does not drive the joints')
        elif goal.sender != SENDER and goal.state == GoalState.ACTIVE:
            self._end(f'{goal.sender} has taken over')
        elif goal.sender == SENDER and goal.state == GoalState.REJECTED:
            self._end(f'the bridge refused its trajectory: {"; ".join(goal.reasons)}')

    def _look(self) -> None:
        """End the policy if a measurement has not arrived for too long."""
        if self._runs:
            for name in self._silent():
                self._end(f'no usable message on {name} for {self._timeout:g} s')

    def _silent(self) -> list[str]:
        """Topics of measurements on which no usable message has arrived for too long."""
        now = time.monotonic()
        return [name for name in SEEN if now - self._heard[name] > self._timeout]

    def _on_start(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        problem = '' if self._runs else self._problem()
        if problem:
            response.message = problem
            return response
        if not self._runs:
            self._wiring.begin()
            self._target, self._due, self._runs = self._sensed.joints.copy(), self._last, True
            self._newest = UUID()
        response.success = True
        response.message = f'the policy for {self._network.task} runs'
        return response

    def _problem(self) -> str:
        """Why it cannot begin now; empty if it can."""
        for name in self._silent():
            return f'no usable message on {name} for {self._timeout:g} s; is the bridge running?'
        if not self._driven:
            return 'the bridge does not drive the joints; activate it first: bridge/activate'
        off = np.abs(self._sensed.joints - self._wiring.centre)[self._wiring.moved]
        worst = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
        if not off[worst] <= NEAR:
            place = self._wiring.moved[worst]
            return (
                f'{self._names[worst]} is {self._sensed.joints[place]:.2f} rad; expected '
                f'{self._wiring.centre[place]:.2f} rad to within {NEAR:g}, as in the pose '
                f'{self._wiring.pose!r}'
            )
        return ''

    def _on_stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = True
        response.message = 'the policy has ended' if self._runs else 'the policy was not running'
        self._runs = False
        return response

    def _end(self, why: str) -> None:
        """End the policy, with a warning; the bridge holds the last position."""
        if self._runs:
            self._runs = False
            self.get_logger().warning(f'the policy has ended: {why}')

    def _act(self, now: float) -> None:
        """Choose an action and send it.

        Args:
            now: stamp of the joint states [s].
        """
        wiring = self._wiring
        told = time.monotonic() - self._heard['cmd_vel'] <= SILENT
        wish = wiring.wish(self._velocity if told else np.zeros(3))
        seen = wiring.observe(self._sensed, wiring.no_wish if wish is None else wish)
        action: Array = self._network.act(seen) if wish is not None else wiring.still
        if not np.isfinite(action).all():
            self._end('it gave an action that is not finite')
            return
        wanted, moved, period = wiring.positions(action), wiring.moved, wiring.period
        rates = wiring.rates(wanted, self._target)[moved]
        point = JointTrajectoryPoint(
            positions=wanted[moved].tolist(), velocities=rates.tolist(),
            time_from_start=Duration(seconds=period).to_msg(),
        )  # fmt: skip
        before, self._newest = self._newest, UUID(uuid=list(uuid.uuid4().bytes))
        self._commands.publish(
            TrajectoryCommand(
                id=self._newest, sender=SENDER, after=before,
                trajectory=JointTrajectory(joint_names=self._names, points=[point]),
            )
        )  # fmt: skip
        self._target = wanted
        self._due += period
        if self._due < now:  # after a gap no action is made up for
            self._due = now + period


def main() -> int:
    """Entry point."""
    return run(PolicyNode)
