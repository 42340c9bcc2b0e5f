"""How well a robot rolls as a ball: straight, round a corner, to a stop, and up again."""

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
from _arguments import count, parser_of
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from softshell_actions.ball.cage import cage_of
from softshell_actions.ball.candidates import candidates_of
from softshell_actions.ball.rolling_law import Aim, RollingLaw
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import body_of
from softshell_description.load import load_robot
from softshell_kinematics.arrays import Array
from softshell_kinematics.errors import SoftshellError
from softshell_sim.bodies import BodyState
from softshell_sim.engines import ENGINES
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

#: Time of a tick, and for which the closed ball rests first [s].
PERIOD, REST = 0.01, 1.0
#: Noise of the IMU's orientation [rad] and gyro [rad/s], its delay in ticks.
TURN_NOISE, SPIN_NOISE, DELAY = np.radians(1.0), 0.01, 1
#: Way to roll straight [m], and longest times for each part [s].
WAY, STRAIGHT, CORNER, STOPPING, RIGHTING = 3.0, 8.0, 2.5, 8.0, 30.0


@dataclass(frozen=True)
class Result:
    """Of one seed.

    Args:
        seed, friction: of it.
        mean: speed over the first metres, from rest [m/s]; 0: it never got there.
        off: direction in which it got there, against the heading [deg].
        turned: time until it moves within 15° of the new heading, over a fifth of a second [s].
        stop: distance from the command to where it came to rest [m].
        stopped: time for that [s].
        tilt: after righting [deg].
        righted: time for that [s].
        stands: how far it is from standing level in the end [deg]; 180: it does not.
    """

    seed: int
    friction: float
    mean: float
    off: float
    turned: float
    stop: float
    stopped: float
    tilt: float
    righted: float
    stands: float


class Rig:
    """A ball in a world, and its law, which sees the IMU only."""

    def __init__(self, seed: int, engine: str, self_collision: bool) -> None:
        robot = self.robot = load_robot()
        self.random = np.random.default_rng(seed)
        self.friction = float(self.random.uniform(0.3, 1.0))
        self.world = World(
            robot,
            WorldSettings(engine=engine, self_collision=self_collision, friction=self.friction),
        )
        cage = cage_of(robot)
        self.law = RollingLaw(cage, candidates=candidates_of(cage))
        self.world.reset(cage.closed, height=1.0)
        turn = Rotation.random(random_state=self.random)
        # The ball's centre a little above where it rests.
        place = np.array([0.0, 0.0, cage.radius + 0.003]) - turn.apply(cage.centre)
        state = BodyState(place, turn.as_quat())
        self.world.engine.place(self.world.body, state)
        self.world.measure(0.0)
        self.centre, self.goal = cage.centre, np.zeros(len(self.world.joint_map.names))
        self.world.settle(REST)
        self.track: list[Array] = []
        self._seen = [self._sense()] * (DELAY + 1)
        self.time = 0.0

    def _sense(self) -> tuple[Array, Array]:
        base = self.world.measure(PERIOD).base
        turn = Rotation.from_quat(base.orientation)
        self.track.append((turn.apply(self.centre) + base.position)[:2])
        noise = Rotation.from_rotvec(self.random.normal(0.0, TURN_NOISE, 3))
        spin = base.angular_velocity + self.random.normal(0.0, SPIN_NOISE, 3)
        return (noise * turn).as_quat(), spin

    def tick(self, aim: Aim, heading: float = 0.0) -> None:
        """Let a tick pass."""
        orientation, spin = self._seen[0]
        positions = self.law.step(self.time, orientation, spin, aim, heading)
        self.world.joint_map.positions(positions, self.goal)
        self.world.simulate(PERIOD, self.goal)
        self._seen = [*self._seen[1:], self._sense()]
        self.time += PERIOD

    def stand_up(self) -> float:
        """Perform the action that opens the ball; how far it tilts then [deg], 180: it failed."""
        rehearsal = Rehearsal(self.robot)
        measured, robot = self.world.measure(PERIOD), self.robot
        joints = dict(zip(self.world.joint_map.names, measured.position.tolist(), strict=True))
        rehearsal.state = body_of(robot).measured_state(joints, self.law.tilt)
        value = robot.pose('zero')
        value[:] = measured.position[: len(value)]
        try:
            for part in rehearsal.perform('open'):
                motion = part.motion
                columns = [robot.index(name) for name in motion.joints]
                curve = CubicHermiteSpline(motion.times, motion.positions, motion.velocities)
                for moment in np.arange(1, round(motion.duration / PERIOD) + 1) * PERIOD:
                    value[columns] = curve(moment)
                    self.world.joint_map.positions(value, self.goal)
                    self.world.simulate(PERIOD, self.goal)
        except SoftshellError as error:
            print(error)
            return 180.0
        self.world.simulate(0.5, self.goal)
        measured = self.world.measure(PERIOD)
        wrong = np.abs(measured.position[: len(value)] - value).max()
        axis = Rotation.from_quat(measured.base.orientation).as_matrix()[2, 2]
        height = robot.rest_heights[robot.legs.stand]
        stands = wrong < 0.06 and abs(measured.base.position[2] - height) < 0.01
        return float(np.degrees(np.arccos(axis))) if stands else 180.0


