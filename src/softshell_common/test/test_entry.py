"""A node is imported once the process is made ready for it."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(('given', 'expected'), [({}, '1'), ({'OPENBLAS_NUM_THREADS': '2'}, '2')])
def test_linear_algebra_runs_on_one_thread_unless_told_otherwise(tmp_path, given, expected):
    """By what the module finds while it is imported, when a library reads it."""
    (tmp_path / 'told.py').write_text(
        'import os\nprint(os.environ["OPENBLAS_NUM_THREADS"])\nmain = int\n', encoding='utf-8'
    )
    start = 'import sys; from softshell_common.entry import run_node; sys.exit(run_node("told"))'
    environment = {**os.environ, **given}
    environment['PYTHONPATH'] = f'{tmp_path}:{environment.get("PYTHONPATH", "")}'
    if not given:
        environment.pop('OPENBLAS_NUM_THREADS', None)
    run = subprocess.run(
        [sys.executable, '-c', start], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == expected
