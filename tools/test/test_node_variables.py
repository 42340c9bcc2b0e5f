"""Whatever `./softshell` starts has the variables that nodes start with."""

from pathlib import Path

import pytest

from softshell_common.entry import ENVIRONMENT
from softshell_tools.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def started(monkeypatch):
    """Returns the variables that programs start with, where the user has set some."""

    def start(**given):
        for name in ENVIRONMENT:
            monkeypatch.delenv(name, raising=False)
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        environment = Workspace(ROOT).environment()
        return {name: environment[name] for name in ENVIRONMENT}

    return start


def test_programs_get_the_variables_of_nodes(started):
    """So that `ros2` and a user's own program reach the nodes in the same way."""
    variables = started()
    assert {name: str(Path(value).resolve()) for name, value in variables.items()} == {
        name: str(Path(value).resolve()) for name, value in ENVIRONMENT.items()
    }


@pytest.mark.parametrize('name', ENVIRONMENT)
def test_what_the_user_has_set_stays(started, name):
    """One at a time; the others are ours."""
    ours = started()
    assert started(**{name: 'theirs'}) == {**ours, name: 'theirs'}
