"""Height fields from files, how bodies slide on them, and how large they may be."""

import numpy as np
import pytest
from PIL import Image

from softshell_kinematics.errors import ProblemsError, SoftshellError
from softshell_kinematics.transforms import rotation_about, transform
from softshell_sim.bodies import ObjectSpec, Surface
from softshell_sim.scenes.scene_file import read_body
from softshell_sim.scenes.terrain import height_field, rubble, stairs
from softshell_sim.shapes import Box, HeightField

HEIGHTS = np.random.default_rng(0).uniform(0.0, 1.0, (5, 8))
GRAVITY = 9.81


@pytest.mark.parametrize('columns', [31, 91])
@pytest.mark.parametrize(('friction', 'slope'), [(0.0, 0.3), (0.3, 0.5)])
def test_on_an_even_height_field_a_box_slides_as_on_a_plane(start, friction, slope, columns):
    """With g (sin θ − μ cos θ), however many triangles the slope is made of, within 0.5 %."""
    along, up = 6.0 * np.cos(slope), 6.0 * np.sin(slope)
    heights = np.tile(np.linspace(0.0, up, columns), (11, 1))
    bench = start()
    bench.engine.add(
        ObjectSpec('hill', HeightField(heights, (along, 2.0)), surface=Surface(friction))
    )
    turn = rotation_about((0.0, 1.0, 0.0), -slope)
    place = np.array([0.25 * along, 0.0, 0.75 * up]) + turn @ [0.0, 0.0, 0.0205]
    box = Box((0.2, 0.2, 0.04))
    body = bench.engine.add(ObjectSpec('box', box, 1.0, transform(turn, place), Surface(friction)))
    bench.run(0.4)
    before = np.linalg.norm(bench.state(body).linear_velocity)
    bench.run(0.4)
    gained = np.linalg.norm(bench.state(body).linear_velocity) - before
    expected = GRAVITY * (np.sin(slope) - friction * np.cos(slope))
    assert gained / 0.4 == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize(
    ('name', 'picture', 'digits'),
    [
        ('float.tif', HEIGHTS.astype(np.float32), 1e-7),
        ('sixteen.tif', (HEIGHTS * 65535).round().astype(np.uint16), 1e-5),
        ('sixteen.png', (HEIGHTS * 65535).round().astype(np.uint16), 1e-5),
        ('eight.tif', (HEIGHTS * 255).round().astype(np.uint8), 2.1e-3),
        ('eight.gif', (HEIGHTS * 255).round().astype(np.uint8), 2.1e-3),
        ('colours.png', np.dstack([(HEIGHTS * 255).round().astype(np.uint8)] * 3), 2.1e-3),
        ('faint.png', np.dstack([np.uint8(np.round(HEIGHTS * 255)), np.full((5, 8), 9, np.uint8)]),
         2.1e-3),
    ],
)  # fmt: skip
def test_pictures_of_any_depth_give_the_heights_that_they_were_made_of(
    tmp_path, name, picture, digits
):
    """As exactly as their bits allow; how transparent they are does not count."""
    Image.fromarray(picture[::-1]).save(tmp_path / name)
    found = height_field(tmp_path / name, (2.0, 1.0)).heights
    assert found == pytest.approx(HEIGHTS, abs=digits)


def test_floating_point_pictures_may_hold_metres(tmp_path):
    """Below 0 and above 1 as well: a valley of 300 m below a peak of 1200 m."""
    metres = -300.0 + 1500.0 * HEIGHTS
    Image.fromarray(metres[::-1].astype(np.float32)).save(tmp_path / 'alps.tif')
    found = height_field(tmp_path / 'alps.tif', (2.0, 1.0), 0.01).heights
    assert found == pytest.approx(0.01 * metres, abs=1e-5)


def test_files_that_hold_no_heights_are_refused_by_name(tmp_path):
    """Letters, complex numbers, nothing, and whole numbers of which nobody knows what is white."""
    np.save(tmp_path / 'letters.npy', np.array([['a', 'b'], ['c', 'd']]))
    np.save(tmp_path / 'complex.npy', HEIGHTS + 1j)
    np.savez(tmp_path / 'both.npz', HEIGHTS, HEIGHTS)
    (tmp_path / 'both.npz').rename(tmp_path / 'both.npy')
    (tmp_path / 'empty.csv').write_text('\n')
    Image.fromarray((1e6 * HEIGHTS).astype(np.int32)).save(tmp_path / 'whole.tif')
    for name, text in (
        ('letters.npy', 'heights of type <U1; expected real numbers'),
        ('complex.npy', 'heights of type complex128; expected real numbers'),
        ('both.npy', 'it holds several arrays, as a file of suffix .npz does; expected'),
        ('empty.csv', 'it is empty; expected a picture, or numbers in one of'),
        ('whole.tif', 'whole numbers of 32 bits.*expected one of 8 or 16 bits'),
    ):
        with pytest.raises(SoftshellError, match=f'{name}.*{text}'):
            height_field(tmp_path / name, (1.0, 1.0))


