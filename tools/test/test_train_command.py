"""What `./softshell train` and `score` refuse, and what a score is of."""

import inspect
import signal
from dataclasses import replace

import pytest
import typer
from typer.testing import CliRunner

from softshell_kinematics.errors import SoftshellError
from softshell_studies.gym.imitate import FIRST
from softshell_studies.gym.policy import load_policy, save_policy, trained
from softshell_studies.gym.score import Episode
from softshell_studies.gym.train import CHOOSING, SEEING
from softshell_tools import score_command, train_command
from softshell_tools.cli import app
from softshell_tools.interrupts import noted_interrupts
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
        ('engine:=[1', 'expected a value as in YAML'),
        ('gravity:=2024-13-45', 'expected a value as in YAML'),
        ('gravity:=2024-12-24', 'expected a number, a text or true or false'),
        ('engine:=[1]', 'expected a number, a text or true or false'),
    ],
)
def test_what_is_no_value_of_a_setting_is_told(word, told):
    with pytest.raises(SoftshellError, match=told):
        settings_of([word])


@pytest.mark.parametrize(
    ('words', 'told'),
    [
        (['engine'], "'engine': expected name:=value"),
        ([':=3'], "':=3': expected name:=value"),
        (['gravity:=1', 'gravity:=2'], "'gravity:=2': gravity is given twice, first '1'"),
    ],
)
def test_what_is_no_setting_or_given_twice_is_told(words, told):
    with pytest.raises(typer.BadParameter, match=told):
        settings_of(words)


def test_options_of_a_search_are_refused_for_an_imitation():
    """They would do nothing."""
    words = ['train', 'Reach', '--by', 'imitation', '--minutes', '1', '--scheduler', 'tcp://a:1']
    run = CliRunner().invoke(app, words, env={'COLUMNS': '200'})
    assert run.exit_code == 2
    assert '--minutes, --scheduler: expected --by search with it' in run.output


@pytest.fixture
def policy(tmp_path, monkeypatch):
    """Writes a trained policy with some other facts."""
    monkeypatch.setattr(score_command, 'set_up', lambda names: None)

    def write(task, **facts):
        save_policy(replace(load_policy(trained(task)), facts=facts), tmp_path / 'one.npz')
        return tmp_path / 'one.npz'

    return write


def test_a_policy_is_scored_with_the_settings_of_its_training(policy, capsys):
    """Others may be given; an episode whose simulation diverges does not end the others."""
    file = policy('Reach', settings={'gravity': 1e6})
    score_command.score('Reach', ['near:=0.1'], file, episodes=2)
    told = capsys.readouterr().out.splitlines()
    assert told[0] == 'seed 20000: the simulation diverged'
    assert told[1:] == ['seed 20001: the simulation diverged', 'mean score nan mm']
    with pytest.raises(
        SoftshellError, match=r'gravity:=2.5, but .* trained with gravity:=1000000'
    ):
        score_command.score('Reach', ['gravity:=2.5'], file)


@pytest.mark.parametrize(
    ('task', 'facts', 'told'),
    [
        (
            'Walk',
            {'robot': 'spider'},
            "trained with robot 'spider'; expected a policy for 'shell'",
        ),
        (
            'Reach',
            {'settings': {'obstacle': True}},
            r'takes \d+ numbers and returns 4; expected \d+ and 4: .* other settings',
        ),
        ('Reach', {'settings': [1]}, r'its settings are \[1\]; expected values by name'),
    ],
)
def test_a_policy_is_refused_with_another_robot_or_settings_that_are_none(
    policy, task, facts, told
):
    with pytest.raises(SoftshellError, match=told):
        score_command.score(task, [], policy(task, **facts))


def test_each_episode_of_a_score_is_told_when_it_is_over(policy, monkeypatch, capsys):
    told = []

    def play(task, actor, seed, *more):
        told.append(capsys.readouterr().out)
        return Episode(seed, 3, 1.0, {'score': -float(seed)})

    monkeypatch.setattr(score_command, '_played', play)
    score_command.score('Reach', [], policy('Reach'), episodes=3, seed=5)
    first, second = (f'seed {n}: score -{n}, reward 1, 3 steps\n' for n in (5, 6))
    assert told == ['', first, second]


def test_a_score_is_of_episodes_that_no_training_has_played():
    """Trainings play those from 0, 10 000, 30 000 and 40 000 on."""
    seeds = inspect.signature(score_command.score).parameters['seed'].default
    assert CHOOSING + 1000 < seeds < SEEING - 1000 < FIRST - 1000


def test_a_second_signal_interrupts_what_the_first_does_not():
    """So that a long generation can be ended, too; afterwards signals are as before."""
    before = signal.getsignal(signal.SIGINT)
    with noted_interrupts() as interrupt:
        signal.raise_signal(signal.SIGTERM)
        assert interrupt.came
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.long
@pytest.mark.needs('studies')
def test_an_earlier_policy_stays_until_the_next_is_complete(tmp_path, monkeypatch):
    """The best so far is beside it, and is gone in the end."""
    monkeypatch.setattr(train_command, 'set_up', lambda names: None)
    file, kept = tmp_path / 'Reach.npz', tmp_path / 'Reach.npz.part'
    file.write_bytes(b'earlier')
    save = train_command._searched

    def searched(training, *others):
        network = save(replace(training, seconds=2.0, episodes=1), *others)
        assert load_policy(kept).task == 'Reach'
        assert file.read_bytes() == b'earlier'
        return network

    monkeypatch.setattr(train_command, '_searched', searched)
    train_command.train('Reach', output=file)
    assert load_policy(file).task == 'Reach'
    assert not kept.exists()
