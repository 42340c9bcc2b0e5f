"""Commands that work for long try first whether they can write."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from softshell_control.drives import identify
from softshell_kinematics.errors import SoftshellError
from softshell_studies.soft import examples
from softshell_tools import installation
from softshell_tools.identification import identify as identify_command
from softshell_tools.installation import ROOT
from softshell_tools.soft_command import soft

NOWHERE = Path('/dev/null/out')


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    monkeypatch.setattr(installation, 'set_up', lambda sets: None)


def refused(*arguments):
    pytest.fail('it works in vain')


def test_an_experiment_whose_pictures_cannot_be_written_does_not_begin(monkeypatch):
    row = SimpleNamespace(engine='mujoco', run=refused)
    monkeypatch.setattr(examples, 'example', lambda name: row)
    with pytest.raises(SoftshellError, match='/dev/null is a file; expected a folder'):
        soft('snake', output=NOWHERE)


def test_a_search_whose_picture_cannot_be_written_does_not_begin(monkeypatch):
    monkeypatch.setattr(identify, 'identify', refused)
    with pytest.raises(SoftshellError, match='/dev/null is a file; expected a folder'):
        identify_command(ROOT / 'examples/step.csv', 0.02, output=NOWHERE / 'fit.png')
