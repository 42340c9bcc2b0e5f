"""A soft snake slithers on open ground."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from softshell_common.yaml_file import NotNegative, Number, Positive, StrictModel
from softshell_studies.observers import current_film
from softshell_studies.soft.snake import (
    ACTUATORS,
    ALONG,
    FREQUENCY,
    FRICTION,
    LENGTH,
    PHASE,
    STEP,
    TORQUE,
    Wave,
    slither,
)
from softshell_studies.study.scenario import Metric, Scenario
from softshell_studies.study.whole import WHOLE


class SnakeForm(StrictModel):
    """Parameters of the scenario `snake`.

    Attributes:
        engine: physics engine.
        cycles: number of cycles of the wave.
        friction: across the snake.
        along: friction along the snake, as part of that across it.
        torque: amplitude of the wave [N m].
        frequency: of the wave [rad/s].
        phase: from one actuator to the next [rad].
    """

    engine: Literal['mujoco', 'pybullet'] = 'mujoco'
    cycles: Annotated[int, Field(ge=1, le=100), WHOLE] = 4
    friction: NotNegative = FRICTION
    along: NotNegative = ALONG
    torque: Annotated[Number, Field(ge=0.0, le=0.2)] = TORQUE
    frequency: Positive = FREQUENCY
    phase: Number = PHASE


def run(form: SnakeForm, seed: int) -> dict[str, float]:
    """Slither; nothing is random, so the seed does not matter."""
    wave = Wave(form.torque, form.frequency, form.phase)
    film = current_film()
    way = slither(form.engine, form.along, form.cycles, film, wave, form.friction)
    seconds = 2.0 * np.pi / form.frequency * form.cycles
    return {
        'ahead': way.ahead,
        'lengths': way.ahead / (ACTUATORS * LENGTH),
        'aside': way.aside,
        'speed': way.ahead / seconds,
        'height': float(way.head[:, 2].max()),
        'steps': round(seconds / STEP) + 1,
    }


SNAKE = Scenario(
    'snake',
    SnakeForm,
    {
        'ahead': Metric('m', 'way of the middle, in the direction in which the snake lay'),
        'lengths': Metric('', 'the same divided by its length'),
        'aside': Metric('m', 'way of the middle to either side'),
        'speed': Metric('m/s', 'ahead divided by the time'),
        'height': Metric('m', 'largest height of its head'),
        'steps': Metric('', 'number of time steps of the physics'),
    },
    run,
    has_joints=False,
)
