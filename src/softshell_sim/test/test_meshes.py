"""Meshes arrive in metres, with their outside outside, whatever the format."""

import numpy as np
import pytest
import trimesh
from mesh_files import COLLADA, wavefront

from softshell_kinematics.errors import SoftshellError
from softshell_sim.pictures.meshes import read_mesh


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


@pytest.mark.needs('pybullet')
def test_a_mesh_with_one_scale_for_all_axes_gets_a_layer_of_its_size(tmp_path):
    """PyBullet ignores a scale of one number, also in a file that it reads itself."""
    from softshell_sim.pybullet.meshes import grow_meshes

    trimesh.creation.box((30.0, 20.0, 10.0)).export(tmp_path / 'box.stl')
    urdf = (
        '<robot name="r"><link name="l"><collision><geometry>'
        f'<mesh filename="{tmp_path / "box.stl"}" scale="{{}}"/>'
        '</geometry></collision></link></robot>'
    )
    sizes = []
    for count, scale in enumerate(('0.01', '0.01 0.01 0.01')):
        folder = tmp_path / str(count)
        folder.mkdir()
        grow_meshes('r', urdf.format(scale), 0.002, folder)
        lines = (folder / '0.obj').read_text().splitlines()
        corners = np.array([line.split()[1:] for line in lines if line[0] == 'v'], dtype=float)
        sizes.append(np.ptp(corners, axis=0))
    assert sizes[0] == pytest.approx(sizes[1])
    assert sizes[0] == pytest.approx([0.302, 0.202, 0.102], abs=1e-3)
