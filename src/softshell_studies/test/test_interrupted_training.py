"""Ctrl-C in a terminal, which all processes of a training get."""

import os
import signal
import subprocess
import sys

import pytest

#: [s] a safety net, no measure of anything.
PATIENCE = 90.0
#: Trains until a signal comes, and tells each generation.
PROGRAM = """
import signal
from softshell_studies.gym.train import Training, train

if __name__ == '__main__':
    came = []
    signal.signal(signal.SIGINT, lambda *_: came.append(1))
    training = Training('Reach', population=4, episodes=1, chosen=1, judged=1)
    train(
        training, workers=1, ended=lambda: bool(came),
        progress=lambda generation: print(generation.number, flush=True),
    )
    print('ended')
"""


@pytest.mark.long
@pytest.mark.needs('studies')
def test_an_interruption_of_all_processes_ends_a_training_in_order(tmp_path):
    """Its workers do not end before it, so that it has a network to return."""
    program = tmp_path / 'program.py'
    program.write_text(PROGRAM, encoding='utf-8')
    with subprocess.Popen(
        [sys.executable, str(program)], start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            assert process.stdout.readline() == '1\n'
            os.killpg(process.pid, signal.SIGINT)
            told, errors = process.communicate(timeout=PATIENCE)
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0
    assert told.splitlines()[-1] == 'ended'
    assert 'KeyboardInterrupt' not in errors
