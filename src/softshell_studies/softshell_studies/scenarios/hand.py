"""A hand of four soft fingers turns a cube on its palm for some cycles."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from softshell_common.yaml_file import NotNegative, Number, Positive, StrictModel
from softshell_studies.observers import current_film
from softshell_studies.soft.hand_cube import CYCLE, DROPPED, EDGE, TOP, Setting, turned
from softshell_studies.study.scenario import Metric, Scenario
from softshell_studies.study.whole import WHOLE


class HandForm(StrictModel):
    """Parameters of the scenario `hand`.

    Attributes:
        engine: physics engine.
        cycles: number of cycles of the fingers.
        mass: of the cube [kg].
        palm_height: how much higher the palm is than that of the published hand [m].
        palm: friction between the cube and the palm.
        tips: friction between the cube and the fingers.
        aside: distance of the cube from the middle at first [m]; the seed chooses the direction.
    """

    engine: Literal['mujoco', 'pybullet'] = 'mujoco'
    cycles: Annotated[int, Field(ge=1, le=20), WHOLE] = 2
    mass: Positive = 0.025
    palm_height: Annotated[Number, Field(ge=-0.03, le=0.03)] = 0.0
    palm: NotNegative = 0.1
    tips: NotNegative = 0.5
    aside: NotNegative = 0.0


def run(form: HandForm, seed: int) -> dict[str, float]:
    """Turn the cube; the seed chooses to which side it is off the middle."""
    around = np.random.default_rng(seed).uniform(-np.pi, np.pi)
    aside = form.aside * np.array([np.cos(around), np.sin(around)])
    setting = Setting(
        form.mass, form.palm, form.tips, form.palm_height, (float(aside[0]), float(aside[1]))
    )
    way = turned(form.engine, setting, form.cycles, current_film())
    middles, lies = np.array(way.middles), TOP + form.palm_height + 0.5 * EDGE
    lost = np.flatnonzero(middles[:, 2] < lies - DROPPED)
    # What the cube does while it falls is not counted.
    held = int(lost[0]) if len(lost) else len(middles)
    turn = way.yaws[max(held - 1, 0)] - way.yaws[0]
    return {
        'turned': turn,
        'turned_a_cycle': turn / form.cycles,
        'rise': float(np.abs(middles[:held, 2] - lies).max(initial=0.0)),
        'offset': float(np.linalg.norm(middles[:held, :2], axis=1).max(initial=0.0)),
        'tilt': max(way.tilts[:held], default=0.0),
        'dropped': float(len(lost) > 0),
        'duration': form.cycles * CYCLE,
    }


HAND = Scenario(
    'hand',
    HandForm,
    {
        'turned': Metric('rad', 'turn of the cube on the palm, to the left'),
        'turned_a_cycle': Metric('rad', 'the same divided by the number of cycles'),
        'rise': Metric('m', 'largest difference of the cube from its height at rest, up or down'),
        'offset': Metric('m', 'largest distance of the cube from the middle'),
        'tilt': Metric('rad', 'largest tilt of the cube'),
        'dropped': Metric('', '1 if it fell from the palm'),
        'duration': Metric('s', 'of all cycles'),
    },
    run,
    has_joints=False,
)
