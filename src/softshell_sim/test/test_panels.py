"""The panels of Shell as bodies: convex, apart in the ball, and in the way of each other."""

import numpy as np
import pytest
from every_engine import OTHERS_LONG

from softshell_kinematics.transforms import shift
from softshell_sim.bodies import BodyState, RobotSpec
from softshell_sim.contact.self_collision import passing_pairs
from softshell_sim.settings import WorldSettings
from softshell_sim.world import World

#: Of a box, its corners in the order of x, y, z from low to high.
FACES = (
    *((0, 1, 3), (0, 3, 2), (4, 7, 5), (4, 6, 7), (0, 4, 5), (0, 5, 1)),
    *((2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)),
)
TWO = """
<robot name="two"><link name="two"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><mesh filename="{}"/></geometry></collision></link></robot>
"""


@pytest.fixture(scope='module')
def world(robot, each_engine):
    world = World(robot, WorldSettings(self_collision=True))
    yield world
    world.close()


def gaps(world, pose, within):
    """Kinds of the links that come so close, and the least distance of each pair of kinds."""
    positions = np.zeros(len(world.joint_map.names))
    world.joint_map.positions(pose, positions)
    world.engine.place_joints(world.body, positions)
    least = {}
    for gap in world.engine.gaps(world.body, world.body, within):
        links = (world.body.links[gap.link], world.body.links[gap.other_link])
        kinds = tuple(sorted(link.rstrip('0123456789').split('_')[-1] for link in links))
        least[kinds] = min(gap.distance, least.get(kinds, within))
    return least


def test_no_panels_overlap_in_the_ball(world, robot):
    """The least gaps are 0.5 mm between lower and 1.4 mm between upper legs, 2 mm to the base."""
    least = gaps(world, robot.pose('ball'), 0.01)
    assert least.keys() == {('shin', 'shin'), ('forearm', 'forearm'), ('forearm', 'link')}
    assert least['shin', 'shin'] > 0.0005
    assert least['forearm', 'forearm'] > 0.0014
    assert least['forearm', 'link'] > 0.002


def test_only_neighbours_pass_through_each_other(world, robot):
    """No two panels, and no panel and the base, are let through each other."""
    pairs = passing_pairs(robot, world.joint_map, world.engine, world.body)
    for pair in pairs:
        names = {world.body.links[place] for place in pair}
        panels = [name for name in names if name.endswith(('shin', 'forearm'))]
        assert len(panels) < 2
        assert not (panels and 'base_link' in names)


@pytest.mark.parametrize('each_engine', OTHERS_LONG, indirect=True)
def test_the_closed_ball_rests_on_the_lower_edges_of_its_lower_panels(world, robot):
    """All touch the ground, on the ring where a sphere of 0.18 m is 79° below its centre.

    The feet are further in, and carry nothing. The base is at its rest height, which follows too.
    """
    world.reset(robot.pose('ball'))
    world.settle(1.0)
    contacts = world.engine.all_contacts()
    pairs = [[contacts.bodies[place] for place in owner] for owner in contacts.owner]
    ground = np.array([world.floor in pair for pair in pairs])
    measured = world.measure(0.004)
    ring = contacts.point[ground] - measured.base.position
    assert np.hypot(*ring[:, :2].T) == pytest.approx(0.18 * np.cos(np.radians(79.0)), abs=1.5e-3)
    azimuths = np.degrees(np.arctan2(ring[:, 1], ring[:, 0]))
    assert np.diff(np.sort(azimuths)).max() < 60.0
    weight = robot.urdf.mass * 9.81
    assert np.abs(contacts.force[ground, 2]).sum() == pytest.approx(weight, rel=0.05)
    height = measured.base.position[2]
    assert height == pytest.approx(0.04 + 0.18 * np.sin(np.radians(79.0)), abs=3e-3)
    assert height == pytest.approx(robot.rest_heights['ball'], abs=1.5e-3)


@pytest.mark.parametrize('each_engine', OTHERS_LONG, indirect=True)
def test_the_chassis_holds_a_panel_up(world, robot):
    """An elbow told to press its panel 0.4 rad into the chassis gets less than half way."""
    world.reset(robot.pose('ball'), height=3.0)
    elbow = world.joint_map.names.index('upper_0_elbow')
    goal = world.position.copy()
    goal[elbow] -= 0.4
    for _ in range(300):
        world.step(goal, np.zeros(len(goal)))
    assert world.position[elbow] > goal[elbow] + 0.2


def test_each_object_of_a_mesh_is_a_body(start, tmp_path):
    """Of two boxes in one OBJ file the space between them is free, with a layer and without."""
    corners = np.array(np.meshgrid([-0.05, 0.05], [-0.05, 0.05], [-0.05, 0.05])).T.reshape(-1, 3)
    lines = []
    for x in (-0.2, 0.2):
        lines.append(f'o box_{x}')
        lines += [f'v {a + x} {b} {c}' for a, b, c in corners]
        first = 1 if x < 0.0 else 9
        lines += ['f ' + ' '.join(str(corner + first) for corner in face) for face in FACES]
    path = tmp_path / 'two.obj'
    path.write_text('\n'.join(lines) + '\n')
    for padding in (0.0, 0.01):
        bench = start()
        spec = RobotSpec('two', TWO.format(path), (), fixed=True, padding=padding)
        body = bench.engine.load(spec)
        bench.engine.place(body, BodyState.at_rest(shift(z=1.0)))
        assert bench.engine.ray(np.array([0.0, 0.0, 2.0]), np.array([0.0, 0.0, 0.0])) is None
        hit = bench.engine.ray(np.array([0.2, 0.01, 2.0]), np.array([0.2, 0.01, 0.0]))
        assert 1.0499 < hit.point[2] < 1.052 + padding
