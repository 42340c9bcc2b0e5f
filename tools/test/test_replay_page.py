"""`replay --web` waits for its page only as long as that may come, with another program for it."""

import sys
import time

import pytest
from rich.console import Console

from softshell_bringup.domain import free_domain
from softshell_bringup.processes import ProcessDiedError
from softshell_kinematics.errors import SoftshellError
from softshell_tools import replay_command
from softshell_tools.replay_command import page, replay


@pytest.fixture
def shown(monkeypatch):
    """Function: what is printed while this program stands for the page, whatever comes of it."""
    monkeypatch.setattr('softshell_bringup.arguments.page_problems', lambda values: ())
    monkeypatch.setenv('ROS_DOMAIN_ID', str(free_domain()))
    console = Console(record=True, width=200, markup=False)

    def show(program, ended=lambda: False, watch=False):
        command = (sys.executable, '-c', program)
        monkeypatch.setattr('softshell_bringup.runner.command', lambda node: command)
        with page(console, ended) as over:
            while watch and not over():
                time.sleep(0.05)
        return console.export_text()

    return show


def test_a_page_that_cannot_start_says_why(shown, capsys):
    """Its last lines are printed, and it is an error, at once."""
    begin = time.monotonic()
    with pytest.raises(ProcessDiedError, match='dashboard ended with exit status 3'):
        shown('print("the reason"); raise SystemExit(3)')
    assert 'the reason' in capsys.readouterr().out
    assert time.monotonic() - begin < 10.0


def test_a_page_that_ends_while_it_is_shown_says_so(shown, capsys):
    """With its last lines; nobody would see a replay that goes on."""
    program = """
import time
print("[INFO] [dashboard]: open http://here", flush=True)
time.sleep(1.0)
print("the reason")
raise SystemExit(3)
"""
    with pytest.raises(ProcessDiedError, match='dashboard ended with exit status 3'):
        shown(program, watch=True)
    assert 'the reason' in capsys.readouterr().out


def test_a_bag_that_is_not_there_is_told_before_a_page_starts(tmp_path, monkeypatch):
    monkeypatch.setattr(replay_command, 'set_up', lambda sets: None)
    monkeypatch.setattr(replay_command, 'until_interrupted', lambda: lambda: False)
    monkeypatch.setattr(replay_command, 'page', lambda *rest: pytest.fail('it starts'))
    with pytest.raises(SoftshellError, match='none is not there; expected a folder'):
        replay(tmp_path / 'none', web=True)


def test_a_topic_that_the_bag_lacks_is_told_once(tmp_path, monkeypatch, capsys):
    """As by `record`, however often the bag is repeated; the others are published."""
    wants = []

    def program(bag, wanted, *, ended, **options):
        wants.append([name for name in ('/imu', '/odom') if wanted(name)])
        return 2

    monkeypatch.setattr(replay_command, 'set_up', lambda sets: None)
    monkeypatch.setattr(replay_command, 'until_interrupted', lambda: lambda: len(wants) == 3)
    monkeypatch.setattr('softshell_recording.ros.replay.replay', program)
    replay(tmp_path, ['imu', 'nothing'], loop=True)
    assert wants == 3 * [['/imu']]
    out, told = capsys.readouterr()
    assert told.count('softshell: there is no topic /nothing\n') == 1
    assert out == '6 messages sent\n'


def test_control_c_ends_the_wait_for_a_page(shown):
    """Without a warning."""
    begin = time.monotonic()
    assert shown('import time; time.sleep(60)', ended=lambda: True) == ''
    assert time.monotonic() - begin < 10.0


def test_the_address_of_the_page_is_printed(shown):
    program = 'import time; print("[INFO] [dashboard]: open http://here"); time.sleep(60)'
    assert shown(program) == 'open http://here\n'
