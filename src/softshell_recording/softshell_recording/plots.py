"""Plots of a run; needs no ROS."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_recording.recording import BasePath, Recording, StepRun, missing

#: How far apart the curves of the feet are drawn [m], and how much of the step they show [s].
FEET_APART = 0.04
FEET_SPAN = 4.0
#: With more joints than this there is no legend: nobody could read it.
NAMED_JOINTS = 12

Panel = Callable[[Axes], None]


def save_plots(
    model: RobotModel,
    recording: Recording,
    heights: Array,
    steps: Sequence[StepRun],
    shown: StepRun,
    path: Path,
) -> None:
    """Write the plots of a run: of base, feet, joints and tracking, as far as there are any.

    Args:
        model: the robot.
        recording: the run.
        heights: (samples, legs) of its feet [m]; no columns for a robot without legs.
        steps: when each step ran.
        shown: the step in which the feet are shown.
        path: PNG file.
    """
    panels: list[Panel] = []
    if recording.base is not None and not model.base.fixed:
        base = recording.base
        panels.append(lambda axes: _path(axes, recording.times, base))
        panels.append(lambda axes: _base(axes, recording, base, steps))
    if model.legs is not None:
        legs = model.legs.chains
        panels.append(lambda axes: _feet(axes, recording, heights, legs, shown))
    else:
        panels.append(lambda axes: _joints(axes, model, recording, steps))
    if np.isfinite(recording.errors).any():
        panels.append(lambda axes: _tracking(axes, recording))
    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(6 * columns, 4 * rows), layout='constrained')
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, place + 1)
        panel(axes)
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)


def with_gaps(times: Array, values: Array) -> tuple[Array, Array]:
    """Curves that are interrupted where samples are missing, not drawn straight across.

    Args:
        times: (samples,) increasing [s].
        values: (samples, ...) at these times.

    Returns:
        Both, with a sample of NaN in the middle of every gap.
    """
    gaps = np.flatnonzero(missing(times))
    middles = times[gaps] + np.diff(times)[gaps] / 2
    return np.insert(times, gaps + 1, middles), np.insert(values, gaps + 1, np.nan, axis=0)


def draw_path(axes: Axes, times: Array, base: BasePath) -> None:
    """Draw the path of the base seen from above, with its start and its end.

    Args:
        axes: on which it is drawn.
        times: (samples,) [s].
        base: where the base was at these times.
    """
    _, path = with_gaps(times, base.positions)
    axes.plot(path[:, 0], path[:, 1], color='tab:blue')
    for name, row in (('start', 0), ('end', -1)):
        x, y = base.positions[row, :2]
        axes.plot(x, y, 'o', color='tab:orange', markersize=5)
        axes.annotate(name, (x, y), xytext=(4, 6), textcoords='offset points')
    axes.set(xlabel='x [m]', ylabel='y [m]')
    axes.set_aspect('equal', adjustable='datalim')


def _path(axes: Axes, times: Array, base: BasePath) -> None:
    draw_path(axes, times, base)
    axes.set_title('Path of the base')


def _base(axes: Axes, recording: Recording, base: BasePath, steps: Sequence[StepRun]) -> None:
    """Height, heading and tilt over time."""
    curves = np.column_stack([base.positions[:, 2], base.yaw - base.yaw[0], base.tilt])
    labels = ['height [m]', 'heading [rad]', 'tilt [rad]']
    axes.plot(*with_gaps(recording.times - recording.times[0], curves), label=labels)
    _mark(axes, recording, steps)
    axes.set(title='Base', xlabel='time [s]')
    axes.legend(loc='best')


def _feet(
    axes: Axes, recording: Recording, heights: Array, legs: Sequence[str], shown: StepRun
) -> None:
    """Heights of the feet over the first seconds of a step, one above the other."""
    end = min(shown.end, shown.start + FEET_SPAN)
    rows = slice(recording.at(shown.start), recording.at(end) + 1)
    times = recording.times[rows] - recording.times[rows.start]
    ground = heights[rows].min(initial=0.0) if recording.base is None else 0.0
    for place, name in enumerate(legs):
        drawn = 1e3 * (heights[rows, place] - ground + place * FEET_APART)
        axes.plot(*with_gaps(times, drawn), color=f'C{place % 2}')
        axes.text(times[0], drawn[0], name, va='bottom', fontsize=8)
    apart = f'{1e3 * FEET_APART:g} mm'
    axes.set(
        title=f'Heights of the feet in {shown.action!r} ({apart} apart)',
        xlabel='time [s]',
        ylabel=f'height [mm] + {apart} × leg',
    )


def _joints(axes: Axes, model: RobotModel, recording: Recording, steps: Sequence[StepRun]) -> None:
    """Positions of the independent joints over time."""
    times = recording.times - recording.times[0]
    columns = recording.columns(model.joint_names)
    for column, joint in zip(columns, model.joints, strict=True):
        label = f'{joint.name} [{joint.unit}]' if len(columns) <= NAMED_JOINTS else None
        axes.plot(*with_gaps(times, recording.joints[:, column]), label=label)
    _mark(axes, recording, steps)
    axes.set(title='Joints', xlabel='time [s]', ylabel='position')
    if 0 < len(columns) <= NAMED_JOINTS:
        axes.legend(loc='best')


def _tracking(axes: Axes, recording: Recording) -> None:
    """Joint tracking error over time; nothing where nothing is commanded."""
    squares = np.ma.masked_invalid(recording.errors**2)
    curves = np.ma.sqrt(np.ma.column_stack([squares.max(axis=1), squares.mean(axis=1)]))
    times = recording.times - recording.times[0]
    labels = ['largest of all', 'rms over joints']
    axes.plot(*with_gaps(times, curves.filled(np.nan)), label=labels)
    axes.set(title='Joint tracking error', xlabel='time [s]', ylabel='[rad]')
    axes.set_ylim(bottom=0.0)
    axes.legend()


def _mark(axes: Axes, recording: Recording, steps: Sequence[StepRun]) -> None:
    """Mark when each step began; names are vertical, so that those of short steps fit."""
    top = axes.get_ylim()[1]
    for step in steps:
        begin = step.start - recording.times[0]
        axes.axvline(begin, color='0.7', linewidth=0.8)
        axes.text(begin, top, f'{step.action} ', va='top', fontsize=8, rotation='vertical')
