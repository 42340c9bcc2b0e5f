"""Bodies that are driven along paths: they are where they are to be, and take others along."""

from dataclasses import replace

import numpy as np
import pytest
from scene_runs import run, trace
from scipy.spatial.transform import Rotation, Slerp

from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import BodyState, ObjectSpec, RobotSpec, Surface
from softshell_sim.changing.changes import Place, Push, Remove, Spawn
from softshell_sim.changing.drive import Drive, Release
from softshell_sim.scene import Scene
from softshell_sim.shapes import Box, Plane, Sphere

STEP, GRAVITY = 0.001, 9.81
UPRIGHT = [0.0, 0.0, 0.0, 1.0]
#: The top of the plate is at 0.
PLATE = ObjectSpec('plate', Box((1.0, 1.0, 0.1)), 0.5, shift(z=-0.05), Surface(0.4))
#: A single link whose inertial frame is neither at its origin nor along its axes.
LUMP = """
<robot name="lump"><link name="lump"><inertial><origin xyz="0.1 0.2 -0.05" rpy="0.3 -0.5 0.9"/>
  <mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial>
</link></robot>
"""


@pytest.fixture
def stage(start):
    """Function: a scene in a running engine with this gravity, and these bodies."""

    def begin(*bodies, gravity=GRAVITY):
        scene = Scene(start(gravity).engine, {})
        scene.apply([Spawn(spec) for spec in bodies])
        return scene

    return begin


def block(name, z, side=0.2, mass=2.0, friction=0.4):
    return ObjectSpec(name, Box((side,) * 3), mass, shift(z=z), Surface(friction))


def path(positions):
    """Poses that do not turn."""
    positions = np.asarray(positions)
    return np.column_stack([positions, np.tile(UPRIGHT, (len(positions), 1))])


def along(times, x, z=-0.05):
    """A drive of the plate along x."""
    positions = np.column_stack([x, np.zeros(len(x)), np.full(len(x), z)])
    return Drive('plate', times, path(positions))


@pytest.mark.parametrize('away', [0.0, 5.0])
def test_a_driven_body_is_on_its_path_after_each_step(stage, away):
    """It is within 1 µm and 1 µrad of lines and scipy's slerp, with 20 kg that press on it.

    PyBullet holds poses with single precision: further away from the origin it may be off by more.
    """
    scene = stage(
        replace(PLATE, pose=shift(away, z=-0.05)),
        replace(block('load', 0.1, mass=20.0), pose=shift(away, z=0.1)),
    )
    rng = np.random.default_rng(5)
    times = np.cumsum(rng.uniform(0.05, 0.3, 6))
    positions = np.vstack([[0.0, 0.0, -0.05], rng.uniform(-0.3, 0.3, (6, 3))])
    positions[:, 0] += away
    turns = Rotation.from_rotvec(np.vstack([np.zeros(3), rng.uniform(-0.4, 0.4, (6, 3))]))
    scene.apply([Drive('plate', times, np.column_stack([positions, turns.as_quat()])[1:])])
    all_times = np.concatenate([[0.0], times])
    slerp = Slerp(all_times, turns)
    for k in range(1, round(times[-1] / STEP) + 100):
        scene.step()
        now = min(k * STEP, times[-1])
        state = scene.state('plate')
        expected = [np.interp(now, all_times, axis) for axis in positions.T]
        assert state.position == pytest.approx(expected, abs=1e-6)
        turned = Rotation.from_quat(state.orientation).inv() * slerp(now)
        assert turned.magnitude() < 1e-6


def test_a_body_with_its_centre_aside_is_driven_by_its_frame(stage):
    """It turns at a constant rate about the origin of its root link, which stays in its place."""
    scene = stage()
    scene.apply([Spawn(RobotSpec('lump', LUMP, ()))])
    half = np.concatenate([[0.3, 0.0, 1.0], Rotation.from_euler('z', np.pi / 2).as_quat()])
    scene.apply([Drive('lump', [0.0, 0.5], [[0.3, 0.0, 1.0, *UPRIGHT], half])])
    for k in range(1, 501):
        scene.step()
        state = scene.state('lump')
        assert state.position == pytest.approx([0.3, 0.0, 1.0], abs=1e-6)
        angle = Rotation.from_quat(state.orientation).as_rotvec()
        assert angle == pytest.approx([0.0, 0.0, np.pi * k * STEP], abs=1e-6)
    assert state.angular_velocity == pytest.approx([0.0, 0.0, np.pi], rel=1e-6)


