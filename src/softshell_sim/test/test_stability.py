"""Bodies that go astray are named and corrected, the others left alone, on every engine."""

import numpy as np
import pytest

from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import ObjectSpec
from softshell_sim.changing.changes import Push, Spawn
from softshell_sim.joints.springs import Springs
from softshell_sim.scene import Scene
from softshell_sim.shapes import Box, Plane, Sphere
from softshell_sim.stability import Stability, Status

STEP, GRAVITY = 0.001, 9.81
LENGTH, MASS, MOMENT = 0.4, 1.5, 0.02


def watch(bench, stability, steps, act=lambda step: None):
    """Let steps pass under its eyes."""
    for step in range(steps):
        stability.before_step()
        act(step)
        bench.engine.step()
        stability.after_step()


def test_the_kinetic_energy_is_that_of_the_formulas(start):
    """It is m v²/2 + I ω²/2 of a tumbling box and (I + m l²) ω²/2 of a pendulum."""
    bench = start(gravity=0.0)
    box = bench.box(
        shift(z=5.0) @ transform(rotation_about(np.array([1, 2, 3]) / np.sqrt(14), 0.7))
    )
    state = bench.state(box)
    state.linear_velocity[:], state.angular_velocity[:] = (1, 2, 3), (3, -1, 2)
    bench.engine.place(box, state)
    energy = 0.5 * 2.0 * 14.0 + 0.5 * (2.0 * 0.2**2 / 6.0) * 14.0
    assert bench.engine.kinetic_energy(box) == pytest.approx(energy)
    body = bench.pendulum()
    bench.engine.place_joints(body, np.array([0.4]), np.array([2.0]))
    swing = 0.5 * (MOMENT + MASS * LENGTH**2) * 2.0**2
    assert bench.engine.kinetic_energy(body) == pytest.approx(swing)
    assert bench.engine.mass(body) == pytest.approx(MASS)
    assert bench.engine.mass(bench.floor()) == 0.0


@pytest.mark.parametrize('damping', [0.0, 5.0])
def test_springs_add_nothing_to_the_kinetic_energy(start, damping):
    """It is that of the links alone, also if the mount turns as well; see above."""
    bench, turn = start(gravity=0.0), 3.0
    springs = Springs.of(50.0, damping, friction=0.3)
    body = bench.pendulum(springs=springs, fixed=False)
    state = bench.state(body)
    for mount in (0.0, turn):
        state.angular_velocity[1] = mount
        bench.engine.place(body, state)
        bench.engine.place_joints(body, np.array([0.4]), np.array([2.0]))
        swing = 0.5 * (MOMENT + MASS * LENGTH**2) * (mount + 2.0) ** 2
        energy = bench.engine.kinetic_energy(body)
        assert energy == pytest.approx(0.5 * 1.0 * mount**2 + swing)


def test_what_is_well_is_left_alone(start):
    """A box that falls, lands and rests is normal, and moves the same bit for bit if watched."""
    runs = []
    for watched in (True, False):
        bench = start()
        bench.floor()
        box, body = bench.box(shift(z=0.2)), bench.pendulum(0.5)
        stability = Stability(bench.engine)
        if watched:
            watch(bench, stability, 400)
            assert set(stability.read().values()) == {Status.NORMAL}
        else:
            bench.run(0.4)
        runs.append(np.concatenate([bench.state(box).position, *bench.joints(body)]))
    assert runs[0].tobytes() == runs[1].tobytes()


def test_only_the_unstable_body_is_corrected(start):
    """A box that begins inside the floor is named and comes out slowly; its neighbour rests on.

    Without being watched it is faster: PyBullet throws it out.
    """
    fastest = {}
    for watched in (True, False):
        bench = start()
        bench.floor()
        box = bench.box()
        spec = ObjectSpec('deep', Box((0.2, 0.2, 0.2)), 1.0, shift(x=2.0, z=-0.05))
        deep = bench.engine.add(spec)
        stability, speeds = Stability(bench.engine), []
        for _ in range(200):
            if watched:
                watch(bench, stability, 1)
            else:
                bench.engine.step()
            speeds.append(np.linalg.norm(bench.state(deep).linear_velocity))
        fastest[watched] = max(speeds)
        if watched:
            assert stability.read()[deep] == Status.UNSTABLE
            watch(bench, stability, 1500)
            assert stability.read()[box] == Status.NORMAL
            assert bench.state(box).position == pytest.approx([0.0, 0.0, 0.1], abs=2e-3)
            assert bench.state(deep).position[2] == pytest.approx(0.1, abs=5e-3)
    assert fastest[True] < min(3.0, fastest[False])


