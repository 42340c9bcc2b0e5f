"""The robot as the performer needs it, over topics and services.

These are `solve_ik`, `trajectory_command`, `controller_command`, `bridge_status`, `joint_states`,
`imu`, and for a robot with soft manipulators `finger_states` and `contacts`.
"""

import math
from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState

from softshell_actions.holding import holds_a_thing
from softshell_actions.performing.robot import PerformError
from softshell_actions.planning.reach import Question, Solution
from softshell_actions.ros.messages import limb_path
from softshell_actions.ros.motions import Motions, SentMotion, SentRun
from softshell_actions.ros.tilt import tilt_of
from softshell_actions.ros.waits import Waits
from softshell_actions.state import State
from softshell_actions.trajectories.motion import Motion
from softshell_common.bridge_mode import DRIVING, WAY_OUT, BridgeMode
from softshell_common.outcome import Status
from softshell_common.ros import qos
from softshell_interfaces.msg import BodyContacts, BridgeStatus, FingerStates, JointPath
from softshell_interfaces.srv import SolveIK
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError

#: A bridge or a service that has been silent for this long counts as gone [s, wall].
SILENCE = 5.0
#: A bridge reports about once a second: one that has been silent for this long may have gone, and
#: nothing new is sent to it until it is heard again [s, wall].
DOUBT = 2.0
#: A bridge that was just activated reports so within this time [s, wall].
ACTIVATION = 0.5
#: An IMU that has been silent for this long counts as gone [s, wall]; it usually publishes many
#: times a second.
IMU_SILENCE = 1.0
ABSENT = 'no joint_states or bridge_status: is a bridge running?'
PAUSED = 'simulated time stands still, and nothing is measured; let it go on: bridge/resume'


