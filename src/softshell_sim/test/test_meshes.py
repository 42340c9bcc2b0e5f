"""Meshes arrive in metres, with their outside outside, whatever the format."""

import numpy as np
import pytest

from softshell_kinematics.errors import SoftshellError
from softshell_sim.pictures.meshes import read_mesh

#: A corner of a box: legs of 10, 20 and 30 along the file's own axes.
CORNERS = '0 0 0 10 0 0 0 20 0 0 0 30'
FACES = '0 2 1 0 1 3 0 3 2 1 2 3'
COLLADA = f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>%s</asset>
<library_geometries><geometry id="g"><mesh><source id="p">
<float_array id="a" count="12">{CORNERS}</float_array><technique_common>
<accessor source="#a" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{FACES}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


def wavefront(*offsets):
    """An OBJ file with an object at each place along x."""
    corners = np.array(CORNERS.split(), dtype=float).reshape(-1, 3)
    faces, lines = np.array(FACES.split(), dtype=int).reshape(-1, 3) + 1, []
    for k, offset in enumerate(offsets):
        lines.append(f'o part{k}')
        lines += ['v {} {} {}'.format(*(corner + [offset, 0, 0])) for corner in corners]
        lines += ['f {} {} {}'.format(*(face + 4 * k)) for face in faces]
    return '\n'.join(lines)


def volume(mesh):
    """Enclosed volume; negative where faces look inwards (divergence theorem)."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float(np.einsum('ij,ij->i', a, np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize(
    ('asset', 'unit'),
    [
        ('<up_axis>Z_UP</up_axis>', 1.0),
        ('<unit meter="0.01" name="centimeter"/><up_axis>Y_UP</up_axis>', 0.01),
        ('<unit meter="0.001"/>', 0.001),
        ('', 1.0),
    ],
)
def test_collada_says_its_unit(tmp_path, asset, unit):
    """A centimetre is 0.01 m; without a word it is a metre. No axis is turned, as in RViz."""
    path = tmp_path / 'corner.dae'
    path.write_text(COLLADA % asset)
    (mesh,) = read_mesh(str(path))
    assert mesh.vertices.min(axis=0) == pytest.approx(np.zeros(3))
    assert mesh.vertices.max(axis=0) == pytest.approx(unit * np.array([10.0, 20.0, 30.0]))
    assert volume(mesh) == pytest.approx(1000.0 * unit**3)


@pytest.mark.parametrize('scale', [(1, 1, 1), (0.1, 0.2, 0.3), (-1, 1, 1), (-2, -2, -2)])
def test_a_scaled_or_mirrored_mesh_keeps_its_outside(tmp_path, scale):
    """Its volume is that of the file times all three scales, never negative."""
    path = tmp_path / 'corner.obj'
    path.write_text(wavefront(0.0))
    (mesh,) = read_mesh(str(path), scale)
    assert volume(mesh) == pytest.approx(1000.0 * abs(np.prod(scale)))
    ends = np.sort([np.zeros(3), np.multiply(scale, [10.0, 20.0, 30.0])], axis=0)
    assert mesh.vertices.min(axis=0) == pytest.approx(ends[0])
    assert mesh.vertices.max(axis=0) == pytest.approx(ends[1])


def test_objects_of_one_file_stay_apart(tmp_path):
    """Each is a shape of its own, as whoever cut a body into convex parts meant it."""
    path = tmp_path / 'parts.obj'
    path.write_text(wavefront(0.0, 50.0))
    meshes = read_mesh(str(path))
    assert sorted(mesh.vertices[:, 0].min() for mesh in meshes) == pytest.approx([0.0, 50.0])
    assert [volume(mesh) for mesh in meshes] == pytest.approx([1000.0, 1000.0])


@pytest.mark.parametrize('name', ['none.stl', 'broken.dae', 'broken.obj', 'strange.abc'])
def test_what_cannot_be_read_is_named(tmp_path, name):
    """A file that is not there, is broken, or of no known format: one error with its path."""
    path = tmp_path / name
    if not name.startswith('none'):
        path.write_text('nonsense')
    with pytest.raises(SoftshellError, match=name):
        read_mesh(str(path))
