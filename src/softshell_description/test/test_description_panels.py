"""The panels: meshes, cover of the ball, clearance of the ground."""

from collections import Counter

import numpy as np
import pytest
import yaml
from scipy.spatial import cKDTree

from softshell_description.expand import mesh_directory
from softshell_description.panels import panel_mesh, read_panels, write_meshes
from softshell_description.robots import share_directory
from softshell_description.slabs import slabs

FOOT_RADIUS = 0.006
LINKS = {'lower': 'lower_{}_shin', 'upper': 'upper_{}_forearm'}

PANELS = share_directory() / 'urdf/shell/panels.yaml'


@pytest.fixture(scope='module')
def panels():
    return {panel.name: panel for panel in read_panels(PANELS)}


@pytest.fixture(scope='module')
def frames(shapes):
    """Pose of each panel's frame in its link."""
    return {
        name: next(pose for pose, form in shapes(link.format(0), 'visual') if form.tag == 'mesh')
        for name, link in LINKS.items()
    }


@pytest.mark.parametrize('name', LINKS)
def test_panel_s_frame_is_the_ball_s(name, robot, link_poses, frames):
    """In the ball pose each panel's frame stands upright on the axis at z = -0.04, to 1e-12."""
    poses = link_poses(robot.poses['ball'])
    for k in range(6):
        frame = poses[LINKS[name].format(k)] @ frames[name]
        assert np.allclose(frame[:3, 3], (0, 0, -0.04), rtol=0, atol=1e-12)
        assert np.allclose(frame[:3, 2], (0, 0, 1), rtol=0, atol=1e-12)


def test_ball_pose_is_the_panels_one(robot):
    """robot.yaml and panels.yaml mean the same ball pose."""
    data = yaml.safe_load(PANELS.read_text(encoding='utf-8'))
    ball = robot.poses['ball']
    for name in LINKS:
        for joint, angle in data[name]['ball_pose'].items():
            full = 'fold' if joint == 'fold' else f'{name}_0_{joint}'
            assert ball[full] == angle


def test_upper_panels_are_turned_against_the_lower(robot, link_poses, frames):
    """By 8° (mod 60°), as docs/shell.md has it."""
    poses = link_poses(robot.poses['ball'])
    azimuth = {}
    for name, link in LINKS.items():
        x = (poses[link.format(0)] @ frames[name])[:3, 0]
        azimuth[name] = np.degrees(np.arctan2(x[1], x[0]))
    assert (azimuth['lower'] - azimuth['upper'] + 30.0) % 60.0 - 30.0 == pytest.approx(-8, abs=0.5)


def solid_angle(panel):
    """Solid angle [sr] of a panel seen from the sphere's centre, by the trapezoidal rule."""
    elevation = np.linspace(*panel.elevation, 2001)
    density = 2.0 * panel.half_width(elevation) * np.cos(elevation)
    return np.sum((density[1:] + density[:-1]) / 2.0 * np.diff(elevation))


def test_panels_cover_the_ball(panels):
    """Between 92 and 96 % of the sphere, counted on 200 000 even directions."""
    count = 200_000
    index = np.arange(count) + 0.5
    elevation = np.arcsin(1.0 - 2.0 * index / count)
    azimuth = (np.pi * (1.0 + 5.0**0.5) * index) % (np.pi / 3.0) - np.pi / 6.0
    covered = np.zeros(count, dtype=bool)
    for panel in panels.values():
        inside = (elevation > panel.elevation[0]) & (elevation < panel.elevation[1])
        inside[inside] &= np.abs(azimuth[inside]) < panel.half_width(elevation[inside])
        covered |= inside
    assert 0.92 <= covered.mean() <= 0.96
    total = 6.0 * sum(solid_angle(panel) for panel in panels.values()) / (4.0 * np.pi)
    assert covered.mean() == pytest.approx(total, abs=1e-3)


