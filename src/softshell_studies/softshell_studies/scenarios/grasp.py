"""A robot with fingers walks over an object, grasps it, carries it and sets it down."""

from contextlib import closing
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from softshell_actions.performing.robot import PerformError
from softshell_common.outcome import Status
from softshell_common.yaml_file import NotNegative, Positive, StrictModel
from softshell_studies.grasper import (
    AHEAD,
    BETWEEN,
    SIZES,
    Grasper,
    Thing,
    any_thing,
    with_stiffer_fingers,
)
from softshell_studies.scenarios.performed import check_actions, check_call
from softshell_studies.study.scenario import Metric, Scenario

#: An object that is higher than this is lifted [m]; one that is lower than this is set down [m].
LIFTED, DOWN = 0.02, 0.012
#: Largest difference between the way of the object and the commanded distance [m].
SHORT = 0.1


class ThingForm(StrictModel):
    """The object that is grasped.

    Attributes:
        size: height and width [m]; None: 30 to 60 mm, by the seed.
        shape: ball or cube; any: by the seed.
        mass: [kg].
        friction: of the object on fingers and ground.
        aside: largest distance from the point where the fingers close; the seed chooses it [m].
    """

    size: Annotated[float, Field(ge=0.02, le=0.065)] | None = None
    shape: Literal['ball', 'cube', 'any'] = 'any'
    mass: Positive = 0.05
    friction: NotNegative = 1.0
    aside: NotNegative = 0.01


class FingersForm(StrictModel):
    """How the object is grasped.

    Attributes:
        stiffness: factor by which stiffness and damping of the fingers are multiplied.
        force: tension of each closing tendon [N]; None: the default of the action `grasp`.
        lift: height to which the object is lifted [m]; None: the default of the action.
        duration: time to close [s]; None: the default of the action.
    """

    stiffness: Positive = 1.0
    force: NotNegative | None = None
    lift: NotNegative | None = None
    duration: Positive | None = None

    @property
    def given(self) -> dict[str, float]:
        """Parameters of the action `grasp`, by name, without those that have their defaults."""
        return self.model_dump(exclude={'stiffness'}, exclude_none=True)


class GraspForm(StrictModel, validate_default=True):
    """Parameters of the scenario `grasp`.

    Attributes:
        robot: its name; its actions `stand`, `ready`, `walk`, `grasp` and `release` are
            performed.
        engine: physics engine.
        distance: how far the object is carried [m]; 0: it is only lifted.
        thing: the object that is grasped.
        fingers: how it is grasped.
    """

    robot: str = 'shell_fingers'
    engine: Literal['mujoco', 'pybullet'] = 'mujoco'
    distance: NotNegative = 0.5
    thing: ThingForm = ThingForm()
    fingers: FingersForm = FingersForm()

    @field_validator('robot')
    @classmethod
    def _grasps(cls, name: str) -> str:
        check_actions(name, 'stand', 'ready', 'walk', 'grasp', 'release')
        check_call(name, 'walk', {'distance': AHEAD, 'direction': BETWEEN})
        return name

    @field_validator('distance')
    @classmethod
    def _is_a_distance_of_the_robots(cls, distance: float, info: ValidationInfo) -> float:
        if 'robot' in info.data and distance > 0.0:
            check_call(info.data['robot'], 'walk', {'distance': distance})
        return distance

    @field_validator('thing')
    @classmethod
    def _is_of_a_size_for_the_robot(cls, thing: ThingForm, info: ValidationInfo) -> ThingForm:
        sizes = SIZES if thing.size is None else (thing.size,)
        for size in sizes if 'robot' in info.data else ():
            check_call(info.data['robot'], 'grasp', {'size': size})
            check_call(info.data['robot'], 'release', {'size': size})
        return thing

    @field_validator('fingers')
    @classmethod
    def _are_moved_as_the_robot_can(
        cls, fingers: FingersForm, info: ValidationInfo
    ) -> FingersForm:
        if 'robot' in info.data:
            check_call(info.data['robot'], 'grasp', fingers.given)
        return fingers


def run(form: GraspForm, seed: int) -> dict[str, float]:
    """Grasp an object; the seed chooses what the form leaves open."""
    model = with_stiffer_fingers(form.robot, form.fingers.stiffness)
    with closing(Grasper(form.engine, thing_of(form.thing, seed), robot=model)) as robot:
        return _grasp(form, robot)


def thing_of(form: ThingForm, seed: int) -> Thing:
    """The object of a form and a seed."""
    thing = any_thing(seed, form.aside)
    return replace(
        thing, size=form.size or thing.size, mass=form.mass, friction=form.friction,
        is_ball=thing.is_ball if form.shape == 'any' else form.shape == 'ball',
    )  # fmt: skip


def _grasp(form: GraspForm, robot: Grasper) -> dict[str, float]:
    nothing = {'success': 0.0, 'held': 0.0, 'lifted': 0.0, 'way': 0.0, 'squeeze': 0.0}
    try:
        lifted = robot.pick_up(form.fingers.given)
    except PerformError as error:
        if error.status is not Status.GOAL_MISSED:
            raise
        return {**nothing, 'size': robot.size}
    begin, squeeze = robot.thing.copy(), pressed(robot)
    carried = robot.carry(form.distance) if form.distance > 0.0 else lifted
    down = robot.set_down()
    way = float(np.linalg.norm(robot.thing[:2] - begin[:2]))
    held = min(lifted, carried) > LIFTED
    arrived = abs(way - form.distance) < SHORT and abs(down) < DOWN
    return {
        'success': float(held and arrived),
        'held': float(held),
        'lifted': min(lifted, carried),
        'way': way,
        'squeeze': squeeze,
        'size': robot.size,
    }


def pressed(robot: Grasper) -> float:
    """Sum of the magnitudes of all contact forces on the object [N]."""
    engine = robot.world.engine
    contacts = engine.contacts(engine.body('thing'))
    return float(sum(np.linalg.norm(contact.force) for contact in contacts))


GRASP = Scenario(
    'grasp',
    GraspForm,
    {
        'success': Metric('', '1 if the object was lifted, carried all the way and set down'),
        'held': Metric('', '1 if it was lifted, and still lifted at the end of the way'),
        'lifted': Metric('m', 'least height above where it lay, after lifting and carrying'),
        'way': Metric('m', 'from where it was lifted to where it was set down'),
        'squeeze': Metric('N', 'sum of the contact forces on it after lifting'),
        'size': Metric('m', 'of the object'),
    },
    run,
)
