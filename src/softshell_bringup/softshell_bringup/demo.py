"""The demo: the stack stands up, walks, turns, lowers, lies down; then figures and pictures."""

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import rclpy
from rclpy.context import Context
from rich.console import Console
from rich.table import Table

from softshell_actions.client import Shell
from softshell_bringup.demo_report import feet_heights, plot, render
from softshell_bringup.recorder import Recorder, Recording
from softshell_bringup.runner import Stack
from softshell_common.errors import SoftshellError

#: Actions of the demo, in order, with their parameters.
SCRIPT: tuple[tuple[str, dict[str, float]], ...] = (
    ('stand', {}),
    ('walk', {'distance': 1.8}),
    ('turn', {'angle': 1.5708}),
    ('lower', {'amount': 0.03}),
    ('idle', {}),
)
#: The demo fails below this distance [m].
LEAST_DISTANCE = 1.0
#: A base tilted by more than this has fallen [rad].
FALLEN_TILT = 0.5


@dataclass(frozen=True)
class Summary:
    """Figures of a run; the keys of `summary.json`.

    Args:
        distance_m: travelled along the heading at the start of the walk.
        drift_deg: change of heading over the walk.
        sideways_m: travelled across that heading.
        speed_mps: mean forward speed of the walk.
        turn_deg: change of heading over the turn.
        real_time_factor: simulated over wall time, from the first action to the last.
        tracking_rms_rad, tracking_max_rad: measured minus commanded joint positions.
        tilt_max_deg: largest tilt of the base.
        fell: whether that is a fall.
        first_motion_s: wall time from the start of the stack to the first motion.
        simulated_s, wall_s: duration of the actions.
    """

    distance_m: float
    drift_deg: float
    sideways_m: float
    speed_mps: float
    turn_deg: float
    real_time_factor: float
    tracking_rms_rad: float
    tracking_max_rad: float
    tilt_max_deg: float
    fell: bool
    first_motion_s: float
    simulated_s: float
    wall_s: float


def main(output: Path, arguments: dict[str, str], pictures: bool = True) -> int:
    """Run the demo.

    Args:
        output: folder for summary.json, walk.mp4, walk.png and plots.png.
        arguments: of the stack, e.g. `{'gui': 'true'}`; as fast as possible if they do not say.
        pictures: whether to render and plot.

    Returns:
        Exit status: 0; 1 if the robot fell, did not advance, or an action failed.
    """
    console = Console(highlight=False)
    output.mkdir(parents=True, exist_ok=True)
    try:
        recording, moments, timing = _run(console, {'real_time_factor': '0', **arguments})
    except SoftshellError as error:
        console.print(f'[red]error:[/] {error}')
        return 1
    summary = summarise(recording, moments, timing)
    (output / 'summary.json').write_text(json.dumps(asdict(summary), indent=2) + '\n')
    if pictures:
        with console.status('rendering pictures and video from the recorded states'):
            heights = feet_heights(recording)
            render(recording, heights, moments, output)
            plot(recording, heights, moments, output / 'plots.png')
    console.print(_table(summary))
    console.print(
        f'written to {output}/: summary.json'
        + (', walk.mp4, walk.png, plots.png' if pictures else '')
    )
    if summary.fell:
        console.print('[red]the robot fell[/]')
    elif summary.distance_m < LEAST_DISTANCE:
        console.print(f'[red]the robot advanced {summary.distance_m:.2f} m only[/]')
    return int(summary.fell or summary.distance_m < LEAST_DISTANCE)


def _run(
    console: Console, arguments: dict[str, str]
) -> tuple[Recording, dict[str, tuple[float, float]], dict[str, float]]:
    """Perform the script; return what was recorded, when each action ran [s] and wall times."""
    begun = time.monotonic()
    moments: dict[str, tuple[float, float]] = {}
    with Stack(arguments) as stack:
        console.print('starting the stack: bridge, kinematics, action manager')
        stack.wait_ready()
        context = Context()
        rclpy.init(context=context)
        recorder = Recorder(context)
        try:
            recorder.wait_for_messages()
            with Shell(context=context) as shell:
                shell.wait_for_odometry()
                first = time.monotonic()
                moving: list[float] = []
                for name, parameters in SCRIPT:
                    start = shell.time
                    shell.perform(
                        name, lambda what, done: moving.append(time.monotonic()), **parameters
                    )
                    moments[name] = (start, shell.time)
                    told = ' '.join(f'{key}={value:g}' for key, value in parameters.items())
                    console.print(f'  {name:6} {told:16} {shell.time - start:6.1f} s simulated')
                    stack.check()
                wall = time.monotonic() - first
        finally:
            recording = recorder.stop()
            context.try_shutdown()
    return recording, moments, {'first_motion_s': moving[0] - begun, 'wall_s': wall}


def summarise(
    recording: Recording, moments: dict[str, tuple[float, float]], timing: dict[str, float]
) -> Summary:
    """Figures of a recorded run."""
    start, end = (recording.at(moment) for moment in moments['walk'])
    turn_start, turn_end = (recording.at(moment) for moment in moments['turn'])
    heading = recording.yaw[start]
    travel = recording.positions[end] - recording.positions[start]
    forward = np.array([np.cos(heading), np.sin(heading), 0.0])
    left = np.array([-np.sin(heading), np.cos(heading), 0.0])
    errors = (recording.joints - recording.commands)[np.isfinite(recording.commands)]
    simulated = moments['idle'][1] - moments['stand'][0]
    tilt = float(recording.tilt.max())
    values = {
        'distance_m': travel @ forward,
        'drift_deg': np.degrees(recording.yaw[end] - heading),
        'sideways_m': travel @ left,
        'speed_mps': travel @ forward / (recording.times[end] - recording.times[start]),
        'turn_deg': np.degrees(recording.yaw[turn_end] - recording.yaw[turn_start]),
        'real_time_factor': simulated / timing['wall_s'],
        'tracking_rms_rad': np.sqrt(np.mean(errors**2)),
        'tracking_max_rad': np.abs(errors).max(),
        'tilt_max_deg': np.degrees(tilt),
        'simulated_s': simulated,
        **timing,
    }
    rounded = {key: round(float(value), 5) for key, value in values.items()}
    return Summary(fell=tilt > FALLEN_TILT, **rounded)


def _table(summary: Summary) -> Table:
    table = Table(title='Shell walked', show_header=False)
    for label, value in (
        ('distance walked', f'{summary.distance_m:.3f} m'),
        ('heading drift', f'{summary.drift_deg:+.2f}°'),
        ('mean speed', f'{summary.speed_mps:.3f} m/s'),
        ('turned', f'{summary.turn_deg:.1f}°'),
        ('real-time factor', f'{summary.real_time_factor:.2f}'),
        (
            'joint tracking error',
            f'{summary.tracking_rms_rad:.4f} rad rms, {summary.tracking_max_rad:.4f} rad max',
        ),
        ('start to first motion', f'{summary.first_motion_s:.1f} s'),
        ('wall time', f'{summary.wall_s:.1f} s for {summary.simulated_s:.1f} s simulated'),
    ):
        table.add_row(label, value)
    return table
