"""The notebook runs from top to bottom, and is kept without its outputs."""

import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parents[1] / 'notebooks' / 'kinematics.ipynb'


def test_the_notebook_is_kept_without_outputs():
    """No output and no execution count is committed."""
    cells = json.loads(NOTEBOOK.read_text())['cells']
    code = [cell for cell in cells if cell['cell_type'] == 'code']
    assert code
    assert all(not cell['outputs'] and cell['execution_count'] is None for cell in code)


@pytest.mark.needs('notebook')
def test_the_notebook_runs_and_shows_its_figures():
    """Every cell runs, its own assertions hold, and five figures come out."""
    import nbclient
    import nbformat

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=180, kernel_name='python3').execute()
    figures = [
        output
        for cell in notebook.cells
        for output in cell.get('outputs', ())
        if 'application/vnd.plotly.v1+json' in output.get('data', {})
    ]
    assert len(figures) == 5
