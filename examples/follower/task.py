"""A learning task of your own: the tip of an arm follows a point. Examples 34 and 50 use it."""

import numpy as np

from softshell_description.load import load_robot
from softshell_kinematics import chain_from_urdf
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World
from softshell_studies.film import view_from
from softshell_studies.gym.task import Part, Task

ROBOT = load_robot('arm')
ARM = chain_from_urdf(ROBOT.urdf, 'base_link', 'tip')
RADIUS, TURN = 0.05, 4.0  # of the circle [m], time of a turn [s]


class Follow(Task):
    """Lead the tip of an arm behind a point that goes round in a circle."""

    actions = (Part('rates', 3, '1 rad/s', 'of the joints'),)
    observations = Part('joints', 3, 'rad', 'positions'), Part('error', 3, 'm', 'to the point')
    period = 0.04  # [s]

    def __init__(self, engine='mujoco'):
        self.world = World(ROBOT, WorldSettings(engine=engine))

    def begin(self, random):
        self.angles = ROBOT.pose('reach')  # that the motors are to reach [rad]
        self.world.reset(self.angles)
        self.centre = ARM.forward(self.angles)[:3, 3] - [RADIUS, 0.0, 0.0]
        self.begun = random.uniform(0.0, TURN)
        self._look()

    def _look(self):
        self.joints = self.world.measure(self.period).position
        phase = 2.0 * np.pi * (self.world.time + self.begun) / TURN
        self.tip = ARM.forward(self.joints)[:3, 3]
        self.error = self.centre + RADIUS * np.array([np.cos(phase), 0, np.sin(phase)]) - self.tip

    def act(self, action):
        rates = np.clip(action, -1.0, 1.0)
        self.angles = self.angles + self.period * rates
        self.world.simulate(self.period, self.angles, rates)
        self._look()

    def observe(self):
        return np.concatenate([self.joints, self.error])

    def reward(self):
        return -np.linalg.norm(self.error)

    def measured(self):
        return {'score': -1e3 * np.linalg.norm(self.error)}  # [mm]

    def picture(self):
        return self.world.engine.picture(view_from((0.4, -1.0, 0.4), self.centre)).rgb

    def close(self):
        self.world.close()