def run(seed: int, engine: str, self_collision: bool) -> Result:
    """One seed."""
    rig = Rig(seed, engine, self_collision)
    heading = float(rig.random.uniform(-np.pi, np.pi))
    start, begin = rig.track[-1], rig.time
    mean, off = 0.0, 180.0
    while rig.time - begin < STRAIGHT:
        rig.tick(Aim.ROLL, heading)
        way = rig.track[-1] - start
        ahead = way @ [np.cos(heading), np.sin(heading)]
        if np.hypot(*way) >= WAY or ahead > WAY:
            mean = WAY / (rig.time - begin)
            break
    off = _angle(way, heading)
    heading += np.pi / 2.0
    ticks = []
    for _ in range(round(CORNER / PERIOD)):
        rig.tick(Aim.ROLL, heading)
        ticks.append(abs(_angle(rig.track[-1] - rig.track[-21], heading)))
    right = np.flatnonzero(np.array(ticks) < 15.0)
    turned = right[0] * PERIOD if len(right) else CORNER
    begin, place = rig.time, rig.track[-1]
    while rig.time - begin < STOPPING and not rig.law.rests:
        rig.tick(Aim.STOP)
    stopped, stop = rig.time - begin, float(np.hypot(*(rig.track[-1] - place)))
    begin = rig.time
    rig.tick(Aim.RIGHT)
    while rig.time - begin < RIGHTING and not rig.law.rests:
        rig.tick(Aim.RIGHT)
    tilt = float(np.degrees(rig.law.tilt))
    righted = rig.time - begin
    stands = rig.stand_up()
    rig.world.close()
    return Result(seed, rig.friction, mean, off, turned, stop, stopped, tilt, righted, stands)


def _angle(way: Array, heading: float) -> float:
    """Of a way against a heading [deg], -180 to 180."""
    angle = np.arctan2(way[1], way[0]) - heading
    return float(np.degrees((angle + np.pi) % (2.0 * np.pi) - np.pi))


def main() -> int:
    """Print a row for each seed."""
    parser = parser_of(__file__, __doc__ or '')
    parser.add_argument('--engine', choices=ENGINES, default='mujoco')
    parser.add_argument('--first', type=int, default=100, help='seed (default 100)')
    parser.add_argument('--seeds', type=count, default=20, help='how many (default 20)')
    parser.add_argument('--jobs', type=count, default=1, help='at once (default 1)')
    parser.add_argument('--self-collision', action='store_true', help='panels collide')
    parser.add_argument('--quick', action='store_true', help='one seed')
    given = parser.parse_args()
    job = partial(run, engine=given.engine, self_collision=given.self_collision)
    print(' '.join(f'{field.name:>9}' for field in fields(Result)))
    with ProcessPoolExecutor(given.jobs) as pool:
        for result in pool.map(
            job, range(given.first, given.first + (1 if given.quick else given.seeds))
        ):
            values = (getattr(result, field.name) for field in fields(Result))
            print(' '.join(f'{value:9.2f}' for value in values), flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
