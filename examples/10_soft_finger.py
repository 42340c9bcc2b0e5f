"""A soft finger that a tendon bends: its tip by statics, and after a simulation.

Run: .venv/bin/python examples/10_soft_finger.py
"""

import numpy as np

from softshell_continuum.elastic_chain import chain_of
from softshell_continuum.files import from_data
from softshell_continuum.forms import ManipulatorForm
from softshell_continuum.parts import parts_of_manipulator
from softshell_continuum.statics import Statics
from softshell_continuum.tendon import Tendon
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.soft.body import SoftBody

finger = from_data(
    ManipulatorForm,
    {
        'name': 'finger',
        'actuators': [
            {
                'length': 0.08,
                'n_segments': 8,
                'arrangement': 'together',
                'link': {'shape': 'capsule', 'dimensions': [0.01, 0.004], 'mass': 0.0015},
                'joints': [
                    {'axis': [1, 0, 0], 'stiffness': 0.1, 'damping': 0.001},
                    {'axis': [0, 1, 0], 'stiffness': 0.1, 'damping': 0.001},
                ],
            }
        ],
    },
)
discs = [0.01 * k for k in range(9)]  # places along the finger that guide the tendon [m]
tendon = Tendon.along('tendon', discs, radius=0.006, angle=0.0)

rest = Statics(chain_of(parts_of_manipulator(finger)), [tendon]).solve({'tendon': 3.0})
print(f'statics: tip at {np.round(rest.tip, 4)} m')

engine = make_engine('mujoco', EngineSettings(time_step=1e-3, gravity=9.81, window=False))
body = SoftBody(engine, finger, tendons={'finger': [tendon]})
body.pull('finger', [3.0])  # [N]
for _ in range(3000):
    body.apply()
    engine.step()
tip = body.tip('finger')[:3, 3]
engine.close()
print(
    f'simulation: tip at {np.round(tip, 4)} m, {1e3 * np.linalg.norm(tip - rest.tip):.2f} mm off'
)
