"""A robot walks some way by a gait, on flat or rough ground."""

from functools import cache
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from softshell_actions.performing.robot import PerformError
from softshell_actions.robot import body_of
from softshell_common.outcome import Status
from softshell_common.yaml_file import NotNegative, Number, Positive, StrictModel
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.transforms import shift
from softshell_sim import terrain
from softshell_sim.bodies import ObjectSpec
from softshell_sim.changes import Spawn
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Shape
from softshell_studies.commanded_robot import CommandedRobot
from softshell_studies.scenarios.measuring import Meter
from softshell_studies.study.scenario import Metric, Scenario

#: A base that leans further than this has fallen [rad].
FALLEN = 0.7
#: Where rough ground begins, ahead of the robot [m], and how far it goes beyond the way.
AHEAD, BEYOND = 0.45, 1.0
WIDE = 2.0
#: Slower than this it did not walk [m/s], and its cost is no number.
SLOWEST = 0.005


class GroundForm(StrictModel):
    """What it walks on.

    Attributes:
        kind: flat, or what begins 0.45 m ahead.
        height: of the highest block of rubble, or the rise of a step [m].
        block: side of the largest block of rubble, or the run of a step [m].
        slope: of a ramp [rad].
        friction: between ground and feet.
    """

    kind: Literal['flat', 'rubble', 'ramp', 'stairs'] = 'flat'
    height: Positive = 0.03
    block: float = Field(default=0.16, ge=0.04, le=1.0)
    slope: float = Field(default=0.17, gt=0.0, le=0.7)
    friction: NotNegative = 0.5


class GaitForm(StrictModel):
    """How it walks.

    Attributes:
        name: of the gait; empty: the robot's first.
        step, height, period: parameters of the action: length [m] and height [m] of a step, time
            for one [s]; None: its default.
    """

    name: str = ''
    step: Positive | None = None
    height: Positive | None = None
    period: Positive | None = None


class WalkForm(StrictModel):
    """A walk.

    Attributes:
        robot: its name; its action `walk` is performed.
        engine: of the world.
        distance: that it is told to walk [m].
        direction: of the walk, from its front to the left [rad].
        gait: how it walks.
        footing: whether feet are fitted to the ground as they meet it.
        ground: what it walks on.
    """

    robot: str = 'shell'
    engine: Literal['mujoco', 'pybullet'] = 'mujoco'
    distance: float = Field(default=0.5, gt=0.0, le=20.0)
    direction: Number = 0.0
    gait: GaitForm = GaitForm()
    footing: bool = False
    ground: GroundForm = GroundForm()

    @field_validator('robot')
    @classmethod
    def _is_a_robot(cls, name: str) -> str:
        gaits_of(name)
        return name

    @field_validator('gait')
    @classmethod
    def _is_one_of_the_robots(cls, gait: GaitForm, info: ValidationInfo) -> GaitForm:
        if gait.name and 'robot' in info.data:
            known = gaits_of(info.data['robot'])
            if gait.name not in known:
                raise ValueError(str(UnknownNameError('gait', gait.name, known)))
        return gait


@cache
def gaits_of(robot: str) -> tuple[str, ...]:
    """Names of the gaits of a robot.

    Raises:
        ValueError: there is no such robot, or it cannot be read.
    """
    try:
        model = load_robot(robot)
        return tuple(body_of(model).library().gaits)
    except SoftshellError as error:
        raise ValueError(str(error)) from None


def run(form: WalkForm, seed: int) -> dict[str, float]:
    """Walk, on ground that the seed scatters."""
    settings = WorldSettings(engine=form.engine, friction=form.ground.friction, seed=seed)
    robot = CommandedRobot(settings, form.robot, form.footing)
    try:
        return _walk(form, seed, robot)
    finally:
        robot.close()


def _walk(form: WalkForm, seed: int, robot: CommandedRobot) -> dict[str, float]:
    shape = _shape(form.ground, form.distance, seed)
    if shape is not None:
        place = shift(AHEAD) if form.ground.kind != 'rubble' else shift(AHEAD + _long(form) / 2)
        robot.world.apply([Spawn(ObjectSpec('ground', shape, pose=place))])
    robot.perform('stand')
    robot.rest(0.2)
    meter = Meter(robot)
    given = {
        name: value
        for name in ('step', 'height', 'period')
        if (value := getattr(form.gait, name)) is not None
    }
    stuck = False
    try:
        robot.perform(
            'walk', form.gait.name, stop=lambda: meter.tilt > FALLEN,
            distance=form.distance, direction=form.direction, **given,
        )  # fmt: skip
    except PerformError as error:
        stuck = meter.tilt <= FALLEN
        if stuck and error.status is not Status.GOAL_MISSED:
            raise
    return _found(form, robot, meter, stuck)


def _found(form: WalkForm, robot: CommandedRobot, meter: Meter, stuck: bool) -> dict[str, float]:
    distance, aside = meter.way(form.direction)
    walked = distance > SLOWEST * meter.seconds
    return {
        'distance': distance,
        'aside': aside,
        'turned': meter.turned(),
        'duration': meter.seconds,
        'speed': distance / meter.seconds,
        'work': meter.work,
        'cost_of_transport': meter.cost(distance) if walked else float('nan'),
        'tilt': meter.tilt,
        'tracking': meter.tracking,
        'fallen': float(meter.tilt > FALLEN),
        'stuck': float(stuck),
        'adapted': float(len(robot.remarks)),
    }


def _long(form: WalkForm) -> float:
    return form.distance + BEYOND


def _shape(ground: GroundForm, distance: float, seed: int) -> Shape | None:
    """What lies ahead."""
    far = distance + BEYOND
    if ground.kind == 'rubble':
        return terrain.rubble((far, WIDE), ground.height, ground.block, seed)
    if ground.kind == 'ramp':
        return terrain.ramp(ground.slope, far, WIDE)
    if ground.kind == 'stairs':
        return terrain.stairs(max(1, round(far / ground.block)), ground.height, ground.block, WIDE)
    return None


WALK = Scenario(
    'walk',
    WalkForm,
    {
        'distance': Metric('m', 'walked in the direction that was asked for'),
        'aside': Metric('m', 'off to the left of it'),
        'turned': Metric('rad', 'of the base, to the left'),
        'duration': Metric('s', 'of the walk'),
        'speed': Metric('m/s', 'distance over duration'),
        'work': Metric('J', 'of all joints, what brakes counted as well'),
        'cost_of_transport': Metric('', 'work over weight and distance; none if it stood still'),
        'tilt': Metric('rad', 'of the base from the vertical, at most'),
        'tracking': Metric('rad', 'joints off their commands, rms'),
        'fallen': Metric('', '1 if the base leant by more than 0.7 rad'),
        'stuck': Metric('', '1 if it ended early, a joint held back: between stones, say'),
        'adapted': Metric('', 'sub-actions that were made shorter, slower or late'),
    },
    run,
)
