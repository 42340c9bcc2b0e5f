"""Shapes and ground: where they are, how bodies rest on them, and their masses."""

import numpy as np
import pytest
from matplotlib.image import imsave
from scipy.integrate import tplquad

from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import ObjectSpec
from softshell_sim.scenes.terrain import height_field, ramp, rubble, stairs
from softshell_sim.shapes import (
    Box,
    Capsule,
    Compound,
    HeightField,
    Plane,
    Sphere,
    mass_properties,
)


def ground(bench, x, y):
    """Height at which a ray from above meets the ground [m]."""
    hit = bench.engine.ray(np.array([x, y, 9.0]), np.array([x, y, -9.0]))
    return hit.point[2]


def test_a_ramp_rises_from_the_origin(start):
    """Its height is that of a line through the origin, up to its end."""
    bench = start()
    bench.engine.add(ObjectSpec('ramp', ramp(0.3, 2.0, 1.0)))
    for x in (0.01, 0.7, 1.9):
        assert ground(bench, x, 0.4) == pytest.approx(np.tan(0.3) * x, abs=1e-4)
    assert bench.engine.ray(np.array([1.95, 0, 9.0]), np.array([1.95, 0, -9.0])) is None


def test_stairs_are_level_steps(start):
    """Each step is higher than the last by the rise, after each run."""
    bench = start()
    pose = transform(rotation_about((0, 0, 1), np.pi / 2), (1.0, 0.0, 0.5))
    bench.engine.add(ObjectSpec('stairs', stairs(4, 0.1, 0.25, 1.0), pose=pose))
    for step in range(4):
        for part in (0.02, 0.98):
            found = ground(bench, 1.3, 0.25 * (step + part))
            assert found == pytest.approx(0.5 + 0.1 * (step + 1), abs=1e-4)


def test_a_height_field_lies_where_its_numbers_say(start):
    """Rows go along y, columns along x, and the heights are those of the world."""
    rows, columns = 5, 9
    y, x = np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-2, 2, columns), indexing='ij')
    bench = start()
    bench.engine.add(
        ObjectSpec('hills', HeightField(1.0 + 0.2 * x - 0.3 * y, (4.0, 2.0)), pose=shift(z=0.5))
    )
    for place in ((0.0, 0.0), (1.3, -0.4), (-1.9, 0.9)):
        expected = 1.5 + 0.2 * place[0] - 0.3 * place[1]
        assert ground(bench, *place) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize('shape', [Sphere(0.1), Capsule(0.1, 0.2), Box((0.2, 0.2, 0.2))])
def test_bodies_rest_on_a_level_height_field(start, shape):
    """As they do on a plane: half a body above it."""
    bench = start()
    bench.engine.add(ObjectSpec('ground', HeightField(np.full((21, 21), 0.3), (4.0, 4.0))))
    lying = transform(rotation_about((0, 1, 0), np.pi / 2), (0.03, 0.02, 0.41))
    body = bench.engine.add(ObjectSpec('body', shape, 1.0, lying))
    bench.run(1.0)
    assert bench.state(body).position[2] == pytest.approx(0.4, abs=2e-3)


def test_a_compound_falls_and_turns_about_its_centre_of_mass(start):
    """Thrown with spin and no gravity, the centre of its mass goes straight on."""
    dumbbell = Compound(((shift(-0.2), Sphere(0.1)), (shift(0.3), Sphere(0.05))))
    centre, inertia = mass_properties(dumbbell, 2.0)
    big, small = 2.0 * 8 / 9, 2.0 / 9
    assert centre[0] == pytest.approx((-0.2 * big + 0.3 * small) / 2.0)
    apart = 0.5**2 * big * small / 2.0
    balls = 0.4 * (big * 0.1**2 + small * 0.05**2)
    assert np.diag(inertia) == pytest.approx([balls, balls + apart, balls + apart])
    bench = start(gravity=0.0)
    body = bench.engine.add(ObjectSpec('dumbbell', dumbbell, 2.0, shift(z=1.0)))
    bench.engine.apply_wrench(
        body, 0, np.zeros(3), np.array([0.0, 0.0, 50.0]), np.array([centre[0], 0.0, 1.0])
    )
    bench.engine.step()
    rate = bench.state(body).angular_velocity[2]
    assert rate == pytest.approx(50.0 * 0.001 / inertia[2, 2], rel=1e-3)
    bench.run(0.4)
    middle = bench.state(body).pose @ [*centre, 1.0]
    assert middle[:3] == pytest.approx([centre[0], 0.0, 1.0], abs=1e-3)