@pytest.mark.parametrize('part', [0.3, 0.9])
def test_what_lies_on_a_slow_plate_goes_with_it(stage, part):
    """Below μ g of acceleration a box stays within 1 % of the way where it was on the plate."""
    scene = stage(PLATE, block('box', 0.1))
    scene.apply([Drive('plate')])
    run(scene, 0.2)
    times = STEP * np.arange(1, 501)  # else the velocity jumps at each pose
    acceleration = part * 0.4 * GRAVITY
    scene.apply([along(times, acceleration * times**2 / 2)])
    began = scene.state('box').position
    run(scene, 0.5)
    way = acceleration * 0.5**2 / 2
    moved = scene.state('box').position - began
    assert moved == pytest.approx([way, 0.0, 0.0], abs=0.01 * way)


def test_what_lies_on_a_quick_plate_slips(stage):
    """Above μ g of acceleration friction gives a box μ g, within 2 %."""
    scene = stage(PLATE, block('box', 0.1))
    scene.apply([Drive('plate')])
    run(scene, 0.2)
    times = STEP * np.arange(1, 251)
    scene.apply([along(times, 3.0 * 0.4 * GRAVITY * times**2 / 2)])
    run(scene, 0.25)
    assert scene.state('box').linear_velocity[0] == pytest.approx(0.4 * GRAVITY * 0.25, rel=0.02)


def test_a_stack_is_lifted(stage):
    """A plate of a tenth of its mass lifts it at 0.5 m/s; nothing sinks in by more than 1 mm."""
    names = ['low', 'middle', 'high']
    scene = stage(PLATE, *(block(name, 0.1 + 0.2 * k) for k, name in enumerate(names)))
    times = np.linspace(0.02, 1.0, 50)
    heights = 0.25 * (1.0 - np.cos(np.pi * times)) / np.pi * 2.0
    lift = path(np.column_stack([0.0 * times, 0.0 * times, heights - 0.05]))
    scene.apply([Drive('plate', times, lift)])
    for _ in range(1300):
        scene.step()
        top = scene.state('plate').position[2] + 0.05
        for k, name in enumerate(names):
            found = scene.state(name).position[2]
            assert found == pytest.approx(top + 0.1 + 0.2 * k, abs=1e-3), name
    assert top == pytest.approx(heights[-1], abs=1e-6)
    assert scene.state('high').linear_velocity == pytest.approx(np.zeros(3), abs=1e-3)


@pytest.mark.parametrize('speed', [0.2, 1.0])
def test_a_wall_hits_a_ball(stage, speed):
    """The ball leaves as from a free wall of 1000 t, with 8 % more than its speed at most."""
    left = []
    for mass in (0.1, 1e6):
        ball = ObjectSpec('ball', Sphere(0.1), 5.0, shift(0.3), Surface(0.0))
        wall = ObjectSpec('plate', Box((0.1, 1.0, 1.0)), mass, surface=Surface(0.0))
        scene = stage(ball, wall, gravity=0.0)
        if mass < 1.0:
            scene.apply([along([2.0], [2.0 * speed], z=0.0)])
        else:
            moving = BodyState(linear_velocity=np.array([speed, 0.0, 0.0]))
            scene.apply([Place('plate', moving)])
        run(scene, 0.3 / speed)
        assert scene.state('plate').position == pytest.approx([0.3, 0.0, 0.0], abs=1e-5)
        left.append(scene.state('ball').linear_velocity)
    assert left[0] == pytest.approx(left[1], rel=1e-3, abs=1e-6)
    assert speed <= left[0][0] <= 1.09 * speed


def test_what_cannot_be_moved_is_passed_through(stage):
    """A driven body goes through the floor, one that stands, and another driven one."""
    scene = stage(
        ObjectSpec('floor', Plane()),
        block('box', 0.1),
        block('other', 0.5),
        ObjectSpec('pillar', Box((0.2, 0.2, 2.0)), 0.0, shift(0.5)),
    )
    scene.apply([Drive('other')])
    run(scene, 0.1)
    way = [[0.0, 0.0, 0.1, *UPRIGHT], [1.0, 0.0, -0.2, *UPRIGHT], [0.0, 0.0, 0.5, *UPRIGHT]]
    scene.apply([Drive('box', [0.0, 0.5, 1.0], way)])
    late = ObjectSpec('late', Box((0.2, 0.2, 2.0)), 0.0, shift(0.8))
    scene.apply([Spawn(late)])
    for k in range(1, 1001):
        scene.step()
        expected = [np.interp(k * STEP, [0.0, 0.5, 1.0], axis) for axis in np.array(way).T[:3]]
        assert scene.state('box').position == pytest.approx(expected, abs=1e-6)
        assert scene.state('other').position == pytest.approx([0.0, 0.0, 0.5], abs=1e-6)


