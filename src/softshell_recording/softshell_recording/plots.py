"""Plots of a run; needs no ROS."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_recording.recording import BasePath, Recording, StepRun

#: How far apart the heights of the feet are drawn [m], and how long a part of the step is [s].
FEET_APART = 0.04
FEET_SPAN = 4.0
#: Joints with a name of their own in the plot; of more than so many a legend tells nothing.
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
    """Write the plots of a run: one for each thing that the robot has.

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
        panels.append(lambda axes: _way(axes, base))
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


def _way(axes: Axes, base: BasePath) -> None:
    """The path of the base seen from above."""
    axes.plot(base.positions[:, 0], base.positions[:, 1], color='tab:blue')
    for name, row in (('start', 0), ('end', -1)):
        x, y = base.positions[row, :2]
        axes.plot(x, y, 'o', color='tab:orange', markersize=5)
        axes.annotate(name, (x, y), xytext=(4, 6), textcoords='offset points')
    axes.set(title='Path of the base', xlabel='x [m]', ylabel='y [m]')
    axes.set_aspect('equal', adjustable='datalim')


def _base(axes: Axes, recording: Recording, base: BasePath, steps: Sequence[StepRun]) -> None:
    """Height, heading and tilt over time."""
    times = recording.times - recording.times[0]
    axes.plot(times, base.positions[:, 2], label='height [m]')
    axes.plot(times, base.yaw - base.yaw[0], label='heading [rad]')
    axes.plot(times, base.tilt, label='tilt [rad]')
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
        axes.plot(times, drawn, color=f'C{place % 2}')
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
        axes.plot(times, recording.joints[:, column], label=label)
    _mark(axes, recording, steps)
    axes.set(title='Joints', xlabel='time [s]', ylabel='position')
    if len(columns) <= NAMED_JOINTS:
        axes.legend(loc='best')


def _tracking(axes: Axes, recording: Recording) -> None:
    """Joint tracking error over time."""
    errors = np.abs(recording.errors)
    commanded = np.isfinite(errors).any(axis=1)
    times = recording.times[commanded] - recording.times[0]
    axes.plot(times, np.nanmax(errors[commanded], axis=1), label='largest of all')
    rms = np.sqrt(np.nanmean(errors[commanded] ** 2, axis=1))
    axes.plot(times, rms, label='rms over joints')
    axes.set(title='Joint tracking error', xlabel='time [s]', ylabel='[rad]')
    axes.set_ylim(bottom=0.0)
    axes.legend()


def _mark(axes: Axes, recording: Recording, steps: Sequence[StepRun]) -> None:
    """Show when each step began; names take turns in height, for short steps."""
    low, high = axes.get_ylim()
    for place, step in enumerate(steps):
        begin = step.start - recording.times[0]
        height = high - (place % 2) * 0.05 * (high - low)
        axes.axvline(begin, color='0.7', linewidth=0.8)
        axes.text(begin, height, f' {step.action}', va='top', fontsize=8)
