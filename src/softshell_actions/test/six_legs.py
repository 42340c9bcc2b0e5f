"""A robot of six legs and six arms, and a fold, as actions know it: names alone."""

from pathlib import Path

from softshell_actions.language.vocabulary import Vocabulary
from softshell_description.config import Gains
from softshell_description.model import GroupSpec
from softshell_description.placeholders import Placeholders

CONFIG = Path(__file__).parents[3] / 'config/robots/shell'
LEGS = tuple(f'lower_{k}' for k in range(6))
ARMS = tuple(f'upper_{k}' for k in range(6))
OWN = {leg: tuple(f'{leg}_{j}' for j in ('yaw', 'pitch', 'knee')) for leg in LEGS}
OWN |= {arm: tuple(f'{arm}_{j}' for j in ('shoulder', 'elbow')) for arm in ARMS}
STIFF = Gains(kp=1.0, kd=0.0)


def vocabulary(facts):
    """What actions of this robot may speak of, where these facts are known."""
    return Vocabulary(
        groups={
            'fold': GroupSpec(('fold',), (), STIFF),
            'lower': GroupSpec(tuple(j for leg in LEGS for j in OWN[leg]), LEGS, STIFF),
            'upper': GroupSpec(tuple(j for arm in ARMS for j in OWN[arm]), ARMS, STIFF),
        },
        own_joints=OWN,
        legs=LEGS,
        poses=('ball', 'idle', 'stand'),
        facts=facts,
        lengths={'stand_height': 0.2, 'lying_height': 0.07},
        placeholders=Placeholders({'k': map(str, range(6))}),
        controllers=('rolling',),
        gait='tripod',
    )
