"""Every notebook runs from top to bottom, and is kept without its outputs."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted(ROOT.glob('src/*/notebooks/*.ipynb'))
#: How many figures each shows.
FIGURES = {'finger.ipynb': 3, 'kinematics.ipynb': 5}


def test_every_notebook_is_tested_and_listed():
    """The tests below know each of them, and the index of the pages leads to it."""
    assert {path.name for path in NOTEBOOKS} == {*FIGURES}
    index = (ROOT / 'docs' / 'README.md').read_text(encoding='utf-8')
    for path in NOTEBOOKS:
        assert f'](../{path.relative_to(ROOT)})' in index


@pytest.mark.parametrize('path', NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_kept_without_outputs(path):
    """No output and no execution count is committed."""
    cells = json.loads(path.read_text(encoding='utf-8'))['cells']
    code = [cell for cell in cells if cell['cell_type'] == 'code']
    assert code
    assert all(not cell['outputs'] and cell['execution_count'] is None for cell in code)


@pytest.mark.long
@pytest.mark.needs('notebook')
@pytest.mark.parametrize('path', NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_and_shows_its_figures(path):
    """Every cell runs, its own assertions hold, and the figures come out."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=180, kernel_name='python3').execute()
    figures = [
        output
        for cell in notebook.cells
        for output in cell.get('outputs', ())
        if 'application/vnd.plotly.v1+json' in output.get('data', {})
    ]
    assert len(figures) == FIGURES[path.name]