def test_inertia_of_a_capsule():
    """It is the integral over its volume."""
    radius, length = 0.1, 0.3
    reach = length / 2 + radius

    def wide(z, turn):
        return np.sqrt(max(radius**2 - max(abs(z) - length / 2, 0.0) ** 2, 0.0))

    def integral(weight):
        return tplquad(
            lambda r, turn, z: weight(r * np.cos(turn), r * np.sin(turn), z) * r,
            -reach, reach, 0.0, 2 * np.pi, 0.0, wide,
        )[0]  # fmt: skip

    whole = integral(lambda x, y, z: 1.0)
    _, inertia = mass_properties(Capsule(radius, length), 3.0)
    across = 3.0 * integral(lambda x, y, z: y * y + z * z) / whole
    along = 3.0 * integral(lambda x, y, z: x * x + y * y) / whole
    assert np.diag(inertia) == pytest.approx([across, across, along], rel=1e-5)


def test_heights_of_files(tmp_path):
    """A picture is seen from above: its last row is the lowest y; numbers are as written."""
    heights = np.arange(12.0).reshape(3, 4)
    np.save(tmp_path / 'heights.npy', heights)
    np.savetxt(tmp_path / 'heights.csv', heights, delimiter=',')
    imsave(tmp_path / 'heights.png', heights[::-1], cmap='gray', vmin=0, vmax=11)
    for name, height in (('npy', 0.1), ('csv', 0.1), ('png', 1.1)):
        found = height_field(tmp_path / f'heights.{name}', (2.0, 1.0), height).heights
        assert found == pytest.approx(0.1 * heights, abs=0.003), name


def test_blocks_of_rubble_are_as_high_as_its_field_at_every_sample():
    """And end half-way to where the next sample is lower."""
    ground = rubble((1.0, 0.6), 0.05, 0.1, 3)
    rows, columns = ground.heights.shape
    x, y = np.linspace(-0.5, 0.5, columns), np.linspace(-0.3, 0.3, rows)
    highest = np.full((rows, columns), -np.inf)
    for pose, box in ground.boxes():
        along, across, _ = 0.5 * np.array(box.size) + 1e-9
        covered = np.ix_(abs(y - pose[1, 3]) <= across, abs(x - pose[0, 3]) <= along)
        highest[covered] = np.maximum(highest[covered], pose[2, 3] + 0.5 * box.size[2])
    assert highest == pytest.approx(ground.heights, abs=1e-12)


def test_rubble_is_the_same_for_the_same_seed():
    """Other seeds give other blocks, none higher than asked for."""
    one, same, other = (rubble((2.0, 1.0), 0.05, 0.2, seed) for seed in (1, 1, 2))
    assert np.array_equal(one.heights, same.heights)
    assert not np.array_equal(one.heights, other.heights)
    assert 0.03 < one.heights.max() <= 0.05
    assert one.heights.min() == 0.0


@pytest.mark.parametrize(
    ('make', 'text'),
    [
        (lambda: ramp(2.0, 1.0, 1.0), 'slope is 2.0 rad; expected more than -π/2'),
        (lambda: ramp(0.1, -1.0, 1.0), 'size is -1.0 m; expected more than 0'),
        (lambda: stairs(0, 0.1, 0.2, 1.0), 'steps is 0; expected a whole number of 1 to 300'),
        (lambda: stairs(2, np.nan, 0.2, 1.0), 'size is nan m'),
        (lambda: rubble((1.0, 1.0), 0.0, 0.1), 'height is 0.0 m; expected more than 0'),
        (lambda: rubble((1e4, 1e4), 0.1, 0.1), 'samples; expected at most'),
        (lambda: height_field('nowhere.png', (1, 1)), "'nowhere.png'.*expected a picture, or"),
        (lambda: HeightField(np.zeros(3), (1, 1)), r'shape \(3,\); expected \(rows, columns\)'),
        (lambda: HeightField(np.full((2, 2), np.nan), (1, 1)), 'row 0, column 0 is nan m'),
        (
            lambda: HeightField([[1.0, 2.0], [3.0]], (1, 1)),
            'different lengths; expected rows of eq',
        ),
        (lambda: Compound(()), 'compound has no parts'),
        (
            lambda: Compound(((np.eye(4), Sphere(1.0)), (2.0 * np.eye(4), Sphere(1.0)))),
            'pose of part 2 of a compound is not rigid',
        ),
        (lambda: Compound(((np.full((4, 4), np.nan), Sphere(1.0)),)), 'pose of part 1 of a comp'),
        (lambda: Sphere(0.0), 'radius is 0.0 m; expected more than 0, at most 10000 m'),
        (lambda: ObjectSpec('a', Plane(), 1.0), "body 'a'.*\n.*Plane stands still"),
        (lambda: ObjectSpec('a', Sphere(1.0), np.inf), 'mass is inf kg; expected 0 or more'),
        (
            lambda: ObjectSpec('a', Sphere(1.0), 1.0, np.zeros((4, 4))),
            'pose is not rigid; expected a rotation',
        ),
    ],
)
def test_shapes_that_there_are_not(make, text):
    """Are refused by name, before any engine hears of them."""
    with pytest.raises(SoftshellError, match=text):
        make()
