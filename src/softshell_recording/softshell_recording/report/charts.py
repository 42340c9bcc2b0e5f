"""Charts of a report, each of one thing; needs no ROS."""

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from softshell_recording.plots import draw_path, with_gaps
from softshell_recording.report.analysis import Energy, FeetMotion
from softshell_recording.report.log import Log
from softshell_recording.report.touch import Touch

#: Width of all charts, and height of one [inches].
WIDTH, HEIGHT = 10.0, 2.8
#: Most letters of a name in a chart.
LONGEST = 30
#: How many of the motors have their name in a chart of all.
NAMED = 5
#: Colours of the lines of faults and sub-actions.
FAULT, ACTION = 'tab:red', '0.5'


def chart(
    log: Log,
    draw: Callable[[Axes], None],
    label: str,
    height: float = HEIGHT,
    names: bool = False,
) -> Figure:
    """A chart over time, with lines where sub-actions began and faults came.

    Args:
        log: its events are marked.
        draw: draws the curves.
        label: of the vertical axis.
        height: of the chart [inches].
        names: whether the lines have their texts.
    """
    figure = Figure(figsize=(WIDTH, height), layout='constrained')
    axes = figure.add_subplot()
    draw(axes)
    begin = log.recording.times[0]
    for event in log.events:
        if event.kind in ('fault', 'action'):
            colour = FAULT if event.kind == 'fault' else ACTION
            axes.axvline(event.time - begin, color=colour, linewidth=0.8, alpha=0.7)
            if names:
                place, frame = (event.time - begin, 1.0), axes.get_xaxis_transform()
                axes.text(*place, f' {event.text[:LONGEST]}', transform=frame, rotation=90,
                          fontsize=7, va='bottom', ha='center', color=colour)  # fmt: skip
    axes.set(xlabel='time [s]', ylabel=label)
    if len(log.recording.times) > 1:
        axes.set_xlim(0.0, log.recording.times[-1] - begin)
    axes.grid(alpha=0.3)
    return figure


def curves(log: Log, values: np.ndarray, label: str, names: list[str]) -> Figure:
    """A chart of curves.

    Args:
        log: whose samples the values belong to.
        values: (samples, n), a column for each curve.
        label: of the vertical axis.
        names: of the curves.
    """
    times, values = with_gaps(log.recording.times - log.recording.times[0], values)

    def draw(axes: Axes) -> None:
        for column, name in zip(values.T, names, strict=True):
            axes.plot(times, column, label=name, linewidth=1.0)
        axes.legend(fontsize=8, loc='upper left', ncols=min(len(names), 6))

    return chart(log, draw, label)


def gait_diagram(log: Log, touch: Touch) -> Figure:
    """Which foot touched the ground when."""
    times = log.recording.times - log.recording.times[0]

    def draw(axes: Axes) -> None:
        for place in range(len(touch.feet)):
            changes = np.diff(touch.touching[:, place].astype(int), prepend=0, append=0)
            begins, ends = np.flatnonzero(changes > 0), np.flatnonzero(changes < 0)
            last = np.minimum(ends, len(times) - 1)
            bars = [(times[a], times[b] - times[a]) for a, b in zip(begins, last, strict=True)]
            axes.broken_barh(bars, (place - 0.4, 0.8), color=f'C{place}')
        axes.set_yticks(range(len(touch.feet)), touch.feet, fontsize=8)
        axes.invert_yaxis()

    return chart(log, draw, 'foot on the ground', 3.2 + 0.3 * len(touch.feet), names=True)


def way(log: Log) -> Figure:
    """The path of the base, from above."""
    figure = Figure(figsize=(WIDTH, 4.0), layout='constrained')
    axes = figure.add_subplot()
    assert log.recording.base is not None
    draw_path(axes, log.recording.times, log.recording.base)
    axes.grid(alpha=0.3)
    return figure


def base(log: Log) -> Figure:
    """Height and tilt."""
    assert log.recording.base is not None
    values = np.stack([log.recording.base.positions[:, 2], log.recording.base.tilt], axis=1)
    return curves(log, values, '[m], [rad]', ['height', 'tilt'])


def slip(log: Log, touch: Touch, motion: FeetMotion) -> Figure:
    """How far each foot has slipped."""
    return curves(log, 1e3 * motion.slip, 'slip so far [mm]', list(touch.feet))


def forces(log: Log, touch: Touch) -> Figure:
    """Upward force on each foot."""
    return curves(log, touch.force[..., 2], 'upward force [N]', list(touch.feet))


def tracking(log: Log) -> Figure:
    """Tracking errors of the joints: the largest, and the root mean square."""
    errors = log.recording.errors
    known = np.isfinite(errors)
    some = known.any(axis=1)
    worst, mean = np.full((2, len(errors)), np.nan)
    worst[some] = np.nanmax(np.abs(errors[some]), axis=1)
    mean[some] = np.sqrt(np.nanmean(errors[some] ** 2, axis=1))
    names = ['largest of all joints', 'root mean square']
    return curves(log, np.stack([worst, mean], axis=1), 'off the command [rad], [m]', names)


def power(log: Log, spent: Energy) -> Figure:
    """Mechanical power of all joints."""
    return curves(log, spent.power[:, None], 'power [W]', ['all joints'])


def velocities(log: Log) -> Figure:
    """The velocities of `cmd_vel`."""
    times = log.driven[:, 0] - log.recording.times[0]

    def draw(axes: Axes) -> None:
        for column, name in enumerate(('x [m/s]', 'y [m/s]', 'yaw [rad/s]'), 1):
            axes.step(times, log.driven[:, column], where='post', label=name, linewidth=1.0)
        axes.legend(fontsize=8, loc='upper left')

    return chart(log, draw, 'cmd_vel')


def health(log: Log) -> list[tuple[str, Figure]]:
    """Charts of real-time factor, temperature and voltage, each with its title.

    A figure that was never published has no chart.
    """
    assert log.health is not None
    hottest = log.health.temperature
    if log.temperatures is not None:  # a chart shows those of all motors
        hottest = np.full_like(hottest, np.nan)
    figures = (
        ('Real-time factor', 'simulated over wall time', log.health.factor),
        ('Temperature of the hottest motor', '[°C]', hottest),
        ('Voltage', '[V]', log.health.voltage),
    )
    times = log.health.times - log.recording.times[0]
    charts = []
    for title, label, values in figures:
        if np.isfinite(values).any():

            def draw(axes: Axes, values: np.ndarray = values) -> None:
                axes.plot(times, values, 'o-', markersize=3, linewidth=1.0)

            charts.append((title, chart(log, draw, label)))
    return charts


def temperatures(log: Log) -> Figure:
    """Temperature of each motor; the hottest ones are named."""
    assert log.temperatures is not None
    told = log.temperatures
    times = told.times - log.recording.times[0]
    highest = np.nanmax(told.values, axis=0)
    named = set(np.argsort(-highest)[:NAMED].tolist())

    def draw(axes: Axes) -> None:
        for column in set(range(len(told.joints))) - named:
            axes.plot(times, told.values[:, column], color='0.8', linewidth=0.8)
        for column in sorted(named, key=lambda column: -highest[column]):
            axes.plot(times, told.values[:, column], label=told.joints[column], linewidth=1.2)
        axes.legend(fontsize=8, loc='upper left')

    return chart(log, draw, '[°C]')