class RobotClient:
    """Solves, sends and measures through a node.

    Args:
        node: whose executor runs the callbacks.
        to_state: makes a state from measured joint positions [rad] or [m] and tilt [rad].
        fixed_joints: joints that inverse kinematics leaves where they are.
        channels: names of channels that are no joints.
        joints: those that have to be measured.
        mountings: (3, 3) orientation in the base of each link that is fixed to it.
        manipulators: names of the links of each soft manipulator.
    """

    def __init__(
        self,
        node: Node,
        to_state: Callable[[Mapping[str, float], float], State],
        fixed_joints: tuple[str, ...],
        channels: tuple[str, ...],
        joints: tuple[str, ...],
        mountings: Mapping[str, Array],
        manipulators: Sequence[Collection[str]] = (),
    ) -> None:
        self._node, self._to_state, self._fixed = node, to_state, fixed_joints
        self._mountings, self._channels = mountings, channels
        self._joints, self._manipulators = joints, manipulators
        self._ik = node.create_client(SolveIK, 'solve_ik', qos_profile=qos.SERVICE)
        node.create_subscription(
            BridgeStatus, 'bridge_status', self._on_status, qos.CHANGES_CONSUMER
        )
        self._motions = Motions(node)
        self._waits = Waits(node, self._end_what_is_silent)
        self._last_status = -math.inf
        self._fault = self._undriven = ''
        self._paused = False
        self._imu_patience = IMU_SILENCE

    async def solve(self, question: Question) -> Solution:
        """Joint paths that bring tips to their goals, by one service call.

        Raises:
            PerformError: kinematics does not answer, refuses the request, or a goal cannot be
                reached.
        """
        if not await self._waits.within(SILENCE, self._ik.service_is_ready):
            raise PerformError(Status.NOT_READY, 'nobody offers solve_ik: is kinematics running?')
        request = SolveIK.Request(warm_start=True, fixed_joints=list(self._fixed))
        request.limbs = [limb_path(chain, path) for chain, path in question.limbs.items()]
        request.posture = [
            JointPath(name=name, position=array('d', path))
            for name, path in question.posture.items()
        ]
        known = {name: at for name, at in question.seed.items() if name not in self._channels}
        request.seed.name = list(known)
        request.seed.position = array('d', known.values())
        latest = self._waits.time + SILENCE
        future = self._ik.call_async(request)
        response = await self._waits.answer(future, lambda: self._waits.time > latest)
        if response is None:
            raise PerformError(Status.NOT_READY, f'solve_ik has not answered for {SILENCE:g} s')
        if response.status != SolveIK.Response.OK:
            far = response.status == SolveIK.Response.OUT_OF_RANGE  # else the request is wrong
            why = Status.UNREACHABLE if far else Status.INTERNAL_ERROR
            raise PerformError(why, f'solve_ik: {response.message}')
        if not response.all_converged:
            raise PerformError(Status.UNREACHABLE, response.message)
        return {
            path.name: np.asarray(path.position)
            for solution in response.solutions
            for path in solution.joints
            if path.name not in self._fixed
        }

    async def measure(self) -> State:
        """The state of the robot at rest, from the next joint states that have all its joints.

        Raises:
            PerformError: no bridge has reported any, it is in a fault, or a joint is not measured.
        """
        lacking: list[str] = []

        def is_whole(message: JointState) -> bool:
            told = message.name[: len(message.position)]
            lacking[:] = [name for name in self._joints if name not in told]
            return not lacking

        message = await self._next(JointState, 'joint_states', fits=is_whole)
        if message is None:
            absent = PAUSED if self._paused else ABSENT
            lacks = f'not measured: {", ".join(lacking)}' if lacking else absent
            raise PerformError(Status.NOT_READY, self._fault or lacks)
        told = dict(zip(message.name, message.position, strict=False))
        joints = {name: told[name] for name in self._joints}
        if self._channels:
            fingers = await self._next(FingerStates, 'finger_states')
            if fingers is None:
                raise PerformError(Status.NOT_READY, 'no finger_states: is a bridge running?')
            joints |= dict(zip(fingers.channels, fingers.values, strict=True))
        missing = ', '.join(name for name, value in joints.items() if not math.isfinite(value))
        if missing:
            raise PerformError(Status.NOT_READY, f'not measured: {missing}')
        return self._to_state(joints, await self.tilt())

    async def tilt(self) -> float:
        """Angle between the base's z axis and the vertical [rad]; 0 where nothing measures it.

        Raises:
            PerformError: simulated time stands still, so that it cannot be measured now.
        """
        if not self._node.count_publishers('imu'):
            return 0.0
        message = await self._next(Imu, 'imu', self._imu_patience)
        # An IMU that was silent is not waited for again as long at each command.
        self._imu_patience = IMU_SILENCE if message is not None else 0.1 * IMU_SILENCE
        log, period = self._node.get_logger(), 10.0
        if message is None and self._paused:
            raise PerformError(Status.NOT_READY, PAUSED)
        if message is None:
            text = f'no imu within {IMU_SILENCE:g} s from its publisher: the tilt counts as 0'
            log.warning(text, throttle_duration_sec=period)
            return 0.0
        try:
            return tilt_of(message, self._mountings.get) or 0.0
        except SoftshellError as error:
            log.warning(f'imu: {error}: the tilt counts as 0', throttle_duration_sec=period)
            return 0.0

    async def holds(self) -> bool | None:
        """Whether its soft manipulators hold an object; None if no node publishes contacts."""
        if not (self._manipulators and self._node.count_publishers('contacts')):
            return None
        message = await self._next(BodyContacts, 'contacts')
        if message is None:
            return None
        felt = []
        for contact in message.contacts:
            if contact.body != contact.other_body:
                force = contact.force
                size = math.hypot(force.x, force.y, force.z)
                felt += [(contact.link, size), (contact.other_link, size)]
        return holds_a_thing(self._manipulators, felt)

    async def driven(self) -> None:
        """Return once the bridge drives the joints, or if no bridge has reported yet.

        A bridge that has gone, or may have, is waited for: whoever started it anew may know of it
        before this node does.

        Raises:
            PerformError: it has gone, or is inactive, stopped or in a fault.
        """
        if self._last_status > -math.inf and not await self._waits.within(
            SILENCE, lambda: self._silent_for < DOUBT
        ):
            raise PerformError(Status.NOT_READY, ABSENT)
        if not await self._waits.within(ACTIVATION, lambda: not self._undriven):
            raise PerformError(Status.NOT_READY, self._undriven)

    def disturbed(self) -> bool:
        """Whether anything else may have moved the robot since this was last asked.

        That is so if the bridge did not drive the joints, or another sender's trajectory moved
        them.
        """
        disturbed, self._motions.disturbed = self._motions.disturbed, False
        return disturbed

    def send(self, motion: Motion, queue: bool) -> SentMotion:
        """Send a trajectory, to start at once or when the motion before it is reached."""
        return self._motions.send(motion, queue)

    def run(self, controller: str, references: Mapping[str, float], queue: bool) -> SentRun:
        """Begin a run of a controller, at once or when the motion before it is reached."""
        return self._motions.run(controller, references, queue)

    @property
    def is_driven(self) -> bool:
        """Whether a bridge that is not silent is known to drive the joints."""
        told = self._last_status != -math.inf and not self._bridge_is_silent()
        return told and not self._undriven

    def adapted(self, remark: str) -> None:
        """Log, not more often than every 10 s, that a sub-action is less than was asked for."""
        self._node.get_logger().info(remark, throttle_duration_sec=10.0)

    def late(self, name: str) -> None:
        """Log, not more often than every 30 s, that the robot had to wait for a plan."""
        self._node.get_logger().warning(
            f'{name} was planned late: the robot stood still before it, as this machine is too '
            'slow or too busy for the real_time_factor',
            throttle_duration_sec=30.0,
        )

    async def _next(
        self,
        kind: Any,
        topic: str,
        patience: float = SILENCE,
        fits: Callable[[Any], bool] = lambda message: True,
    ) -> Any:
        """The next message of a topic that fits; None if the bridge is silent or in a fault."""
        received: list[Any] = []

        def take(message: Any) -> None:
            if fits(message):
                received.append(message)

        # Subscribed only while it is needed, as there are many messages.
        subscription = self._node.create_subscription(kind, topic, take, qos.SENSOR_CONSUMER)
        try:
            await self._waits.within(
                patience,
                lambda: bool(
                    self._fault
                    or self._bridge_has_gone()
                    or (received and not self._bridge_is_silent())
                ),
            )
        finally:
            self._node.destroy_subscription(subscription)
        ok = not self._fault and not self._bridge_is_silent()
        return received[-1] if received and ok else None

    async def sleep(self, duration: float) -> None:
        """Let time pass on the ROS clock, for as long as the bridge is alive.

        Args:
            duration: [s]; nothing happens if it is not positive.
        """
        await self._waits.sleep(duration, self._bridge_is_silent)

    @property
    def missing(self) -> str:
        """What of the robot is not there yet; empty once it can be moved."""
        absent = []
        if self._last_status == -math.inf:
            absent.append('a bridge (bridge_status)')
        if not self._ik.service_is_ready():
            absent.append('kinematics (solve_ik)')
        simulated = self._node.get_parameter('use_sim_time').value
        if simulated and not self._node.get_clock().now().nanoseconds:
            absent.append('the time (clock)')
        return ' and '.join(absent)

    @property
    def ended(self) -> bool:
        """Whether `end` was called."""
        return self._waits.ended

    def end(self, error: PerformError) -> None:
        """End all waiting, now and later, with an error; the bridge stops what moves by itself."""
        self._waits.end(error)
        self._motions.end_all(error)

    def _on_status(self, message: BridgeStatus) -> None:
        self._last_status = self._waits.time
        mode = BridgeMode(message.mode)
        why = '' if mode in DRIVING else WAY_OUT.get(mode, f'the bridge is in {mode.words}')
        if why and message.reasons:
            why += f' ({"; ".join(message.reasons)})'
        self._undriven = f'{message.bridge} bridge: {why}' if why else ''
        self._fault = self._undriven if mode is BridgeMode.FAULT else ''
        self._paused = message.paused
        self._motions.on_status(message)

    @property
    def _silent_for(self) -> float:
        """Time since the bridge's last report [s]."""
        return self._waits.time - self._last_status

    def _bridge_is_silent(self) -> bool:
        return self._silent_for > SILENCE

    def _bridge_has_gone(self) -> bool:
        """Whether it was there and is silent now; before, it may still come."""
        return self._last_status > -math.inf and self._bridge_is_silent()

    def _end_what_is_silent(self) -> None:
        if self._motions and self._bridge_is_silent():
            error = PerformError(Status.NOT_READY, f'the bridge has been silent for {SILENCE:g} s')
            self._motions.end_all(error)