def test_a_blow_beyond_all_bounds(start):
    """The energy of a ball after a blow of 1e9 N is what it was, or 1 J/kg; it is finite."""
    bench = start(gravity=0.0)
    ball = bench.engine.add(ObjectSpec('ball', Sphere(0.1), 3.0, shift(z=1.0)))
    stability = Stability(bench.engine)
    zero, centre = np.zeros(3), np.array([0.0, 0.0, 1.0])
    force = np.array([1e9, 0.0, 0.0])
    watch(bench, stability, 1, lambda _: bench.engine.apply_wrench(ball, 0, force, zero, centre))
    assert stability.read() == {ball: Status.UNSTABLE}
    assert bench.engine.kinetic_energy(ball) == pytest.approx(3.0 * 1.0)
    speed = np.sqrt(2.0)
    assert bench.state(ball).linear_velocity == pytest.approx([speed, 0.0, 0.0])
    assert bench.state(ball).position == pytest.approx([speed * STEP, 0.0, 1.0], abs=1e-6)
    watch(bench, stability, 10)
    assert stability.read() == {ball: Status.NORMAL}


def test_what_is_not_finite_is_put_back(start):
    """A body with a force of NaN gets its state of before the step, and the world goes on."""
    bench = start()
    floor, box = bench.floor(), bench.box()
    ball = bench.engine.add(ObjectSpec('ball', Sphere(0.1), 1.0, shift(x=2.0, z=0.5)))
    stability = Stability(bench.engine)
    nothing = np.full(3, np.nan)

    def act(step):
        if step == 100:
            bench.engine.apply_wrench(ball, 0, nothing, np.zeros(3), np.zeros(3))

    watch(bench, stability, 101, act)
    assert stability.read()[ball] == Status.ERROR
    # One step is lost: the speed is that of 100 steps of falling.
    assert bench.state(ball).linear_velocity[2] == pytest.approx(-GRAVITY * 0.1, rel=1e-3)
    watch(bench, stability, 600)
    assert set(stability.read().values()) == {Status.NORMAL}
    for body, height in ((box, 0.1), (ball, 0.1), (floor, 0.0)):
        assert bench.state(body).position[2] == pytest.approx(height, abs=2e-3)


def test_contacts_through_the_layers_are_unreliable(start):
    """Two bodies deeper in each other than their layers are named; the worst lasts until read."""
    bench = start(gravity=0.0)
    floor = bench.engine.add(ObjectSpec('floor', Plane(), padding=0.001))
    shape = Box((0.2, 0.2, 0.2))
    box = bench.engine.add(ObjectSpec('box', shape, 2.0, shift(z=0.0985), padding=0.001))
    stability = Stability(bench.engine)
    watch(bench, stability, 1)
    bench.engine.place(box, type(bench.state(box)).at_rest(shift(z=1.0)))
    watch(bench, stability, 5)
    expected = {floor: Status.CONTACT_UNRELIABLE, box: Status.CONTACT_UNRELIABLE}
    assert stability.read() == expected
    assert stability.read() == {floor: Status.NORMAL, box: Status.NORMAL}


def test_a_restored_world_tells_nothing_of_what_came_after(start):
    """A ball that went astray since a state was saved is as normal as it was then."""
    scene = Scene(start(gravity=0.0).engine, {})
    scene.stability = Stability(scene.engine)
    scene.apply([Spawn(ObjectSpec('ball', Sphere(0.1), 0.001))])
    saved = scene.save()
    ball = scene.engine.body('ball')
    scene.apply([Push('ball', [1000.0, 0.0, 0.0], duration=STEP)])
    scene.step()
    scene.restore(saved)
    assert scene.stability.read() == {ball: Status.NORMAL}
    scene.apply([Push('ball', [1000.0, 0.0, 0.0], duration=STEP)])
    scene.step()
    assert scene.stability.read() == {ball: Status.UNSTABLE}
