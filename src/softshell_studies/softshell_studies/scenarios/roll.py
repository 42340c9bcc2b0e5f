"""A robot with a cage closes into a ball, rolls some way, and comes to rest."""

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from softshell_common.yaml_file import NotNegative, Number, StrictModel
from softshell_control.ball.controller import RollingController
from softshell_kinematics.errors import SoftshellError
from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import CommandedRobot
from softshell_studies.scenarios.measuring import Meter
from softshell_studies.study.scenario import Metric, Scenario

#: How long it is watched after it has come to rest [s].
REST = 1.0
#: A ball that is no slower then does not rest [m/s].
SLOW = 0.05


class LawForm(StrictModel):
    """How it is pushed; see `softshell_control.ball.rolling_law.Settings`; None: as it is there.

    Attributes:
        ahead: how far ahead of time a push is judged [s].
        hold: for how long a panel is held open [s].
        rest: how long a panel that closes rests before it is pushed again [s].
        lead: of a joint's goal before where it is, at most [rad].
        most_open: panels at once.
    """

    ahead: Annotated[float, Field(ge=0.0, le=0.5)] | None = None
    hold: Annotated[float, Field(ge=0.05, le=1.0)] | None = None
    rest: Annotated[float, Field(ge=0.0, le=0.5)] | None = None
    lead: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    most_open: Annotated[int, Field(ge=1, le=12)] | None = None


class RollForm(StrictModel):
    """A way as a ball.

    Attributes:
        robot: its name; its actions `close`, `roll` and `open` are performed.
        engine: of the world.
        distance: that it is told to roll [m].
        direction: of that, from its front before it closed, to the left [rad]; any: by the seed.
        speed: above which it is not pushed on [m/s].
        friction: between ground and ball.
        opens: whether it opens, and stands, in the end.
        law: how it is pushed.
    """

    robot: str = 'shell'
    engine: Literal['mujoco', 'pybullet'] = 'mujoco'
    distance: float = Field(default=2.0, ge=0.1, le=50.0)
    direction: Number | Literal['any'] = 0.0
    speed: float = Field(default=0.9, ge=0.2, le=0.9)
    friction: NotNegative = 0.5
    opens: bool = False
    law: LawForm = LawForm()


def run(form: RollForm, seed: int) -> dict[str, float]:
    """Close, roll, rest; nothing of it is random but the direction, if it may be any."""
    settings = WorldSettings(engine=form.engine, friction=form.friction, seed=seed)
    robot = CommandedRobot(settings, form.robot)
    try:
        _adjust(robot, form.law)
        robot.perform('stand')
        front = Meter(robot)
        robot.perform('close')
        meter = Meter(robot)
        direction = direction_of(form, seed)
        robot.perform('roll', distance=form.distance, direction=direction, speed=form.speed)
        seconds = meter.seconds
        robot.rest(REST)
        distance, aside = front.way(direction)
        work, top = meter.work, meter.speed
        still = Meter(robot)
        robot.rest(REST)
        rests = float(still.speed < SLOW)  # before it opens, which moves the base
        stands = _opens(robot) if form.opens else float('nan')
    finally:
        robot.close()
    return {
        'distance': distance,
        'aside': aside,
        'duration': seconds,
        'speed': distance / seconds,
        'top_speed': top,
        'work': work,
        'cost_of_transport': meter.cost(distance) if distance > 0.0 else float('nan'),
        'rests': rests,
        'stands': stands,
    }


def direction_of(form: RollForm, seed: int) -> float:
    """Where it rolls to [rad]."""
    if isinstance(form.direction, float | int):
        return float(form.direction)
    return float(np.random.default_rng(seed).uniform(-np.pi, np.pi))


def _adjust(robot: CommandedRobot, form: LawForm) -> None:
    """Have its ball pushed as is asked for."""
    asked = {name: value for name, value in form.model_dump().items() if value is not None}
    for controller in robot.controllers.values():
        if asked and isinstance(controller, RollingController):
            controller.law.settings = replace(controller.law.settings, **asked)


def _opens(robot: CommandedRobot) -> float:
    """Whether it opens and stands."""
    try:
        return float(robot.perform('open'))
    except SoftshellError:
        return 0.0


ROLL = Scenario(
    'roll',
    RollForm,
    {
        'distance': Metric('m', 'rolled in the direction that was asked for'),
        'aside': Metric('m', 'off to the left of it'),
        'duration': Metric('s', 'from the start to rest'),
        'speed': Metric('m/s', 'distance over duration'),
        'top_speed': Metric('m/s', 'of the base, at most'),
        'work': Metric('J', 'of all joints, what brakes counted as well'),
        'cost_of_transport': Metric('', 'work over weight and distance'),
        'rests': Metric('', '1 if it stands still in the end'),
        'stands': Metric('', '1 if it then opened and stood; none if it was not asked to'),
    },
    run,
)
