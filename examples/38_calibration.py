"""The stiffness of a soft finger from forces on its tip, and the finger of that stiffness at rest.

Run: .venv/bin/python examples/38_calibration.py

Writes out/stiffness.png.
"""

from pathlib import Path

from softshell_continuum.elastic_chain import chain_of
from softshell_continuum.files import from_data
from softshell_continuum.forms import ManipulatorForm
from softshell_continuum.parts import parts_of_manipulator
from softshell_continuum.plots import calibration_plot
from softshell_continuum.recordings import stiffness_by_deflections
from softshell_continuum.statics import Statics

LENGTH, JOINTS = 0.1, 10  # [m]
FORCES, BENT = [0.024, 0.050, 0.073], [0.004, 0.008, 0.012]  # [N], [m] as they were recorded

found = stiffness_by_deflections(BENT, FORCES, LENGTH, JOINTS)
print(found)
finger = from_data(
    ManipulatorForm,
    {
        'name': 'finger',
        'actuators': [
            {
                'length': LENGTH,
                'n_segments': JOINTS,
                'link': {
                    'shape': 'box',
                    'dimensions': [0.014, 0.01, LENGTH / JOINTS],
                    'mass': 1e-6,
                },
                'joints': [{'axis': [1, 0, 0], 'stiffness': found.value, 'damping': 0.001}],
            }
        ],
    },
)
statics = Statics(chain_of(parts_of_manipulator(finger)))
for force, bent in zip(FORCES, BENT, strict=True):
    tip = statics.solve(tip_force=(0.0, force, 0.0)).tip
    print(f'{force:.3f} N: recorded {1e3 * bent:.1f} mm, of the model {1e3 * tip[1]:.2f} mm')
Path('out').mkdir(exist_ok=True)
calibration_plot(found).savefig('out/stiffness.png')
print('written to out/stiffness.png')
