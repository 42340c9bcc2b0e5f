"""Depths, edges, light and shadows of pictures, against closed forms."""

import numpy as np
import pytest

from softshell_sim.pictures.coverage import depths_in_view, parallel_depths
from softshell_sim.pictures.rasteriser import (
    AMBIENT,
    DIFFUSE,
    SHADOW,
    TILES,
    Lamp,
    Lens,
    paint,
    parts,
)
from softshell_sim.pictures.visuals import visuals_of

SIZE, FOCAL, HEIGHT, NEAR = 200, 300.0, 2.0, 1e-3
#: A camera straight above the origin, that looks down with x to its right.
EYE, VIEW = np.array([0.0, 0.0, HEIGHT]), np.array([[1.0, 0, 0], [0, -1.0, 0], [0, 0, -1.0]])
BALL = '<robot name="r"><link name="a"><visual><geometry><sphere radius="{}"/></geometry></visual>'
BALL += '</link></robot>'


def empty(size):
    return np.full((size, size), np.inf)


def seen_by(corners, view, perspective):
    points = np.ascontiguousarray((corners - EYE) @ view.T)
    depth, seen = empty(SIZE), np.full((SIZE, SIZE), -1, np.int32)
    if perspective:
        depths_in_view(points, FOCAL, NEAR, depth, seen)
    else:
        points[..., :2] += SIZE / 2
        parallel_depths(points, depth, seen)
    return depth, seen


def test_a_ball_is_as_large_and_as_far_as_it_is():
    """A ball of radius r at distance d covers π f² r²/(d² − r²) pixels, its nearest at d − r."""
    r = 0.4
    ball = visuals_of(BALL.format(r))['a']
    depth, seen = seen_by(ball.corners, VIEW, perspective=True)
    assert (seen >= 0).sum() == pytest.approx(
        np.pi * FOCAL**2 * r**2 / (HEIGHT**2 - r**2), rel=0.02
    )
    assert depth.min() == pytest.approx(HEIGHT - r, abs=2e-3)


def test_depths_of_a_slope_are_those_of_its_plane():
    """z = 0.3 x seen from above: along a pixel's ray f t: t = h / (1 + 0.3 x), in perspective."""
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 0.5
    corners = np.column_stack([square, 0.3 * square[:, 0]])[[[0, 1, 2], [0, 2, 3]]]
    depth, seen = seen_by(corners, VIEW, perspective=True)
    slope = (np.arange(SIZE) + 0.5 - SIZE / 2) / FOCAL
    expected = HEIGHT / (1.0 + 0.3 * np.tile(slope, (SIZE, 1)))
    inside = seen >= 0
    assert inside.sum() > 10000
    assert depth[inside] == pytest.approx(expected[inside], abs=1e-9)


