"""A search with a function of your own: the stiffest finger that its tendon still bends by 90°.

Run: .venv/bin/python examples/31_search.py

Needs `./softshell setup studies`. Continues after an interruption. Writes out/finger/.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from softshell_continuum.elastic_chain import chain_of
from softshell_continuum.files import from_data
from softshell_continuum.forms import ManipulatorForm
from softshell_continuum.parts import parts_of_manipulator
from softshell_continuum.statics import Statics
from softshell_continuum.tendon import Tendon
from softshell_studies.report.runs import read_runs
from softshell_studies.study.optimise import optimise
from softshell_studies.study.study import read_study

DISCS = [0.01 * k for k in range(9)]  # places along the finger that guide the tendon [m]
PULL, PUSH = 3.0, 0.1  # of the tendon, and of a weight at the tip of the straight finger [N]


def finger(parameters, seed):
    """How far the tip sags under the weight [m], and by how much the tendon bends it [rad]."""
    actuator = {
        'length': 0.08,
        'n_segments': 8,
        'arrangement': 'together',
        'link': {'shape': 'capsule', 'dimensions': [0.01, 0.004], 'mass': 0.0},
        'joints': [{'axis': [0, 1, 0], 'stiffness': parameters['stiffness'], 'damping': 0.001}],
    }
    form = from_data(ManipulatorForm, {'name': 'finger', 'actuators': [actuator]})
    tendon = Tendon.along('tendon', DISCS, radius=parameters['radius'], angle=0.0)
    statics = Statics(chain_of(parts_of_manipulator(form)), [tendon])
    bent = statics.solve({'tendon': PULL})
    loaded = statics.solve(tip_force=[PUSH, 0.0, 0.0])
    return {'sag': abs(loaded.tip[0]), 'angle': np.sum(bent.positions)}


if __name__ == '__main__':  # the worker processes import this file
    out = Path('out/finger')
    _, found = optimise(read_study(Path('examples/stiff_finger.yaml')), out)
    print(found.table())
    print(f'bent by {finger(found.values, 0)["angle"]:.4f} rad')

    runs = read_runs(out)
    for fits, label in ((runs.fits, 'bends by 90° or more'), (~runs.fits, 'bends less')):
        plt.scatter(*(values[fits] for values in runs.parameters.values()), label=label)
    plt.xlabel('stiffness of a joint [N m/rad]')
    plt.ylabel('radius of the tendon [m]')
    plt.xscale('log')
    plt.legend()
    plt.savefig(out / 'search.png')