@pytest.mark.parametrize('name', ['large.png', 'large.npy'])
def test_files_of_too_many_heights_are_refused_unread(tmp_path, monkeypatch, name):
    """By their first bytes: PyBullet takes minutes for what is larger, and dies of 1600 x 1600."""
    large = np.zeros((1600, 1600), np.uint8)
    if name.endswith('npy'):
        np.save(tmp_path / name, large)
    else:
        Image.fromarray(large).save(tmp_path / name)
    monkeypatch.setattr(Image.Image, 'load', None)
    with pytest.raises(SoftshellError, match=f'{name}.*1600 x 1600 samples; expected at most 300'):
        height_field(tmp_path / name, (1.0, 1.0))


def test_the_largest_height_field_is_taken(start):
    """547 x 547 samples, as the refusal of larger ones says, lie where they should."""
    bench = start()
    slope = np.tile(np.linspace(0.0, 1.0, 547), (547, 1))
    bench.engine.add(ObjectSpec('slope', HeightField(slope, (10.0, 10.0))))
    hit = bench.engine.ray(np.array([2.5, 1.0, 9.0]), np.array([2.5, 1.0, -9.0]))
    assert hit.point[2] == pytest.approx(0.75, abs=1e-3)


@pytest.mark.parametrize('steps', [16, 17, 40, 300])
def test_stairs_are_there_to_the_last_step(start, steps):
    """However many: the top is as high as all rises together."""
    bench = start()
    bench.engine.add(ObjectSpec('stairs', stairs(steps, 0.01, 0.3, 1.0)))
    for step in (0, steps // 2, steps - 1):
        x = 0.3 * (step + 0.5)
        hit = bench.engine.ray(np.array([x, 0.2, 9.0]), np.array([x, 0.2, -9.0]))
        assert hit.point[2] == pytest.approx(0.01 * (step + 1), abs=1e-4)


@pytest.mark.parametrize(
    ('description', 'text'),
    [
        ('stairs: {steps: 20000, rise: 0.1, run: 0.3, width: 1.0}', '20000; expected a whole'),
        ('stairs: {steps: 1000000000, rise: 0.1, run: 0.3, width: 1.0}', 'whole number of 1 to 3'),
        ('rubble: {size: [20.0, 20.0], height: 0.1, block: 0.0005}', '0.0005 m; expected 0.04 m'),
        ('rubble: {size: [20.0, 20.0], height: 0.1, block: 0.1}', '1001 x 1001 samples; expected'),
        ('rubble: {size: [1.0, 1.0], height: 0.1, block: 0.1, seed: -1}', 'seed is -1; expected'),
    ],
)
def test_ground_that_would_take_minutes_is_refused_before_any_work(description, text):
    """With what was given, and what may be."""
    with pytest.raises(SoftshellError, match=text):
        read_body('ground', f'{{{description}}}')


def test_rubble_covers_as_much_of_the_ground_as_blocks_at_random_do():
    """2 A/b² blocks of (0.75 b)² on the mean leave e^-1.125 of it bare: the Poisson law."""
    heights = rubble((10.0, 10.0), 0.1, 0.2, seed=4).heights
    assert np.mean(heights == 0.0) == pytest.approx(np.exp(-1.125), abs=0.02)
    assert len(np.unique(heights)) > 1000


@pytest.mark.parametrize(
    ('make', 'text'),
    [
        (lambda: stairs('2', 0.1, 0.2, 1.0), "steps is '2'; expected a whole number"),
        (lambda: stairs(np.nan, 0.1, 0.2, 1.0), 'steps is nan; expected a whole number'),
        (lambda: rubble((1.0, 1.0), '0.1', 0.1), "height is '0.1'; expected more than 0"),
        (lambda: rubble((1.0, 1.0), 0.1, 0.1, 0.5), 'seed is 0.5; expected a whole number'),
        (lambda: Box((1e9, 1.0, 1.0)), r'size is 1000000000.0 m; expected more than 0, at most'),
        (lambda: Box(('1', 1.0, 1.0)), "size is '1'; expected more than 0, at most 10000 m"),
        (lambda: HeightField(np.full((2, 2), 1e9), (1, 1)), 'row 0, column 0 is 1000000000.0 m'),
        (lambda: HeightField(np.zeros((2, 2)), (1e9, 1)), 'size is 1000000000.0 m; expected'),
    ],
)
def test_sizes_that_no_ground_has(make, text):
    """Are refused by name, with the value and the range."""
    with pytest.raises((SoftshellError, ProblemsError), match=text):
        make()