def test_after_its_release_a_body_stands_on_the_floor_again(stage):
    """A body that was driven through the floor then rests at half its height."""
    scene = stage(ObjectSpec('floor', Plane()), block('box', 0.1))
    scene.apply([Drive('box', [0.1, 0.3], path([[0.0, 0.0, -0.5], [0.0, 0.0, 0.3]]))])
    run(scene, 0.4)
    scene.apply([Release('box')])
    run(scene, 1.0)
    assert scene.state('box').position[2] == pytest.approx(0.1, abs=1e-3)


def test_a_held_body_stays_until_it_is_released(stage):
    """Neither gravity nor a push moves it; after its release it falls like any other."""
    scene = stage(block('box', 3.0))
    scene.apply([Drive('box'), Push('box', [500.0, 0.0, 0.0], duration=0.1)])
    run(scene, 0.3)
    assert scene.state('box').position == pytest.approx([0.0, 0.0, 3.0], abs=1e-6)
    scene.apply([Release('box')])
    run(scene, 0.2)
    fallen = 3.0 - GRAVITY * 0.2 * (0.2 + STEP) / 2
    assert scene.state('box').position == pytest.approx([0.0, 0.0, fallen], abs=1e-5)


def test_a_released_body_flies_on_and_weighs_what_it_did(stage):
    """It has the velocity of its path; a push changes that by F t / m, a torque by τ t / I."""
    scene = stage(block('box', 0.0), gravity=0.0)
    scene.apply([Drive('box', [0.5], [[1.0, 0.0, 0.5, *UPRIGHT]])])
    run(scene, 0.2)
    assert scene.engine.mass(scene.engine.body('box')) == 2.0
    energy = scene.engine.kinetic_energy(scene.engine.body('box'))
    assert energy == pytest.approx(0.5 * 2.0 * (2.0**2 + 1.0**2), rel=1e-6)
    scene.apply([Release('box'), Push('box', [0.0, 3.0, 0.0], [0.0, 0.0, 0.1], duration=0.1)])
    run(scene, 0.3)
    state = scene.state('box')
    assert state.linear_velocity == pytest.approx([2.0, 3.0 * 0.1 / 2.0, 1.0], rel=1e-6)
    inertia = 2.0 * 0.2**2 / 6.0
    assert state.angular_velocity[2] == pytest.approx(0.1 * 0.1 / inertia, rel=1e-3)


def test_a_drive_is_saved_on_its_way(stage):
    """A restored drive goes on bit for bit, also if it was released or had ended in between."""
    scene = stage(ObjectSpec('floor', Plane()), PLATE, block('box', 0.1))
    turned = transform(rotation_about((0, 0, 1), 0.5))
    goal = BodyState.at_rest(turned @ shift(0.4, 0.0, 0.2))
    scene.apply([Drive('plate', [0.5], [[*goal.position, *goal.orientation]])])
    run(scene, 0.2)
    saved = scene.save()
    first = trace(scene)
    scene.restore(saved)
    assert trace(scene) == first
    scene.apply([Release('plate'), Drive('box')])
    run(scene, 0.1)
    scene.restore(saved)
    assert [body.name for body in scene.engine.driven] == ['plate']
    assert trace(scene) == first
    scene.apply([Remove('box'), Spawn(scene.engine.specs['box'])])
    scene.restore(saved)
    assert trace(scene) == first


def test_a_driven_body_may_go(stage):
    """It can be removed; a new body in its place falls, and lands on the floor."""
    scene = stage(ObjectSpec('floor', Plane()), block('box', 1.0))
    scene.apply([Drive('box')])
    run(scene, 0.1)
    scene.apply([Remove('box'), Spawn(block('box', 0.3))])
    run(scene, 1.0)
    assert not scene.engine.driven
    assert scene.state('box').position[2] == pytest.approx(0.1, abs=1e-3)


def test_a_new_drive_takes_over(stage):
    """It begins where the body is; one whose first time is 0 places the body there at once."""
    scene = stage(block('box', 1.0))
    scene.apply([Drive('box', [1.0], [[1.0, 0.0, 1.0, *UPRIGHT]])])
    run(scene, 0.5)
    scene.apply([Drive('box', [0.5], [[0.5, 1.0, 1.0, *UPRIGHT]])])
    run(scene, 0.25)
    assert scene.state('box').position == pytest.approx([0.5, 0.5, 1.0], abs=1e-6)
    scene.apply([Drive('box', [0.0], [[3.0, 1.0, 1.0, *UPRIGHT]])])
    assert scene.state('box').position == pytest.approx([3.0, 1.0, 1.0])
    scene.apply([Release('box'), Place('box', BodyState())])
    run(scene, 0.1)
    assert scene.state('box').position[2] == pytest.approx(-GRAVITY * 0.1 * 0.101 / 2, rel=1e-3)
