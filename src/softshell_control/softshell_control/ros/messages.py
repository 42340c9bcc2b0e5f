"""Conversions between messages and the types of the core."""

from collections.abc import Mapping, Sequence

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Point, PoseWithCovariance, Quaternion, Vector3
from trajectory_msgs.msg import JointTrajectory
from unique_identifier_msgs.msg import UUID

from softshell_common.bridge_mode import BridgeMode
from softshell_common.reason import LIMITED, codes, texts
from softshell_control.backend import Backend, BaseState, Measured
from softshell_control.motor_interfaces import HOTTEST, VOLTAGE
from softshell_control.pacing import Pace
from softshell_control.status import Status
from softshell_control.time_flow import TimeFlow
from softshell_control.trajectories.check import Request
from softshell_control.trajectories.goal_event import GoalEvent
from softshell_control.trajectories.trajectory import NANOSECONDS, NOBODY, UNNAMED, Identity
from softshell_interfaces.msg import BridgeStatus, TrajectoryCommand, TrajectoryState
from softshell_kinematics.arrays import Array

#: The diagonal of a covariance (6, 6), whose rows follow one another.
DIAGONAL = slice(0, 36, 7)


def to_nanoseconds(stamp: Time) -> int:
    """A stamp or duration [ns]."""
    return stamp.sec * NANOSECONDS + stamp.nanosec


def set_stamp(stamp: Time, nanoseconds: int) -> None:
    """Write a time [ns] into a stamp."""
    stamp.sec, stamp.nanosec = divmod(nanoseconds, NANOSECONDS)


def set_vector(vector: Vector3 | Point, values: Array) -> None:
    """Write (3,) values into a Vector3 or Point."""
    vector.x, vector.y, vector.z = values.tolist()


def set_quaternion(quaternion: Quaternion, values: Array) -> None:
    """Write (4,) values x, y, z, w into a Quaternion."""
    quaternion.x, quaternion.y, quaternion.z, quaternion.w = values.tolist()


def set_pose(message: PoseWithCovariance, base: BaseState) -> None:
    """Write the pose of a base, and the squares of its standard deviations."""
    set_vector(message.pose.position, base.position)
    set_quaternion(message.pose.orientation, base.orientation)
    message.covariance[DIAGONAL] = base.pose_deviation**2


def read_command(message: TrajectoryCommand) -> Request:
    """The request in a `trajectory_command`, not yet checked."""
    identity = Identity(message.sender or UNNAMED, bytes(message.id.uuid))
    return read_trajectory(
        message.trajectory, identity, message.queue, message.on_feet, read_after(message.after)
    )


def read_after(message: UUID) -> bytes | None:
    """The id that a message has to follow; None if it may follow any."""
    after = bytes(message.uuid)
    return None if after == NOBODY.id else after


def read_trajectory(
    message: JointTrajectory,
    identity: Identity,
    queued: bool = False,
    on_feet: bool = False,
    after: bytes | None = None,
) -> Request:
    """The request in a JointTrajectory, not yet checked."""
    points = message.points
    return Request(
        identity=identity,
        stamp=to_nanoseconds(message.header.stamp),
        names=list(message.joint_names),
        times=[to_nanoseconds(point.time_from_start) / NANOSECONDS for point in points],
        values=[point.positions for point in points],
        rates=[point.velocities for point in points],
        accelerations=[point.accelerations for point in points],
        queued=queued,
        on_feet=on_feet,
        after=after,
    )


def state_message(event: GoalEvent) -> TrajectoryState:
    """The message of a change in the state of one trajectory."""
    return TrajectoryState(
        id=UUID(uuid=np.frombuffer(event.identity.id, dtype=np.uint8)),
        sender=event.identity.sender,
        state=int(event.state),
        error=float(event.error),
        channel=event.channel,
        reasons=texts(event.reasons),
        codes=codes(event.reasons),
    )


def status_message(
    status: Status,
    bridge: str,
    flow: TimeFlow,
    period: float,
    real_time_factor: float,
    base: BaseState | None = None,
) -> BridgeStatus:
    """`bridge_status`, from a report of the core and the last measurement of the base."""
    message = BridgeStatus(
        bridge=bridge,
        mode=int(status.mode),
        trajectory=state_message(status.goal),
        reasons=texts(status.reasons),
        codes=codes(status.reasons),
        control_period=period,
        real_time_factor=real_time_factor,
        paused=flow.paused,
        base_is_known=base is not None,
    )
    if base is not None:
        set_pose(message.base, base)
    set_stamp(message.header.stamp, flow.now)
    return message


