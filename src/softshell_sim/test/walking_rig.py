"""A simulated robot that performs its actions without ROS, as a bridge and a planner would."""

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from softshell_actions.motion import joint_motion
from softshell_actions.robot import body_of
from softshell_control.gate import Command
from softshell_description.load import load_robot
from softshell_kinematics.limbs import Limbs
from softshell_kinematics.solution import IkOptions
from softshell_sim.settings import WorldSettings
from softshell_sim.sim_backend import SimBackend

PERIOD = 0.004
TICK = 4_000_000  # [ns]


class Actor:
    """Plans the actions of a robot, one after another, from where the last one ended.

    Args:
        name: of the robot.
    """

    def __init__(self, name='shell'):
        self.model = load_robot(name)
        self._body = body_of(self.model)
        self._library = self._body.library()
        self._planner = self._body.planner(self._library)
        self._state = None

    def motions(self, action, **values):
        """The joint trajectories of an action."""
        if self._state is None:
            self._state = self._body.measured_state(self.model.poses[self.model.start])
        for call in self._library.call(action, values):
            if not self._planner.applies(call, self._state):
                continue
            plan = self._planner.plan(call, self._state)
            motion = joint_motion(plan, self._solved(plan.limbs))
            self._state = plan.end.with_joints(motion.end)
            yield motion

    def _solved(self, paths):
        if not paths:
            return {}
        limbs = Limbs([self._body.chains[name] for name in paths])
        joints, shared = self._state.joints, self.model.shared
        seeds = limbs.seeds([{v: joints[v] for v in chain.variables} for chain in limbs.chains])
        locked = [name for name in shared if any(name in c.variables for c in limbs.chains)]
        goals = np.array(list(paths.values()))
        results = limbs.solve(goals, seeds, IkOptions(warm_start=True), locked)
        solved = {}
        for chain, result in zip(limbs.chains, results, strict=True):
            assert result.converged.all(), chain.name
            for column, name in enumerate(chain.variables):
                if name not in shared:
                    solved[name] = result.q[:, column]
        return solved


class Stage:
    """A simulated robot that performs actions tick by tick.

    Args:
        name: of the robot.
        settings: of the world.
    """

    def __init__(self, name='shell', **settings):
        self.actor = Actor(name)
        self.robot = self.actor.model
        self.backend = SimBackend(self.robot, PERIOD, WorldSettings(**settings))
        self.measured = self.backend.reset()
        self.measured = self.backend.activate()
        self._now = 0
        self._value = self.measured.position[: len(self.robot.joints)].copy()

    def perform(self, action, **values):
        """Yield what is measured at every tick of an action, and for half a second after it."""
        for motion in self.actor.motions(action, **values):
            columns = [self.robot.index(name) for name in motion.joints]
            positions = motion.positions.copy()
            path = CubicHermiteSpline(motion.times, positions, motion.velocities)
            rate = path.derivative()
            for time in np.arange(1, round(motion.duration / PERIOD) + 1) * PERIOD:
                self._value[columns] = path(time)
                rates = np.zeros_like(self._value)
                rates[columns] = rate(time)
                yield self._tick(Command(self._value, rates))
        yield from self.rest(0.5)

    def rest(self, seconds):
        """Yield what is measured while the joints are held."""
        for _ in range(round(seconds / PERIOD)):
            yield self._tick(Command.at_rest(self._value))

    def close(self):
        self.backend.close()

    def _tick(self, command):
        self._now += TICK
        self.measured = self.backend.step(self._now, command)
        return self.measured
