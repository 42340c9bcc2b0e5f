"""A robot with soft manipulators in the world: its channels drive them, on both engines."""

from dataclasses import replace

import numpy as np
import pytest
from every_engine import EACH, OTHERS_LONG

from softshell_continuum.statics import Statics
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.estimates.finger_shapes import finger_shapes
from softshell_control.gate import Command
from softshell_control.trajectories.follower import FollowerSettings
from softshell_description.load import load_robot
from softshell_kinematics.transforms import shift
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.changing.changes import SetPadding, Spawn
from softshell_sim.settings import WorldSettings
from softshell_sim.shapes import Sphere
from softshell_sim.sim_backend import SimBackend
from softshell_sim.world import World

HAND = load_robot('hand')
CHANNELS = list(HAND.channels)
#: Of close_0, left_1 and right_1 [N].
TENSIONS = {'close_0': 3.0, 'left_1': 4.0, 'right_1': 1.0}
VALUES = np.array([TENSIONS.get(name, 0.0) for name in CHANNELS])


@pytest.fixture(params=EACH)
def world(request):
    world = World(HAND, WorldSettings(engine=request.param))
    yield world
    world.close()


def test_it_comes_to_rest_where_statics_say(world):
    """Each finger under its own tendons and weight."""
    world.soft.take(VALUES)
    world.simulate(2.0)
    for name, spec in HAND.soft.items():
        _, base = HAND.urdf.bodies[spec.parts[0].name]
        statics = Statics(spec.chain, spec.tendons, gravity=(0.0, 0.0, -9.81), base=base)
        rest = statics.solve([TENSIONS.get(tendon.name, 0.0) for tendon in spec.tendons])
        columns = world.soft.members[name].columns
        assert world.position[columns] == pytest.approx(rest.positions, abs=2e-3)
        assert world.soft.tip(name) == pytest.approx(rest.tip_pose, abs=1e-3)
    assert np.linalg.norm(world.position) > 0.5


def test_what_is_told_of_shapes_is_where_they_are(world):
    """Backbones and tips by measured joints are those of the engine."""
    world.soft.take(VALUES)
    world.simulate(0.2)
    measured = world.measure(0.2)
    for shape in finger_shapes(HAND, world.joint_map.names):
        points, end = shape.backbone(measured)
        assert end == pytest.approx(world.soft.tip(shape.spec.name), abs=1e-6)
        there, _ = world.soft.backbone(shape.spec.name, shape.arc_lengths)
        assert points == pytest.approx(there, abs=1e-6)


def test_friction_along_links_of_fingers_is_theirs_in_the_world():
    """Of each but the last, which has a tip; the palm has none."""
    soft = {}
    for name, spec in HAND.soft.items():
        parts = []
        for part in spec.parts:
            if part in spec.moved[:-1]:
                more = {'friction_along': 0.2}
                solids = (
                    replace(one, link=one.link.model_copy(update=more)) for one in part.solids
                )
                part = replace(part, solids=tuple(solids))
            parts.append(part)
        soft[name] = replace(spec, parts=tuple(parts))
    world = World(replace(HAND, soft=soft), WorldSettings(engine='mujoco'))
    found = world.engine.specs['robot'].anisotropic
    world.close()
    shown = {part.name for spec in HAND.soft.values() for part in spec.moved[:-1] if part.solids}
    assert set(found) == shown
    assert {friction.along for friction in found.values()} == {0.2}


def test_it_goes_on_from_a_saved_state(world):
    """Bit for bit, with the tensions of then."""
    world.soft.take(VALUES)
    world.simulate(0.1)
    state = world.save()
    world.simulate(0.2)
    after = world.position.copy(), world.velocity.copy()
    world.soft.take(np.zeros(len(CHANNELS)))
    world.simulate(0.1)
    world.restore(state)
    world.simulate(0.2)
    assert np.array_equal(world.position, after[0])
    assert np.array_equal(world.velocity, after[1])


@pytest.mark.long
def test_steps_that_were_shorter_before_change_nothing(world):
    """Neither after a reset, bit for bit, nor where a layer was changed meanwhile."""
    paths = []
    for shorter in (0.001, 0.0001):
        world.simulate(shorter)
        world.reset()
        world.soft.take(VALUES)
        world.simulate(0.1)
        paths.append(world.position.tobytes())
    assert paths[0] == paths[1]
    for change in (SetPadding('robot', 0.0), SetPadding('robot', 0.001)):
        world.reset()
        world.simulate(0.0001)
        world.apply([change])
        world.soft.take(VALUES)
        world.simulate(0.1)
        paths.append(world.position.copy())
    assert paths[3] == pytest.approx(paths[2], abs=1e-3)


@pytest.mark.parametrize('world', OTHERS_LONG, indirect=True)
def test_links_feel_what_they_touch(world):
    """Four fingers on a slick ball press alike, and the palm carries that with its weight."""
    slick = Surface(friction=0.0)
    ball = ObjectSpec('ball', Sphere(0.03), 0.05, shift(0.0, 0.0, 0.0901), slick)
    world.apply([Spawn(ball)])
    world.simulate(0.05)
    assert not world.measure(0.05).tactile.force.any()
    world.soft.take(np.array([4.0 * name.startswith('close') for name in CHANNELS]))
    world.simulate(1.5)
    world.measure(1.5)
    world.simulate(0.5)
    tactile = world.measure(0.5).tactile
    assert len(tactile.links) == len(HAND.elastic_joints)
    fingers = tactile.force.reshape(4, -1, 3).sum(axis=1)
    outwards = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    pressed = (fingers[:, :2] * outwards).sum(axis=1)
    assert pressed == pytest.approx(0.11, rel=0.1)
    on_palm = [each.force[2] for each in world.engine.contacts(world.body) if each.link == 0]
    assert -sum(on_palm) == pytest.approx(0.05 * 9.81 + fingers[:, 2].sum(), rel=0.02)


@pytest.mark.parametrize('engine', OTHERS_LONG)
def test_tendons_go_slack_when_nothing_is_driven(engine):
    """As motors give way; before, they hold what was commanded, within the gate's rates."""
    backend = SimBackend(HAND, 0.004, WorldSettings(engine=engine))
    core = BridgeCore(backend, limits_of(HAND), 0.004, FollowerSettings())
    core.activate()
    wanted = np.array([5.0 * name.startswith('close') for name in CHANNELS])
    for _ in range(100):
        measured = backend.step(0, Command(wanted, np.zeros(len(wanted))))
    assert measured.channels == pytest.approx(wanted)
    bent = np.linalg.norm(backend.world.position)
    assert bent > 0.5
    core.deactivate()
    for _ in range(300):
        backend.step(0, None)
    assert np.linalg.norm(backend.world.position) < 0.1 * bent
    backend.close()


def test_joints_without_motors_come_after_all_others():
    """Motors drive what is before; nothing leads elastic joints."""
    world = World(HAND, WorldSettings(engine='mujoco'))
    joint_map = world.joint_map
    assert (joint_map.independent, joint_map.driven) == (0, 0)
    assert joint_map.names == HAND.elastic_joints
    world.close()