@pytest.mark.parametrize('turn', range(3))
@pytest.mark.parametrize('behind', [1, 2])
def test_what_reaches_behind_the_eye_is_drawn_up_to_it(behind, turn):
    """A large triangle upright beside a camera: what is in front is seen, at its distance.

    The camera looks down at x = 0; the triangle stands at x = 0.1 m, so that a pixel at x of the
    sensor sees it at a distance of 0.1 m f / x, from where it enters the picture on.
    """
    high, low = [0.1, 0.0, HEIGHT + 5.0], [0.1, 0.0, HEIGHT - 5.0]
    corners = [high, low, [0.1, 9.0, HEIGHT + (5.0 if behind == 2 else -5.0)]]
    depth, seen = seen_by(np.array([np.roll(corners, turn, axis=0)]), VIEW, perspective=True)
    x = (np.arange(SIZE) + 0.5 - SIZE / 2) / FOCAL
    row = seen[SIZE // 2 - 3]
    inside = row >= 0
    assert inside.sum() > 80
    assert depth[SIZE // 2 - 3][inside] == pytest.approx(0.1 / x[inside])


def test_the_nearer_triangle_is_seen_whichever_comes_first():
    """Two squares above one another, drawn in both orders."""
    low = np.array([[[-1, -1, 0.0], [1, -1, 0.0], [0, 1, 0.0]]])
    high = low + [0.0, 0.0, 0.5]
    for order, nearest in ((np.concatenate([low, high]), 1), (np.concatenate([high, low]), 0)):
        _, seen = seen_by(order, VIEW, perspective=False)
        assert set(np.unique(seen)) <= {-1, nearest}


def test_a_point_is_made_of_corners():
    """Weights sum to 1 and give the point back, also of a triangle that stands upright."""
    triangle = np.array([[0.0, 0, 0], [1.0, 0, 2.0], [0.0, 3.0, 1.0]])
    weights = np.array(parts(triangle, np.array([0.2, 0.5, 0.3]) @ triangle))
    assert weights == pytest.approx([0.2, 0.5, 0.3])


def picture_of(corners, colours, sun):
    """What the camera sees of flat triangles under a lamp from a direction."""
    sun = np.asarray(sun) / np.linalg.norm(sun)
    right = np.cross(-sun, [0.0, 1.0, 0.0])
    right /= np.linalg.norm(right)
    lamp = Lamp(np.array([right, np.cross(-sun, right), -sun]), np.zeros(3), 100.0, empty(400))
    points = corners @ lamp.axes.T
    points[..., :2] = points[..., :2] * lamp.scale + 200
    parallel_depths(np.ascontiguousarray(points), lamp.depth, np.zeros((400, 400), np.int32))
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    normals = np.repeat(flat[:, None], 3, axis=1)
    lens = Lens(EYE, VIEW, FOCAL, HEIGHT, *seen_by(corners, VIEW, perspective=True))
    picture = np.empty((SIZE, SIZE, 3))
    paint(corners, normals, colours, lens, lamp, picture)
    return picture


def pixel(x, y, height=0.0):
    """Row and column of a point."""
    scale = FOCAL / (HEIGHT - height)
    return int(SIZE / 2 - y * scale), int(SIZE / 2 + x * scale)


TABLE = np.array([[-0.1, -0.1, 0.2], [0.1, -0.1, 0.2], [0.1, 0.1, 0.2], [-0.1, 0.1, 0.2]])
SQUARE = TABLE[[[0, 1, 2], [0, 2, 3]]]
GREY = np.full((2, 3), 0.5)


def test_a_level_square_is_as_bright_as_lamberts_law_says():
    """Ambient light and the cosine of the lamp's angle, on the side that the camera sees."""
    for sun in ([1.0, 0.0, 1.0], [0.0, 2.0, 1.0]):
        cosine = sun[2] / np.linalg.norm(sun)
        found = picture_of(SQUARE, GREY, sun)[pixel(0.0, 0.0, 0.2)][0]
        matte = 0.5 * (1.25 * AMBIENT + DIFFUSE * cosine)
        assert matte <= found <= matte + 0.11
    turned = picture_of(SQUARE[:, ::-1], GREY, [1.0, 0.0, 1.0])
    assert turned == pytest.approx(picture_of(SQUARE, GREY, [1.0, 0.0, 1.0]))


def test_a_shadow_lies_where_the_lamp_throws_it():
    """A square at 0.2 m under a lamp at 45° shades the floor 0.2 m beside it, and nowhere else."""
    sun = [-1.0, 0.0, 1.0]
    bare = picture_of(SQUARE + [9.0, 0.0, 0.0], GREY, sun)
    shaded = picture_of(SQUARE, GREY, sun)
    place = pixel(0.25, 0.0)
    assert shaded[place] == pytest.approx(bare[place] * (1.0 - SHADOW))
    for free in (pixel(0.4, 0.0), pixel(-0.25, 0.0), pixel(0.25, 0.2)):
        assert shaded[free] == pytest.approx(bare[free])


def test_the_floor_is_chequered():
    """Tiles of 0.25 m alternate both ways."""
    bare = picture_of(SQUARE + [9.0, 0.0, 0.0], GREY, [0.0, 0.1, 1.0])
    centres = (-0.125, 0.125)
    tones = [bare[pixel(x, y)] for x in centres for y in centres]
    assert tones[0] == pytest.approx(TILES[0])
    assert tones[1] == pytest.approx(TILES[1])
    assert tones[2] == pytest.approx(TILES[1])
    assert tones[3] == pytest.approx(TILES[0])


def test_round_shapes_have_round_normals_and_boxes_flat_ones():
    """A ball's normals go through its middle; those of a box are along its axes."""
    ball = visuals_of(BALL.format(0.5))['a']
    assert ball.normals == pytest.approx(ball.corners / 0.5, abs=0.02)
    text = BALL.format(0.5).replace('sphere radius="0.5"', 'box size="1 2 3"')
    box = visuals_of(text)['a']
    assert np.abs(box.normals).max(axis=2) == pytest.approx(np.ones((12, 3)))
    assert (box.normals * box.corners).sum(axis=2).min() > 0.0
