"""The command `./softshell soft`."""

from pathlib import Path
from typing import Annotated

import typer

from softshell_tools.output_path import output_folder


def soft(
    name: Annotated[
        str, typer.Argument(metavar='NAME', help='The experiment; without it: list them.')
    ] = '',
    engine: Annotated[
        str,
        typer.Option(metavar='NAME', help='Engine: pybullet or mujoco.', show_default='as listed'),
    ] = '',
    output: Annotated[
        Path,
        typer.Option(parser=output_folder, metavar='FOLDER', help='Folder for pictures.'),
    ] = Path('out/soft'),
    video: Annotated[bool, typer.Option(help='Make a video or not.')] = True,
) -> None:
    """Run an experiment with soft manipulators, and check its results.

    soft blocked-force --engine pybullet

    Status 1 if a result is not as expected.
    """
    from softshell_tools.installation import set_up

    set_up([])
    from softshell_common.output_folder import OutputFolder
    from softshell_kinematics.errors import SoftshellError
    from softshell_studies.film import Film
    from softshell_studies.soft.examples import EXAMPLES, example

    if not name:
        width = max(map(len, EXAMPLES))
        for each, row in EXAMPLES.items():
            typer.echo(f'{each:{width}}  {row.title} ({row.engine})')
        return
    chosen = example(name)
    engine = engine or chosen.engine
    OutputFolder(output)
    film = Film(wanted=video)
    typer.echo(f'{name} on {engine} ...')
    outcome = chosen.run(engine, film)
    typer.echo(outcome.table())
    stem = f'{name}-{engine}'
    try:
        files = film.save(output, stem)
        for title, figure in outcome.figures.items():
            files.append(output / f'{stem}-{title}.png')
            figure.savefig(files[-1])
    except OSError as error:
        raise SoftshellError(f'{output}: pictures cannot be written: {error}') from None
    for file in files:
        typer.echo(f'picture: {file}')
    if not outcome.passed:
        raise typer.Exit(1)
