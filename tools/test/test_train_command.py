"""What `./softshell train` and `score` refuse, before anything is done."""

import pytest
from typer.testing import CliRunner

from softshell_kinematics.errors import SoftshellError
from softshell_tools.cli import app
from softshell_tools.train_command import settings_of, sizes_of


@pytest.mark.parametrize('text', ['-3', '0', '8,x', '4,,0'])
def test_sizes_that_are_none_are_told(text):
    with pytest.raises(SoftshellError, match='expected sizes such as 16,16'):
        sizes_of(text)


def test_sizes_and_settings_are_read():
    assert sizes_of('') == ()
    assert sizes_of('16, 8') == (16, 8)
    given = settings_of(['engine:=pybullet', 'obstacle:=true', 'gravity:=2.5'])
    assert given == {'engine': 'pybullet', 'obstacle': True, 'gravity': 2.5}


@pytest.mark.parametrize(
    ('word', 'told'),
    [
        ('engine', 'is no setting; expected name:=value'),
        (':=3', 'is no setting; expected name:=value'),
        ('engine:=[1', 'expected a value as in YAML'),
        ('engine:=[1]', 'expected a number, a text or true or false'),
    ],
)
def test_what_is_no_setting_is_told(word, told):
    with pytest.raises(SoftshellError, match=told):
        settings_of([word])


def test_options_of_a_search_are_refused_for_an_imitation():
    """They would do nothing."""
    words = ['train', 'Reach', '--by', 'imitation', '--minutes', '1', '--scheduler', 'tcp://a:1']
    run = CliRunner().invoke(app, words, env={'COLUMNS': '200'})
    assert run.exit_code == 2
    assert '--minutes, --scheduler: expected --by search with it' in run.output
