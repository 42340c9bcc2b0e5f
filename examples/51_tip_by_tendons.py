"""Which tensions bring the tip of a soft arm to a point: inverse statics, and what if it cannot.

Run: .venv/bin/python examples/51_tip_by_tendons.py
"""

import numpy as np

from softshell_continuum.elastic_chain import chain_of
from softshell_continuum.files import from_data
from softshell_continuum.forms import ManipulatorForm
from softshell_continuum.inverse import tensions_for
from softshell_continuum.parts import parts_of_manipulator
from softshell_continuum.statics import Statics
from softshell_continuum.tendon import Tendon

arm = from_data(
    ManipulatorForm,
    {
        'name': 'arm',
        'actuators': [
            {
                'length': 0.2,
                'n_segments': 10,
                'arrangement': 'together',
                'link': {'shape': 'capsule', 'dimensions': [0.02, 0.008], 'mass': 0.004},
                'joints': [
                    {'axis': [1, 0, 0], 'stiffness': 0.6},
                    {'axis': [0, 1, 0], 'stiffness': 0.6},
                ],
            }
        ],
    },
)
discs = [0.02 * k for k in range(11)]  # places along the arm that guide the tendons [m]
tendons = [Tendon.along(f'at_{120 * k}', discs, 0.01, 2.0 * np.pi * k / 3.0) for k in range(3)]
statics = Statics(chain_of(parts_of_manipulator(arm)), tendons, gravity=(0.0, 0.0, 0.0))
FREE = np.nan  # a coordinate that does not matter


def reach(name, goal, largest=20.0, **given):
    """Find the tensions for a goal [m], and look where statics with them bring the tip."""
    found = tensions_for(statics, goal, largest, **given)
    loads = {key: value for key, value in given.items() if key != 'begin'}
    tip = statics.solve(found.tensions, **loads).tip
    off = 1e3 * np.linalg.norm(np.nan_to_num(tip - goal))
    print(f'{name}: {np.round(found.tensions, 3)} N, reached: {found.reached}, ', end='')
    print(f'tip at {np.round(tip, 4)} m, {off:.4f} mm off')


# Two coordinates for three tendons: of many solutions the search finds one near where it begins.
goal = np.array([0.06, 0.04, FREE])
reach('aside', goal)
reach('taut', goal, begin=[6.0, 6.0, 6.0])
reach('loaded', goal, tip_force=(0.0, 0.0, -0.2))  # helps to bend it [N]
reach('weak', goal, largest=2.0)  # as near as 2 N bring it
