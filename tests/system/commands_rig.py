"""Commands of the pages as processes of their own, and which of them are run where."""

import contextlib
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Where else a command is run, or its parts are.
ELSEWHERE = {
    'up bridge:=mine': 'test_bridge_page.py: the bridge of the page',
    'action bow depth:=0.15': 'test_docs.py: the action of the page',
    'demo gui:=web': 'test_dashboard_commands.py: it takes as long as what it shows',
    'replay out/walk --web': 'test_dashboard_commands.py: it goes on until Ctrl-C',
    'up robot:=ant': 'test_my_robot_pkg.py: the name is known once the package is built',
    'demo robot:=ant': 'the same; its folder is a demo here',
    'demo robot:=snake': 'test_soft_robots.py: the demo of each soft robot',
    'call policy/start': 'test_policy_on_the_stack.py: a policy offers it',
    'set bridge speed:=0.2': 'test_call_and_set.py: servos have a speed',
    'set bridge speed:=1': 'the same',
    'set bridge tracking_error:=0.2': 'the same',
    'up bridge:=hardware': 'needs servos; test_hardware_bridge_node.py: ends without them',
}
#: The first words of the commands that test_commands.py runs.
KINDS = {
    'action', 'calibrate', 'call', 'demo', 'doctor', 'emulate-servos', 'identify', 'inject',
    'reboot', 'record', 'replay', 'report', 'scan', 'score', 'set', 'setup', 'soft', 'sweep',
    'sweep-report', 'teleop', 'test', 'train', 'up',
}  # fmt: skip
TIMEOUT = 120.0  # [s]


def program(words: str) -> list[str]:
    return [sys.executable, '-m', 'softshell_tools.cli', *shlex.split(words)]


def on(domain: int) -> dict[str, str]:
    path = f'{ROOT / "tools"}:{os.environ.get("PYTHONPATH", "")}'
    plain = {'NO_COLOR': '1', 'COLUMNS': '200', 'PYTHONPATH': path}
    return {**os.environ, **plain, 'ROS_DOMAIN_ID': str(domain)}


def finished(
    words: str, folder: Path, domain: int, timeout: float = TIMEOUT
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        program(words), cwd=folder, env=on(domain), capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=timeout, check=False,
    )  # fmt: skip


@contextlib.contextmanager
def started(words, folder, environment, ready):
    """A command that runs until Ctrl-C, and what it said till it was ready, then till its end."""
    run = subprocess.Popen(
        program(words), cwd=folder, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    lines = []
    try:
        for line in run.stdout:
            lines.append(line)
            if ready in line:
                break
        yield run, lines
    finally:
        run.send_signal(signal.SIGINT)
        lines += run.stdout
        run.wait(TIMEOUT)
        run.stdout.close()
