"""Feet that stand stay where they are, on the ground as it is in the engine."""

import numpy as np
import pytest
from planned_walker import PERIOD, Walker

from softshell_description.foot_spheres import foot_spheres

DISTANCE = 0.6


class SlipWatch(Walker):
    """A walker that sees what of its feet touches the ground, tick by tick.

    Attributes:
        slips: (feet,) how far each has moved while the foot touched [m].
        held: (feet,) how much of it was while friction could have held far more.
    """

    def __init__(self, engine, friction, robot='shell'):
        super().__init__(engine, friction, robot)
        self._spheres, links = foot_spheres(self.robot), self.world.body.links
        bodies = [self.robot.urdf.bodies[foot] for foot in self.robot.legs.feet]
        self._fixed = [(links.index(link), pose) for link, pose in bodies]
        self._friction, self._before = friction, None
        self.slips, self.held = np.zeros(len(bodies)), np.zeros(len(bodies))

    def forget(self):
        """Begin to count."""
        self.slips[:], self.held[:] = 0.0, 0.0

    def _step(self, rate):
        super()._step(rate)
        contacts = self.world.measure(PERIOD).contacts
        pose = self.world.engine.link_pose
        now = np.array([pose(self.world.body, link) @ fixed for link, fixed in self._fixed])
        touching = contacts.touching.copy()
        if self._before is not None:
            before, touched = self._before
            # The point of the foot that was lowest, as part of the foot.
            lowest = (
                before[:, :3, 3] + (before[:, :3, :3] @ self._spheres.centre[..., None])[..., 0]
            )
            lowest[:, 2] -= self._spheres.radius
            moved = now @ np.linalg.inv(before) @ np.insert(lowest, 3, 1.0, axis=1)[..., None]
            way = np.linalg.norm((moved[:, :2, 0] - lowest[:, :2]), axis=1) * (touched & touching)
            across = np.linalg.norm(contacts.force[:, :2], axis=1)
            sticks = across < 0.5 * self._friction * contacts.force[:, 2]
            self.slips += way
            self.held += way * sticks
        self._before = now, touching


@pytest.mark.parametrize('engine', ['mujoco', pytest.param('pybullet', marks=pytest.mark.long)])
@pytest.mark.parametrize('friction', [0.5, pytest.param(1.0, marks=pytest.mark.long)])
def test_all_feet_together_slip_by_less_than_7_cm_a_metre(engine, friction):
    """Less what they roll; where friction could hold twice what it does, by less than 1 cm."""
    walker = SlipWatch(engine, friction)
    walker.perform('stand')
    walker.forget()
    walker.perform('walk', distance=DISTANCE)
    walker.world.close()
    assert walker.slips.sum() < 0.07 * DISTANCE
    assert walker.held.sum() < 0.01 * DISTANCE
