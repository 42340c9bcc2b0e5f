"""The command `./softshell identify`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softshell_tools.output_path import output_file

if TYPE_CHECKING:
    from softshell_control.drives.identify import Identified, StepRecord


def identify(
    file: Annotated[
        Path, typer.Argument(metavar='FILE', help='CSV with the columns time, command, position.')
    ],
    inertia: Annotated[
        float, typer.Option(metavar='KG_M2', help='Inertia that the joint moves, with its rotor.')
    ],
    effort: Annotated[
        float,
        typer.Option(metavar='N_M', help='Largest torque of the motor.', show_default='no limit'),
    ] = float('inf'),
    output: Annotated[
        Path | None,
        typer.Option(
            parser=output_file,
            metavar='PATH',
            help='Picture of the fit.',
            show_default='FILE with .png',
        ),
    ] = None,
) -> None:
    """Find gains, friction and delay of a servo from a recorded step.

    identify examples/step.csv --inertia 0.0201 --effort 3 --output step.png

    The record must begin with the joint at rest. Steps in both directions are needed to tell
    friction from stiffness.
    """
    from softshell_tools.installation import set_up

    set_up([])
    from softshell_common.output_folder import see_writable
    from softshell_control.drives.identify import identify as search
    from softshell_control.drives.identify import read_record

    record = read_record(file)
    picture = output or file.with_suffix('.png')
    see_writable(picture)
    found = search(record, inertia, effort)
    typer.echo(found.table())
    draw(record, found, picture)
    typer.echo(f'picture: {picture}')


def draw(record: 'StepRecord', found: 'Identified', path: Path) -> None:
    """Draw a record, the model that was found, and the difference between the two.

    Raises:
        SoftshellError: the picture cannot be written.
    """
    from matplotlib.figure import Figure

    from softshell_kinematics.errors import SoftshellError

    figure = Figure(figsize=(8.0, 6.0), layout='constrained')
    above, below = figure.subplots(2, sharex=True, height_ratios=(3, 1))
    above.step(record.time, record.command, color='0.6', where='post', label='command')
    above.plot(record.time, record.position, '.', label='measured')
    above.plot(record.time, found.fitted, label='model')
    above.set_ylabel('position [rad]')
    above.set_title(', '.join(
        f'{name} {value:.4g} {unit}'
        for name, value, unit in zip(found.names, found.values, found.units, strict=True)
    ))  # fmt: skip
    above.legend()
    below.plot(record.time, 1e3 * (found.fitted - record.position))
    below.set_ylabel('model − measured [mrad]')
    below.set_xlabel('time [s]')
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise SoftshellError(
            f'{path}: {error}; expected the path of a picture, .png, .svg or .pdf'
        ) from None
