"""A gripper of soft fingers from a file: pulled against the friction of its joints, and as URDF.

Run: .venv/bin/python examples/58_gripper.py

Writes out/gripper.urdf.
"""

from pathlib import Path

import numpy as np

from softshell_continuum.files import read
from softshell_continuum.forms import AssemblyForm
from softshell_continuum.parts import parts_of_assembly
from softshell_continuum.tendon import Tendon
from softshell_continuum.urdf import urdf
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.soft.body import SoftBody

gripper = read(AssemblyForm, 'examples/gripper.yaml')
fingers = [member.name for member in gripper.members if member.manipulator is not None]
guides = [0.02 * k for k in range(4)]  # at the ends of a finger and halfway between joints [m]
tendon = Tendon.along('tendon', guides, radius=0.005, angle=0.5 * np.pi)  # on the inner side

engine = make_engine('mujoco', EngineSettings(time_step=1e-3, gravity=0.0, window=False))
body = SoftBody(engine, gripper, tendons={name: [tendon] for name in fingers})
for tension in (0.4, 1.0, 2.0, 3.0):
    for name in fingers:
        body.pull(name, [tension])  # [N]
    for _ in range(3000):
        body.apply()
        engine.step()
    body.read()
    ring = [body.tip(name)[:2, 3] for name in fingers]
    across = np.mean([np.linalg.norm(tip) for tip in ring])
    told = (
        f'each joint at {body.position.mean():.4f} rad, tips {1e3 * across:.2f} mm from the axis'
    )
    print(f'{tension:.1f} N: {told}')
engine.close()

Path('out').mkdir(exist_ok=True)
Path('out/gripper.urdf').write_text(urdf(gripper.name, parts_of_assembly(gripper)))
print('written to out/gripper.urdf')
