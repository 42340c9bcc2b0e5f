"""What a step costs with each feature, beside bare stepping of the same scene, in one run.

All run the same targets in turn, some ticks each, so that whatever else the machine does meets
them alike. A ratio is the median of those of the turns.
"""

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from _engine_walks import PERIOD, Targets
from _sim_bare import BARE

from softshell_control.joint_map import JointMap
from softshell_description.model import RobotModel
from softshell_description.motor_form import BackEmfSpec, ThermalSpec
from softshell_kinematics.arrays import Array
from softshell_sim.contact.feedback import ContactFeedback
from softshell_sim.sensing.sensor_settings import sensor_settings
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

#: Ticks of each in its turn.
TURN = 20
#: Of the contacts' layer [m].
PADDING = 0.0025
#: Every loss that a motor can have on both engines.
LOSSES: dict[str, Any] = {
    'dry_friction': 0.06,
    'viscous_friction': 0.02,
    'rotor_inertia': 0.003,
    'backlash': 0.009,
    'delay': 0.008,
    'back_emf': BackEmfSpec(stall_effort=1.8, no_load_velocity=10.16),
    'thermal': ThermalSpec(
        loss=9.0, resistance=12.0, capacity=25.0, derate_from=60.0, limit=80.0
    ),
}  # fmt: skip
SIGNAL = {'noise': 1e-3, 'bias': 1e-3, 'resolution': 1e-3}
#: Noise, bias and digits of everything that is measured, late.
SENSORS = {
    'joints': {'delay': 0.004, 'position': SIGNAL, 'velocity': SIGNAL, 'effort': SIGNAL},
    'imu': {
        'delay': 0.004,
        'orientation': SIGNAL,
        'angular_velocity': SIGNAL,
        'linear_acceleration': SIGNAL,
    },
    'odometry': {'rate': 50.0, 'position': SIGNAL, 'orientation': SIGNAL},
    'contacts': {'threshold': 1.0, 'force': SIGNAL},
}


@dataclass(frozen=True)
class Cost:
    """What a step costs.

    Args:
        step: [us].
        ratio: of a step, against bare.
        tick: of a step, with its part of what is read once each control period [us].
        tick_ratio: against bare.
        height: of the base at the end [m].
    """

    step: float
    ratio: float
    tick: float
    tick_ratio: float
    height: float


@dataclass
class Contender:
    """Who steps: how, what is read, the heights of its base, and seconds of each turn."""

    step: Callable[[Array, Array], None]
    measure: Callable[[], float]
    close: Callable[[], None]
    steps: list[float] = dataclasses.field(default_factory=list)
    ticks: list[float] = dataclasses.field(default_factory=list)
    height: float = np.nan

    def turn(self, targets: Array, rates: Array, substeps: int) -> None:
        """Run these ticks, and add what they cost."""
        stepping, begin = 0.0, time.perf_counter()
        for target, rate in zip(targets, rates, strict=True):
            start = time.perf_counter()
            for _ in range(substeps):
                self.step(target, rate)
            stepping += time.perf_counter() - start
            self.height = self.measure()
        count = len(targets) * substeps
        self.steps.append(1e6 * stepping / count)
        self.ticks.append(1e6 * (time.perf_counter() - begin) / count)


def with_losses(robot: RobotModel) -> RobotModel:
    """The robot with motors that lose."""
    motors = {name: spec.model_copy(update=LOSSES) for name, spec in robot.motors.items()}
    return dataclasses.replace(robot, motors=motors)


def kinds(robot: RobotModel, engine: str) -> dict[str, World]:
    """Worlds with features off, with each on, and with those of the goal on."""
    sensors = sensor_settings(SENSORS)

    def world(losing: bool = False, **settings: Any) -> World:
        model = with_losses(robot) if losing else robot
        return World(model, WorldSettings(engine=engine, **settings))

    worlds = {
        'all off': world(),
        'padding': world(padding=PADDING),
        'motors': world(losing=True),
        'sensors': world(sensors=sensors),
        'padding, motors, sensors': world(losing=True, padding=PADDING, sensors=sensors),
        'implicit control': world(pd='implicit'),
        'contact feedback': world(),
    }
    watching = worlds['contact feedback']
    watching.feedback = ContactFeedback(watching.engine)
    return worlds


def contender(world: World) -> Contender:
    """A world that steps."""
    feedback = world.feedback

    def measure() -> float:
        height = float(world.measure(PERIOD).base.position[2])
        if feedback is not None:
            feedback.begin()
        return height

    if feedback is not None:
        feedback.begin()
    return Contender(world.step, measure, world.close)


def costs(robot: RobotModel, engine: str, plans: list[Targets], ticks: int) -> Mapping[str, Cost]:
    """What each costs on an engine, bare first.

    Args:
        robot: the robot.
        engine: name of the engine.
        plans: what it does.
        ticks: how many of its targets, at most.
    """
    worlds, joint_map = kinds(robot, engine), JointMap.of(robot)
    plain = worlds['all off']
    field = {}
    for name, friction in (('bare', 0.0), ('bare, dry friction', LOSSES['dry_friction'])):
        bare = BARE[engine](plain, friction)
        field[name] = Contender(bare.step, bare.measure, bare.close)
    field |= {name: contender(world) for name, world in worlds.items()}
    targets = np.concatenate([part.positions for part in plans])[:ticks] @ _spread(joint_map)
    targets += joint_map.offset
    rates = np.concatenate([part.rates for part in plans])[:ticks] @ _spread(joint_map)
    substeps = round(PERIOD / plain.settings.physics_step)
    names = list(field)
    for turn, first in enumerate(range(0, len(targets), TURN)):
        part = slice(first, first + TURN)
        # Nobody always comes after the same one.
        for place in np.random.default_rng(turn).permutation(len(names)):
            field[names[place]].turn(targets[part], rates[part], substeps)
    for each in field.values():
        each.close()
    return {name: _cost(each, field['bare']) for name, each in field.items()}


def _spread(joint_map: JointMap) -> Array:
    """(independent, movable) which joint follows which, and how."""
    spread = np.zeros((joint_map.independent, len(joint_map.names)))
    spread[joint_map.source, np.arange(len(joint_map.names))] = joint_map.multiplier
    return spread


def _cost(each: Contender, bare: Contender) -> Cost:
    """Medians of the turns; the first few meet code that is not compiled yet."""
    skip = min(3, len(each.steps) - 1)
    steps, ticks = np.array(each.steps)[skip:], np.array(each.ticks)[skip:]
    return Cost(
        float(np.median(steps)),
        float(np.median(steps / np.array(bare.steps)[skip:])),
        float(np.median(ticks)),
        float(np.median(ticks / np.array(bare.ticks)[skip:])),
        each.height,
    )
