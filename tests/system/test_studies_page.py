"""docs/studies.md: its files, its program and its numbers of runs are those of the code."""

import re
import subprocess
import sys

import numpy as np
import pytest
from page_blocks import ROOT, blocks, rows
from pages import SPAN, text_of

from softshell_common.yaml_file import YamlFile
from softshell_studies.study.form import StudyForm
from softshell_studies.study.scenario import SCENARIOS
from softshell_studies.study.study import Study, read_study
from softshell_studies.study.sweep import sweep

PAGE = text_of(ROOT / 'docs' / 'studies.md')
FILES = sorted((ROOT / 'examples' / 'studies').glob('*.yaml'))


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_every_study_that_ships_is_read_and_named(path):
    """Its scenario, parameters, metrics and conditions are there, and so is its first run."""
    study = read_study(path)
    first = study.run(0)
    assert {*first.values} == {*study.form.parameters}
    assert study.parameters(first.values)
    assert path.name in PAGE


def test_the_numbers_of_runs_are_those_of_the_files():
    """Of points for a search, as the page and the README tell them."""
    runs = {path.stem: len(read_study(path)) for path in FILES}
    assert f'rod.yaml    # {runs["rod"]} rods' in PAGE
    assert (runs['gait'], runs['palm']) == (9, 21)
    assert 'gait.yaml   # nine walks' in PAGE
    assert f'{runs["palm"]} cubes' in PAGE
    assert f'({runs["grasp_map"]} grasps of 100 g' in PAGE
    for name, points in re.findall(r'^\| `(best_\w+)\.yaml`: .*?(\d+) points', PAGE, re.MULTILINE):
        assert search(name).trials == int(points)
    assert f'{runs["rod_scatter"]} rods of 160 mm' in PAGE
    assert PAGE.count('` has three more') == PAGE.count('` has three searches') == 1
    assert sum(read_study(path).form.optimize is not None for path in FILES) == 3


def search(name: str):
    """What a study that ships searches for."""
    return read_study(ROOT / 'examples' / 'studies' / f'{name}.yaml').form.optimize


def test_the_files_of_the_page_are_those_that_ship(tmp_path):
    """But for the engine, which the second leaves to the default."""
    for text, name in zip(blocks('studies.md', 'yaml'), ('gait', 'best_gait'), strict=True):
        path = tmp_path / f'{name}.yaml'
        path.write_text(text, encoding='utf-8')
        shown: Study = read_study(path)
        shipped = YamlFile(ROOT / 'examples' / 'studies' / path.name).validate(StudyForm)
        fixed = {'engine': 'mujoco', **shown.form.fixed}
        assert shown.form.model_copy(update={'fixed': fixed}) == shipped


def test_every_entry_and_scenario_is_explained():
    """Each entry of a study has its place in the table; the scenarios are all that there are."""
    table = {name: meaning for names, meaning in rows('studies.md', 'entry', 'meaning')
             for name in SPAN.findall(names)}  # fmt: skip
    assert {*table} == {*StudyForm.model_fields}
    assert {*SPAN.findall(table['scenario'].partition(';')[0])} == {*SCENARIOS}


@pytest.mark.long
@pytest.mark.needs('studies')
def test_the_program_of_the_page_sweeps(tmp_path):
    """Run as a file of its own, for the processes import it; all rods are in the table."""
    (program,) = blocks('studies.md', 'python')
    (tmp_path / 'examples').symlink_to(ROOT / 'examples')
    (tmp_path / 'mine.py').write_text(program, encoding='utf-8')
    subprocess.run([sys.executable, 'mine.py'], cwd=tmp_path, check=True, timeout=120)
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(tmp_path / 'out' / 'rod' / 'runs.parquet').num_rows == 243


@pytest.mark.long
@pytest.mark.needs('studies')
def test_rods_that_scatter_stand_as_often_as_told(tmp_path):
    """As many as the page says, which are nearly those that a rod's own weight does not buckle
    (A. G. Greenhill, 1881): some of the others give way by less than is counted."""
    study = read_study(ROOT / 'examples' / 'studies' / 'rod_scatter.yaml')
    sweep(study, tmp_path, workers=2)
    import pyarrow.parquet

    runs = pyarrow.parquet.read_table(tmp_path / 'runs.parquet').to_pydict()
    assert f': {sum(runs["is_stands"])} of them stay within 5 cm' in PAGE
    young, diameter = np.array(runs['youngs_modulus']), np.array(runs['diameter'])
    longest = np.cbrt(7.837 * young * diameter**2 / (16.0 * 1100.0 * 9.81))
    assert sum(runs['is_stands']) == pytest.approx((longest > 0.16).sum(), rel=0.05)
    assert young.std() == pytest.approx(0.1e6, rel=0.05)
