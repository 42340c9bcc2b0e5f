"""Run a study of 243 rods on all cores, and find the best of them with pyarrow.

Run: .venv/bin/python examples/12_study.py

Needs `./softshell setup studies`. Continues after an interruption. Writes out/rods/.
"""

from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from softshell_studies.study.study import read_study
from softshell_studies.study.sweep import sweep

STUDY = Path('examples/studies/rod.yaml')

if __name__ == '__main__':  # the worker processes import this file
    sweep(read_study(STUDY), Path('out/rods'))
    table = pq.read_table('out/rods/runs.parquet')
    bent = pc.sum(table['is_bent']).as_py()  # a label of the study
    print(f'{table.num_rows} runs, in {bent} of which the rod is bent')
    best = table.slice(pc.index(table['way'], pc.max(table['way'])).as_py(), 1).to_pylist()[0]
    print(f'furthest: {best["way"]:.3f} m, by {best["above"]:.2f} and {best["left"]:.2f} N')
