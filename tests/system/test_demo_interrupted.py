"""A demo that is ended while it draws leaves neither processes nor half a file."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE, until

from softshell_bringup.domain import free_domain


def processes_of(session):
    """The processes of a session that have not ended."""
    found = []
    for folder in Path('/proc').glob('[0-9]*'):
        try:
            # After the name in brackets: state, parent, group, session.
            state, _, _, its_session, *_ = (folder / 'stat').read_text().rpartition(')')[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(its_session) == session and state != 'Z':
            found.append(int(folder.name))
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    'number',
    [
        signal.SIGTERM,
        signal.SIGHUP,
        signal.SIGKILL,
    ],
)
def test_nothing_is_left_of_a_demo_that_is_ended_while_it_draws(tmp_path, number):
    """As by `timeout`, a closed terminal or the kernel: what was written is whole and told."""
    program = subprocess.Popen(
        [
            *(sys.executable, '-m', 'softshell_tools.cli', 'demo'),
            *('robot:=arm', 'bridge:=mock', 'real_time_factor:=0', '--output', str(tmp_path)),
        ],
        start_new_session=True,
        env={**os.environ, 'ROS_DOMAIN_ID': str(free_domain())},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    until(lambda: list(tmp_path.glob('.demo.*.mp4')) or program.poll() is not None, 'drawing')
    assert program.poll() is None, program.stdout.read()
    program.send_signal(number)
    until(lambda: not processes_of(program.pid) or program.poll() is not None, 'the end')
    assert program.wait(PATIENCE) == (-number if number == signal.SIGKILL else 128 + number)
    until(lambda: not processes_of(program.pid), 'the end of its processes')
    said = program.stdout.read()
    program.stdout.close()
    assert 'Traceback' not in said
    if number != signal.SIGKILL:
        assert 'interrupted' in said
        assert f'written to {tmp_path}/: summary.json, plots.png, demo.png' in said
        assert {path.name for path in tmp_path.iterdir()} == {
            'summary.json',
            'plots.png',
            'demo.png',
        }
