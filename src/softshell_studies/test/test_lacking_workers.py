"""Workers that lack what they are to do."""

import json

import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_studies.study import batches
from softshell_studies.study.study import read_study
from softshell_studies.study.sweep import sweep

pytestmark = pytest.mark.needs('studies')


class Unknown:
    """A function that cannot be read where it is sent to, as one of another version."""

    def __call__(self, task, runs):
        return []

    def __reduce__(self):
        return exec, ("raise ModuleNotFoundError('No module named softshell_studies')",)


def test_workers_that_cannot_do_runs_are_told_in_one_error(tmp_path, monkeypatch):
    path = tmp_path / 'study.yaml'
    content = {'scenario': 'tendon_rod', 'parameters': {'above': {'values': [0.1, 0.2]}}}
    path.write_text(json.dumps(content), encoding='utf-8')
    monkeypatch.setattr(batches, 'do_runs', Unknown())
    with pytest.raises(SoftshellError, match=r'^the workers cannot do runs: .* same version'):
        sweep(read_study(path), tmp_path / 'out', workers=1)
