"""`./softshell gallery`: makes the pictures of the README by the commands beside them."""

import subprocess
import sys
from typing import Annotated

import typer

from softshell_tools.gallery.exhibits import EXHIBITS, PAGE, Exhibit
from softshell_tools.installation import ROOT, set_up


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def gallery(
        names: Annotated[
            list[str] | None,
            typer.Argument(metavar='NAME', help='Only these pictures.', show_default='all'),
        ] = None,
    ) -> None:
        """Make the pictures of the README again: runs and draws simulations for some minutes."""
        set_up(['web', 'browser'])
        from softshell_tools.gallery.block import block
        from softshell_tools.inserts import insert

        chosen = exhibits(names or [])
        for number, exhibit in enumerate(chosen, 1):
            typer.echo(f'{number} of {len(chosen)}: ./softshell {exhibit.command} ...')
            make_page() if exhibit is PAGE else make(exhibit)
        insert('gallery', block())


def exhibits(names: list[str]) -> list[Exhibit]:
    """The exhibits with these names; all if no name is given.

    Raises:
        UnknownNameError: there is no such picture.
    """
    from softshell_kinematics.errors import UnknownNameError

    known = {exhibit.name: exhibit for exhibit in (*EXHIBITS, PAGE)}
    for name in names:
        if name not in known:
            raise UnknownNameError('picture', name, known)
    return [known[name] for name in names or known]


def make(exhibit: Exhibit) -> None:
    """Make one picture of the gallery with its command.

    Raises:
        SoftshellError: the command failed, or made no video.
    """
    from softshell_kinematics.errors import SoftshellError
    from softshell_tools.gallery.block import file_of
    from softshell_tools.gallery.loops import save_loop

    output = ROOT / 'out' / 'gallery' / exhibit.name
    words = [*exhibit.command.split(), '--output', str(output)]
    command = [sys.executable, '-P', '-m', 'softshell_tools.cli', *words]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SoftshellError(f'./softshell {exhibit.command} failed:\n{run.stdout}{run.stderr}')
    path = ROOT / file_of(exhibit)
    path.parent.mkdir(exist_ok=True)
    save_loop(output / exhibit.video, path, exhibit.begin, exhibit.seconds, exhibit.speed)
    typer.echo(f'  {path.relative_to(ROOT)}: {path.stat().st_size / 1e3:.0f} kB')


def make_page() -> None:
    """Take the picture of the page in the browser.

    Raises:
        SoftshellError: there is no Chromium, or the page did not come.
    """
    from softshell_tools.gallery.block import file_of
    from softshell_tools.gallery.page import save_page

    _, *arguments = PAGE.command.split()
    path = ROOT / file_of(PAGE)
    save_page(arguments, path)
    typer.echo(f'  {path.relative_to(ROOT)}: {path.stat().st_size / 1e3:.0f} kB')
