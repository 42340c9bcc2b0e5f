"""A robot with fingers walks over a thing, grasps it, carries it and sets it down."""

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from softshell_actions.performing.robot import PerformError
from softshell_common.outcome import Status
from softshell_common.yaml_file import NotNegative, Positive, StrictModel
from softshell_studies.grasper import Grasper, Thing, any_thing, with_stiffer_fingers
from softshell_studies.study.scenario import Metric, Scenario

#: A thing that is higher than this is lifted [m]; one that is lower is set down [m].
LIFTED, DOWN = 0.02, 0.012
#: As far off the way that it was carried it may be set down [m].
SHORT = 0.1


class ThingForm(StrictModel):
    """What is grasped.

    Attributes:
        size: its height and width [m]; None: 30 to 60 mm, by the seed.
        shape: ball or cube; any: by the seed.
        mass: [kg].
        friction: of it on fingers and ground.
        aside: how far it may be from where the fingers close, by the seed [m].
    """

    size: Annotated[float, Field(ge=0.02, le=0.065)] | None = None
    shape: Literal['ball', 'cube', 'any'] = 'any'
    mass: Positive = 0.05
    friction: NotNegative = 1.0
    aside: NotNegative = 0.01


class FingersForm(StrictModel):
    """How it is grasped.

    Attributes:
        stiffness: of the fingers, by what they have.
        force, lift, duration: parameters of the action: tension of each tendon that closes [N],
            how far it lifts [m], time to close [s]; None: its default.
    """

    stiffness: Positive = 1.0
    force: NotNegative | None = None
    lift: NotNegative | None = None
    duration: Positive | None = None


class GraspForm(StrictModel):
    """A grasp.

    Attributes:
        robot: its name; its actions `ready`, `walk`, `grasp` and `release` are performed.
        engine: of the world.
        distance: that it is carried [m]; 0: it is lifted alone.
        thing: what is grasped.
        fingers: how it is grasped.
    """

    robot: str = 'shell_fingers'
    engine: Literal['mujoco', 'pybullet'] = 'mujoco'
    distance: NotNegative = 0.5
    thing: ThingForm = ThingForm()
    fingers: FingersForm = FingersForm()


def run(form: GraspForm, seed: int) -> dict[str, float]:
    """Grasp a thing that the seed chooses."""
    model = with_stiffer_fingers(form.robot, form.fingers.stiffness)
    robot = Grasper(form.engine, thing_of(form.thing, seed), robot=model)
    given = {
        name: value
        for name in ('force', 'lift', 'duration')
        if (value := getattr(form.fingers, name)) is not None
    }
    try:
        return _grasp(form, robot, given)
    finally:
        robot.close()


def thing_of(form: ThingForm, seed: int) -> Thing:
    """The thing of a seed."""
    thing = any_thing(seed, form.aside)
    return replace(
        thing, size=form.size or thing.size, mass=form.mass, friction=form.friction,
        is_ball=thing.is_ball if form.shape == 'any' else form.shape == 'ball',
    )  # fmt: skip


def _grasp(form: GraspForm, robot: Grasper, given: dict[str, float]) -> dict[str, float]:
    nothing = {'success': 0.0, 'held': 0.0, 'lifted': 0.0, 'way': 0.0, 'squeeze': 0.0}
    try:
        lifted = robot.pick_up(given)
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
    """Sum of the forces on the thing [N]."""
    engine = robot.world.engine
    contacts = engine.contacts(engine.body('thing'))
    return float(sum(np.linalg.norm(contact.force) for contact in contacts))


GRASP = Scenario(
    'grasp',
    GraspForm,
    {
        'success': Metric('', '1 if it was lifted, carried all the way and set down'),
        'held': Metric('', '1 if it was lifted, and still was at the end of the way'),
        'lifted': Metric('m', 'above where it lay, at least'),
        'way': Metric('m', 'from where it was lifted to where it was set down'),
        'squeeze': Metric('N', 'sum of the forces on it when it is lifted'),
        'size': Metric('m', 'of the thing'),
    },
    run,
)
