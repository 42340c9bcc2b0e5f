"""A robot with a cage closes into a ball, rolls some way, and comes to rest."""

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from softshell_common.yaml_file import NotNegative, Number, StrictModel
from softshell_control.ball.controller import RollingController
from softshell_kinematics.errors import SoftshellError
from softshell_sim.settings import WorldSettings
from softshell_studies.commanded_robot import CommandedRobot
from softshell_studies.scenarios.measuring import Meter
from softshell_studies.scenarios.performed import check_actions, check_call
from softshell_studies.study.scenario import Metric, Scenario
from softshell_studies.study.whole import WHOLE

#: After the action, time to come to rest, and then time in which the rest is measured [s].
REST = 1.0
#: The ball rests if it is slower than this [m/s].
SLOW = 0.05


class LawForm(StrictModel):
    """Settings of the rolling law, `softshell_control.ball.rolling_settings`, that differ.

    Attributes:
        ahead: after this time, the effect of a push is predicted [s]; None: the default.
        hold: for how long a panel is held open [s]; None: the default.
        rest: pause of a panel before it is opened again [s]; None: the default.
        lead: how far the goal of a joint is ahead of its position, at most [rad]; None: the
            default.
        most_open: most panels that are open at once; None: the default.
    """

    ahead: Annotated[float, Field(ge=0.0, le=0.5)] | None = None
    hold: Annotated[float, Field(ge=0.05, le=1.0)] | None = None
    rest: Annotated[float, Field(ge=0.0, le=0.5)] | None = None
    lead: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    most_open: Annotated[int, Field(ge=1, le=12), WHOLE] | None = None


class RollForm(StrictModel, validate_default=True):
    """Parameters of the scenario `roll`.

    Attributes:
        robot: its name; its actions `stand`, `close` and `roll` are performed, and `open` if it
            opens.
        engine: physics engine.
        distance: commanded distance [m].
        direction: commanded direction, from the robot's front before it closes, to the left
            [rad]; any: by the seed.
        speed: above which the ball is not pushed further [m/s].
        friction: between ground and ball.
        opens: whether the robot opens and stands up at the end.
        law: settings of the rolling law.
    """

    robot: str = 'shell'
    engine: Literal['mujoco', 'pybullet'] = 'mujoco'
    distance: float = Field(default=2.0, ge=0.1, le=50.0)
    direction: Number | Literal['any'] = 0.0
    speed: float = Field(default=0.9, ge=0.2, le=0.9)
    friction: NotNegative = 0.5
    opens: bool = False
    law: LawForm = LawForm()

    @field_validator('robot')
    @classmethod
    def _rolls(cls, name: str) -> str:
        check_actions(name, 'stand', 'close', 'roll')
        return name

    @field_validator('distance', 'speed')
    @classmethod
    def _is_in_the_robots_range(cls, value: float, info: ValidationInfo) -> float:
        if 'robot' in info.data:
            check_call(info.data['robot'], 'roll', {str(info.field_name): value})
        return value

    @field_validator('direction')
    @classmethod
    def _is_a_direction_of_the_robots(
        cls, direction: float | Literal['any'], info: ValidationInfo
    ) -> float | Literal['any']:
        directions = (-np.pi, np.pi) if direction == 'any' else (direction,)
        for one in directions if 'robot' in info.data else ():
            check_call(info.data['robot'], 'roll', {'direction': one})
        return direction

    @field_validator('opens')
    @classmethod
    def _can_open(cls, opens: bool, info: ValidationInfo) -> bool:
        if 'robot' in info.data and opens:
            check_call(info.data['robot'], 'open', {})
        return opens


def run(form: RollForm, seed: int) -> dict[str, float]:
    """Close, roll and rest; the seed only chooses the direction, if that may be any."""
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
    """The direction in which it is to roll, from its front to the left [rad]."""
    if isinstance(form.direction, float | int):
        return float(form.direction)
    return float(np.random.default_rng(seed).uniform(-np.pi, np.pi))


def _adjust(robot: CommandedRobot, form: LawForm) -> None:
    """Set the settings of the rolling law that the form gives."""
    asked = {name: value for name, value in form.model_dump().items() if value is not None}
    for controller in robot.controllers.values():
        if asked and isinstance(controller, RollingController):
            controller.law.settings = replace(controller.law.settings, **asked)


def _opens(robot: CommandedRobot) -> float:
    """Open; returns 1 if the robot opened and stands, 0 if that failed."""
    try:
        return float(robot.perform('open'))
    except SoftshellError:
        return 0.0


ROLL = Scenario(
    'roll',
    RollForm,
    {
        'distance': Metric('m', 'rolled in the commanded direction'),
        'aside': Metric('m', 'to the left of that direction'),
        'duration': Metric('s', 'from the start to rest'),
        'speed': Metric('m/s', 'distance divided by duration'),
        'top_speed': Metric('m/s', 'largest speed of the base'),
        'work': Metric('J', 'of all joints; braking counts as positive work'),
        'cost_of_transport': Metric('', 'work divided by weight and distance'),
        'rests': Metric('', '1 if the ball is at rest at the end'),
        'stands': Metric('', '1 if it then opened and stands; NaN if it was not to open'),
    },
    run,
)
