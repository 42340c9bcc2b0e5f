"""`./softshell reference`: writes the pages of docs/reference from the code."""

import typer

from softshell_tools.installation import ROOT, set_up
from softshell_tools.requirement_sets import HARDWARE, STUDIES, WEB

FOLDER = ROOT / 'docs' / 'reference'


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def reference() -> None:
        """Write docs/reference from the code; starts stacks to list topics and services."""
        set_up([HARDWARE, STUDIES, WEB])
        from softshell_common.whole_file import write_whole
        from softshell_tools.reference.topics import graph_of, topics_page

        texts = {**pages(app), 'topics.md': topics_page(graph_of())}
        FOLDER.mkdir(exist_ok=True)
        for name, text in texts.items():
            write_whole(FOLDER / name, text.encode())
        typer.echo(f'{len(texts)} pages in {FOLDER.relative_to(ROOT)}')


def pages(app: typer.Typer) -> dict[str, str]:
    """The pages that need no running stack, by file name.

    Args:
        app: the command line.
    """
    from softshell_tools.reference.arguments import arguments_page
    from softshell_tools.reference.commands import commands_page
    from softshell_tools.reference.files import files_page
    from softshell_tools.reference.interfaces import interfaces_page
    from softshell_tools.reference.parameters import parameters_page
    from softshell_tools.reference.python import python_pages
    from softshell_tools.reference.scenarios import scenarios_page
    from softshell_tools.reference.tasks import tasks_page

    return {
        'commands.md': commands_page(app),
        'arguments.md': arguments_page(),
        'parameters.md': parameters_page(),
        'interfaces.md': interfaces_page(ROOT),
        'files.md': files_page(),
        'scenarios.md': scenarios_page(),
        'tasks.md': tasks_page(),
        **python_pages(ROOT),
    }
