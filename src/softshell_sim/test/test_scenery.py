"""Pictures of shapes at given poses, against closed forms and rays."""

import numpy as np
import pytest

from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.bodies import ObjectSpec
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import make_engine
from softshell_sim.pictures.scenery import (
    AMBIENT,
    DIFFUSE,
    TILES,
    TO_LIGHT,
    Poses,
    Scenery,
    draw,
)
from softshell_sim.scenes.terrain import ramp, rubble
from softshell_sim.sensing.camera import OPTICAL, SKY, View
from softshell_sim.shapes import Box, Capsule, Cylinder, HeightField, Sphere

WIDTH, HEIGHT, EYE = 160, 120, 0.3
ONE = np.zeros(1, dtype=np.int32)
PLANE = Scenery(
    np.empty((0, 3)), np.empty((0, 3), np.int32), np.empty(0, np.int32), np.zeros(2, np.int32),
    np.zeros(2, np.int32), np.zeros(1), ONE, np.zeros((1, 3)),
)  # fmt: skip


def of_triangles(corners, colour=(200.0, 100.0, 50.0)):
    """One shape of (triangles, 3, 3) corners."""
    count = len(corners)
    numbers = np.arange(3 * count, dtype=np.int32)
    vertices = np.reshape(corners, (-1, 3)).astype(float)
    return Scenery(
        vertices, numbers.reshape(-1, 3), np.zeros(count, np.int32),
        np.array([0, 3 * count], np.int32), np.array([0, count], np.int32),
        np.array([np.linalg.norm(vertices, axis=1).max()]), np.empty(0, np.int32),
        np.array([colour]),
    )  # fmt: skip


def at(pose):
    return Poses(pose[None, :3, :3].copy(), pose[None, :3, 3].copy())


def level(near=0.02, far=20.0):
    """A camera at a height of `EYE` that looks along x."""
    return View(shift(z=EYE) @ transform(OPTICAL), WIDTH, HEIGHT, 1.0, near, far)


SQUARE = 50.0 * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
GROUND = SQUARE[[[0, 1, 2], [0, 2, 3]]]


@pytest.mark.parametrize('near', [0.02, 0.9])
@pytest.mark.parametrize('ground', [of_triangles(GROUND), PLANE], ids=['triangles', 'plane'])
def test_ground_that_goes_on_behind_the_camera_is_seen_to_its_near_end(ground, near):
    """In row v it is at h f/(v − cy); rows where that is nearer than `near` show the sky."""
    view = level(near)
    picture = draw(ground, at(np.eye(4)), view)
    rows = np.arange(HEIGHT)
    wanted = np.full(HEIGHT, np.inf)
    wanted[60:] = EYE * view.focal_length / (rows[60:] - 59.5)
    wanted[(wanted > 20.0) | (wanted < near)] = np.inf
    assert np.isfinite(wanted).sum() > 15
    assert picture.depth == pytest.approx(np.tile(wanted[:, None], WIDTH), rel=1e-6)
    assert ((picture.rgb == SKY).all(axis=2) == np.isinf(picture.depth)).all()


@pytest.mark.parametrize('turn', [0.0, 0.4, -1.1, 2.5])
def test_a_surface_is_as_bright_as_lamberts_law_says(turn):
    """On the side that the camera sees, whichever way round its corners are."""
    upright = rotation_about((0, 1, 0), np.pi / 2)
    pose = shift(2.0, 0.1, 0.3) @ transform(rotation_about((0, 0, 1), turn) @ upright)
    normal = pose[:3, 2] * -np.sign(pose[:3, 2] @ [2.0, 0.1, 0.0])
    light = AMBIENT + DIFFUSE * max(normal @ TO_LIGHT, 0.0)
    for corners in (GROUND, GROUND[:, ::-1]):
        middle = draw(of_triangles(0.002 * corners), at(pose), level()).rgb[60, 72]
        assert middle == pytest.approx(light * np.array([200.0, 100.0, 50.0]), abs=0.51)


