"""A planner for a robot with six legs and two arms, whose limbs never move."""

import math
import sys
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from softshell_actions.facts import Facts
from softshell_actions.library import ActionLibrary
from softshell_actions.planning.planner import Planner
from softshell_actions.planning.rolling import RollingFeet
from softshell_actions.state import Stance, State

sys.path.insert(0, str(Path(__file__).parent))
from six_legs import ARMS, CONFIG, LEGS, OWN, vocabulary

JOINTS = dict.fromkeys(['fold', *(joint for own in OWN.values() for joint in own)], 0.0)
ANGLES = np.arange(6) * math.pi / 3
FEET = np.column_stack([0.3 * np.cos(ANGLES), 0.3 * np.sin(ANGLES), np.zeros(6)])
STANCE = Stance(FEET, LEGS, stand_height=0.2, lying_height=0.07)
FACTS = Facts(STANCE, dict.fromkeys(JOINTS, 1.0))
VOCABULARY = vocabulary(FACTS.names)
LIBRARY = ActionLibrary(CONFIG, VOCABULARY)
POSES = {'stand': JOINTS, 'idle': dict.fromkeys(JOINTS, -0.3)}


def forward(joints):
    """Tips of a robot whose limbs never move, which is enough to check goals."""
    places = {leg: [*FEET[k, :2], -0.2] for k, leg in enumerate(LEGS)}
    places |= {arm: [0.1, 0.0, 0.2] for arm in ARMS}
    tips = {name: np.eye(4) for name in places}
    for name, place in places.items():
        tips[name][:3, 3] = place
    return tips


PLANNER = Planner(STANCE, LIBRARY.gaits, VOCABULARY, POSES, forward, FACTS, RollingFeet({}, {}))


def standing(**changes) -> State:
    values = {
        'joints': JOINTS,
        'feet': FEET,
        'base_position': np.array([0.0, 0.0, 0.2]),
        'base_rotation': Rotation.identity(),
    }
    return State(**{**values, **changes})
