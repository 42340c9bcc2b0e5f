"""Messages that the bridge sends, made once and filled in place."""

from array import array

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu, JointState
from trajectory_msgs.msg import JointTrajectory

from softshell_control.backend import Measured
from softshell_control.bridge import Status
from softshell_control.check import Refusal, check_trajectory
from softshell_control.pacing import Pace
from softshell_control.trajectory import NANOSECONDS, Trajectory
from softshell_interfaces.msg import BridgeStatus

QUEUE = 'queue'


def to_nanoseconds(stamp: Time) -> int:
    """A stamp [ns]."""
    return stamp.sec * NANOSECONDS + stamp.nanosec


def set_stamp(stamp: Time, nanoseconds: int) -> None:
    """Write a time [ns] into a stamp."""
    stamp.sec, stamp.nanosec = divmod(nanoseconds, NANOSECONDS)


def read_trajectory(
    message: JointTrajectory, known: tuple[str, ...], now: int
) -> Trajectory | Refusal:
    """Check a trajectory message as a whole; see `check_trajectory`."""
    points = message.points
    return check_trajectory(
        stamp=to_nanoseconds(message.header.stamp),
        names=list(message.joint_names),
        times=[p.time_from_start.sec + p.time_from_start.nanosec * 1e-9 for p in points],
        positions=[p.positions for p in points],
        velocities=[p.velocities for p in points],
        accelerations=[p.accelerations for p in points],
        known=known,
        queued=message.header.frame_id == QUEUE,
        now=now,
    )


class JointStateMessage:
    """`joint_states` of all movable joints."""

    def __init__(self, names: tuple[str, ...]) -> None:
        message = JointState(name=list(names))
        for field in ('position', 'velocity', 'effort'):
            setattr(message, field, array('d', bytes(8 * len(names))))
        # Views of what the message holds, which need not be what it was given.
        self._position = np.frombuffer(message.position)
        self._velocity = np.frombuffer(message.velocity)
        self._effort = np.frombuffer(message.effort)
        self.message = message

    def fill(self, measured: Measured, now: int) -> JointState:
        self._position[:] = measured.position
        self._velocity[:] = measured.velocity
        self._effort[:] = measured.effort
        set_stamp(self.message.header.stamp, now)
        return self.message


class OdometryMessage:
    """`odom`: base_link in odom, its twist in base_link. Ground truth in simulation."""

    def __init__(self) -> None:
        self.message = Odometry(child_frame_id='base_link')
        self.message.header.frame_id = 'odom'

    def fill(self, measured: Measured, now: int) -> Odometry:
        message = self.message
        set_stamp(message.header.stamp, now)
        pose, twist = message.pose.pose, message.twist.twist
        set_vector(pose.position, measured.base_position)
        set_quaternion(pose.orientation, measured.base_orientation)
        set_vector(twist.linear, measured.base_linear_velocity)
        set_vector(twist.angular, measured.base_angular_velocity)
        return message


class ImuMessage:
    """`imu` at the origin of base_link, without noise."""

    def __init__(self) -> None:
        self.message = Imu()
        self.message.header.frame_id = 'base_link'

    def fill(self, measured: Measured, now: int) -> Imu:
        message = self.message
        set_stamp(message.header.stamp, now)
        set_quaternion(message.orientation, measured.base_orientation)
        set_vector(message.angular_velocity, measured.base_angular_velocity)
        set_vector(message.linear_acceleration, measured.linear_acceleration)
        return message


def set_vector(vector, values) -> None:
    """Write (3,) values into a Vector3 or Point."""
    vector.x, vector.y, vector.z = values.tolist()


def set_quaternion(quaternion, values) -> None:
    """Write (4,) values x, y, z, w into a Quaternion."""
    quaternion.x, quaternion.y, quaternion.z, quaternion.w = values.tolist()


def status_message(
    status: Status, bridge: str, now: int, period: float, real_time_factor: float
) -> BridgeStatus:
    """`bridge_status` from the core's report."""
    message = BridgeStatus(
        bridge=bridge,
        mode=int(status.mode),
        goal_state=int(status.goal.state),
        goal_error=float(status.goal.error),
        reasons=list(status.reasons),
        control_period=period,
        real_time_factor=real_time_factor,
    )
    set_stamp(message.header.stamp, now)
    set_stamp(message.goal, status.goal.stamp)
    return message


def diagnostics_message(
    name: str, bridge: str, status: Status, pace: Pace, wanted_factor: float, now: int
) -> DiagnosticArray:
    """`diagnostics`: how the control loop keeps its pace."""
    slow = wanted_factor > 0.0 and pace.real_time_factor < 0.95 * wanted_factor
    level, text = DiagnosticStatus.OK, status.mode.name.lower()
    if slow:
        level = DiagnosticStatus.WARN
        text += f'; real-time factor {pace.real_time_factor:.2f} of {wanted_factor:.2f}'
    if status.mode.name == 'FAULT':
        level = DiagnosticStatus.ERROR
        text = '; '.join(status.reasons) or text
    values = {
        'real_time_factor': f'{pace.real_time_factor:.4f}',
        'jitter_rms_ms': f'{1e3 * pace.jitter_rms:.4f}',
        'jitter_max_ms': f'{1e3 * pace.jitter_max:.4f}',
        'step_work_ms': f'{1e3 * pace.busy:.4f}',
        'steps': str(pace.steps),
    }
    message = DiagnosticArray(
        status=[
            DiagnosticStatus(
                level=level,
                name=f'{name}: control loop',
                message=text,
                hardware_id=bridge,
                values=[KeyValue(key=key, value=value) for key, value in values.items()],
            )
        ]
    )
    set_stamp(message.header.stamp, now)
    return message
