"""A robot walks a distance with a gait, on flat or rough ground."""

from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from softshell_actions.performing.robot import PerformError
from softshell_common.outcome import Status
from softshell_common.yaml_file import NotNegative, Number, Positive, StrictModel
from softshell_kinematics.errors import UnknownNameError
from softshell_kinematics.transforms import shift
from softshell_sim.scenes import terrain
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Shape
from softshell_studies.commanded_robot import CommandedRobot
from softshell_studies.scenarios.measuring import Meter
from softshell_studies.scenarios.performed import (
    check_actions,
    check_call,
    has_parameter,
    library_of,
)
from softshell_studies.study.scenario import Metric, Scenario

#: A base that leans further than this has fallen [rad].
FALLEN = 0.7
#: Where rough ground begins, ahead of the robot, and how far it reaches beyond the way [m].
AHEAD, BEYOND = 0.45, 1.0
#: Width of rough ground [m].
WIDE = 2.0
#: A robot that is slower than this did not walk [m/s]; its cost of transport is NaN.
SLOWEST = 0.005


class GroundForm(StrictModel):
    """The ground on which the robot walks.

    Attributes:
        kind: flat, or the kind of rough ground that begins 0.45 m ahead of the robot.
        height: of the highest block of rubble, or of one stair [m].
        block: side of the largest block of rubble, or depth of one stair [m].
        slope: of a ramp [rad].
        friction: between ground and feet.
    """

    kind: Literal['flat', 'rubble', 'ramp', 'stairs'] = 'flat'
    height: Positive = 0.03
    block: float = Field(default=0.16, ge=0.04, le=1.0)
    slope: float = Field(default=0.17, gt=0.0, le=0.7)
    friction: NotNegative = 0.5


class GaitForm(StrictModel):
    """How the robot walks; a robot takes those that its action `walk` has as parameters.

    Attributes:
        name: of the gait; empty: that of `cmd_vel`.
        step: length of a step [m]; None: the default of the action `walk`.
        height: to which feet are lifted [m]; None: the default of the action.
        period: time of a step [s]; None: the default of the action.
        cycle: time in which every leg steps once [s]; None: the default of the action.
    """

    name: str = ''
    step: Positive | None = None
    height: Positive | None = None
    period: Positive | None = None
    cycle: Positive | None = None

    @property
    def given(self) -> dict[str, float]:
        """Parameters of the action `walk`, by name, without those that have their defaults."""
        return self.model_dump(exclude={'name'}, exclude_none=True)


class WalkForm(StrictModel, validate_default=True):
    """Parameters of the scenario `walk`.

    Attributes:
        robot: its name; its actions `stand` and `walk` are performed.
        engine: physics engine.
        distance: commanded distance [m].
        direction: commanded direction, from the robot's front to the left [rad]; 0 if its action
            `walk` has no such parameter.
        gait: how the robot walks.
        footing: whether commands of the legs are corrected on uneven ground.
        ground: the ground on which the robot walks.
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
    def _walks(cls, name: str) -> str:
        check_actions(name, 'stand', 'walk')
        return name

    @field_validator('distance')
    @classmethod
    def _is_a_distance_of_the_robots(cls, distance: float, info: ValidationInfo) -> float:
        if 'robot' in info.data:
            check_call(info.data['robot'], 'walk', {'distance': distance})
        return distance

    @field_validator('direction')
    @classmethod
    def _is_a_direction_of_the_robots(cls, direction: float, info: ValidationInfo) -> float:
        if 'robot' in info.data:
            robot = info.data['robot']
            check_call(robot, 'walk', _direction(robot, direction))
        return direction

    @field_validator('gait')
    @classmethod
    def _is_one_of_the_robots(cls, gait: GaitForm, info: ValidationInfo) -> GaitForm:
        if 'robot' not in info.data:
            return gait
        robot = info.data['robot']
        known = library_of(robot).gaits
        if gait.name and gait.name not in known:
            raise ValueError(str(UnknownNameError('gait', gait.name, known)))
        # How often it steps follows from the distance, too.
        distance = {name: info.data[name] for name in ('distance',) if name in info.data}
        check_call(robot, 'walk', {**distance, **gait.given}, gait.name)
        return gait


def _direction(robot: str, direction: float) -> dict[str, float]:
    """The direction as a parameter of a robot's `walk`; none for one that only walks ahead."""
    ahead = direction == 0.0 and not has_parameter(robot, 'walk', 'direction')
    return {} if ahead else {'direction': direction}


def run(form: WalkForm, seed: int) -> dict[str, float]:
    """Walk; the seed chooses the rubble."""
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
        robot.world.apply(terrain.laid(shape, form.ground.friction, place))
    robot.perform('stand')
    robot.rest(0.2)
    meter = Meter(robot)
    given = {**_direction(form.robot, form.direction), **form.gait.given}
    stuck = False
    try:
        robot.perform(
            'walk', form.gait.name, stop=lambda: meter.tilt > FALLEN, distance=form.distance,
            **given,
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
    """The rough ground ahead of the robot; None if the ground is flat."""
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
        'distance': Metric('m', 'walked in the commanded direction'),
        'aside': Metric('m', 'to the left of that direction'),
        'turned': Metric('rad', 'turn of the base, to the left'),
        'duration': Metric('s', 'of the walk'),
        'speed': Metric('m/s', 'distance divided by duration'),
        'work': Metric('J', 'of all joints; braking counts as positive work'),
        'cost_of_transport': Metric('', 'work divided by weight and distance; NaN: did not walk'),
        'tilt': Metric('rad', 'largest angle of the base from the vertical'),
        'tracking': Metric('rad', 'rms difference between joints and their commands'),
        'fallen': Metric('', '1 if the base leant by more than 0.7 rad'),
        'stuck': Metric('', '1 if it ended early because a joint was blocked, e.g. by a stone'),
        'adapted': Metric('', 'number of sub-actions that were shortened, slowed down or late'),
    },
    run,
)
