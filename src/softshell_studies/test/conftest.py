"""Studies of a function that is fast."""

import pytest

HEAD = 'function: sum.py:measure\nmetrics: [sum]\n'


@pytest.fixture
def study(tmp_path):
    """Makes a study of lines beside a function."""
    from softshell_studies.study.study import read_study

    (tmp_path / 'sum.py').write_text('def measure(parameters, seed):\n    return {"sum": 1.0}\n')

    def make(text):
        path = tmp_path / 'study.yaml'
        path.write_text(HEAD + text)
        return read_study(path)

    return make
