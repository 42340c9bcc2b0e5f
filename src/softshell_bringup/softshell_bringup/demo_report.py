"""Pictures, video and plots of a recorded run."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from softshell_actions.robot import load_body
from softshell_bringup.recorder import Recording

Array = NDArray[np.float64]
Moments = Mapping[str, tuple[float, float]]

FRAMES_PER_SECOND = 15.0


def feet_heights(recording: Recording) -> Array:
    """(samples, legs) heights of the feet's centres in odom [m], by forward kinematics."""
    body = load_body()
    rotations = Rotation.from_quat(recording.orientations)
    columns = {name: index for index, name in enumerate(recording.joint_names)}
    heights = []
    for leg in body.stance.legs:
        chain = body.chains[leg]
        joints = recording.joints[:, [columns[name] for name in chain.variables]]
        feet = chain.forward(joints)[:, :3, 3]
        heights.append((rotations.apply(feet) + recording.positions)[:, 2])
    return np.column_stack(heights)


def render(recording: Recording, heights: Array, moments: Moments, output: Path) -> None:
    """Write walk.mp4, the whole run, and walk.png, the robot in mid-stride.

    Args:
        recording: the run.
        heights: (samples, legs) of its feet [m].
        moments: when each action ran [s]; `walk` must be among them.
        output: folder.
    """
    # PyBullet takes a while to import, and only pictures need it.
    from softshell_sim.render import Motion, save_picture, save_video

    motion = Motion(
        recording.joint_names, recording.joints, recording.positions, recording.orientations
    )
    times = np.arange(recording.times[0], recording.times[-1], 1.0 / FRAMES_PER_SECOND)
    first = recording.at(next(iter(moments.values()))[0])
    rows = [row for row in (recording.at(time) for time in times) if row >= first]
    save_video(motion[rows], output / 'walk.mp4', FRAMES_PER_SECOND)
    save_picture(motion[[mid_stride(recording, heights, moments['walk'])]], output / 'walk.png')


def mid_stride(recording: Recording, heights: Array, walk: tuple[float, float]) -> int:
    """The sample, half-way through a walk, in which three feet are highest over the others."""
    middle, quarter = (walk[0] + walk[1]) / 2, (walk[1] - walk[0]) / 4
    low, high = recording.at(middle - quarter), recording.at(middle + quarter) + 1
    ordered = np.sort(heights[low:high], axis=1)
    return low + int(np.argmax(ordered[:, 3] - ordered[:, 2]))


def plot(recording: Recording, heights: Array, moments: Moments, path: Path) -> None:
    """Write the plots: path of the base, heights of the feet, joint tracking.

    Args:
        recording: the run.
        heights: (samples, legs) of its feet [m].
        moments: when each action ran [s].
        path: PNG file.
    """
    matplotlib.use('Agg')
    from matplotlib import pyplot

    figure, ((way, base), (feet, tracking)) = pyplot.subplots(
        2, 2, figsize=(12, 8), layout='constrained'
    )
    start = recording.times[0]
    times = recording.times - start
    way.plot(recording.positions[:, 0], recording.positions[:, 1], color='tab:blue')
    for name, row in (('start', 0), ('end', -1)):
        place = recording.positions[row, :2]
        way.plot(*place, 'o', color='tab:orange', markersize=5)
        way.annotate(name, place, xytext=(4, 6), textcoords='offset points')
    way.set(title='Path of the base', xlabel='x [m]', ylabel='y [m]')
    way.set_aspect('equal', adjustable='datalim')

    base.plot(times, recording.positions[:, 2], label='height [m]')
    base.plot(times, recording.yaw - recording.yaw[0], label='heading [rad]')
    base.plot(times, recording.tilt, label='tilt [rad]')
    for name, (begin, _) in moments.items():
        base.axvline(begin - start, color='0.7', linewidth=0.8)
        base.text(begin - start, base.get_ylim()[1], f' {name}', va='top', fontsize=8)
    base.set(title='Base', xlabel='time [s]')
    base.legend(loc='center left')

    _plot_feet(feet, recording, heights, moments['walk'])

    errors = np.abs(recording.joints - recording.commands)
    commanded = np.isfinite(errors).any(axis=1)
    tracking.plot(times[commanded], np.nanmax(errors[commanded], axis=1), label='largest of all')
    rms = np.sqrt(np.nanmean(errors[commanded] ** 2, axis=1))
    tracking.plot(times[commanded], rms, label='rms over joints')
    tracking.set(title='Joint tracking error', xlabel='time [s]', ylabel='[rad]')
    tracking.legend()

    for axes in (way, base, feet, tracking):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _plot_feet(
    axes: Axes, recording: Recording, heights: Array, walk: tuple[float, float]
) -> None:
    """Heights of the feet over the first four seconds of the walk, one above the other."""
    rows = slice(recording.at(walk[0]), recording.at(min(walk[1], walk[0] + 4.0)))
    times = recording.times[rows] - recording.times[rows.start]
    for leg in range(heights.shape[1]):
        axes.plot(times, heights[rows, leg] * 1e3 + 40 * leg, color=f'C{leg % 2}')
        axes.text(times[-1], 40 * leg + 8, f' leg {leg}', fontsize=8)
    axes.set(
        title='Heights of the feet, walking (40 mm apart)',
        xlabel='time [s]',
        ylabel='height [mm] + 40 mm × leg',
    )
