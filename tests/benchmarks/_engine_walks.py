"""A robot's demo without ROS: planned once, performed in worlds of any kind, and judged."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from softshell_actions.rehearsal import Rehearsal
from softshell_control.joint_map import JointMap
from softshell_description.config import Gains
from softshell_description.foot_spheres import foot_spheres
from softshell_description.model import RobotModel
from softshell_kinematics.arrays import Array
from softshell_recording.scenario import load_scenario
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

#: Time between two targets, and for which the robot rests before an action [s].
PERIOD, REST = 0.004, 0.5
#: Steps over which the cost of one is a mean; the tenth of these means with the least tells what a
#: step costs while nobody else has the processor.
BLOCK = 50
#: Which parameter of an action says what its measure is to be.
ASKED = {'travel': 'distance', 'turn': 'angle'}


@dataclass(frozen=True)
class Targets:
    """One action.

    Args:
        measure: 'travel', 'turn' or ''.
        asked: how far [m] or [rad].
        positions: (ticks, joints) targets [rad] or [m].
        rates: (ticks, joints) their rates.
    """

    measure: str
    asked: float
    positions: Array
    rates: Array


@dataclass(frozen=True)
class Walk:
    """What became of one performance.

    Args:
        distance_error: of the travel, against what was asked for [%].
        drift: change of heading on the travel [deg/m].
        turn_error: of the turn, against what was asked for [%]; NaN: there was none.
        slip: way of a foot over the ground while it touches, less what it rolls, for each metre
            walked, a mean over the feet [m/m].
        tracking: of the joints, root of the mean square [mrad].
        end: x, y [m] and heading [deg] of the base, against where it began.
        cost: of a step of the world [us].
    """

    distance_error: float
    drift: float
    turn_error: float
    slip: float
    tracking: float
    end: tuple[float, float, float]
    cost: float


@dataclass
class Trace:
    """What was seen at each tick: base and feet, all independent of the engine."""

    feet: list[Array] = field(default_factory=list)
    positions: list[Array] = field(default_factory=list)
    orientations: list[Array] = field(default_factory=list)
    touching: list[Array] = field(default_factory=list)

    def add(self, measured: Any, feet: Array) -> None:
        """Add what is measured now, and the (feet, 4, 4) of `foot_poses`."""
        self.feet.append(feet)
        self.positions.append(measured.base.position.copy())
        self.orientations.append(measured.base.orientation.copy())
        self.touching.append(np.asarray(measured.contacts.touching).copy())

    def headings(self) -> Array:
        """(ticks,) of the base, continuous [rad]."""
        turns = Rotation.from_quat(self.orientations)
        return np.unwrap(turns.as_euler('zyx')[:, 0])


def plan(robot: RobotModel, distance: float | None = None) -> list[Targets]:
    """The demo's trajectories up to its turn.

    Args:
        robot: with a demo that travels.
        distance: of the travel, which then is the end [m]; None: the demo's, and all of it.
    """
    rehearsal, value, planned = Rehearsal(robot), robot.pose(robot.start).copy(), []
    for step in load_scenario(robot.folder).steps:
        given = dict(step.parameters)
        if distance is not None and step.measure == 'travel':
            given['distance'] = distance
        still = np.zeros_like(value)
        rows, rates = [value.copy()] * round(REST / PERIOD), [still] * round(REST / PERIOD)
        for part in rehearsal.perform(step.action, given):
            motion = part.motion
            columns = [robot.index(name) for name in motion.joints]
            curve = CubicHermiteSpline(motion.times, motion.positions, motion.velocities)
            for moment in np.arange(1, round(motion.duration / PERIOD) + 1) * PERIOD:
                value[columns], rate = curve(moment), still.copy()
                rate[columns] = curve(moment, 1)
                rows.append(value.copy())
                rates.append(rate)
        measure = step.measure or ''
        asked = given.get(ASKED.get(measure, ''), np.nan)
        planned.append(Targets(measure, asked, np.array(rows), np.array(rates)))
        if distance is not None and measure == 'travel':
            break
    return planned


def play(
    robot: RobotModel, plans: list[Targets], settings: WorldSettings, stiffer: float = 1.0
) -> Walk:
    """Perform in a world of its own.

    Args:
        robot: the robot.
        plans: what it does.
        settings: of the world.
        stiffer: factor of all gains.
    """
    world, joint_map = World(robot, settings), JointMap.of(robot)
    if stiffer != 1.0:
        given = {name: group.gains for name, group in robot.groups.items()}
        world.set_gains(
            {
                name: Gains(kp=stiffer * gains.kp, kd=stiffer * gains.kd)
                for name, gains in given.items()
            }
        )
    world.settle(REST)
    substeps, count = round(PERIOD / settings.physics_step), len(robot.joints)
    target, rate = np.zeros(len(joint_map.names)), np.zeros(len(joint_map.names))
    costs, errors, traces = [], [], []
    for part in plans:
        traces.append(Trace())
        traces[-1].add(world.measure(PERIOD), foot_poses(world))
        for position, speed in zip(part.positions, part.rates, strict=True):
            joint_map.positions(position, target)
            joint_map.rates(speed, rate)
            clock = time.perf_counter()
            for _ in range(substeps):
                world.step(target, rate)
            costs.append((time.perf_counter() - clock) / substeps)
            measured = world.measure(PERIOD)
            errors.append(measured.position[:count] - position)
            traces[-1].add(measured, foot_poses(world))
    world.close()
    blocks = np.array(costs[: len(costs) // BLOCK * BLOCK]).reshape(-1, BLOCK).mean(axis=1)
    tracking = 1e3 * float(np.sqrt(np.mean(np.square(errors))))
    return judged(robot, plans, traces, tracking, 1e6 * float(np.percentile(blocks, 10)))


def judged(
    robot: RobotModel, plans: list[Targets], traces: list[Trace], tracking: float, cost: float
) -> Walk:
    """Figures of a performance; `tracking` and `cost` as in `Walk`."""
    of = {part.measure: (part, trace) for part, trace in zip(plans, traces, strict=True)}
    part, trace = of['travel']
    headings = trace.headings()
    way = trace.positions[-1] - trace.positions[0]
    travelled = float(way[:2] @ [np.cos(headings[0]), np.sin(headings[0])])
    turn_error = np.nan
    if 'turn' in of:
        turn, turned = of['turn']
        ends = turned.headings()
        turn_error = 100.0 * float((ends[-1] - ends[0]) / turn.asked - 1.0)
    first, last = traces[0], traces[-1]
    x, y, _ = last.positions[-1] - first.positions[0]
    angle = sum(float(each.headings()[-1] - each.headings()[0]) for each in traces)
    return Walk(
        100.0 * (travelled / part.asked - 1.0),
        float(np.degrees(headings[-1] - headings[0])) / travelled,
        turn_error,
        float(slips(robot, trace).mean()) / travelled,
        tracking,
        (float(x), float(y), float(np.degrees(angle))),
        cost,
    )


def foot_poses(world: World) -> Array:
    """(feet, 4, 4) of the feet's frames in the world, as the engine has them.

    Joints that mimic another give way each by itself, so a foot is not where the independent
    joints would have it: with Shell's fold, by up to 2 mm.
    """
    robot, links = world.robot, world.body.links
    assert robot.legs is not None
    bodies = [robot.urdf.bodies[foot] for foot in robot.legs.feet]
    found = [world.engine.link_pose(world.body, links.index(link)) @ pose for link, pose in bodies]
    return np.array(found)


def slips(robot: RobotModel, trace: Trace) -> Array:
    """(feet,) way of each foot over the ground while it touches [m].

    Its round end of radius r that turns by w rolls by r w × z; what its middle moves beyond that,
    it slips.
    """
    spheres, poses = foot_spheres(robot), np.array(trace.feet)
    touching = np.array(trace.touching, dtype=np.bool_)
    found = np.zeros(poses.shape[1])
    for foot, centre in enumerate(spheres.centre):
        middle = poses[:, foot, :3, 3] + poses[:, foot, :3, :3] @ centre
        way = np.diff(middle, axis=0)
        turns = Rotation.from_matrix(poses[:, foot, :3, :3])
        spin = (turns[1:] * turns[:-1].inv()).as_rotvec()
        rolled = spheres.radius[foot] * np.cross(spin, [0.0, 0.0, 1.0])
        slip = np.linalg.norm((way - rolled)[:, :2], axis=1)
        found[foot] = slip[touching[1:, foot] & touching[:-1, foot]].sum()
    return found


def differences(walks: Mapping[str, Walk], one: str, other: str) -> str:
    """How far two performances end from each other, in a line."""
    (x, y, a), (u, v, b) = walks[one].end, walks[other].end
    distance = float(np.hypot(x - u, y - v))
    return f'{one} and {other} end {distance:.3f} m and {abs(a - b):.1f}° from each other'
