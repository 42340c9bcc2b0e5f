"""A block on skates and one without slide down a slope, turned two ways, without ROS.

Run: .venv/bin/python examples/37_skate.py
"""

import numpy as np

from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import BodyState, ObjectSpec, Surface
from softshell_sim.contact.anisotropic_friction import AnisotropicFriction
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.shapes import Box, Plane

FRICTION, ALONG = 0.6, 0.1  # across the skates, and what is left of it along them
SLOPE = np.radians(20.0)
SECONDS = 0.5


def slide(turn, skates):
    """How far a block slides down [m] that is turned on the slope by an angle [rad]."""
    engine = make_engine('mujoco', EngineSettings(time_step=0.001, gravity=9.81, window=False))
    ground = transform(rotation_about((0, 1, 0), SLOPE))  # it falls along x
    floor = engine.add(ObjectSpec('slope', Plane(), pose=ground))
    place = ground @ shift(z=0.05) @ transform(rotation_about((0, 0, 1), turn))
    friction = AnisotropicFriction(ALONG, axis=(1.0, 0.0, 0.0)) if skates else None
    block = engine.add(ObjectSpec('block', Box((0.2, 0.2, 0.1)), 1.0, place, anisotropic=friction))
    engine.set_pair_surface(block, floor, Surface(FRICTION))
    for _ in range(round(SECONDS / 0.001)):
        engine.step()
    state = BodyState.at_rest(place)
    engine.read(block, state)
    engine.close()
    return float(np.linalg.norm(state.position - place[:3, 3]))


for name, turn in (('along', 0.0), ('across', np.pi / 2)):
    print(
        f'skates {name} the slope: {slide(turn, True):.4f} m; without: {slide(turn, False):.4f} m'
    )
friction = ALONG * FRICTION
expected = 0.5 * 9.81 * (np.sin(SLOPE) - friction * np.cos(SLOPE)) * SECONDS**2
print(f'expected along: {expected:.4f} m; across the slope of 20° is less than that of friction')
