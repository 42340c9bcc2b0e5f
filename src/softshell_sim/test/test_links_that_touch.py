"""Links of a robot touch each other in MuJoCo by its own rules as they would by explicit pairs."""

import numpy as np
import pytest

pytest.importorskip('mujoco', reason='MuJoCo is not installed')

from softshell_description.load import load_robot
from softshell_sim.bodies import RobotSpec, Surface
from softshell_sim.contact.surfaces import Surfaces, Touching
from softshell_sim.mujoco import bodies as mujoco_bodies
from softshell_sim.mujoco.member import robot_member
from softshell_sim.mujoco.pairs import MOST_MASKS, masks_of
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

SPRINGY, BOUNCING = Surface(0.5, 0.0, 5e3, 50.0), Surface(0.3, 0.4)
LINK = '<robot name="stone"><link name="base"/></robot>'


def contacts_of(world):
    """Rows of place, direction, depth and force of contacts between links, in order of place."""
    found, body = world.engine.all_contacts(), world.body
    own = (found.owner == found.bodies.index(body)).all(axis=1)
    depth = found.depth[own, None]
    rows = np.hstack([found.point[own], found.normal[own], depth, found.force[own]])
    return rows[np.lexsort(rows[:, :3].T)]


class Twins:
    """Shell, whose links touch by MuJoCo's rules, and another with pairs; they do the same."""

    def __init__(self, patch, padding):
        settings = WorldSettings(engine='mujoco', self_collision=True, padding=padding)
        robot, self.touched = load_robot('shell'), 0
        self.worlds = [World(robot, settings) for _ in range(2)]
        patch.setattr(mujoco_bodies, 'masks_of', self._masks_of)
        for world in self.worlds:
            world.reset(pose=robot.pose('stand'))

    def _masks_of(self, members, surfaces):
        return masks_of(members, surfaces) if surfaces is self.worlds[0].engine.surfaces else {}

    def each(self, change):
        """Change both."""
        for world in self.worlds:
            change(world.engine, world.body)

    def thrash(self, steps, random):
        """Pull at the joints at random; after each step both are the same, in any order."""
        for step in range(steps):
            if step % 20 == 0:
                effort = random.uniform(-3.0, 3.0, len(self.worlds[0].body.joints))
            self.each(lambda engine, body, pull=effort: engine.apply_effort(body, pull))
            self.each(lambda engine, body: engine.step())
            one, other = (contacts_of(world) for world in self.worlds)
            np.testing.assert_array_equal(one[:, :7], other[:, :7])
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)
            self.touched += len(one) > 0
            self.worlds[1].restore(self.worlds[0].save())


@pytest.mark.parametrize('padding', [0.0, 0.002])
def test_they_touch_where_and_as_hard_as_pairs_do(monkeypatch, padding):
    """Rigid, bouncing, springy, with a layer, in a restored state, and with fewer that touch."""
    twins, random = Twins(monkeypatch, padding), np.random.default_rng(4)
    twins.thrash(80, random)
    for surface in (BOUNCING, SPRINGY, None):
        twins.each(lambda engine, body, s=surface: engine.set_pair_surface(body, body, s))
        twins.thrash(40, random)
    states = [world.save() for world in twins.worlds]
    twins.each(lambda engine, body: engine.set_pair_surface(body, body, SPRINGY))
    for world, state in zip(twins.worlds, states, strict=True):
        world.restore(state)
    legs = [place for place, name in enumerate(twins.worlds[0].body.links) if '_0_' in name]
    pairs = {(one, other) for one in legs for other in legs if one > other}
    twins.each(lambda engine, body: engine.ignore_collisions(body, pairs))
    twins.thrash(40, random)
    for world in twins.worlds:
        world.close()
    assert twins.touched > 80


@pytest.fixture
def several():
    """More robots than there are masks, and their surfaces."""
    surfaces, members = Surfaces(), []
    for number in range(MOST_MASKS + 2):
        member = robot_member(RobotSpec(f'stone {number}', LINK, (), self_collision=True))
        surfaces.enter(member.body, Touching(Surface(0.5), itself=True))
        members.append(member)
    return members, surfaces


def test_each_has_a_bit_of_its_own_while_there_are_some(several):
    members, surfaces = several
    masks = masks_of(members, surfaces)
    assert list(masks) == [member.body for member in members[:MOST_MASKS]]
    assert sum(masks.values()) == 2**MOST_MASKS - 1
    assert max(masks.values()) < 2**31


def test_links_that_are_springs_have_none(several):
    """Their numbers depend on the masses of both, so that each pair has its own."""
    members, surfaces = several
    first, second, third = (member.body for member in members[:3])
    surfaces.set(first, SPRINGY)
    surfaces.set_pair(second, second, SPRINGY)
    assert list(masks_of(members[:3], surfaces)) == [third]