def test_a_plane_is_seen_from_above_only_and_chequered():
    """From 0.3 m below nothing; from above tiles of a metre, of which (0, 0) is light."""
    assert np.isinf(draw(PLANE, at(shift(z=2 * EYE)), level()).depth).all()
    down = rotation_about((0, 1, 0), np.pi / 2) @ OPTICAL
    view = View(shift(0.0, 0.0, 1.0) @ transform(down), WIDTH, HEIGHT, 1.0, 0.02, 20.0)
    picture = draw(PLANE, at(np.eye(4)), view)
    assert picture.depth == pytest.approx(1.0)
    light = AMBIENT + DIFFUSE * TO_LIGHT[2]
    # It looks down with x upwards in the picture and y to its left.
    for row, column, tile in ((30, 40, 0), (30, 120, 1), (90, 40, 1), (90, 120, 0)):
        assert picture.rgb[row, column] == pytest.approx(light * np.array(TILES[tile]), abs=0.51)


def test_there_are_no_gaps_between_triangles():
    """A square of 2 · 50² triangles whose edges go through middles of pixels hides all behind."""
    steps = np.linspace(-1.0, 1.0, 51)
    x, y = np.meshgrid(steps, steps)
    grid = np.stack([x, y, 0.0 * x], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
    corners = np.concatenate(
        [np.stack(each, axis=2).reshape(-1, 3, 3) for each in ((a, b, c), (a, c, d))]
    )
    looks = rotation_about((0, 1, 0), np.pi / 2) @ OPTICAL
    # A pixel is 0.01 m: edges along rows, columns and diagonals meet middles of pixels.
    pose = shift(0.005, 0.005, 1.0) @ transform(looks)
    view = View(pose, 100, 100, 2 * np.arctan(0.5), 0.02, 20.0)
    assert draw(of_triangles(corners), at(np.eye(4)), view).depth == pytest.approx(1.0)


HILLS = HeightField(np.random.default_rng(2).uniform(0.0, 0.2, (9, 12)), (1.0, 0.8))


@pytest.mark.parametrize(
    ('shape', 'within'),
    [
        (Box((0.2, 0.3, 0.4)), 1e-5),
        (Box((6.0, 6.0, 0.02)), 1e-5),
        (ramp(0.3, 1.0, 0.8), 1e-5),
        (rubble((1.0, 1.0), 0.2, 0.1), 1e-5),
        (HILLS, 1e-5),
        (Cylinder(0.15, 0.4), 0.01),
        (Sphere(0.2), 0.01),
        (Capsule(0.1, 0.3), 0.01),
    ],
    ids=['box', 'slab', 'ramp', 'rubble', 'hills', 'cylinder', 'sphere', 'capsule'],
)
def test_a_pixel_shows_what_a_ray_through_it_meets(shape, within):
    """By MuJoCo's rays the depth is the same, but for edges and for what polyhedra are not round;
    of a slab that reaches behind the camera as well."""
    engine = make_engine('mujoco', EngineSettings(0.001, 9.81, window=False))
    engine.add(ObjectSpec('shape', shape, 0.0, shift(0.4, 0.0, 0.1)))
    looks = transform(rotation_about((0, 1, 0), 0.6) @ OPTICAL)
    view = View(shift(-0.7, 0.05, 1.1) @ looks, WIDTH, HEIGHT, 1.0, 0.02, 20.0)
    depth = engine.picture(view).depth
    generator, errors, eye = np.random.default_rng(1), [], view.pose[:3, 3]
    for row, column in generator.integers((0, 0), (HEIGHT, WIDTH), (2000, 2)).tolist():
        ray = view.pose[:3, :3] @ np.linalg.solve(view.intrinsics, [column, row, 1.0])
        hit = engine.ray(eye, eye + 20.0 * ray)
        far = np.inf if hit is None else (hit.point - eye) @ view.pose[:3, 2]
        if np.isfinite(far) or np.isfinite(depth[row, column]):
            errors.append(abs(depth[row, column] / far - 1.0))
    engine.close()
    assert len(errors) > 50
    assert np.median(errors) < 0.1 * within
    assert (np.array(errors) > within).mean() < 0.05
