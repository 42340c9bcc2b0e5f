"""This checkout, and the sets of requirements that its commands need."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def set_up(names: list[str]) -> None:
    """Install these sets of requirements, and build, unless that was done before."""
    from softshell_tools import first_use
    from softshell_tools.steps import one_error
    from softshell_tools.workspace import Workspace

    with one_error(ROOT):
        first_use.set_up(Workspace(ROOT), names)
