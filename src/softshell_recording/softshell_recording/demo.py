"""The demo: the stack performs a robot's scenario; then figures, plots, a picture and a video."""

import json
import time
from collections.abc import Mapping

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from softshell_bringup.arguments import EMULATED, parse_arguments
from softshell_bringup.runner import Stack
from softshell_common.onlooker import address_in
from softshell_common.output_folder import OutputFolder
from softshell_description.load import load_robot
from softshell_description.model import RobotModel
from softshell_kinematics.errors import SoftshellError
from softshell_recording.feet import feet_heights
from softshell_recording.figures import Summary, checks_not_made, summarise
from softshell_recording.pictures import save_pictures
from softshell_recording.plots import save_plots
from softshell_recording.recording import Run, StepRun
from softshell_recording.scenario import Scenario, load_scenario, scenario_of

SUMMARY_FILE = 'summary.json'
PLOTS = 'plots.png'


def main(output: OutputFolder, arguments: Mapping[str, str], scenario: str = '') -> int:
    """Run the demo of a robot.

    Args:
        output: folder for figures, plots, picture and video.
        arguments: of the stack, e.g. `{'robot': 'arm', 'bridge': 'mock'}`; a simulation runs as
            fast as it can, and servos are emulated, unless they say otherwise.
        scenario: what is performed: the name of a file in the robot's folder, or a path; default
            `demo`.

    Returns:
        Exit status: 0; 1 if the stack did not start, the robot lacks an action of the scenario,
        or an action failed, a check of the scenario, or writing a file.

    Raises:
        ProblemsError: the arguments, the robot or the file of the scenario are wrong.
        SoftshellError: there is no such scenario.
    """
    console = Console(highlight=False, markup=False)
    given = dict(arguments)
    if given.get('bridge') == 'hardware':
        given.setdefault('wiring', EMULATED)
    values = parse_arguments(given)
    model = load_robot(str(values['robot']))
    chosen = load_scenario(scenario_of(model, scenario))
    given = {**chosen.arguments, **given}
    values = parse_arguments(given)
    model = load_robot(str(values['robot']))
    if values['bridge'] == 'sim' and values['gui'] != 'web':  # nobody watches it live
        given.setdefault('real_time_factor', '0')
    console.print(f'{model.name}: {chosen.description}')
    try:
        run = _run(console, given, chosen)
    except SoftshellError as error:
        console.print(Text('error:', 'red'), str(error), soft_wrap=True)
        return 1
    summary = summarise(run, chosen, model.name, str(values['bridge']))
    _report(console, summary, chosen)
    try:
        with output.new_file(SUMMARY_FILE) as path:
            path.write_text(json.dumps(summary.as_dict(), indent=2) + '\n', encoding='utf-8')
        _draw(console, model, run, chosen, output, str(values['scene']))
    except SoftshellError as error:
        console.print(Text('error:', 'red'), str(error), soft_wrap=True)
        return 1
    finally:
        if output.written:
            files = ', '.join(output.written)
            console.print(f'written to {output.path}/: {files}', soft_wrap=True)
    return int(bool(summary.problems))


def shown_step(run: Run, scenario: Scenario) -> StepRun:
    """The step that pictures show: the one measured as travel, else the longest."""
    place = scenario.measured('travel')
    if place is not None and place < len(run.steps):
        return run.steps[place]
    return max(run.steps, key=lambda step: step.end - step.start)


def _run(console: Console, arguments: Mapping[str, str], scenario: Scenario) -> Run:
    # Imported here: reading a scenario and drawing a recording need no ROS.
    from softshell_recording.ros.performance import perform_scenario

    begun = time.monotonic()

    def tell_address(name: str, line: str) -> None:
        if address := address_in(name, line):
            console.print(f'open {address}', soft_wrap=True)

    with Stack(arguments, output=tell_address) as stack:
        console.print(f'starting the stack: {", ".join(node.name for node in stack.nodes)}')
        stack.wait_ready()
        with _bar(console, transient=True) as bar:
            task = bar.add_task('  waiting for the robot', total=1.0)

            def show(step: str, done: float) -> None:
                if not done:  # the next step, whose time is another
                    bar.reset(task, description=step)
                bar.update(task, completed=done)

            return perform_scenario(scenario, stack, begun, console.print, show)


def _bar(console: Console, transient: bool = False) -> Progress:
    columns = (TextColumn('{task.description}', markup=False), BarColumn(), TaskProgressColumn())
    return Progress(*columns, TimeRemainingColumn(), console=console, transient=transient)


def _draw(
    console: Console,
    model: RobotModel,
    run: Run,
    scenario: Scenario,
    output: OutputFolder,
    scene: str,
) -> None:
    shown = shown_step(run, scenario)
    heights = feet_heights(model, run.recording)
    with output.new_file(PLOTS) as path:
        save_plots(model, run.recording, heights, run.steps, shown, path)
    with _bar(console) as progress:
        task = progress.add_task('drawing picture and video', total=1.0)
        save_pictures(
            model,
            run.recording,
            heights,
            run.steps,
            shown,
            output,
            lambda done: progress.update(task, completed=done),
            scene,
            scenario.view,
        )


def _report(console: Console, summary: Summary, scenario: Scenario) -> None:
    console.print(step_table(summary))
    console.print(figure_table(summary))
    for name in checks_not_made(scenario.checks, summary):
        console.print(f'{name} was not checked: the run has no such figure', style='yellow')
    for problem in summary.problems:
        console.print(problem, style='red')


def step_table(summary: Summary) -> Table:
    """The figures of each step, for a person."""
    table = Table('step', 'time', 'forward', 'to the left', 'turned', 'largest tilt')
    for step in summary.steps:
        figures = (
            (step.distance_m, '{:+.3f} m'),
            (step.sideways_m, '{:+.3f} m'),
            (step.turn_deg, '{:+.2f}°'),
            (step.tilt_max_deg, '{:.1f}°'),
        )
        told = ('' if value is None else form.format(value) for value, form in figures)
        table.add_row(step.action, f'{step.duration_s:.1f} s', *told)
    return table


def figure_table(summary: Summary) -> Table:
    """The figures that there are, for a person."""
    table = Table(title=f'{summary.robot} on {summary.bridge}', show_header=False)
    rows = (
        ('distance travelled', summary.distance_m, '{:.3f} m'),
        ('heading drift', summary.drift_deg, '{:+.2f}°'),
        ('mean speed', summary.speed_mps, '{:.3f} m/s'),
        ('turned', summary.turn_deg, '{:.1f}°'),
        ('largest tilt', summary.tilt_max_deg, '{:.1f}°'),
        ('real-time factor', summary.real_time_factor, '{:.2f}'),
        ('joint tracking error, rms', summary.tracking_rms_rad, '{:.4f} rad'),
        ('joint tracking error, largest', summary.tracking_max_rad, '{:.4f} rad'),
        ('start to first motion', summary.first_motion_s, '{:.1f} s'),
        ('simulated time', summary.simulated_s, '{:.1f} s'),
        ('wall time', summary.wall_s, '{:.1f} s'),
    )
    for label, value, form in rows:
        if value is not None:
            table.add_row(label, form.format(value))
    return table
