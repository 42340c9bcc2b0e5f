"""Figures of a log: slip of the feet, power, distance, cost of transport; needs no ROS."""

from dataclasses import dataclass

import numpy as np

from softshell_common.gravity import GRAVITY
from softshell_description.foot_spheres import spheres_of
from softshell_kinematics.arrays import Array
from softshell_kinematics.model.from_urdf import chain_from_urdf
from softshell_kinematics.model.urdf_reader import parse_urdf
from softshell_kinematics.transforms import rotation_from_quaternion
from softshell_recording.recording import missing
from softshell_recording.report.log import Log

#: Over a shorter distance than this, slip and energy per metre mean nothing [m].
SHORT = 0.05


@dataclass(frozen=True, eq=False)
class FeetMotion:
    """Where the feet were.

    Args:
        lowest: (samples, feet, 3) lowest points of the feet in odom [m].
        slip: (samples, feet) how far each has slipped since the beginning [m].
    """

    lowest: Array
    slip: Array


def feet_motion(log: Log) -> FeetMotion | None:
    """Where the feet were, by forward kinematics.

    None if `log` is without odometry, contacts, URDF, or a joint of a foot's chain.

    Slip is how far the lowest point of a foot, as a part of its link, moves over the ground while
    the foot touches: what rolls does not slip. Nothing is known of gaps between the samples, so
    that they count as no slip.

    Raises:
        SoftshellError: the URDF has no such link as the base or a foot, no chain between them, or
            a sphere of a foot that is none.
    """
    base, touch = log.recording.base, log.touch
    if base is None or touch is None or not log.urdf:
        return None
    poses = _foot_poses(log, touch.feet)
    if poses is None:
        return None
    spheres = spheres_of(log.urdf, touch.feet)
    centres = poses[..., :3, 3] + np.einsum('sfij,fj->sfi', poses[..., :3, :3], spheres.centre)
    lowest = centres.copy()
    lowest[..., 2] -= spheres.radius
    # The same point of the link one sample later.
    steps = poses[1:] @ np.linalg.inv(poses[:-1])
    moved = np.einsum('sfij,sfj->sfi', steps[..., :3, :3], lowest[:-1]) + steps[..., :3, 3]
    ways = np.linalg.norm((moved - lowest[:-1])[..., :2], axis=-1)
    ways *= touch.touching[1:] & touch.touching[:-1]
    ways[missing(log.recording.times)] = 0.0
    return FeetMotion(lowest, np.vstack([np.zeros(len(touch.feet)), np.cumsum(ways, axis=0)]))


def _foot_poses(log: Log, feet: tuple[str, ...]) -> Array | None:
    """(samples, feet, 4, 4) poses of the feet in odom; None if a joint was not recorded."""
    recording, urdf = log.recording, parse_urdf(log.urdf)
    base = np.tile(np.eye(4), (len(recording.times), 1, 1))
    assert recording.base is not None
    base[:, :3, :3] = rotation_from_quaternion(recording.base.orientations)
    base[:, :3, 3] = recording.base.positions
    poses = np.empty((len(recording.times), len(feet), 4, 4))
    for place, foot in enumerate(feet):
        chain = chain_from_urdf(urdf, log.base, foot, foot)
        if not {*chain.variables} <= {*recording.joint_names}:
            return None
        columns = recording.columns(chain.variables)
        poses[:, place] = base @ chain.forward(recording.joints[:, columns])
    return poses


@dataclass(frozen=True, eq=False)
class Energy:
    """Mechanical power of all joints.

    Args:
        power: (samples,) effort times velocity, braking counted as well [W].
        work: (samples,) since the beginning, without gaps between the samples [J].
    """

    power: Array
    work: Array


def energy(log: Log) -> Energy | None:
    """Mechanical power and work of the joints; None if `log` lacks efforts or velocities.

    |effort · velocity| of each joint counts: a servo gains nothing from what it brakes. Joints
    that mimic others do not count: the effort of the joint that they follow is the sum of all.
    """
    times = log.recording.times
    if not log.efforts.shape[1] or not log.velocities.shape[1]:
        return None
    followers = (
        [joint.name for joint in parse_urdf(log.urdf).joints if joint.mimic] if log.urdf else []
    )
    own = ~np.isin(log.recording.joint_names, followers)
    power = np.nansum(np.abs(log.efforts * log.velocities)[:, own], axis=1)
    steps = np.diff(times, prepend=times[0])
    steps[1:][missing(times)] = 0.0
    spent = np.multiply(power, steps, out=np.zeros_like(power), where=steps > 0.0)
    return Energy(power, np.cumsum(spent))


def missing_time(log: Log) -> float:
    """How long all gaps between the samples are together [s]."""
    times = log.recording.times
    return float(np.diff(times)[missing(times)].sum())


def distance(log: Log, gaps: bool = True) -> float | None:
    """Length of the path of the base over the ground, sampled every 0.1 s [m].

    None if `log` is without odometry.

    Args:
        log: has the path.
        gaps: whether it includes the way from each end of a gap between the samples to the other.
    """
    base, times = log.recording.base, log.recording.times
    if base is None:
        return None
    # By rounding the last time may lie behind that of the last sample.
    last = len(times) - 1
    # Only periods with samples: where the clock jumps, all would be more than fit into memory.
    period = times[0] + 0.1 - times[0]
    moments = times[0] + period * np.unique(np.floor((times - times[0]) / period))
    rows = np.append(np.searchsorted(times[:last], moments), last)
    ends = np.flatnonzero(missing(times))
    if not gaps and len(ends):
        rows = np.unique(np.concatenate([rows, ends, ends + 1]))
    ways = np.linalg.norm(np.diff(base.positions[rows, :2], axis=0), axis=1)
    if not gaps:
        ways[np.isin(rows[:-1], ends)] = 0.0
    return float(ways.sum())


def cost_of_transport(log: Log, work: float, way: float) -> float | None:
    """Work over weight and distance [1]; None below `SHORT`, or without a URDF with masses.

    Args:
        log: has the URDF, and so the mass.
        work: of the joints [J].
        way: distance travelled meanwhile [m].
    """
    if way < SHORT or not log.urdf:
        return None
    mass = parse_urdf(log.urdf).mass
    return work / (mass * GRAVITY * way) if mass else None