@pytest.mark.parametrize('name', LINKS)
def test_mesh_is_a_closed_shell_on_the_sphere(name, panels):
    """Watertight, facing outwards, of the shell's volume, its faces on the two spheres."""
    panel = panels[name]
    mesh = panel_mesh(panel)
    corners = mesh.vertices[mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.linalg.norm(normals, axis=1) > 1e-9).all()
    assert (np.einsum('ij,ikj->ik', normals, mesh.normals[mesh.triangles]) > 0.0).all()
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)

    _, index = np.unique(np.round(mesh.vertices * 1e8), axis=0, return_inverse=True)
    triangles = index.reshape(-1)[mesh.triangles]
    edges = Counter(
        (int(triangle[i]), int(triangle[i - 2])) for triangle in triangles for i in range(3)
    )
    assert set(edges.values()) == {1}
    assert all((b, a) in edges for a, b in edges)

    radii = np.linalg.norm(mesh.vertices, axis=1)
    inner = panel.radius - panel.thickness
    on_a_face = np.isclose(radii, panel.radius) | np.isclose(radii, inner)
    assert on_a_face.all()
    volume = np.einsum('ij,ij->i', corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    shell = solid_angle(panel) * (panel.radius**3 - inner**3) / 3.0
    assert volume == pytest.approx(shell, rel=0.01)


def test_neighbours_leave_a_gap(panels):
    """A panel's edge keeps half the gap from the plane between it and its neighbour."""
    for panel in panels.values():
        outer = panel.radius * panel.directions()
        plane = np.array([-np.sin(np.pi / 6), np.cos(np.pi / 6), 0.0])
        assert -(outer @ plane).max() == pytest.approx(panel.gap / 2.0, rel=0.02)


def test_written_meshes_read_back(panels, tmp_path):
    """The OBJ files hold the shells and the slabs to 0.1 µm, and are written once."""
    folder = tmp_path / 'meshes'
    paths = write_meshes(PANELS, folder)
    stamps = [path.stat().st_mtime_ns for path in paths]
    for name, panel in panels.items():
        mesh = panel_mesh(panel)
        ((vertices, faces),) = objects(folder / f'{name}_panel.obj')
        assert np.allclose(vertices, mesh.vertices, rtol=0, atol=1e-7)
        assert np.array_equal(faces, mesh.triangles)
        pieces = objects(folder / f'{name}_slabs.obj')
        for (vertices, faces), slab in zip(pieces, slabs(panel), strict=True):
            assert np.allclose(vertices, slab.vertices, rtol=0, atol=1e-7)
            assert np.array_equal(faces, slab.triangles)
    again = write_meshes(PANELS, folder)
    assert [path.stat().st_mtime_ns for path in again] == stamps


def test_a_mesh_that_cannot_be_put_in_its_place_leaves_nothing_behind(tmp_path, monkeypatch):
    """Neither itself nor a temporary file."""

    def full(*paths):
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr('os.replace', full)
    with pytest.raises(OSError, match='No space'):
        write_meshes(PANELS, tmp_path)
    assert not list(tmp_path.iterdir())


def objects(path):
    """Vertices, and faces counted from the first of them, of each object in an OBJ file."""
    found, start = [([], [])], 1
    for kind, *words in (line.split() for line in path.read_text(encoding='utf-8').splitlines()):
        if kind == 'o' and found[-1][0]:
            start += len(found[-1][0])
            found.append(([], []))
        elif kind == 'v':
            found[-1][0].append([float(word) for word in words])
        elif kind == 'f':
            found[-1][1].append([int(word.split('//')[0]) - start for word in words])
    return [(np.array(vertices), np.array(faces)) for vertices, faces in found]


def test_meshes_are_found(elements):
    """Every mesh that the URDF names exists."""
    paths = {mesh.get('filename').partition('/meshes/')[2] for mesh in elements.iter('mesh')}
    assert paths == {
        f'shell/{name}_{part}.obj' for name in ('lower', 'upper') for part in ('panel', 'slabs')
    }
    assert all((mesh_directory() / path).is_file() for path in paths)


@pytest.mark.parametrize(('pose', 'margin'), [('zero', 0.003), ('stand', 0.010), ('idle', 0.010)])
def test_panel_clears_the_ground_that_the_foot_stands_on(
    pose, margin, robot, link_poses, panels, frames
):
    """Nothing of a lower panel, shell or slab, is as low as the foot sphere's bottom."""
    poses = link_poses(robot.poses[pose])
    ground = poses['foot_0'][2, 3] - FOOT_RADIUS
    at = poses['lower_0_shin'] @ frames['lower']
    pieces = [slab.vertices for slab in slabs(panels['lower'])]
    for vertices in (panel_mesh(panels['lower']).vertices, *pieces):
        assert (vertices @ at[2, :3] + at[2, 3]).min() - ground > margin


@pytest.mark.parametrize('pose', ['ball', 'idle', 'stand'])
def test_panels_do_not_touch_each_other(pose, robot, link_poses, panels, frames):
    """In the named poses no panel of leg 0 comes closer than 1 mm to any other (of 12)."""
    poses = link_poses(robot.poses[pose])
    clouds = []
    for name, link in LINKS.items():
        panel = panels[name]
        grid = panel.directions(50, 40).reshape(-1, 3)
        points = np.concatenate([grid * panel.radius, grid * (panel.radius - panel.thickness)])
        for k in range(6):
            at = poses[link.format(k)] @ frames[name]
            clouds.append(points @ at[:3, :3].T + at[:3, 3])
    for mine in (0, 6):
        others = np.concatenate([cloud for i, cloud in enumerate(clouds) if i != mine])
        distances, _ = cKDTree(others).query(clouds[mine], distance_upper_bound=0.01)
        assert distances.min() > 0.001
