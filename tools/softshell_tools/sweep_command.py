"""The commands `./softshell sweep` and `sweep-report`: run a study, and show its results."""

import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softshell_tools.installation import set_up
from softshell_tools.interrupts import noted_interrupts
from softshell_tools.output_path import output_folder
from softshell_tools.requirement_sets import STUDIES

if TYPE_CHECKING:
    from softshell_studies.study.batches import Progress as State
    from softshell_studies.study.results import Results
    from softshell_studies.study.study import Study


def register(app: typer.Typer) -> None:
    """Add the commands to the others."""
    app.command()(sweep)
    app.command('sweep-report')(sweep_report)


def sweep(
    file: Annotated[Path, typer.Argument(metavar='STUDY.yaml', help='The study.')],
    output: Annotated[
        Path | None,
        typer.Option(
            parser=output_folder,
            metavar='FOLDER',
            help='Folder for results.',
            show_default='out/studies/STUDY',
        ),
    ] = None,
    scheduler: Annotated[
        str, typer.Option(metavar='ADDRESS', help='Dask cluster to use, e.g. tcp://host:8786.')
    ] = '',
    workers: Annotated[
        int | None,
        typer.Option(
            metavar='N', help='Processes on this machine.', show_default='one for each CPU'
        ),
    ] = None,
    record: Annotated[
        bool, typer.Option('--record', help='Record a bag of each run, in runs/ of the folder.')
    ] = False,
) -> None:
    """Run a scenario many times with different parameters, or search for the best parameters.

    sweep examples/studies/rod.yaml

    After an interruption, the same command continues.

    Status 1 if runs failed, unless a search found a result; their errors are kept.
    """
    set_up([STUDIES])
    status = run_sweep(file, output, scheduler, workers, record)
    if status:
        raise typer.Exit(status)


def sweep_report(
    folder: Annotated[
        Path, typer.Argument(metavar='FOLDER', help='Folder of a study, complete or not.')
    ],
    metric: Annotated[
        str,
        typer.Option(metavar='NAME', help='Metric to compare runs by.', show_default='the first'),
    ] = '',
    least: Annotated[bool, typer.Option(help='Small values of the metric are better.')] = False,
    pictures: Annotated[
        int, typer.Option(min=0, metavar='N', help='Draw the N best runs; runs them again.')
    ] = 0,
) -> None:
    """Make an HTML page of a study: plots, effect of parameters, best runs, labels, failures.

    sweep-report out/studies/gait --metric cost_of_transport --least
    """
    set_up(['studies'])
    from softshell_studies.report.page import write_report

    for file in write_report(folder, metric, least, pictures):
        typer.echo(f'written: {file}')


def run_sweep(
    file: Path, output: Path | None, scheduler: str, workers: int | None, record: bool
) -> int:
    """Run a study.

    Args:
        file: file of the study.
        output: folder for the results; None: `out/studies/NAME`.
        scheduler: address of a Dask cluster; empty: processes on this machine are used.
        workers: number of these processes; None: one for each CPU.
        record: whether to record a bag of each run.

    Returns:
        Exit status: 0; 1 if runs failed and no search found a result; 130 after an interruption.

    Raises:
        SoftshellError: the study, the cluster or the folder cannot be used.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from softshell_kinematics.errors import SoftshellError
    from softshell_studies.study.study import read_study

    if workers is not None and workers < 1:
        raise SoftshellError(f'--workers is {workers}; expected 1 or more')
    if workers is not None and scheduler:
        raise SoftshellError(
            '--workers is for processes on this machine; a scheduler has its own workers'
        )
    study = read_study(file)
    folder = output or Path('out/studies') / study.name
    console = Console(markup=False)
    columns = (
        TextColumn('{task.description}'), BarColumn(), TextColumn('{task.fields[told]}'),
        TimeElapsedColumn(),
    )  # fmt: skip
    with noted_interrupts() as interrupt, Progress(*columns, console=console) as bar:
        task = bar.add_task('starting', total=len(study), told=f'{len(study)} runs')

        def show(state: 'State') -> None:
            bar.update(task, description=study.name, completed=state.done, told=_told(state))

        results, lines = _done(
            study, folder, place=file.resolve(), scheduler=scheduler, workers=workers,
            record=folder / 'runs' if record else None, progress=show,
            ended=lambda: interrupt.came,
        )  # fmt: skip
    console.print(f'{len(results.done)} of {len(study)} runs are in {folder}')
    for line in lines:
        console.print(line)
    if results.failed:
        console.print(f'{results.failed} failed: their errors are in runs.parquet')
    if interrupt.came:
        words = _again(file, output, scheduler, workers, record)
        console.print(f'interrupted; to continue: {words}', soft_wrap=True)
        return 130
    return 1 if results.failed and not lines else 0


def _again(
    file: Path, output: Path | None, scheduler: str, workers: int | None, record: bool
) -> str:
    """The command line of a study with these arguments, to be typed into a shell."""
    words = ['./softshell', 'sweep', str(file), *(['--record'] if record else [])]
    options = {'--output': output, '--scheduler': scheduler, '--workers': workers}
    for option, value in options.items():
        words += [option, str(value)] if value else []
    return shlex.join(words)


def _done(study: 'Study', folder: Path, **given: Any) -> tuple['Results', list[str]]:
    """Do the runs of a study. Returns its results, and lines about what a search has found."""
    from softshell_studies.study.optimise import optimise
    from softshell_studies.study.sweep import sweep

    if study.form.optimize is None:
        return sweep(study, folder, **given), []
    results, found = optimise(study, folder, **given)
    return results, [] if found is None else found.table().splitlines()


def _told(state: 'State') -> str:
    """The state of a study in words: runs, workers, failures and the time that is left."""
    text = f'{state.done}/{state.runs}, {state.workers} workers'
    if state.failed:
        text += f', {state.failed} failed'
    if math.isfinite(state.left):
        minutes, seconds = divmod(round(state.left), 60)
        text += f', {minutes}:{seconds:02} left'
    return text