def backend_values(backend: Backend, measured: Measured, names: Sequence[str]) -> dict[str, str]:
    """What the backend adds to the diagnostics: its own entries, and values without a topic.

    Args:
        backend: has further entries.
        measured: what it measured last.
        names: of the joints that motors drive.
    """
    values: dict[str, str] = {}
    try:
        values |= {str(key): str(value) for key, value in backend.diagnostics().items()}
    except Exception as error:  # what only informs stops nothing
        values['diagnostics'] = f'failed: {type(error).__name__}: {error}'
    for key, tell in (
        ('not measured', _lost),
        ('oldest measurement', _oldest),
        (HOTTEST, _hottest),
        (VOLTAGE, _voltage),
    ):
        try:
            text = tell(measured, names)
        except Exception:
            text = 'unknown'
        if text:
            values[key] = text
    return values


def _lost(measured: Measured, names: Sequence[str]) -> str:
    pairs = zip(names, measured.valid[: len(names)], strict=True)
    return ', '.join(name for name, valid in pairs if not valid)


def _oldest(measured: Measured, names: Sequence[str]) -> str:
    age, name = _largest(measured.age[: len(names)], names)
    return '' if age == 0.0 else f'{age:.3f} s, of {name}'


def _hottest(measured: Measured, names: Sequence[str]) -> str:
    if measured.temperature is None:
        return ''
    value, name = _largest(measured.temperature[: len(names)], names)
    return f'{value:.1f} °C, {name}'


def _voltage(measured: Measured, names: Sequence[str]) -> str:
    if measured.voltage is None:
        return ''
    return f'{measured.voltage:.2f} V' if np.isfinite(measured.voltage) else 'unknown'


def _largest(values: Array, names: Sequence[str]) -> tuple[float, str]:
    """The largest finite value, and its name.

    Raises:
        ValueError: no value is finite, or there is not one for each name.
    """
    finite = [pair for pair in zip(values, names, strict=True) if np.isfinite(pair[0])]
    return max(finite, key=lambda pair: pair[0])


def diagnostics_message(
    name: str,
    bridge: str,
    status: Status,
    pace: Pace,
    wanted_factor: float,
    further: Mapping[str, str],
) -> DiagnosticArray:
    """`diagnostics`: how the control loop keeps its pace, and what the backend has to add.

    Args:
        name: full name of the node.
        bridge: name of the backend.
        status: of the core.
        pace: of the loop.
        wanted_factor: real-time factor that was asked for; 0: as fast as possible.
        further: texts of the backend, by key.
    """
    level, text = DiagnosticStatus.OK, status.mode.words
    if wanted_factor > 0.0 and pace.real_time_factor < 0.95 * wanted_factor:
        level = DiagnosticStatus.WARN
        text += f'; real-time factor {pace.real_time_factor:.2f} of {wanted_factor:.2f}'
    if pace.missed:
        level = DiagnosticStatus.WARN
        text += f'; {pace.missed} of {pace.steps} deadlines missed'
    wrong = texts(reason for reason in status.reasons if reason.code not in LIMITED)
    if wrong:
        level = DiagnosticStatus.WARN
        text = '; '.join(wrong)
    if status.mode in (BridgeMode.FAULT, BridgeMode.EMERGENCY_STOP):
        level = DiagnosticStatus.ERROR
        text = '; '.join(texts(status.reasons)) or text
    values = {
        'reasons': ', '.join(reason.code.name for reason in status.reasons),
        'real_time_factor': f'{pace.real_time_factor:.4f}',
        'jitter_rms_ms': f'{1e3 * pace.jitter_rms:.4f}',
        'jitter_max_ms': f'{1e3 * pace.jitter_max:.4f}',
        'step_work_ms': f'{1e3 * pace.busy:.4f}',
        'steps': str(pace.steps),
        'missed_deadlines': str(pace.missed),
        **further,
    }
    entry = DiagnosticStatus(
        level=level,
        name=f'{name}: control loop',
        message=text,
        hardware_id=bridge,
        values=[KeyValue(key=key, value=value) for key, value in values.items()],
    )
    return DiagnosticArray(status=[entry])
